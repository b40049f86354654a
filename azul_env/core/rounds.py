"""Start of a game, end of a round and of the game, and resigning (R2, R4, R6, R8)."""

from typing import Final

from azul_env.core.jit import kernel
from azul_env.core.moves import first_seat, has_resigned, next_seat
from azul_env.core.scoring import complete_rows
from azul_env.core.spec import NUM_COLORS, NUM_DESTINATIONS, TILES_PER_COLOR, EndReason
from azul_env.core.state import NIBBLE_BITS, Row
from azul_env.core.walls import (
    bonus_points_of,
    clear_extras,
    columns_of,
    continue_tiling,
    settle_board,
    stop_choices,
)
from azul_env.core.words import LANE_ONES, as_bool, as_int64

PLAYING: Final = int(EndReason.PLAYING)
ROW: Final = int(EndReason.ROW)
NO_TILES: Final = int(EndReason.NO_TILES)
MAX_ROUNDS: Final = int(EndReason.MAX_ROUNDS)
RESIGNATION: Final = int(EndReason.RESIGNATION)

EVERYTHING_LEGAL: Final = (1 << NUM_COLORS * NUM_DESTINATIONS) - 1
ALL_TILES: Final = LANE_ONES * TILES_PER_COLOR


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
    clear_extras(row)


@kernel
def finish_round(row: Row) -> bool:
    """Tile the walls, score, and end the game or set up the next round; true if a deal is due (R4, R6).

    Caller guarantees that no tiles are left to take, and nothing to choose.
    """
    full_rows = 0
    for player in range(row["num_players"]):
        settle_board(row, player)
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
    starter = first_seat(row)
    row["starting_player_next_round"] = starter
    row["current_player"] = starter
    return True


@kernel
def _end_game(row: Row, reason: int) -> None:
    """End the game and add the bonuses (R5.4). No action is legal any more."""
    row["end_reason"] = reason
    row["available"] = 0
    stop_choices(row)
    for player in range(row["num_players"]):
        row["scores"][player] += bonus_points_of(row, player)


@kernel
def leave_game(row: Row, player: int) -> bool:
    """Resign for a player; true if that ends a round and a deal is due, as it may in the middle of tiling (R8, R10.13).

    Caller guarantees that the game is on and the player has not resigned.
    """
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
        if columns_of(row):
            return continue_tiling(row, player) and finish_round(row)
        row["current_player"] = next_seat(row, player)
    return as_bool(False)
