"""Standings as text, Markdown, JSON and SVG, and the number formats of all tables."""

import math
from collections.abc import Sequence
from typing import Any, Final

from azul_agents.arena.standings import Standing, Standings
from azul_agents.arena.tally import Interval
from azul_agents.arena.tournament_config import TournamentConfig
from azul_agents.provenance import commit, versions
from azul_env.render.glyphs import fitted, text, text_width
from azul_env.render.layout import INK, PAPER, QUIET

HEADER: Final = ("agent", "rating", "95%", "games", "win rate", "points", "ms/move", "forfeits")
CELL_WIDTH, CELL_HEIGHT = 92.0, 44.0
GAP, MARGIN = 3.0, 26.0
HEAD: Final = 78.0  # height above the first row of cells, with heads that lie flat
HEAD_DEGREES: Final = 35  # of slanted heads
HEAD_RISE, HEAD_RUN = math.sin(math.radians(HEAD_DEGREES)), math.cos(math.radians(HEAD_DEGREES))
NAME_SIZE, VALUE_SIZE, TITLE_SIZE = 11.0, 12.5, 17.0
MAX_NAME_WIDTH: Final = 340.0
BEHIND, EVEN, AHEAD = (214, 122, 92), (246, 241, 230), (74, 132, 178)  # RGB
LIGHT_TEXT_FROM: Final = 0.8  # rate from which a cell is dark


def percent(rate: float) -> str:
    """A rate such as `65.0%`."""
    return f"{100 * rate:.1f}%"


def percent_range(interval: Interval) -> str:
    """An interval of rates such as `60.1–69.6`, in percent."""
    return f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"


def milliseconds(seconds: float | None) -> str:
    """A thinking time in milliseconds."""
    return "-" if seconds is None else f"{1000 * seconds:.2f}"


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], alignment: str = "---:"
) -> str:
    """A Markdown table; `alignment` is that of all columns but the first, which is aligned left."""
    lines = [header, ("---", *[alignment] * (len(header) - 1)), *rows]
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


def as_text(tables: Sequence[Standings]) -> str:
    """The standings with aligned columns."""
    return "\n".join(f"{_title(table)}\n\n{_aligned(table)}\n" for table in tables)


def as_markdown(tables: Sequence[Standings]) -> str:
    """The standings as a page."""
    return "# Ratings\n" + "".join(
        f"\n## {_title(table)}\n\n{markdown_table(HEADER, [*map(_cells, table.standings)])}"
        for table in tables
    )


def as_data(
    tables: Sequence[Standings], config: TournamentConfig, is_finished: bool = True
) -> dict[str, Any]:
    """The standings as plain data, with config, versions and commit."""
    return {
        "config": config.to_dict(),
        "versions": versions(),
        "commit": commit(),
        "tables": [table.to_dict() for table in tables],
        "finished": is_finished,
    }


def win_rate_matrix(table: Standings) -> str:
    """An SVG whose rows show how often an agent ranks ahead of the agent of each column."""
    names = [fitted(standing.agent, NAME_SIZE, MAX_NAME_WIDTH) for standing in table.standings]
    longest = max(text_width(name, NAME_SIZE) for name in names)
    left = MARGIN + longest + 16
    # Heads that are wider than their columns are slanted.
    is_slanted = longest > CELL_WIDTH - 10
    top = HEAD + longest * HEAD_RISE if is_slanted else HEAD
    title = f"How often the row is ahead of the column, {_title(table)}"
    right = left + len(names) * CELL_WIDTH + (longest * HEAD_RUN - CELL_WIDTH / 2) * is_slanted
    width = (
        max(left + len(names) * CELL_WIDTH, right, MARGIN + text_width(title, TITLE_SIZE)) + MARGIN
    )
    height = top + len(names) * CELL_HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        text(MARGIN, MARGIN + 14, title, TITLE_SIZE, INK, weight=1.8),
    ]
    for i, (name, rates) in enumerate(zip(names, table.ahead, strict=True)):
        x = left + i * CELL_WIDTH
        y = top + i * CELL_HEIGHT
        head = text(0, 0, name, NAME_SIZE, QUIET, weight=1.5, anchor=0 if is_slanted else 0.5)
        turn = f" rotate(-{HEAD_DEGREES})" if is_slanted else ""
        parts += [
            f'<g transform="translate({x + CELL_WIDTH / 2:.1f} {top - 9:.1f}){turn}">{head}</g>',
            text(left - 12, y + CELL_HEIGHT / 2 + 4, name, NAME_SIZE, INK, weight=1.6, anchor=1),
            *(_cell(left + k * CELL_WIDTH, y, rate) for k, rate in enumerate(rates)),
        ]
    return "".join(parts) + "</svg>\n"


def _title(table: Standings) -> str:
    model = "Bradley-Terry" if table.players == 2 else "Plackett-Luce"
    return f"{table.players} players ({model})"


def _cells(standing: Standing) -> tuple[str, ...]:
    rating, tally = standing.rating, standing.tally
    return (
        standing.agent,
        f"{rating.rating:.0f}",
        f"{rating.low:.0f}–{rating.high:.0f}",
        str(tally.games),
        percent(tally.win_rate),
        f"{tally.mean_points:.1f}",
        milliseconds(tally.seconds_per_move),
        str(tally.forfeits),
    )


def _aligned(table: Standings) -> str:
    rows = [HEADER, *map(_cells, table.standings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _cell(x: float, y: float, rate: float | None) -> str:
    """A cell of the matrix; empty for an agent against itself and for agents that never met."""
    if rate is None:
        return ""
    ink = PAPER if rate >= LIGHT_TEXT_FROM else INK
    baseline = y + CELL_HEIGHT / 2 + 4.5
    return (
        f'<rect x="{x + GAP / 2:.1f}" y="{y + GAP / 2:.1f}" width="{CELL_WIDTH - GAP}" '
        f'height="{CELL_HEIGHT - GAP}" rx="5" fill="{_color(rate)}"/>'
        + text(x + CELL_WIDTH / 2, baseline, percent(rate), VALUE_SIZE, ink, weight=1.6, anchor=0.5)
    )


def _color(rate: float) -> str:
    """Interpolated from BEHIND at 0 over EVEN at 0.5 to AHEAD at 1."""
    end, part = (AHEAD, 2 * rate - 1) if rate >= 0.5 else (BEHIND, 1 - 2 * rate)
    mixed = [round(even + part * (far - even)) for even, far in zip(EVEN, end, strict=True)]
    return "#" + bytes(mixed).hex()
