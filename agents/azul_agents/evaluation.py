"""What a position is worth: a linear function of each board's features, learned from self-play.

The value of a seat is the sum of its board's features times weights; a position is worth the own value minus the mean of
the others', which predicts the final margin of points. There are weights for every number of players, for rounds 0 to 5
and later, and for how many tiles are still on the table: none, few, some, many.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.intrinsics import popcount
from azul_env.core.jit import kernel
from azul_env.core.moves import floor_tokens
from azul_env.core.rounds import PLAYING, WALL_COLUMN
from azul_env.core.scoring import (
    COLOR_CELLS,
    PENALTY_OF_TOKENS,
    column_cells,
    complete_rows,
    placement_points,
    row_cells,
)
from azul_env.core.spec import FACTORY_CAPACITY, FLOOR_SLOTS, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.words import as_int64, lane_total

Weights = NDArray[np.float64]  # by bucket and feature

NUM_ROUNDS: Final = 6
NUM_STAGES: Final = 4
NUM_BUCKETS: Final = NUM_ROUNDS * NUM_STAGES

# Places of the features: three numbers, then groups of which each board has one or a few.
POINTS: Final = 0  # points, as if the round ended now
TO_MOVE: Final = 1
STARTS_NEXT: Final = 2
FLOOR_TOKENS: Final = 3  # by number of tokens on the floor
ROW_CELLS: Final = FLOOR_TOKENS + FLOOR_SLOTS + 1  # by row, by which of its cells are tiled
COLUMN_CELLS: Final = (
    ROW_CELLS + NUM_LINES * 32
)  # by which cells are tiled, the same for all columns
COLOR_COUNT: Final = COLUMN_CELLS + 32  # by number of tiles, the same for all colors
LINE_TILES: Final = COLOR_COUNT + NUM_COLORS + 1  # unfinished lines: by line, by number of tiles
LINE_POINTS: Final = (
    LINE_TILES + NUM_LINES * NUM_LINES
)  # the same, times the points of the tile they will place
NUM_FEATURES: Final = LINE_POINTS + NUM_LINES * NUM_LINES
MAX_LISTED: Final = 4 + 3 * NUM_LINES + 2 * NUM_LINES  # features of one board that are not 0

FEATURE_NAMES: Final = (
    "points",
    "to_move",
    "starts_next",
    *(f"floor_{tokens}" for tokens in range(FLOOR_SLOTS + 1)),
    *(f"row_{row}_{cells:05b}" for row in range(NUM_LINES) for cells in range(32)),
    *(f"column_{cells:05b}" for cells in range(32)),
    *(f"color_{count}" for count in range(NUM_COLORS + 1)),
    *(f"line_{line}_{count}" for line in range(NUM_LINES) for count in range(NUM_LINES)),
    *(f"line_{line}_{count}_points" for line in range(NUM_LINES) for count in range(NUM_LINES)),
)

DECIDED: Final = (
    40.0  # a game that is won is worth so much more than the same margin that is only expected
)


@kernel
def list_features(
    row: Row, player: int, places: NDArray[np.int64], amounts: NDArray[np.float64]
) -> int:
    """The features of a board that are not 0, as if the round ended now: full lines are tiled, the floor is paid.

    Writes the place and the amount of each; the answer is how many there are.
    """
    counts = row["line_counts"][player]
    colors = row["line_colors"][player]
    wall = as_int64(row["walls"][player])
    tokens = floor_tokens(row["floors"][player])
    points = row["scores"][player] - PENALTY_OF_TOKENS[tokens]
    listed = 4
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        if count == 0:
            continue
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        column = as_int64(WALL_COLUMN[NUM_COLORS * line + color])
        tiled = wall | (1 << (NUM_LINES * line + column))
        worth = placement_points(tiled, line, column)
        if count == line + 1:
            points += worth
            wall = tiled
        else:
            places[listed] = LINE_TILES + NUM_LINES * line + count
            amounts[listed] = 1.0
            places[listed + 1] = LINE_POINTS + NUM_LINES * line + count
            amounts[listed + 1] = worth
            listed += 2
    places[0], amounts[0] = POINTS, max(0, points)
    places[1], amounts[1] = TO_MOVE, 1.0 if row["current_player"] == player else 0.0
    places[2], amounts[2] = STARTS_NEXT, 1.0 if row["starting_player_next_round"] == player else 0.0
    places[3], amounts[3] = FLOOR_TOKENS + tokens, 1.0
    for place in range(NUM_LINES):
        places[listed] = ROW_CELLS + 32 * place + row_cells(wall, place)
        places[listed + 1] = COLUMN_CELLS + column_cells(wall, place)
        amounts[listed] = amounts[listed + 1] = 1.0
        listed += 2
    for cells in COLOR_CELLS:
        places[listed] = COLOR_COUNT + popcount(wall & cells)
        amounts[listed] = 1.0
        listed += 1
    return listed


@kernel
def tiles_on_table(row: Row) -> int:
    """Number of tiles that can still be taken in this round."""
    tiles = as_int64(0)
    for source in range(center_of(row) + 1):
        tiles += row["sources"][source]
    return lane_total(tiles)


@kernel
def bucket_of(row: Row) -> int:
    """Which weights go with a position: by its round, and by how much of the round is still to come."""
    left = tiles_on_table(row)
    whole = FACTORY_CAPACITY * center_of(row)
    stage = 0
    if left > 0:
        stage = 1 if 10 * left <= 3 * whole else (2 if 10 * left <= 6 * whole else 3)
    return NUM_STAGES * min(row["round"], NUM_ROUNDS - 1) + stage


@kernel
def seat_value(
    row: Row,
    player: int,
    weights: NDArray[np.float64],
    places: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> float:
    """The value of one board; `weights` are those of the position's bucket, the arrays are room for its features."""
    value = 0.0
    for listed in range(list_features(row, player, places, amounts)):
        value += weights[places[listed]] * amounts[listed]
    return value


@kernel
def margin_value(
    row: Row,
    player: int,
    weights: Weights,
    places: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> float:
    """The margin that a player can expect in the end; of a finished game the real one, plus that it is decided."""
    num_players = row["num_players"]
    if row["end_reason"] != PLAYING:
        return final_value(row, player)
    own_weights = weights[bucket_of(row)]
    value = 0.0
    for seat in range(num_players):
        share = 1.0 if seat == player else -1.0 / (num_players - 1)
        value += share * seat_value(row, seat, own_weights, places, amounts)
    return value


@kernel
def final_value(row: Row, player: int) -> float:
    """The margin of a finished game, with a surcharge for the place (R7.1)."""
    others = 0.0
    place = 0.0
    own = row["scores"][player]
    own_rows = complete_rows(row["walls"][player])
    for seat in range(row["num_players"]):
        if seat != player:
            theirs = row["scores"][seat]
            their_rows = complete_rows(row["walls"][seat])
            others += theirs
            if own > theirs or (own == theirs and own_rows > their_rows):
                place += 1.0
            elif own < theirs or (own == theirs and own_rows < their_rows):
                place -= 1.0
    return own + (DECIDED * place - others) / (row["num_players"] - 1)


@cache
def load_weights(num_players: int) -> Weights:
    """The weights that come with the package."""
    card = load_card(num_players)
    return np.array(card["weights"], np.float64)


def load_card(num_players: int) -> dict[str, Any]:
    """Weights and how they were made."""
    path = files("azul_agents") / "weights" / f"{num_players}_players.json"
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if tuple(card["features"]) != FEATURE_NAMES:
        raise ValueError(f"{path} was made for other features: run `azul fit-evaluation`")
    return card
