"""What a step is worth to each seat. A reward is a function of the states before and after it.

| name           | value                                                                                                  |
|----------------|--------------------------------------------------------------------------------------------------------|
| `outcome`      | at the end, 1 - 2 (rank - 1) / (n - 1), tied ranks averaged: zero-sum, in [-1, 1]; 0 before             |
| `score_margin` | at the end, own points minus the mean of the others'; 0 before                                         |
| `round_margin` | the change of that margin, so at the end of every round; sums to the final margin over a game          |

A reward of your own is any callable `(before: GameState, after: GameState) -> sequence of n numbers`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.ranking import standing
from azul_env.core.rounds import PLAYING
from azul_env.core.state import Row, Rows
from azul_env.state import GameState

Reward = Callable[[GameState, GameState], Sequence[float] | NDArray[Any]]

OUTCOME, SCORE_MARGIN, ROUND_MARGIN, CUSTOM = 0, 1, 2, 3  # the kinds that kernels know
ILLEGAL_PENALTY: Final = -1.0  # for whoever plays an illegal action where that ends the game


@kernel
def begin_rewards(row: Row, kind: int, rewards: NDArray[np.float64]) -> None:
    """Note what the rewards of a step have to know of the state before it."""
    for player in range(row["num_players"]):
        rewards[player] = 0.0
    if kind == ROUND_MARGIN:
        for player in range(row["num_players"]):
            rewards[player] -= margin(row, player)


@kernel
def finish_rewards(row: Row, kind: int, rewards: NDArray[np.float64]) -> None:
    """Complete the rewards of a step with the state after it."""
    is_over = row["end_reason"] != PLAYING
    if not is_over and kind != ROUND_MARGIN:
        return
    for player in range(row["num_players"]):
        if kind in (ROUND_MARGIN, SCORE_MARGIN):
            rewards[player] += margin(row, player)
        elif kind == OUTCOME:
            rewards[player] += outcome_of(row, player)


@kernel
def margin(row: Row, player: int) -> float:
    """Own points minus the mean of the others'."""
    total = 0
    for other in range(row["num_players"]):
        total += row["scores"][other]
    own = row["scores"][player]
    return own - (total - own) / (row["num_players"] - 1)


@kernel
def outcome_of(row: Row, player: int) -> float:
    """1 for the first rank down to -1 for the last; a tie gets the mean of the ranks it covers."""
    own = standing(row, player)
    balance = 0
    for other in range(row["num_players"]):
        theirs = standing(row, other)
        balance += (1 if own > theirs else 0) - (1 if own < theirs else 0)
    return balance / (row["num_players"] - 1)


@kernel
def write_rewards(before: Rows, after: Rows, kind: int, rewards: NDArray[np.float64]) -> None:
    """The rewards of a single game's step."""
    begin_rewards(before[0], kind, rewards)
    finish_rewards(after[0], kind, rewards)


def outcome(before: GameState, after: GameState) -> NDArray[np.float64]:
    """Zero-sum result of the game by rank, once it is over."""
    return _rewards(before, after, OUTCOME)


def score_margin(before: GameState, after: GameState) -> NDArray[np.float64]:
    """Own points minus the mean of the others', once the game is over."""
    return _rewards(before, after, SCORE_MARGIN)


def round_margin(before: GameState, after: GameState) -> NDArray[np.float64]:
    """The change of the margin of points, at the end of every round."""
    return _rewards(before, after, ROUND_MARGIN)


REWARDS: Final[dict[str, Reward]] = {
    "outcome": outcome,
    "score_margin": score_margin,
    "round_margin": round_margin,
}
_KINDS: Final = {"outcome": OUTCOME, "score_margin": SCORE_MARGIN, "round_margin": ROUND_MARGIN}


def reward_function(reward: str | Reward) -> Reward:
    """The function that a name stands for, or the function itself."""
    if callable(reward):
        return reward
    if reward not in REWARDS:
        raise ValueError(f"reward={reward!r} is none of {', '.join(REWARDS)}, nor a function")
    return REWARDS[reward]


def custom_rewards(reward: Reward, before: Rows, after: Rows, game: int) -> NDArray[np.float64]:
    """What a function of a user gives to each seat of one game. Raises ValueError for a wrong number of rewards."""
    states = (GameState(rows[game : game + 1].copy()) for rows in (before, after))
    rewards = np.asarray(reward(*states), np.float64)
    num_players = int(before["num_players"][game])
    if rewards.shape != (num_players,):
        raise ValueError(
            f"the reward function must give {num_players} numbers, one for each seat, "
            f"not an array of shape {rewards.shape}"
        )
    return rewards


def reward_kind(reward: str | Reward) -> int:
    """The number that kernels know a reward by; CUSTOM if they do not know it."""
    function = reward_function(reward)
    return next((_KINDS[name] for name, known in REWARDS.items() if known is function), CUSTOM)


def _rewards(before: GameState, after: GameState, kind: int) -> NDArray[np.float64]:
    rewards = np.zeros(after.num_players)
    write_rewards(before.rows, after.rows, kind, rewards)
    return rewards
