"""Agents by spec: `name`, `name:key=value,key=value` or the name of a level.

Parsing is separate from construction: `parse_spec` imports no agent. Other packages add agents through entry points of
the group `azul.agents`; each is an AgentKind, or a class or function that `python:` accepts.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, NamedTuple, get_type_hints

from azul_agents.base import Agent
from azul_agents.suggestions import did_you_mean
from azul_env import brief, shown

ENTRY_POINTS: Final = "azul.agents"
# Each defines KINDS and is cheap to import.
KIND_MODULES: Final = (
    "azul_agents.kinds",
    "azul_train.kinds",
)
OWN_ORIGIN: Final = "azul-env"
MAX_SPEC_LETTERS: Final = 4096  # as many as a path may have
SHOWN_SPEC_LETTERS: Final = 200  # in an error message
# Line breaks and terminal control characters: specs are names in tables, records and error messages.
CONTROL_CHARACTERS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


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
    # Those it plays; None: an agent has to be made and asked.
    variants: tuple[str, ...] | None = None


class ParsedSpec(NamedTuple):
    """A parsed spec."""

    kind: AgentKind
    options: Any


class Level(NamedTuple):
    """A named opponent for people; the name is a spec, too."""

    name: str
    description: str
    spec: str
    rating: float | None = None  # with 2 players, if it was measured


def option(default: Any, doc: str) -> Any:
    """A documented field of an options class."""
    return dataclasses.field(default=default, metadata={"doc": doc})


def lazily(path: str) -> Callable[..., Any]:
    """The function or class at `module:name`, imported on the first call."""
    module, _, name = path.partition(":")
    return lambda *arguments: getattr(import_module(module), name)(*arguments)


def parse_spec(spec: str) -> ParsedSpec:
    """Parse a spec without constructing the agent. Raises AgentSpecError, or TypeError for anything but a string."""
    if not isinstance(spec, str):
        raise TypeError(f"a spec must be a string such as 'greedy', not {shown(spec)}")
    if len(spec) > MAX_SPEC_LETTERS:
        raise AgentSpecError(
            f"{shown(spec)} has {len(spec):,} letters: a spec has at most {MAX_SPEC_LETTERS:,}"
        )
    if CONTROL_CHARACTERS.search(spec):
        raise AgentSpecError(f"{quoted(spec)}: a spec has no control characters")
    levels = _level_specs()
    name, _, rest = levels.get(spec, spec).partition(":")
    if name in levels:
        raise AgentSpecError(f"{quoted(spec)}: a level has no options; {name} is {levels[name]}")
    kind = _own_kinds().get(name)
    if kind is None:
        installed = _installed()
        if name not in installed:
            names = [*_own_kinds(), *installed]
            raise AgentSpecError(
                f"unknown agent {quoted(name)}{did_you_mean(name, [*names, *levels])}; "
                f"known: {', '.join(names)}; levels: {', '.join(levels)}"
            )
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
            raise AgentSpecError(f"{quoted(spec)}: write {kind.name}:{next(iter(fields)).upper()}")
        values: dict[str, Any] = {next(iter(fields)): text}
    else:
        values = _values(kind, fields, text, spec)
    for name, field in fields.items():
        if name not in values and field.default is dataclasses.MISSING:
            raise AgentSpecError(f"{quoted(spec)}: {kind.name} needs the option {name!r}")
    try:
        return kind.options(**values)
    except ValueError as error:
        raise AgentSpecError(f"{quoted(spec)}: {error}") from None


@cache
def _own_kinds() -> dict[str, AgentKind]:
    modules: Iterable[Any] = map(import_module, KIND_MODULES)
    return {kind.name: kind for module in modules for kind in module.KINDS}


@cache
def _level_specs() -> dict[str, str]:
    """The specs of the levels by name."""
    modules: Iterable[Any] = map(import_module, KIND_MODULES)
    return {level.name: level.spec for module in modules for level in getattr(module, "LEVELS", ())}


def _installed() -> dict[str, EntryPoint]:
    """Entry points of other packages by name, except names of our own agents and levels."""
    points = entry_points(group=ENTRY_POINTS)
    taken = _own_kinds().keys() | _level_specs().keys()
    return {point.name: point for point in points if point.name not in taken}


def _loaded(point: EntryPoint) -> AgentKind:
    """Load an entry point. Raises AgentSpecError if that fails."""
    origin = point.dist.name if point.dist else point.module
    try:
        found = point.load()
    except Exception as error:
        raise AgentSpecError(
            f"the agent {point.name!r} of {origin} cannot be loaded from {point.value}: {brief(repr(error))}"
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
            raise AgentSpecError(
                f"{quoted(spec)}: {kind.name} has no option {shown(key)}; options: {known}"
            )
        if key in values:
            raise AgentSpecError(f"{quoted(spec)}: the option {key!r} is given twice")
        values[key] = _value_of(types[key], value, f"{quoted(spec)}: {key}")
    return values


def _value_of(expected: Any, text: str, where: str) -> Any:
    """Convert an option to its type: int, float, str, bool (yes or no), or None (none)."""
    types = getattr(expected, "__args__", (expected,))
    if type(None) in types and text == "none":
        return None
    if bool in types:
        if text not in ("yes", "no"):
            raise AgentSpecError(f"{where} must be yes or no, not {shown(text)}")
        return text == "yes"
    for number in (int, float):
        if number in types:
            try:
                return number(text)
            except ValueError:
                continue
    if str in types:
        return text
    raise AgentSpecError(f"{where} must be a number, not {shown(text)}")


def quoted(spec: str) -> str:
    """A spec for an error message."""
    return shown(spec, SHOWN_SPEC_LETTERS)
