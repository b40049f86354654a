"""Two sets of weights against each other, in compiled code: does the new one win?"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from azul_agents.search.deepening import choose
from azul_agents.search.linear import LinearEvaluator, Weights, linear_evaluator
from azul_agents.search.pvs import MAX_PLIES, SearchMemory, new_memory
from azul_env.core.actions import action_parts
from azul_env.core.batch import new_streams, reset_game
from azul_env.core.draw import Streams
from azul_env.core.jit import called_kernel
from azul_env.core.moves import draft
from azul_env.core.ranking import win_share
from azul_env.core.rounds import PLAYING, close_round
from azul_env.core.spec import DEFAULT_MAX_ROUNDS
from azul_env.core.state import Rows, empty_rows
from azul_env.core.words import as_int64


@called_kernel
def play_duel(
    rows: Rows,
    streams: Streams,
    num_players: int,
    new_seat: int,
    new: LinearEvaluator,
    old: LinearEvaluator,
    memory: SearchMemory,
) -> float:
    """Play one game, the new weights in one seat and the old ones in the others; the new ones' share of the win."""
    k = as_int64(0)
    row = rows[0]
    reset_game(row, num_players, as_int64(0), as_int64(DEFAULT_MAX_ROUNDS), streams, k)
    while row["end_reason"] == PLAYING:
        player = row["current_player"]
        evaluator = new if player == new_seat else old
        action = choose(rows, as_int64(0), memory, evaluator, as_int64(MAX_PLIES))
        source, color, destination = action_parts(action)
        if draft(row, source, color, destination):
            close_round(row, streams, k)
    return win_share(row, new_seat)


@dataclass(frozen=True)
class DuelResult:
    """How the new weights fared; by chance they would win one of `num_players` games."""

    games: int
    win_rate: float
    standard_error: float  # over deals, each of which is played from every seat

    def __str__(self) -> str:
        return f"{100 * self.win_rate:.1f} ± {100 * self.standard_error:.1f}% of {self.games} games"


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
    evaluators = linear_evaluator(num_players, new), linear_evaluator(num_players, old)
    rows = empty_rows(1)
    deals = -(-games // num_players)
    shares = np.zeros(deals)
    for deal, start in enumerate(new_streams(seed, deals)):
        for seat in range(num_players):
            stream = np.array([start], np.uint64)
            share = play_duel(rows, stream, num_players, seat, *evaluators, memory)
            shares[deal] += share / num_players
            on_game()
    error = float(shares.std(ddof=1) / np.sqrt(deals)) if deals > 1 else float("nan")
    return DuelResult(deals * num_players, float(shares.mean()), error)
