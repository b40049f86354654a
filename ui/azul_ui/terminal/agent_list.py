"""The list of agents: what they do, their options, where they come from and how well they play."""

import dataclasses
import json
from typing import Any, get_type_hints

from rich.console import Console
from rich.table import Table
from rich.text import Text

from azul_agents import AgentKind, agent_kinds
from azul_agents.arena.ratings import packaged_ratings

Ratings = dict[str, dict[int, float]]


def print_agents(as_json: bool) -> None:
    """Print all agents as a table, or as one JSON object."""
    ratings = packaged_ratings()
    kinds = agent_kinds().values()
    if as_json:
        print(json.dumps({"agents": [_as_data(kind, ratings) for kind in kinds]}, indent=2))
        return
    console = Console()
    console.print(_table(list(kinds), ratings))
    console.print("Write an agent as name, or as name:key=value,key=value.")


def _table(kinds: list[AgentKind], ratings: Ratings) -> Table:
    table = Table(show_lines=True)
    for name in ("agent", "what it does", "options", "from"):
        table.add_column(name)
    if ratings:
        table.add_column("ratings")
    for kind in kinds:
        cells = [kind.name, kind.summary, "\n".join(_option_lines(kind)), kind.origin]
        rated = [Text("\n".join(_rating_lines(kind, ratings)))] if ratings else []
        table.add_row(*map(Text, cells), *rated)
    return table


def _option_lines(kind: AgentKind) -> list[str]:
    """Every option with its default and what it does."""
    lines = []
    for field in dataclasses.fields(kind.options):
        doc = field.metadata.get("doc", "")
        if kind.takes_rest:
            lines.append(f"{kind.name}:{field.name.upper()}  {doc}")
        else:
            lines.append(f"{field.name}={_spelled(field.default)}  {doc}".rstrip())
    return lines


def _rating_lines(kind: AgentKind, ratings: Ratings) -> list[str]:
    """The ratings of every form in which the agent took part."""
    lines = []
    for spec, by_players in _ratings_of(kind, ratings).items():
        numbers = ", ".join(f"{rating:.0f} ({n} players)" for n, rating in by_players.items())
        lines.append(f"{spec}: {numbers}")
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
