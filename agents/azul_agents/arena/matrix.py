"""Who beats whom, as a picture."""

from azul_agents.arena.standings import Standings
from azul_agents.arena.tables import title_of
from azul_env.render.glyphs import fitted, text, text_width
from azul_env.render.layout import INK, PAPER, QUIET

CELL_WIDTH, CELL_HEIGHT = 92.0, 44.0
GAP = 3.0
MARGIN = 26.0
HEAD = 78.0  # height above the names of the columns
NAME_SIZE, VALUE_SIZE, TITLE_SIZE = 11.0, 12.5, 17.0
MAX_NAME_WIDTH = 260.0
BEHIND, EVEN, AHEAD = (214, 122, 92), (246, 241, 230), (74, 132, 178)  # red, green, blue
DARK_FROM = 0.8  # cells that are so blue have light text


def win_rate_matrix(table: Standings) -> str:
    """An SVG in which a row shows how often its agent ranks ahead of the agent of each column."""
    names = [fitted(standing.agent, NAME_SIZE, MAX_NAME_WIDTH) for standing in table.standings]
    left = MARGIN + max(text_width(name, NAME_SIZE) for name in names) + 16
    title = f"How often the row is ahead of the column, {title_of(table)}"
    width = max(left + len(names) * CELL_WIDTH, MARGIN + text_width(title, TITLE_SIZE)) + MARGIN
    height = HEAD + len(names) * CELL_HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        text(MARGIN, MARGIN + 14, title, TITLE_SIZE, INK, weight=1.8),
    ]
    for place, name in enumerate(names):
        x = left + place * CELL_WIDTH
        y = HEAD + place * CELL_HEIGHT
        short = fitted(name, NAME_SIZE, CELL_WIDTH - 10)
        parts += [
            text(x + CELL_WIDTH / 2, HEAD - 9, short, NAME_SIZE, QUIET, weight=1.5, anchor=0.5),
            text(left - 12, y + CELL_HEIGHT / 2 + 4, name, NAME_SIZE, INK, weight=1.6, anchor=1),
            *(_cell(left + k * CELL_WIDTH, y, rate) for k, rate in enumerate(table.ahead[place])),
        ]
    return "".join(parts) + "</svg>\n"


def _cell(x: float, y: float, rate: float | None) -> str:
    """A cell of the matrix; empty for an agent against itself and for agents that never met."""
    if rate is None:
        return ""
    words = f"{100 * rate:.1f}%"
    ink = PAPER if rate >= DARK_FROM else INK
    baseline = y + CELL_HEIGHT / 2 + 4.5
    return (
        f'<rect x="{x + GAP / 2:.1f}" y="{y + GAP / 2:.1f}" width="{CELL_WIDTH - GAP}" '
        f'height="{CELL_HEIGHT - GAP}" rx="5" fill="{_color(rate)}"/>'
        + text(x + CELL_WIDTH / 2, baseline, words, VALUE_SIZE, ink, weight=1.6, anchor=0.5)
    )


def _color(rate: float) -> str:
    """From red over paper to blue."""
    end, part = (AHEAD, 2 * rate - 1) if rate >= 0.5 else (BEHIND, 1 - 2 * rate)
    mixed = [round(even + part * (far - even)) for even, far in zip(EVEN, end, strict=True)]
    return f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}"
