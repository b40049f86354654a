"""Agents by name: `name`, or `name:key=value,key=value`, the same text everywhere."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from azul_agents.base import Agent


class AgentSpecError(ValueError):
    """A text that names no agent, or an option that the agent does not have."""


@dataclass(frozen=True)
class NoOptions:
    """Options of an agent that has none."""


@dataclass(frozen=True)
class AgentKind:
    """An entry of the registry.

    `options` is a frozen dataclass whose fields, each with a `doc` in its metadata, are the options; `make` gets the
    spec and an instance of it. An agent that takes the rest of its spec as it is (a command, say) has options with one
    field of type str and `takes_rest` set.
    """

    name: str
    summary: str
    make: Callable[[str, Any], Agent]
    options: type = NoOptions
    takes_rest: bool = False


def option(default: Any, doc: str) -> Any:
    """A field of an options class, with the line that documents it."""
    return dataclasses.field(default=default, metadata={"doc": doc})


def make_agent(spec: str) -> Agent:
    """The agent that a text names. Raises AgentSpecError, which lists what there is."""
    kind, options = parse_spec(spec)
    return kind.make(spec, options)


def parse_spec(spec: str) -> tuple[AgentKind, Any]:
    """The kind of agent that a text names and its options; constructs no agent. Raises AgentSpecError."""
    name, _, rest = spec.partition(":")
    kinds = agent_kinds()
    if name not in kinds:
        raise AgentSpecError(f"there is no agent {name!r}; there are {', '.join(kinds)}")
    kind = kinds[name]
    return kind, _options_of(kind, rest, spec)


def agent_kinds() -> dict[str, AgentKind]:
    """Every kind of agent by name."""
    # Imported here, because each of them imports this module for its entry.
    from azul_agents.baselines import greedy, random_agent
    from azul_agents.bots import external
    from azul_agents.neural import agent as neural
    from azul_agents.search import alphabeta, mcts

    entries = [random_agent.KIND, greedy.KIND, alphabeta.KIND, mcts.KIND]
    entries += [neural.KIND_PPO, neural.KIND_NEURAL, external.KIND]
    return {kind.name: kind for kind in entries}


def _options_of(kind: AgentKind, rest: str, spec: str) -> Any:
    """The options that the part behind the name gives."""
    fields = {field.name: field for field in dataclasses.fields(kind.options)}
    if kind.takes_rest:
        if not rest.strip():
            raise AgentSpecError(f"{spec!r}: write {kind.name}:{next(iter(fields)).upper()}")
        return kind.options(rest)
    types = get_type_hints(kind.options)
    values: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, text = part.partition("=")
        if key not in fields or not equals:
            known = ", ".join(fields) or "none"
            raise AgentSpecError(f"{spec!r}: {key!r} is no option of {kind.name}; options: {known}")
        if key in values:
            raise AgentSpecError(f"{spec!r}: the option {key!r} is given twice")
        values[key] = _value_of(types[key], text, f"{spec!r}: {key}")
    try:
        return kind.options(**values)
    except ValueError as error:
        raise AgentSpecError(f"{spec!r}: {error}") from None


def _value_of(expected: Any, text: str, where: str) -> Any:
    """The value that a text stands for: a whole number, a number, a word or yes/no, or `none` where that is allowed."""
    kinds = getattr(expected, "__args__", (expected,))
    if type(None) in kinds and text == "none":
        return None
    if bool in kinds:
        if text not in ("yes", "no"):
            raise AgentSpecError(f"{where} must be yes or no, not {text!r}")
        return text == "yes"
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                continue
    if str in kinds:
        return text
    raise AgentSpecError(f"{where} must be a number, not {text!r}")
