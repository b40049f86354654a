"""Parts of the linear evaluator that differ on gray walls: keys of boards, values of cells, gains of moves."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.gray_walls import (
    NO_COLUMN,
    best_column,
    gray_wall,
    line_and_color_to_tile,
    tile_value,
    wall_value,
)
from azul_agents.search.evaluator import Gains, Moves
from azul_agents.search.moves import move_parts
from azul_env.core.jit import kernel
from azul_env.core.scoring import PENALTY_OF_TOKENS
from azul_env.core.spec import NUM_COLORS, NUM_LINES
from azul_env.core.state import Row
from azul_env.core.words import as_int64

MIX_COLORS: Final = 0x2545F4914F6CDD1D  # odd


@kernel
def gray_scored_word(row: Row, seat: int) -> int:
    """A hash of a player's wall and score."""
    word = as_int64(row["scores"][seat])
    for color in range(NUM_COLORS):
        word = word * MIX_COLORS + row["wall_colors"][seat, color]
        word ^= word >> 29
    return word


@kernel
def note_gray_walls(cell_worth: NDArray[np.float64], row: Row) -> None:
    """Compute what a line of each color is worth once it is full: the best of its columns, or the tiles that fall."""
    for seat in range(row["num_players"]):
        wall = gray_wall(row, seat)
        before = wall_value(wall)
        for line in range(NUM_LINES):
            for color in range(NUM_COLORS):
                column = best_column(wall, line, as_int64(color))
                worth = -as_int64(PENALTY_OF_TOKENS[line + 1]) + 0.0
                if column != NO_COLUMN:
                    worth = tile_value(wall, as_int64(color), line, column) - before
                cell_worth[seat, NUM_COLORS * line + color] = worth


@kernel
def write_column_gains(row: Row, moves: Moves, count: int, gains: Gains) -> None:
    """Points and prospects of each column for the line to be tiled."""
    wall = gray_wall(row, row["current_player"])
    before = wall_value(wall)
    line, color = line_and_color_to_tile(row)
    for slot in range(count):
        _, _, column = move_parts(moves[slot])
        gains[slot] = tile_value(wall, color, line, column) - before
