"""Standings as text, Markdown and JSON."""

from collections.abc import Sequence
from typing import Any

from azul_agents.arena.standings import Standing, Standings
from azul_agents.arena.tournament_config import TournamentConfig
from azul_agents.provenance import commit, versions

HEADER = ("agent", "rating", "95%", "games", "win rate", "points", "ms/move", "forfeits")


def title_of(table: Standings) -> str:
    """The title of a table."""
    model = "Bradley-Terry" if table.players == 2 else "Plackett-Luce"
    return f"{table.players} players ({model})"


def cells_of(standing: Standing) -> tuple[str, ...]:
    """A standing as the cells below HEADER."""
    rating, tally = standing.rating, standing.tally
    return (
        standing.agent,
        f"{rating.rating:.0f}",
        f"{rating.low:.0f}..{rating.high:.0f}",
        str(tally.games),
        percent(tally.win_rate),
        f"{tally.mean_points:.1f}",
        milliseconds(tally.seconds_per_move),
        str(tally.forfeits),
    )


def percent(rate: float) -> str:
    """A rate as text."""
    return f"{100 * rate:.1f}%"


def milliseconds(seconds: float | None) -> str:
    """A thinking time as text, in milliseconds."""
    return "-" if seconds is None else f"{1000 * seconds:.2f}"


def as_text(tables: Sequence[Standings]) -> str:
    """The tables with aligned columns."""
    return "\n".join(f"{title_of(table)}\n\n{_aligned(table)}\n" for table in tables)


def as_markdown(tables: Sequence[Standings]) -> str:
    """The tables for a README."""
    return "\n".join(f"### {title_of(table)}\n\n{_markdown(table)}\n" for table in tables)


def as_data(tables: Sequence[Standings], config: TournamentConfig) -> dict[str, Any]:
    """The tables as plain data, with config, versions and commit."""
    return {
        "config": config.to_dict(),
        "versions": versions(),
        "commit": commit(),
        "tables": [table.to_dict() for table in tables],
    }


def _aligned(table: Standings) -> str:
    rows = [HEADER, *map(cells_of, table.standings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _markdown(table: Standings) -> str:
    rows = [HEADER, ("---", *["---:"] * (len(HEADER) - 1)), *map(cells_of, table.standings)]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows)
