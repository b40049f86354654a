"""Points for placed tiles and for floors (R5), by table lookup. A wall is 25 bits, row by row."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.intrinsics import popcount
from azul_env.core.jit import kernel
from azul_env.core.spec import FLOOR_PENALTIES, NUM_LINES

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


RUN: Final = _run_table()
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
