"""How good a player is: games against an opponent on held-out deals, every deal played from every seat."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from azul_agents.arena.intervals import wilson_interval
from azul_env.core.batch import NONE_ILLEGAL, new_streams, reset_games, write_masks
from azul_env.core.draw import Streams
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import DEFAULT_MAX_ROUNDS, num_actions
from azul_env.core.state import Rows, empty_rows
from azul_env.envs.kernels import play_some
from azul_env.envs.seats import BatchedOpponent
from azul_train.selfplay.rewards import win_shares


@dataclass(frozen=True)
class Evaluation:
    """How a player fared against a table of one opponent."""

    opponent: str
    games: int
    wins: float  # a shared win counts as an equal share
    points: float  # mean
    opponent_points: float  # mean

    @property
    def win_rate(self) -> float:
        """Share of the games won."""
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the win rate."""
        return wilson_interval(self.wins, self.games)


def evaluate(
    player: BatchedOpponent,
    opponent: BatchedOpponent,
    opponent_name: str,
    num_players: int,
    games: int,
    seed: int,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
) -> Evaluation:
    """Play at least so many games, all at once; the same seed, the same deals."""
    deals = -(-games // num_players)
    seats = np.tile(np.arange(num_players), deals)
    streams = np.repeat(new_streams(seed, deals), num_players)
    rows = empty_rows(len(seats))
    reset_games(rows, streams, num_players, 0, max_rounds, 0, len(rows))
    rng = np.random.default_rng([seed, 2])
    while (rows["end_reason"] == PLAYING).any():
        is_on = rows["end_reason"] == PLAYING
        is_own_turn = rows["current_player"] == seats
        let_play(player, rows, streams, np.flatnonzero(is_on & is_own_turn), rng)
        let_play(opponent, rows, streams, np.flatnonzero(is_on & ~is_own_turn), rng)
    scores = rows["scores"][:, :num_players].astype(np.float64)
    own = scores[np.arange(len(seats)), seats]
    others = (scores.sum(1) - own) / (num_players - 1)
    wins = float(win_shares(rows, seats).sum())
    return Evaluation(opponent_name, len(seats), wins, float(own.mean()), float(others.mean()))


def let_play(
    player: BatchedOpponent,
    rows: Rows,
    streams: Streams,
    games: NDArray[np.int64],
    rng: np.random.Generator,
) -> None:
    """Ask a player for its actions in some games and play them."""
    if games.size == 0:
        return
    chosen = rows[games]
    masks = np.zeros((len(games), num_actions(int(chosen["num_players"][0]))), np.bool_)
    write_masks(chosen, masks, 0, len(games))
    actions = np.ascontiguousarray(player(chosen, masks, rng), np.int64)
    wrong = play_some(rows, streams, games, actions)
    if wrong != NONE_ILLEGAL:
        raise ValueError(f"a player chose the illegal action {actions[wrong]}")
