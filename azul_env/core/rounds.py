"""Start of a game, end of a round and of the game, and resigning (R2, R4, R6, R8)."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.moves import has_resigned, next_seat
from azul_env.core.scoring import PENALTY_OF_TOKENS, complete_rows
from azul_env.core.spec import NUM_COLORS, NUM_DESTINATIONS, TILES_PER_COLOR, EndReason
from azul_env.core.state import MARKER_TOKEN, NIBBLE, NIBBLE_BITS, Row
from azul_env.core.variant import bonus_points, tile_wall, wall_of
from azul_env.core.words import LANE_BITS, LANE_ONES, as_int64

PLAYING: Final = int(EndReason.PLAYING)
ROW: Final = int(EndReason.ROW)
NO_TILES: Final = int(EndReason.NO_TILES)
MAX_ROUNDS: Final = int(EndReason.MAX_ROUNDS)
RESIGNATION: Final = int(EndReason.RESIGNATION)

EVERYTHING_LEGAL: Final = (1 << NUM_COLORS * NUM_DESTINATIONS) - 1
ALL_TILES: Final = LANE_ONES * TILES_PER_COLOR


def _lid_table() -> NDArray[Any]:
    """What each floor token adds to the lid: a tile of its color, nothing for the marker (R4.3)."""
    table = np.zeros(MARKER_TOKEN + 1, np.int64)
    for color in range(NUM_COLORS):
        table[color + 1] = 1 << LANE_BITS * color
    return table


TILE_OF_TOKEN: Final = _lid_table()


@kernel
def start_game(row: Row, num_players: int, starting_player: int, max_rounds: int) -> None:
    """Set up a new game with all tiles in the bag and empty factories."""
    row["num_players"] = num_players
    row["current_player"] = starting_player
    row["starting_player_next_round"] = starting_player
    row["round"] = 0
    row["max_rounds"] = max_rounds
    row["end_reason"] = PLAYING
    row["resignations"] = 0
    row["marker_in_center"] = 1
    row["bag"] = ALL_TILES
    row["lid"] = 0
    row["available"] = 0
    for source in range(len(row["sources"])):
        row["sources"][source] = 0
    for seat in range(len(row["scores"])):
        row["legal"][seat] = EVERYTHING_LEGAL if seat < num_players else 0
        row["walls"][seat] = 0
        row["line_counts"][seat] = 0
        row["line_colors"][seat] = 0
        row["floors"][seat] = 0
        row["scores"][seat] = 0


@kernel
def finish_round(row: Row) -> bool:
    """Tile the walls, score, and end the game or set up the next round; true if a deal is due (R4, R6).

    Caller guarantees that no tiles are left to take.
    """
    full_rows = 0
    for player in range(row["num_players"]):
        tile_wall(row, player)
        _clear_floor(row, player)
        full_rows += complete_rows(row["walls"][player])
    row["round"] += 1
    reason = PLAYING
    if full_rows:
        reason = ROW
    elif row["bag"] | row["lid"] == 0:
        reason = NO_TILES
    elif row["round"] >= row["max_rounds"]:
        reason = MAX_ROUNDS
    if reason != PLAYING:
        _end_game(row, reason)
        return False
    row["marker_in_center"] = 1
    starter = row["starting_player_next_round"]
    if has_resigned(row, starter):  # R8.4
        starter = next_seat(row, starter)
    row["starting_player_next_round"] = starter
    row["current_player"] = starter
    return True


@kernel
def _end_game(row: Row, reason: int) -> None:
    """End the game and add the bonuses (R5.4). `available` is cleared, so no action is legal."""
    row["end_reason"] = reason
    row["available"] = 0
    for player in range(row["num_players"]):
        row["scores"][player] += bonus_points(wall_of(row, player))


@kernel
def leave_game(row: Row, player: int) -> None:
    """Resign for a player (R8). Caller guarantees that the game is on and the player has not resigned."""
    seats_left = 0
    for seat in range(row["num_players"]):
        if not has_resigned(row, seat):
            seats_left += 1
    order = row["num_players"] - seats_left + 1
    row["resignations"] |= order << NIBBLE_BITS * player
    if seats_left == 2:  # R8.5
        row["current_player"] = player
        _end_game(row, as_int64(RESIGNATION))
    elif row["current_player"] == player:
        row["current_player"] = next_seat(row, player)


@kernel
def _clear_floor(row: Row, player: int) -> None:
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
