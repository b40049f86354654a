"""Two sets of weights against each other, in compiled code: does the new one win?"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from azul_agents.search.deepening import deepen, prepare
from azul_agents.search.evaluation import Weights
from azul_agents.search.principal_variation import MAX_PLIES, SearchMemory, new_memory
from azul_env.core.actions import action_parts
from azul_env.core.chance import Chances, chances_from
from azul_env.core.jit import called_kernel
from azul_env.core.ranking import win_share
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import DEFAULT_MAX_ROUNDS
from azul_env.core.state import Rows, empty_rows
from azul_env.core.step import play_and_deal, reset_game
from azul_env.core.words import as_bool, as_int64


@called_kernel
def play_duel(
    rows: Rows,
    chances: Chances,
    num_players: int,
    new_seat: int,
    new: Weights,
    old: Weights,
    memory: SearchMemory,
) -> float:
    """Play one game, the new weights in one seat and the old ones in the others; the new ones' share of the win."""
    k = as_int64(0)
    row = rows[0]
    reset_game(row, num_players, as_int64(0), as_int64(DEFAULT_MAX_ROUNDS), chances, k)
    while row["end_reason"] == PLAYING:
        player = row["current_player"]
        memory.stack[0] = rows[0]
        prepare(memory, player)
        weights = new if player == new_seat else old
        deepen(memory, weights, as_int64(MAX_PLIES), as_bool(False))
        source, color, destination = action_parts(memory.turns[0, 0])
        play_and_deal(row, source, color, destination, chances, k)
    return win_share(row, new_seat)


@dataclass(frozen=True)
class DuelResult:
    """How the new weights fared; by chance they would win one of `num_players` games."""

    games: int
    win_rate: float
    standard_error: float  # over deals, each of which is played from every seat

    def __str__(self) -> str:
        return (
            f"{100 * self.win_rate:.1f} ± {100 * self.standard_error:.1f} % of {self.games} games"
        )


def duel(
    num_players: int,
    new: Weights,
    old: Weights,
    games: int,
    nodes: int,
    seed: int,
    on_game: Callable[[], None] = lambda: None,
) -> DuelResult:
    """Play every deal once from each seat with the same limit of nodes."""
    memory = new_memory(breadth=10, node_limit=nodes)
    rows = empty_rows(1)
    deals = -(-games // num_players)
    shares = np.zeros(deals)
    chances = chances_from(seed, deals)
    for deal in range(deals):
        for seat in range(num_players):
            chance = chances[deal : deal + 1].copy()
            shares[deal] += (
                play_duel(rows, chance, num_players, seat, new, old, memory) / num_players
            )
            on_game()
    error = float(shares.std(ddof=1) / np.sqrt(deals)) if deals > 1 else float("nan")
    return DuelResult(deals * num_players, float(shares.mean()), error)
