"""The features of a board with a gray wall, whose weighted sum is the linear evaluation of gray games.

As in the colored game (`features`), with what is still possible on the wall added: colors that no longer fit in a row or
column, and cells that nothing can fill. Full lines are tiled first, each where it is worth most.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.gray_walls import (
    NO_COLUMN,
    GrayWall,
    best_column,
    best_points,
    blocked_tiles,
    gray_wall,
    occupied,
    possible_cells,
    rows_with,
    with_tile,
)
from azul_agents.search.features import (
    NUM_SUPPLIES,
    SUPPLIES,
    Amounts,
    Indices,
    dead_tiles,
    starts_next,
    supply_of,
)
from azul_env.core.intrinsics import popcount
from azul_env.core.jit import kernel
from azul_env.core.moves import floor_tokens
from azul_env.core.scoring import (
    FULL_ROW,
    PENALTY_OF_TOKENS,
    column_cells,
    placement_points,
    row_cells,
)
from azul_env.core.spec import FLOOR_SLOTS, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row
from azul_env.core.words import as_int64

# Indices of the features: three numbers, then groups of which each board has one or a few.
POINTS: Final = 0  # points, as if the round ended now
TO_MOVE: Final = 1
STARTS_NEXT: Final = 2
FLOOR_TOKENS: Final = 3  # by number of tokens on the floor
# By row and by which of its cells are tiled, seen from the left or from the right, whichever number is lower.
ROW_CELLS: Final = FLOOR_TOKENS + FLOOR_SLOTS + 1
COLUMN_CELLS: Final = ROW_CELLS + NUM_LINES * 32  # by which cells are tiled
# By number of tiles in a column: how many of its cells nothing can fill.
UNFILLABLE: Final = COLUMN_CELLS + 32
# By number of tiles of a color, and by how many of it can no longer be placed.
COLOR_COUNT: Final = UNFILLABLE + NUM_LINES + 1
# By row and by number of colors that still have a cell in it.
OPEN_COLORS: Final = COLOR_COUNT + (NUM_COLORS + 1) * (NUM_COLORS + 1)
# By tiles on the table that fit in no line.
DEAD_TILES: Final = OPEN_COLORS + NUM_LINES * (NUM_COLORS + 1)
# Unfinished lines: by line and tiles, those whose color fits in no column.
LINE_BLOCKED: Final = DEAD_TILES + FLOOR_SLOTS + 1
LINE_TILES: Final = LINE_BLOCKED + NUM_LINES * NUM_LINES  # the others: by line, tiles and supply
# The same, times the most points that the line can score.
LINE_POINTS: Final = LINE_TILES + NUM_LINES * NUM_LINES * NUM_SUPPLIES
NUM_GRAY_FEATURES: Final = LINE_POINTS + NUM_LINES * NUM_LINES * NUM_SUPPLIES
MAX_LISTED_GRAY: Final = 5 + 2 * NUM_LINES + 4 * NUM_LINES + NUM_COLORS

GRAY_FEATURE_NAMES: Final = (
    "points",
    "to_move",
    "starts_next",
    *(f"floor_{tokens}" for tokens in range(FLOOR_SLOTS + 1)),
    *(f"row_{row}_{cells:05b}" for row in range(NUM_LINES) for cells in range(32)),
    *(f"column_{cells:05b}" for cells in range(32)),
    *(f"unfillable_{count}" for count in range(NUM_LINES + 1)),
    *(
        f"color_{count}_blocked_{blocked}"
        for count in range(NUM_COLORS + 1)
        for blocked in range(NUM_COLORS + 1)
    ),
    *(f"open_{row}_{colors}" for row in range(NUM_LINES) for colors in range(NUM_COLORS + 1)),
    *(f"dead_{tiles}" for tiles in range(FLOOR_SLOTS + 1)),
    *(f"line_{line}_{count}_blocked" for line in range(NUM_LINES) for count in range(NUM_LINES)),
    *(
        f"line_{line}_{count}_{supply}{times}"
        for times in ("", "_points")
        for line in range(NUM_LINES)
        for count in range(NUM_LINES)
        for supply in SUPPLIES
    ),
)


def _seen_from_one_side() -> NDArray[np.int64]:
    """Five cells as the lower of their number and that of their mirror image."""
    mirrored = [int(f"{cells:05b}"[::-1], 2) for cells in range(32)]
    return np.array([min(cells, mirror) for cells, mirror in enumerate(mirrored)], np.int64)


FROM_ONE_SIDE: Final = _seen_from_one_side()


@kernel
def list_gray_features(
    row: Row, player: int, tiles: int, indices: Indices, amounts: Amounts
) -> int:
    """List the nonzero features of a board, as if the round ended now: full lines are tiled, the floor is paid.

    Writes the index and the amount of each; returns their number. `tiles` are those to come.
    """
    counts, colors = row["line_counts"][player], row["line_colors"][player]
    wall = gray_wall(row, player)
    tokens = floor_tokens(row["floors"][player])
    points = as_int64(row["scores"][player])
    listed = as_int64(5)
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        if count == 0:
            continue
        color = as_int64((colors >> NIBBLE_BITS * line) & NIBBLE)
        if count <= line:
            supply = supply_of(row, tiles, color, line + 1 - count)
            listed = _list_line(wall, line, color, count, supply, listed, indices, amounts)
            continue
        column = best_column(wall, line, color)
        if column == NO_COLUMN:
            tokens = min(FLOOR_SLOTS, tokens + line + 1)  # R10.7
        else:
            wall = with_tile(wall, color, line, column)
            points += placement_points(occupied(wall), line, column)
    indices[0], amounts[0] = POINTS, max(0, points - PENALTY_OF_TOKENS[tokens])
    indices[1], amounts[1] = TO_MOVE, 1.0 if row["current_player"] == player else 0.0
    indices[2], amounts[2] = STARTS_NEXT, 1.0 if starts_next(row, player) else 0.0
    indices[3], amounts[3] = FLOOR_TOKENS + tokens, 1.0
    indices[4], amounts[4] = DEAD_TILES + dead_tiles(row, player, tiles), 1.0
    return _list_wall(wall, listed, indices, amounts)


@kernel
def _list_line(
    wall: GrayWall,
    line: int,
    color: int,
    count: int,
    supply: int,
    listed: int,
    indices: Indices,
    amounts: Amounts,
) -> int:
    """Add the features of an unfinished line to `listed` others; returns the number of all."""
    points = best_points(wall, line, color)
    if points == 0:
        indices[listed], amounts[listed] = LINE_BLOCKED + NUM_LINES * line + count, 1.0
        return listed + 1
    unfinished = NUM_SUPPLIES * (NUM_LINES * line + count) + supply
    indices[listed], amounts[listed] = LINE_TILES + unfinished, 1.0
    indices[listed + 1], amounts[listed + 1] = LINE_POINTS + unfinished, points
    return listed + 2


@kernel
def _list_wall(wall: GrayWall, listed: int, indices: Indices, amounts: Amounts) -> int:
    """Add the features of a wall to `listed` others; returns the number of all."""
    taken = occupied(wall)
    fillable = taken
    open_colors = as_int64(0)  # a number for each row, in the bits from its column 0 on
    for color in range(NUM_COLORS):
        possible = possible_cells(wall, taken, color)
        fillable |= possible
        open_colors += rows_with(possible)
        blocked = blocked_tiles(wall[color], possible)
        sort = (NUM_COLORS + 1) * popcount(wall[color]) + blocked
        indices[listed], amounts[listed] = COLOR_COUNT + sort, 1.0
        listed += 1
    for line in range(NUM_LINES):
        column = column_cells(taken, line)
        unfillable = NUM_LINES - popcount(column_cells(fillable, line))
        indices[listed] = ROW_CELLS + 32 * line + FROM_ONE_SIDE[row_cells(taken, line)]
        indices[listed + 1] = COLUMN_CELLS + column
        indices[listed + 2] = (
            OPEN_COLORS + (NUM_COLORS + 1) * line + ((open_colors >> NUM_LINES * line) & FULL_ROW)
        )
        amounts[listed] = amounts[listed + 1] = amounts[listed + 2] = 1.0
        indices[listed + 3], amounts[listed + 3] = UNFILLABLE + popcount(column), unfillable
        listed += 4
    return listed
