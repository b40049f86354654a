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

from azul_env.core.jit import kernel
from azul_env.core.moves import floor_tokens
from azul_env.core.rounds import PLAYING
from azul_env.core.scoring import (
    PENALTY_OF_TOKENS,
    column_cells,
    complete_rows,
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
from azul_env.core.words import LANE_BITS, as_int64, lane, lane_total

Weights = NDArray[np.float64]  # by bucket and feature

NUM_ROUNDS: Final = 6
NUM_STAGES: Final = 4
NUM_BUCKETS: Final = NUM_ROUNDS * NUM_STAGES

# How much there is of the color that a line waits for: on the table, or between rounds in the next deal.
SUPPLIES: Final = ("scarce", "fair", "ample")
NUM_SUPPLIES: Final = len(SUPPLIES)

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
DEAD_TILES: Final = COLOR_COUNT + NUM_COLORS + 1  # by tiles on the table that fit in no line
LINE_TILES: Final = DEAD_TILES + FLOOR_SLOTS + 1  # unfinished lines: by line, tiles and supply
LINE_POINTS: Final = (
    LINE_TILES + NUM_LINES * NUM_LINES * NUM_SUPPLIES
)  # the same, times the points of the tile they will place
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

ANY_LINE: Final = (1 << NUM_LINES) - 1  # the lines among the destinations of a color

DECIDED: Final = (
    40.0  # a game that is won is worth so much more than the same margin that is only expected
)


@kernel
def tiles_to_come(row: Row) -> int:
    """Lanes: what is on the table; between rounds, what the next deal can be expected to bring."""
    tiles = as_int64(0)
    for source in range(center_of(row) + 1):
        tiles += row["sources"][source]
    if tiles != 0:
        return tiles
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
    """Which of SUPPLIES there is of a color for a line that misses so many tiles."""
    held = lane(tiles, color)
    if row["available"] != 0:
        return 0 if held == 0 else (1 if held < missing else 2)
    share = center_of(row)  # a fifth of a deal is 4 / 5 of the number of displays
    return 0 if 10 * held < 6 * share else (1 if 10 * held <= 10 * share else 2)


@kernel
def dead_tiles(row: Row, player: int, tiles: int) -> int:
    """Tiles on the table whose color fits in no line of a player, as far as a floor holds them."""
    legal = row["legal"][player]
    dead = 0
    for color in range(NUM_COLORS):
        if (legal >> NUM_DESTINATIONS * color) & ANY_LINE == 0:
            dead += lane(tiles, color)
    return min(dead, FLOOR_SLOTS) if row["available"] != 0 else 0


@kernel
def list_features(
    row: Row, player: int, tiles: int, places: NDArray[np.int64], amounts: NDArray[np.float64]
) -> int:
    """The features of a board that are not 0, as if the round ended now: full lines are tiled, the floor is paid.

    Writes the place and the amount of each; the answer is how many there are. `tiles` are those to come.
    """
    counts = row["line_counts"][player]
    colors = row["line_colors"][player]
    wall = wall_of(row, player)
    tokens = floor_tokens(row["floors"][player])
    points = row["scores"][player] - PENALTY_OF_TOKENS[tokens]
    listed = 5
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
            kind = NUM_SUPPLIES * (NUM_LINES * line + count) + supply
            places[listed] = LINE_TILES + kind
            amounts[listed] = 1.0
            places[listed + 1] = LINE_POINTS + kind
            amounts[listed + 1] = worth
            listed += 2
    places[0], amounts[0] = POINTS, max(0, points)
    places[1], amounts[1] = TO_MOVE, 1.0 if row["current_player"] == player else 0.0
    # Until the marker is taken, the round's starter is only noted as the next one.
    is_settled = row["marker_in_center"] == 0 or row["available"] == 0
    starts = is_settled and row["starting_player_next_round"] == player
    places[2], amounts[2] = STARTS_NEXT, 1.0 if starts else 0.0
    places[3], amounts[3] = FLOOR_TOKENS + tokens, 1.0
    places[4], amounts[4] = DEAD_TILES + dead_tiles(row, player, tiles), 1.0
    for place in range(NUM_LINES):
        places[listed] = ROW_CELLS + 32 * place + row_cells(wall, place)
        places[listed + 1] = COLUMN_CELLS + column_cells(wall, place)
        amounts[listed] = amounts[listed + 1] = 1.0
        listed += 2
    for color in range(NUM_COLORS):
        places[listed] = COLOR_COUNT + color_tiles(wall, color)
        amounts[listed] = 1.0
        listed += 1
    return listed


@kernel
def bucket_of(row: Row, tiles: int) -> int:
    """Which weights go with a position: by its round, and by how many of the tiles to come are on the table."""
    left = lane_total(tiles)
    whole = FACTORY_CAPACITY * center_of(row)
    stage = 0
    if row["available"] != 0:
        stage = 1 if 10 * left <= 3 * whole else (2 if 10 * left <= 6 * whole else 3)
    return NUM_STAGES * min(row["round"], NUM_ROUNDS - 1) + stage


@kernel
def seat_value(
    row: Row,
    player: int,
    tiles: int,
    weights: NDArray[np.float64],
    places: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> float:
    """The value of one board; `weights` are those of the position's bucket, the arrays are room for its features."""
    value = 0.0
    for listed in range(list_features(row, player, tiles, places, amounts)):
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
    tiles = tiles_to_come(row)
    own_weights = weights[bucket_of(row, tiles)]
    value = 0.0
    for seat in range(num_players):
        share = 1.0 if seat == player else -1.0 / (num_players - 1)
        value += share * seat_value(row, seat, tiles, own_weights, places, amounts)
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
    path = files("azul_agents.search") / "weights" / f"{num_players}_players.json"
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if tuple(card["features"]) != FEATURE_NAMES:
        raise ValueError(f"{path} was made for other features: run `azul fit-evaluation`")
    return card
