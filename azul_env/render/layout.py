"""Layout and colors of a picture, for each number of players."""

from typing import Final, NamedTuple

MARGIN: Final = 24
GAP: Final = 20
TOP: Final = 78  # below the headline
BOARD_WIDTH: Final = 474
BOARD_HEIGHT: Final = 340
SUPPLY_HEIGHT: Final = 112

PAPER: Final = "#f6f0e4"
PANEL: Final = "#fffdf8"
PANEL_EDGE: Final = "#e5dbc8"
INK: Final = "#2f2b26"
QUIET: Final = "#857b6a"
TURN: Final = "#1f7a72"  # the player to move, or the winner
LAST: Final = "#8a4fa3"  # the last move
# Classes of texts, by which a style sheet can replace their colors.
INK_CLASSES: Final = {INK: "ink", QUIET: "quiet", TURN: "turn", LAST: "last"}


class Box(NamedTuple):
    """The top left corner and the size of a part."""

    x: float
    y: float
    width: float
    height: float


class Layout(NamedTuple):
    """The positions of all parts of a picture. Seats go clockwise around the table."""

    width: int
    height: int
    table: Box
    supply: Box
    boards: tuple[Box, ...]
    ring_radius: float  # from the middle of the table to the middle of a factory
    disc_radius: float  # of a factory
    tile_size: float  # on the factories


def _two() -> Layout:
    right = MARGIN + 540 + GAP
    table_height = 2 * BOARD_HEIGHT - SUPPLY_HEIGHT
    return Layout(
        width=right + BOARD_WIDTH + MARGIN,
        height=TOP + 2 * BOARD_HEIGHT + GAP + MARGIN,
        table=Box(MARGIN, TOP, 540, table_height),
        supply=Box(MARGIN, TOP + table_height + GAP, 540, SUPPLY_HEIGHT),
        boards=(_board(right, TOP), _board(right, TOP + BOARD_HEIGHT + GAP)),
        ring_radius=194,
        disc_radius=66,
        tile_size=36,
    )


def _three() -> Layout:
    right = MARGIN + BOARD_WIDTH + GAP
    table_height = BOARD_HEIGHT + SUPPLY_HEIGHT + GAP
    below = TOP + BOARD_HEIGHT + GAP
    return Layout(
        width=right + BOARD_WIDTH + MARGIN,
        height=below + BOARD_HEIGHT + GAP + SUPPLY_HEIGHT + MARGIN,
        table=Box(MARGIN, TOP, BOARD_WIDTH, table_height),
        supply=Box(right, below + BOARD_HEIGHT + GAP, BOARD_WIDTH, SUPPLY_HEIGHT),
        boards=(_board(right, TOP), _board(right, below), _board(MARGIN, TOP + table_height + GAP)),
        ring_radius=168,
        disc_radius=55,
        tile_size=30,
    )


def _four() -> Layout:
    scale = 0.9
    width, height = BOARD_WIDTH * scale, BOARD_HEIGHT * scale
    middle = MARGIN + width + GAP
    right = middle + 490 + GAP
    below = TOP + height + GAP
    table_height = 2 * height - SUPPLY_HEIGHT
    corners = ((MARGIN, TOP), (right, TOP), (right, below), (MARGIN, below))
    return Layout(
        width=round(right + width + MARGIN),
        height=round(below + height + MARGIN),
        table=Box(middle, TOP, 490, table_height),
        supply=Box(middle, TOP + table_height + GAP, 490, SUPPLY_HEIGHT),
        boards=tuple(_board(x, y, scale) for x, y in corners),
        ring_radius=180,
        disc_radius=55,
        tile_size=30,
    )


def _board(x: float, y: float, scale: float = 1.0) -> Box:
    return Box(x, y, BOARD_WIDTH * scale, BOARD_HEIGHT * scale)


LAYOUTS: Final = {2: _two(), 3: _three(), 4: _four()}


def panel(box: Box, is_marked: bool = False) -> str:
    """The background of a part; that of the player to move, or of a winner, is marked."""
    edge, edge_width, marked = (TURN, 3.0, " turn") if is_marked else (PANEL_EDGE, 1.5, "")
    return (
        f'<rect class="panel{marked}" x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="18" '
        f'fill="{PANEL}" stroke="{edge}" stroke-width="{edge_width:g}"/>'
    )
