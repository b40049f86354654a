"""Points for placed tiles and for floors (R5), by table lookup. The cells of a wall are 25 bits, row by row."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.intrinsics import popcount
from azul_env.core.jit import kernel
from azul_env.core.spec import FLOOR_PENALTIES, NUM_COLORS, NUM_LINES
from azul_env.core.state import MARKER_TOKEN, NIBBLE, NIBBLE_BITS, Row
from azul_env.core.words import LANE_BITS

FULL_ROW: Final = (1 << NUM_LINES) - 1
COLUMN_0: Final = sum(1 << NUM_LINES * row for row in range(NUM_LINES))
COLUMN_TO_ROW: Final = 0x11111  # multiplying by it gathers column 0 of a wall in bits 16 to 20


def _run_table() -> NDArray[Any]:
    """Length of the run through a position of five cells, at index 5 * cells + position; a run of 1 counts as 0."""
    table = np.zeros(32 * NUM_LINES, np.int64)
    for cells in range(32):
        for position in range(NUM_LINES):
            start = end = position
            while start > 0 and cells >> (start - 1) & 1:
                start -= 1
            while end < NUM_LINES - 1 and cells >> (end + 1) & 1:
                end += 1
            table[NUM_LINES * cells + position] = end - start + 1 if end > start else 0
    return table


def _lid_table() -> NDArray[Any]:
    """What each floor token adds to the lid: a tile of its color, nothing for the marker (R4.3)."""
    table = np.zeros(MARKER_TOKEN + 1, np.int64)
    for color in range(NUM_COLORS):
        table[color + 1] = 1 << LANE_BITS * color
    return table


RUN: Final = _run_table()
TILE_OF_TOKEN: Final = _lid_table()
PENALTY_OF_TOKENS: Final = np.concatenate([[0], np.cumsum(FLOOR_PENALTIES)]).astype(np.int64)


@kernel
def row_cells(wall: int, row: int) -> int:
    """The five cells of a wall row; bit 0 is column 0."""
    return (wall >> NUM_LINES * row) & FULL_ROW


@kernel
def column_cells(wall: int, column: int) -> int:
    """The five cells of a wall column; bit 0 is row 0."""
    return ((((wall >> column) & COLUMN_0) * COLUMN_TO_ROW) >> 16) & FULL_ROW


@kernel
def placement_points(wall: int, row: int, column: int) -> int:
    """Points for the tile at (row, column), which is already on the wall (R5.1)."""
    horizontal = RUN[NUM_LINES * row_cells(wall, row) + column]
    vertical = RUN[NUM_LINES * column_cells(wall, column) + row]
    return max(1, horizontal + vertical)


@kernel
def complete_rows(wall: int) -> int:
    """Number of complete rows."""
    # A bit of column 0 survives only if the four cells to its right are set too.
    runs = wall & (wall >> 1)
    runs &= runs >> 2
    return popcount(runs & (wall >> 4) & COLUMN_0)


@kernel
def clear_floor(row: Row, player: int) -> None:
    """Subtract a floor's penalty and move its tiles to the lid (R4.3, R5.2, R5.3)."""
    floor = row["floors"][player]
    lid = row["lid"]
    tokens = 0
    while floor:
        lid += TILE_OF_TOKEN[floor & NIBBLE]
        floor >>= NIBBLE_BITS
        tokens += 1
    row["lid"] = lid
    row["floors"][player] = 0
    row["scores"][player] = max(0, row["scores"][player] - PENALTY_OF_TOKENS[tokens])
