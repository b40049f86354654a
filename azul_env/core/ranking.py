"""Who stands better (R7)."""

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.scoring import complete_rows
from azul_env.core.spec import NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows

ROW_STEPS = NUM_LINES + 1  # numbers of complete rows a wall can have
RESIGNED_BASE = 16  # keeps the standings of those who resigned below 0, and so below all others


@kernel
def standing(row: Row, player: int) -> int:
    """A number that is higher for whoever ranks higher and equal where the rank is shared."""
    resigned = (row["resignations"] >> NIBBLE_BITS * player) & NIBBLE
    if resigned:
        return resigned - RESIGNED_BASE  # R7.2
    return row["scores"][player] * ROW_STEPS + complete_rows(row["walls"][player])  # R7.1


@kernel
def win_share(row: Row, player: int) -> float:
    """A player's share of the win in a finished game: 1 alone, less if shared, 0 if lost."""
    own = standing(row, player)
    sharers = 0
    for other in range(row["num_players"]):
        theirs = standing(row, other)
        if theirs > own:
            return 0.0
        sharers += 1 if theirs == own else 0
    return 1.0 / sharers


@kernel
def write_ranks(rows: Rows, ranks: NDArray[np.int64]) -> None:
    """The rank of every seat of a single game, from 1 (R7.3)."""
    row = rows[0]
    for player in range(row["num_players"]):
        ranks[player] = 1
        for other in range(row["num_players"]):
            if standing(row, other) > standing(row, player):
                ranks[player] += 1
