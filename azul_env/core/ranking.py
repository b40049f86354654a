"""Ranks of the players (R7)."""

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.scoring import complete_rows
from azul_env.core.spec import NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows

ROW_COUNTS = NUM_LINES + 1  # a wall has 0 to 5 complete rows
RESIGNED_BASE = 16  # keeps the standings of resigned players below 0, and so below all others


@kernel
def standing(row: Row, player: int) -> int:
    """A number that orders the players: higher is better, equal standings share a rank."""
    resigned = (row["resignations"] >> NIBBLE_BITS * player) & NIBBLE
    if resigned:
        return resigned - RESIGNED_BASE  # R7.2
    return row["scores"][player] * ROW_COUNTS + complete_rows(row["walls"][player])  # R7.1


@kernel
def better_and_equal(row: Row, player: int) -> tuple[int, int]:
    """How many players rank above a player, and how many share the player's rank, the player included."""
    own = standing(row, player)
    better = 0
    equal = 0
    for other in range(row["num_players"]):
        theirs = standing(row, other)
        better += 1 if theirs > own else 0
        equal += 1 if theirs == own else 0
    return better, equal


@kernel
def win_share(row: Row, player: int) -> float:
    """A player's share of the win in a finished game: 1 for a sole winner, 1/k for k winners, 0 for a loss."""
    better, equal = better_and_equal(row, player)
    return 0.0 if better else 1.0 / equal


@kernel
def outcome_of(row: Row, player: int) -> float:
    """1 for the first rank down to -1 for the last; tied players get the mean of the ranks they cover."""
    better, equal = better_and_equal(row, player)
    worse = row["num_players"] - better - equal
    return (worse - better) / (row["num_players"] - 1)


@kernel
def write_ranks(rows: Rows, ranks: NDArray[np.int64]) -> None:
    """Write the rank of every seat of a single game, counted from 1 (R7.3)."""
    for player in range(rows[0]["num_players"]):
        ranks[player] = 1 + better_and_equal(rows[0], player)[0]
