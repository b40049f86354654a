"""What a client can choose: levels, agents with options in numbers, the agents of the command line, and engines.

A name that comes from the page becomes an agent only here. Paths, commands and modules never do: agents that need them
are named on the command line, and the page calls them `own-1`, `own-2` and so on.
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, get_type_hints

from azul_agents import LEVELS, AgentKind, agent_kinds, parse_spec
from azul_env import COLOR_NAMES, DEFAULT_MAX_ROUNDS, MAX_PLAYERS, MIN_PLAYERS, __version__, brief
from azul_ui.games.seats import names_an_agent
from azul_ui.games.session import PERSON
from azul_ui.web.messages import MAX_MESSAGE_BYTES, PROTOCOL, Data, RefusedError

# These load files or run programs; the page may not name them, whatever their options.
REFUSED_KINDS: Final = ("neural", "sb3", "external", "python")
MAX_AGENT_SECONDS: Final = 60.0  # per move
# What a page may ask of a search; the largest take a minute or so.
MAX_OPTIONS: Final = {
    "time": MAX_AGENT_SECONDS,
    "nodes": 20_000_000,
    "simulations": 2_000_000,
    "depth": 48,
    "breadth": 200,
    "exploration": 1000.0,
    "temperature": 1000.0,
}
LIMITS_OF_SEARCHES: Final = ("time", "nodes", "simulations")
ANALYSTS: Final = ("alphabeta", "mcts", "guided", "greedy")  # the kinds that give values to moves
INSTANT_KINDS: Final = ("random", "greedy", "ppo")  # answer in milliseconds
VARIANT_WORDS: Final = {
    "colored": "Every cell of the wall has its color.",
    "gray": "The wall has no colors: you choose the column of every tile.",
}
MAX_LABEL_LETTERS: Final = 28
MAX_OWN: Final = 32


class Engine(NamedTuple):
    """What `analyse` and `review` take."""

    name: str
    description: str
    spec: str  # for an analysis, which has limits of its own
    review_spec: str  # for one move of a review


ENGINES: Final = (
    Engine(
        "alphabeta",
        "alpha-beta search to the end of the round, the surest with 2 players",
        "alphabeta",
        "alphabeta:nodes=200000",
    ),
    Engine(
        "mcts",
        "Monte-Carlo search in which everybody plays for themselves, the surest with 3 and 4 players",
        "mcts",
        "mcts:simulations=30000",
    ),
    Engine(
        "guided",
        "Monte-Carlo search with the trained policy",
        "guided",
        "guided:simulations=20000",
    ),
    Engine("greedy", "looks one move ahead, on the player's board", "greedy", "greedy"),
)


class Catalog:
    """The choices that this server offers; `own` are specs from its command line."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        """Raises ValueError for a spec that is no agent, or too many."""
        if len(own) > MAX_OWN:
            raise ValueError(f"{len(own)} agents of your own: at most {MAX_OWN} can be named")
        for spec in own:
            parse_spec(spec)
        self.own = {f"own-{number}": spec for number, spec in enumerate(dict.fromkeys(own), 1)}

    def spec_of(self, name: str) -> str:
        """The spec of a seat that the page names; PERSON stays. Raises RefusedError."""
        if name == PERSON:
            return PERSON
        if name in self.own:
            return self.own[name]
        if not names_an_agent(name) or not _is_open(parse_spec(name).kind):
            known = ", ".join(
                [PERSON, *(level.name for level in LEVELS), *_open_kinds(), *self.own]
            )
            raise RefusedError(
                "not_allowed", f"{brief(repr(name), 80)} cannot be seated here; known: {known}"
            )
        return _bounded(name)

    def name_of(self, spec: str) -> str:
        """The name of a seat, as the page would write it."""
        return next((name for name, own in self.own.items() if own == spec), spec)

    def is_trusted(self, spec: str) -> bool:
        """True if a game of the store may go on with this seat: the page can put any record there."""
        try:
            return spec in self.own.values() or self.spec_of(spec) == spec
        except RefusedError:
            return False

    def engine(self, name: str) -> Engine:
        """The engine of a name. Raises RefusedError."""
        for engine in self.engines:
            if engine.name == name:
                return engine
        known = ", ".join(engine.name for engine in self.engines)
        raise RefusedError(
            "not_found", f"there is no engine {brief(repr(name), 60)}; known: {known}"
        )

    @cached_property
    def engines(self) -> list[Engine]:
        """The engines, the agents of the command line last."""
        own = [Engine(name, brief(spec, 60), spec, spec) for name, spec in self.own.items()]
        return [*ENGINES, *own]

    def data(self, plays: Callable[[str], bool] = lambda spec: True) -> Data:
        """The catalog as the page gets it, without the agents that do not play, or analyse, what the caller asks for."""
        return {
            "protocol": PROTOCOL,
            "version": __version__,
            "levels": [
                {
                    "name": level.name,
                    "description": level.description,
                    "spec": level.spec,
                    "rating": None if level.rating is None else round(level.rating),
                }
                for level in LEVELS
                if plays(level.spec)
            ],
            "agents": [_agent_data(kind) for kind in _open_kinds().values() if plays(kind.name)],
            "own": [{"name": name, "spec": spec} for name, spec in self.own.items() if plays(spec)],
            "engines": [
                {"name": engine.name, "description": engine.description}
                for engine in self.engines
                if plays(engine.spec)
            ],
            "variants": [
                {"name": name, "description": description}
                for name, description in VARIANT_WORDS.items()
            ],
            "color_names": list(COLOR_NAMES),
            "limits": {
                "message_bytes": MAX_MESSAGE_BYTES,
                "min_players": MIN_PLAYERS,
                "max_players": MAX_PLAYERS,
                "max_rounds": DEFAULT_MAX_ROUNDS,
                "agent_seconds": MAX_AGENT_SECONDS,
                "options": MAX_OPTIONS,
            },
        }


def is_instant(spec: str) -> bool:
    """True for an agent that needs no thinking time."""
    return parse_spec(spec).kind.name in INSTANT_KINDS


def label_of(spec: str) -> str:
    """A short name of an agent for people."""
    if spec in {level.name for level in LEVELS}:
        return spec.capitalize()
    kind, _, rest = spec.partition(":")
    if kind in REFUSED_KINDS and rest:  # the end of a path, command or module says the most
        rest = rest.replace("\\", "/").rpartition("/")[2].rpartition("path=")[2]
        return brief(f"{kind} {rest}", MAX_LABEL_LETTERS)
    return brief(spec.replace(":", " ").replace(",", " "), MAX_LABEL_LETTERS)


def _open_kinds() -> dict[str, AgentKind]:
    """The kinds that a page may name."""
    return {name: kind for name, kind in agent_kinds().items() if _is_open(kind)}


def _is_open(kind: AgentKind) -> bool:
    return kind.name not in REFUSED_KINDS and not kind.takes_rest


def _bounded(spec: str) -> str:
    """A spec whose searches end in time. Raises RefusedError for an option that is too large."""
    options = parse_spec(spec).options
    values = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    for name, value in values.items():
        most = MAX_OPTIONS.get(name)
        if most is not None and value is not None and value > most:
            raise RefusedError("not_allowed", f"{spec}: {name} is at most {most:g} here")
    has_limit = any(values.get(name) is not None for name in LIMITS_OF_SEARCHES)
    if values.get("depth") is not None and not has_limit:
        return f"{spec},time={MAX_AGENT_SECONDS:g}"  # a depth alone can take hours
    return spec


def _agent_data(kind: AgentKind) -> Data:
    types = get_type_hints(kind.options)
    return {
        "name": kind.name,
        "summary": kind.summary,
        "can_analyse": kind.name in ANALYSTS,
        "options": [
            _option_data(field, types[field.name])
            for field in dataclasses.fields(kind.options)
            if _number_type(types[field.name]) is not None
        ],
    }


def _option_data(field: "dataclasses.Field[Any]", hint: Any) -> Data:
    has_default = field.default is not dataclasses.MISSING
    return {
        "name": field.name,
        "doc": field.metadata.get("doc", ""),
        "type": _number_type(hint),
        "default": field.default if has_default else None,
        "most": MAX_OPTIONS.get(field.name),
    }


def _number_type(hint: Any) -> str | None:
    """`integer` or `number`; None for an option that is neither."""
    types = getattr(hint, "__args__", (hint,))
    if bool in types or str in types:
        return None
    return "number" if float in types else "integer" if int in types else None
