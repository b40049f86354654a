"""Heuristics for the gray wall: where colors may still go, what a tile scores and what it leaves possible.

Here a wall is five words, the cells of each color. Searches and the greedy agent share this.
"""

from typing import Final

import numpy as np

from azul_env.core.gray import ALL_CELLS, columns_with
from azul_env.core.intrinsics import lowest_bit, popcount
from azul_env.core.jit import kernel
from azul_env.core.moves import full_lines
from azul_env.core.scoring import COLUMN_0, FULL_ROW, column_cells, placement_points, row_cells
from azul_env.core.spec import NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.step import TURN_PASSED, play_move
from azul_env.core.words import as_int64

GrayWall = tuple[int, int, int, int, int]  # cells by color

NO_COLUMN: Final = -1
NOBODY: Final = -1

# Of an unfinished row, column or color that can still be completed, times the squared filled fraction.
ROW_WEIGHT: Final = 0.6
COLUMN_WEIGHT: Final = 7.0
COLOR_WEIGHT: Final = 10.0
OPEN_WEIGHT: Final = 0.15  # of each color that still has a cell in a row


@kernel
def gray_wall(row: Row, player: int) -> GrayWall:
    """A player's wall."""
    cells = row["wall_colors"]
    return (
        as_int64(cells[player, 0]),
        as_int64(cells[player, 1]),
        as_int64(cells[player, 2]),
        as_int64(cells[player, 3]),
        as_int64(cells[player, 4]),
    )


@kernel
def occupied(wall: GrayWall) -> int:
    """The cells that have a tile."""
    return wall[0] | wall[1] | wall[2] | wall[3] | wall[4]


@kernel
def with_tile(wall: GrayWall, color: int, line: int, column: int) -> GrayWall:
    """A wall with one more tile."""
    cell = as_int64(1) << (NUM_LINES * line + column)
    return (
        wall[0] | (cell if color == 0 else 0),
        wall[1] | (cell if color == 1 else 0),
        wall[2] | (cell if color == 2 else 0),
        wall[3] | (cell if color == 3 else 0),
        wall[4] | (cell if color == 4 else 0),
    )


@kernel
def rows_with(cells: int) -> int:
    """The rows that contain at least one of a set of cells, as bits of column 0."""
    return (cells | cells >> 1 | cells >> 2 | cells >> 3 | cells >> 4) & COLUMN_0


@kernel
def possible_cells(wall: GrayWall, taken: int, color: int) -> int:
    """The cells where a tile of a color may still be placed (R10.3); `taken` are the occupied ones."""
    own = wall[color]
    return ALL_CELLS & ~(taken | columns_with(own) * COLUMN_0 | rows_with(own) * FULL_ROW)


@kernel
def blocked_tiles(own: int, possible: int) -> int:
    """A lower bound on how many of a color's five tiles can no longer be placed."""
    left = min(popcount(rows_with(possible)), popcount(columns_with(possible)))
    return NUM_LINES - popcount(own) - left


@kernel
def wall_value(wall: GrayWall) -> float:
    """Value of unfinished rows, columns and colors that can be completed, and of cells still open to colors."""
    taken = occupied(wall)
    fillable = taken
    value = 0.0
    for color in range(NUM_COLORS):
        possible = possible_cells(wall, taken, color)
        fillable |= possible
        value += OPEN_WEIGHT * popcount(rows_with(possible))
        if blocked_tiles(wall[color], possible) == 0:
            of_color = popcount(wall[color]) / NUM_COLORS
            value += COLOR_WEIGHT * of_color * of_color
    for index in range(NUM_LINES):
        if row_cells(fillable, index) == FULL_ROW:
            in_row = popcount(row_cells(taken, index)) / NUM_LINES
            value += ROW_WEIGHT * in_row * in_row
        if column_cells(fillable, index) == FULL_ROW:
            in_column = popcount(column_cells(taken, index)) / NUM_LINES
            value += COLUMN_WEIGHT * in_column * in_column
    return value


@kernel
def tile_value(wall: GrayWall, color: int, line: int, column: int) -> float:
    """Points of a tile and the value of the wall with it. Caller guarantees that it may be placed."""
    tiled = with_tile(wall, color, line, column)
    return placement_points(occupied(tiled), line, column) + wall_value(tiled)


@kernel
def best_column(wall: GrayWall, line: int, color: int) -> int:
    """The column where a line's tile is worth most, the first of equal ones; NO_COLUMN if it fits in none."""
    columns = row_cells(possible_cells(wall, occupied(wall), color), line)
    if columns & (columns - 1) == 0:
        return lowest_bit(columns) if columns else as_int64(NO_COLUMN)
    best, best_value = as_int64(NO_COLUMN), -np.inf
    while columns:
        column = lowest_bit(columns)
        columns &= columns - 1
        value = tile_value(wall, color, line, column)
        if value > best_value:
            best, best_value = column, value
    return best


@kernel
def best_points(wall: GrayWall, line: int, color: int) -> int:
    """The most points that a line's tile can score; 0 if it fits in no column."""
    taken = occupied(wall)
    columns = row_cells(possible_cells(wall, taken, color), line)
    best = as_int64(0)
    while columns:
        column = lowest_bit(columns)
        columns &= columns - 1
        tiled = taken | 1 << (NUM_LINES * line + column)
        best = max(best, as_int64(placement_points(tiled, line, column)))
    return best


@kernel
def line_and_color_to_tile(row: Row) -> tuple[int, int]:
    """The line whose column the player to move has to choose, and its color. Caller guarantees that there is one."""
    player = row["current_player"]
    line = lowest_bit(full_lines(row["line_counts"][player])) // NIBBLE_BITS
    return line, as_int64((row["line_colors"][player] >> NIBBLE_BITS * line) & NIBBLE)


@kernel
def tile_by_value(row: Row, outcome: int, chooser: int) -> int:
    """Choose columns for all players but one, each the best for its wall, until no choice is left; returns the outcome.

    `outcome` is that of the move that led here. With `chooser` NOBODY, no player is left out.
    """
    while outcome == TURN_PASSED and row["columns"] != 0 and row["current_player"] != chooser:
        line, color = line_and_color_to_tile(row)
        column = best_column(gray_wall(row, row["current_player"]), line, color)
        outcome = play_move(row, center_of(row) + 1, as_int64(0), column)
    return outcome
