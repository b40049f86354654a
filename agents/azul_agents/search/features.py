"""The features of a board, whose weighted sum is the linear evaluation.

There are weights for every number of players, for rounds 0 to 5 and later, and for how many tiles are still on the table:
none, few, some, many.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.moves import floor_tokens
from azul_env.core.scoring import (
    PENALTY_OF_TOKENS,
    column_cells,
    row_cells,
)
from azul_env.core.spec import (
    FACTORY_CAPACITY,
    FLOOR_SLOTS,
    NUM_COLORS,
    NUM_DESTINATIONS,
    NUM_LINES,
)
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.variant import color_tiles, placement, wall_of
from azul_env.core.walls import columns_of
from azul_env.core.words import LANE_BITS, as_int64, lane, lane_total

NUM_ROUNDS: Final = 6
NUM_STAGES: Final = 4
NUM_BUCKETS: Final = NUM_ROUNDS * NUM_STAGES

# How plentiful the color is that a line waits for: on the table, or between rounds in the next deal.
SUPPLIES: Final = ("scarce", "fair", "ample")
NUM_SUPPLIES: Final = len(SUPPLIES)

# Indices of the features: three numbers, then groups of which each board has one or a few.
POINTS: Final = 0  # points, as if the round ended now
TO_MOVE: Final = 1
STARTS_NEXT: Final = 2
FLOOR_TOKENS: Final = 3  # by number of tokens on the floor
ROW_CELLS: Final = FLOOR_TOKENS + FLOOR_SLOTS + 1  # by row and by which of its cells are tiled
# By which cells are tiled, the same for all columns.
COLUMN_CELLS: Final = ROW_CELLS + NUM_LINES * 32
COLOR_COUNT: Final = COLUMN_CELLS + 32  # by number of tiles, the same for all colors
DEAD_TILES: Final = COLOR_COUNT + NUM_COLORS + 1  # by tiles on the table that fit in no line
LINE_TILES: Final = DEAD_TILES + FLOOR_SLOTS + 1  # unfinished lines: by line, tiles and supply
# The same, times the points of the tile that the line will place.
LINE_POINTS: Final = LINE_TILES + NUM_LINES * NUM_LINES * NUM_SUPPLIES
NUM_FEATURES: Final = LINE_POINTS + NUM_LINES * NUM_LINES * NUM_SUPPLIES
MAX_LISTED: Final = 5 + 3 * NUM_LINES + 2 * NUM_LINES  # features of one board that are not 0

FEATURE_NAMES: Final = (
    "points",
    "to_move",
    "starts_next",
    *(f"floor_{tokens}" for tokens in range(FLOOR_SLOTS + 1)),
    *(f"row_{row}_{cells:05b}" for row in range(NUM_LINES) for cells in range(32)),
    *(f"column_{cells:05b}" for cells in range(32)),
    *(f"color_{count}" for count in range(NUM_COLORS + 1)),
    *(f"dead_{tiles}" for tiles in range(FLOOR_SLOTS + 1)),
    *(
        f"line_{line}_{count}_{supply}{times}"
        for times in ("", "_points")
        for line in range(NUM_LINES)
        for count in range(NUM_LINES)
        for supply in SUPPLIES
    ),
)

Indices = NDArray[np.int64]  # of features
Amounts = NDArray[np.float64]

ANY_LINE: Final = (1 << NUM_LINES) - 1  # the lines among the destinations of a color


@kernel
def tiles_to_come(row: Row) -> int:
    """Lanes: what is on the table; between rounds, what the next deal can be expected to bring."""
    tiles = as_int64(0)
    for source in range(center_of(row) + 1):
        tiles += row["sources"][source]
    return tiles if tiles != 0 else expected_deal(row)


@kernel
def expected_deal(row: Row) -> int:
    """Lanes: the tiles that the next deal can be expected to bring, rounded down."""
    tiles = as_int64(0)
    drawn = FACTORY_CAPACITY * center_of(row)
    bag, lid = row["bag"], row["lid"]
    from_bag = min(drawn, lane_total(bag))
    from_lid = min(drawn - from_bag, lane_total(lid))
    in_bag, in_lid = max(1, lane_total(bag)), max(1, lane_total(lid))
    for color in range(NUM_COLORS):
        expected = lane(bag, color) * from_bag // in_bag + lane(lid, color) * from_lid // in_lid
        tiles += expected << LANE_BITS * color
    return tiles


@kernel
def supply_of(row: Row, tiles: int, color: int, missing: int) -> int:
    """The supply of a color for a line that needs `missing` more tiles, as an index in SUPPLIES."""
    held = lane(tiles, color)
    if row["available"] != 0:
        return 0 if held == 0 else (1 if held < missing else 2)
    share = center_of(row)  # factories; a color's mean share of a deal is 4 / 5 of this
    return 0 if 10 * held < 6 * share else (1 if 10 * held <= 10 * share else 2)


@kernel
def dead_tiles(row: Row, player: int, tiles: int) -> int:
    """Tiles on the table whose color fits in no line of a player, at most as many as a floor holds."""
    legal = row["legal"][player]
    dead = 0
    for color in range(NUM_COLORS):
        if (legal >> NUM_DESTINATIONS * color) & ANY_LINE == 0:
            dead += lane(tiles, color)
    return min(dead, FLOOR_SLOTS) if row["available"] != 0 else 0


@kernel
def board_word(row: Row, player: int, tiles: int) -> int:
    """Lines, floor, supplies and dead tiles of a board, in 54 bits: the part of a cache's key that evaluators share."""
    counts, colors = row["line_counts"][player], row["line_colors"][player]
    supplies = as_int64(0)
    for line in range(1, NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        supply = supply_of(row, tiles, color, line + 1 - count)
        supplies |= (supply if 0 < count <= line else 0) << 2 * line
    board = counts | colors << 20 | supplies << 38 | floor_tokens(row["floors"][player]) << 48
    return board | dead_tiles(row, player, tiles) << 51


@kernel
def starts_next(row: Row, player: int) -> bool:
    """True if a player is known to start the next round."""
    # Until the marker is taken, the field holds the starter of the current round.
    is_settled = row["marker_in_center"] == 0 or row["available"] == 0
    return is_settled and row["starting_player_next_round"] == player


@kernel
def list_features(row: Row, player: int, tiles: int, indices: Indices, amounts: Amounts) -> int:
    """List the nonzero features of a board, as if the round ended now: full lines are tiled, the floor is paid.

    Writes the index and the amount of each; returns their number. `tiles` are those to come.
    """
    counts = row["line_counts"][player]
    colors = row["line_colors"][player]
    wall = wall_of(row, player)
    tokens = floor_tokens(row["floors"][player])
    points = row["scores"][player] - PENALTY_OF_TOKENS[tokens]
    listed = as_int64(5)
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        if count == 0:
            continue
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        tiled, _, worth = placement(wall, line, color)
        if count == line + 1:
            points += worth
            wall = tiled
        else:
            supply = supply_of(row, tiles, color, line + 1 - count)
            unfinished = NUM_SUPPLIES * (NUM_LINES * line + count) + supply
            indices[listed], amounts[listed] = LINE_TILES + unfinished, 1.0
            indices[listed + 1], amounts[listed + 1] = LINE_POINTS + unfinished, worth
            listed += 2
    indices[0], amounts[0] = POINTS, max(0, points)
    indices[1], amounts[1] = TO_MOVE, 1.0 if row["current_player"] == player else 0.0
    indices[2], amounts[2] = STARTS_NEXT, 1.0 if starts_next(row, player) else 0.0
    indices[3], amounts[3] = FLOOR_TOKENS + tokens, 1.0
    indices[4], amounts[4] = DEAD_TILES + dead_tiles(row, player, tiles), 1.0
    return _list_wall_features(wall, listed, indices, amounts)


@kernel
def _list_wall_features(wall: int, listed: int, indices: Indices, amounts: Amounts) -> int:
    """Add the features of a wall to `listed` others; returns the number of all."""
    for line in range(NUM_LINES):
        indices[listed] = ROW_CELLS + 32 * line + row_cells(wall, line)
        indices[listed + 1] = COLUMN_CELLS + column_cells(wall, line)
        amounts[listed] = amounts[listed + 1] = 1.0
        listed += 2
    for color in range(NUM_COLORS):
        indices[listed], amounts[listed] = COLOR_COUNT + color_tiles(wall, color), 1.0
        listed += 1
    return listed


@kernel
def bucket_of(row: Row, tiles: int) -> int:
    """The index of a position's weights: by its round, and by how much of the deal is still on the table."""
    left = lane_total(tiles)
    whole = FACTORY_CAPACITY * center_of(row)
    stage = 0
    if row["available"] != 0:
        stage = 1 if 10 * left <= 3 * whole else (2 if 10 * left <= 6 * whole else 3)
    over = row["round"] + (
        1 if columns_of(row) else 0
    )  # while walls are tiled, the round is as good as over
    return NUM_STAGES * min(over, NUM_ROUNDS - 1) + stage
