"""The list of agents: what they do, their options, where they come from and how well they play."""

import dataclasses
import json
from typing import Any, Final, get_type_hints

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from azul_agents import AgentKind, agent_kinds
from azul_agents.arena.levels import LEVELS
from azul_agents.arena.ratings import packaged_ratings
from azul_agents.registry import OWN_ORIGIN

INDENT: Final = 4
Ratings = dict[str, dict[int, float]]


def print_agents(as_json: bool) -> None:
    """Print all agents and levels as text, or the agents as one JSON object."""
    ratings = packaged_ratings()
    kinds = agent_kinds().values()
    if as_json:
        print(json.dumps({"agents": [_as_data(kind, ratings) for kind in kinds]}, indent=2))
        return
    console = Console()
    for kind in kinds:
        console.print(Text.assemble((kind.name, "bold"), f"  {kind.summary}", _origin(kind)))
        details = _pairs([*_options(kind), *_rating_lines(kind, ratings)])
        console.print(Padding(details, (0, 0, 1, INDENT)))
    console.print("Write an agent as name, or with options as name:key=value,key=value.")
    console.print("Levels for people, from the weakest to the strongest, are agents as well:\n")
    levels = [(level.name, f"{level.description} ({level.spec})") for level in LEVELS]
    console.print(Padding(_pairs(levels), (0, 0, 0, INDENT)))


def _pairs(pairs: list[tuple[str, str]]) -> Table:
    """Names and descriptions, in two columns."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for name, said in pairs:
        table.add_row(Text(name), Text(said))
    return table


def _origin(kind: AgentKind) -> str:
    """Which package an agent comes from, unless it is this one."""
    return "" if kind.origin == OWN_ORIGIN else f" (from {kind.origin})"


def _options(kind: AgentKind) -> list[tuple[str, str]]:
    """Every option with its default, and what it does."""
    pairs = []
    for field in dataclasses.fields(kind.options):
        written = f"{field.name}={_spelled(field.default)}"
        if kind.takes_rest:
            written = f"{kind.name}:{field.name.upper()}"
        pairs.append((written, field.metadata.get("doc", "")))
    return pairs


def _rating_lines(kind: AgentKind, ratings: Ratings) -> list[tuple[str, str]]:
    """The ratings of every spec with which the agent took part."""
    lines = []
    for spec, by_players in _ratings_of(kind, ratings).items():
        numbers = ", ".join(f"{rating:.0f} ({n} players)" for n, rating in by_players.items())
        options = spec.partition(":")[2]
        lines.append(("ratings", f"{options}: {numbers}" if options else numbers))
    return lines


def _ratings_of(kind: AgentKind, ratings: Ratings) -> Ratings:
    return {spec: found for spec, found in ratings.items() if spec.partition(":")[0] == kind.name}


def _spelled(value: Any) -> str:
    """A default as it would be written in a spec."""
    if value is dataclasses.MISSING:
        return "?"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _as_data(kind: AgentKind, ratings: Ratings) -> dict[str, Any]:
    """An agent as plain data."""
    types = get_type_hints(kind.options)
    options = [
        {
            "name": field.name,
            "type": getattr(types[field.name], "__name__", str(types[field.name])),
            "default": None if field.default is dataclasses.MISSING else field.default,
            "doc": field.metadata.get("doc", ""),
        }
        for field in dataclasses.fields(kind.options)
    ]
    return {
        "name": kind.name,
        "summary": kind.summary,
        "options": options,
        "takes_rest": kind.takes_rest,
        "origin": kind.origin,
        "ratings": _ratings_of(kind, ratings),
    }
