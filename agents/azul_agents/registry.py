"""Agents by spec: `name` or `name:key=value,key=value`.

Parsing is separate from construction: `parse_spec` imports no agent. Other packages add agents through entry points of
the group `azul.agents`; each is an AgentKind, or a class or function that `python:` accepts.
"""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, NamedTuple, get_type_hints

from azul_agents.base import Agent

ENTRY_POINTS: Final = "azul.agents"
KIND_MODULES: Final = (
    "azul_agents.kinds",
    "azul_train.kinds",
)  # each defines KINDS and is cheap to import
OWN_ORIGIN: Final = "azul-env"


class AgentSpecError(ValueError):
    """An unknown agent, or options that do not fit the agent."""


@dataclass(frozen=True)
class NoOptions:
    """Options of an agent that has none."""


@dataclass(frozen=True)
class AgentKind:
    """An entry of the registry.

    `options` is a frozen dataclass with a field per option, documented by `option`; `make` gets the spec and an
    instance. With `takes_rest`, the only option is a string: everything after the colon, such as a command.
    """

    name: str
    summary: str
    make: Callable[[str, Any], Agent]
    options: type = NoOptions
    takes_rest: bool = False
    origin: str = OWN_ORIGIN  # the distribution that provides the agent


class ParsedSpec(NamedTuple):
    """A parsed spec."""

    kind: AgentKind
    options: Any


def option(default: Any, doc: str) -> Any:
    """A documented field of an options class."""
    return dataclasses.field(default=default, metadata={"doc": doc})


def lazily(path: str) -> Callable[..., Any]:
    """The function or class at `module:name`, imported on the first call."""
    module, _, name = path.partition(":")
    return lambda *arguments: getattr(import_module(module), name)(*arguments)


def parse_spec(spec: str) -> ParsedSpec:
    """Parse a spec without constructing the agent. Raises AgentSpecError."""
    name, _, rest = spec.partition(":")
    kind = _own_kinds().get(name)
    if kind is None:
        installed = _installed()
        if name not in installed:
            known = ", ".join([*_own_kinds(), *installed])
            raise AgentSpecError(f"unknown agent {name!r}; known: {known}")
        kind = _loaded(installed[name])
    return ParsedSpec(kind, parse_options(kind, rest, spec))


def make_agent(spec: str) -> Agent:
    """Construct the agent of a spec. Raises AgentSpecError."""
    kind, options = parse_spec(spec)
    return kind.make(spec, options)


def agent_kinds() -> dict[str, AgentKind]:
    """All agents by name. If one from another package cannot be loaded, its summary is the error."""
    return _own_kinds() | {name: _listed(point) for name, point in _installed().items()}


def parse_options(kind: AgentKind, text: str, spec: str) -> Any:
    """Parse the options of an agent. Raises AgentSpecError, which names `spec` and the option."""
    fields = {field.name: field for field in dataclasses.fields(kind.options)}
    if kind.takes_rest:
        if not text.strip():
            raise AgentSpecError(f"{spec!r}: write {kind.name}:{next(iter(fields)).upper()}")
        values: dict[str, Any] = {next(iter(fields)): text}
    else:
        values = _values(kind, fields, text, spec)
    for name, field in fields.items():
        if name not in values and field.default is dataclasses.MISSING:
            raise AgentSpecError(f"{spec!r}: {kind.name} needs the option {name!r}")
    try:
        return kind.options(**values)
    except ValueError as error:
        raise AgentSpecError(f"{spec!r}: {error}") from None


@cache
def _own_kinds() -> dict[str, AgentKind]:
    modules: Iterable[Any] = map(import_module, KIND_MODULES)
    return {kind.name: kind for module in modules for kind in module.KINDS}


def _installed() -> dict[str, EntryPoint]:
    """Entry points of other packages by name, except names of our own agents."""
    points = entry_points(group=ENTRY_POINTS)
    return {point.name: point for point in points if point.name not in _own_kinds()}


def _loaded(point: EntryPoint) -> AgentKind:
    """Load an entry point. Raises AgentSpecError if that fails."""
    origin = point.dist.name if point.dist else point.module
    try:
        found = point.load()
    except Exception as error:
        raise AgentSpecError(
            f"the agent {point.name!r} of {origin} cannot be loaded from {point.value}: {error!r}"
        ) from error
    if isinstance(found, AgentKind):
        return dataclasses.replace(found, name=point.name, origin=origin)
    kind_of = lazily("azul_agents.bots.python:kind_of")
    return dataclasses.replace(kind_of(found, point.name), origin=origin)


def _listed(point: EntryPoint) -> AgentKind:
    try:
        return _loaded(point)
    except AgentSpecError as error:
        origin = point.dist.name if point.dist else point.module
        return AgentKind(point.name, str(error), lambda *_: make_agent(point.name), origin=origin)


def _values(
    kind: AgentKind, fields: dict[str, dataclasses.Field[Any]], text: str, spec: str
) -> dict[str, Any]:
    """The values in `key=value,key=value`."""
    types = get_type_hints(kind.options)
    values: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in fields or not equals:
            known = ", ".join(fields) or "none"
            raise AgentSpecError(f"{spec!r}: {kind.name} has no option {key!r}; options: {known}")
        if key in values:
            raise AgentSpecError(f"{spec!r}: the option {key!r} is given twice")
        values[key] = _value_of(types[key], value, f"{spec!r}: {key}")
    return values


def _value_of(expected: Any, text: str, where: str) -> Any:
    """Convert an option to its type: int, float, str, bool (yes or no), or None (none)."""
    types = getattr(expected, "__args__", (expected,))
    if type(None) in types and text == "none":
        return None
    if bool in types:
        if text not in ("yes", "no"):
            raise AgentSpecError(f"{where} must be yes or no, not {text!r}")
        return text == "yes"
    for number in (int, float):
        if number in types:
            try:
                return number(text)
            except ValueError:
                continue
    if str in types:
        return text
    raise AgentSpecError(f"{where} must be a number, not {text!r}")
