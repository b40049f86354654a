"""Rewards of a step for each seat, as functions of the states before and after it.

| name           | value                                                                                                  |
|----------------|--------------------------------------------------------------------------------------------------------|
| `outcome`      | at the end, 1 - 2 (rank - 1) / (n - 1), tied ranks averaged: zero-sum, in [-1, 1]; 0 before             |
| `score_margin` | at the end, the player's points minus the mean of the others'; 0 before                                |
| `round_margin` | the change of that margin, so at the end of every round; sums to the final margin over a game          |

On the gray wall points are added as each tile is placed, so `round_margin` is nonzero in the turns of tiling, too.

A custom reward is any callable `(before: GameState, after: GameState) -> sequence of n numbers`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import shown
from azul_env.core.jit import kernel
from azul_env.core.ranking import outcome_of
from azul_env.core.rounds import PLAYING
from azul_env.core.state import Row, Rows
from azul_env.state import GameState, check_players, check_state, check_variant, trusted_state

Reward = Callable[[GameState, GameState], Sequence[float] | NDArray[Any]]

OUTCOME, SCORE_MARGIN, ROUND_MARGIN, CUSTOM = range(4)  # kinds of reward, for kernels
ILLEGAL_PENALTY: Final = -1.0  # for the player of an illegal action that ends the game


@kernel
def begin_rewards(row: Row, kind: int, rewards: NDArray[np.float64]) -> None:
    """Start the rewards of a step from the state before it."""
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
    """A player's points minus the mean of the others'."""
    total = 0
    for other in range(row["num_players"]):
        total += row["scores"][other]
    own = row["scores"][player]
    return own - (total - own) / (row["num_players"] - 1)


@kernel
def write_rewards(before: Rows, after: Rows, kind: int, rewards: NDArray[np.float64]) -> None:
    """Write the rewards of a step of a single game."""
    begin_rewards(before[0], kind, rewards)
    finish_rewards(after[0], kind, rewards)


def outcome(before: GameState, after: GameState) -> NDArray[np.float64]:
    """Zero-sum reward by rank at the end of the game; 0 before."""
    return _rewards(before, after, OUTCOME)


def score_margin(before: GameState, after: GameState) -> NDArray[np.float64]:
    """Each player's points minus the mean of the others' at the end of the game; 0 before."""
    return _rewards(before, after, SCORE_MARGIN)


def round_margin(before: GameState, after: GameState) -> NDArray[np.float64]:
    """The change of the score margin, which is nonzero at the end of rounds only, where tiles are placed."""
    return _rewards(before, after, ROUND_MARGIN)


REWARDS: Final[dict[str, Reward]] = {  # in the order of their kinds
    "outcome": outcome,
    "score_margin": score_margin,
    "round_margin": round_margin,
}


def reward_function(reward: str | Reward) -> Reward:
    """Look up a reward by name; a function is returned as is. Raises ValueError for an unknown name."""
    if callable(reward):
        return reward
    if not isinstance(reward, str) or reward not in REWARDS:
        raise ValueError(
            f"reward={shown(reward)} is not one of {', '.join(REWARDS)}, nor a function"
        )
    return REWARDS[reward]


def custom_rewards(reward: Reward, before: Rows, after: Rows, game: int) -> NDArray[np.float64]:
    """The rewards of a custom function in one game. Raises TypeError or ValueError unless there is one finite number per seat."""
    states = (trusted_state(rows[game : game + 1].copy()) for rows in (before, after))
    answer = reward(*states)
    num_players = int(before["num_players"][game])
    wanted = f"the reward function must return {num_players} finite numbers, one for each seat"
    try:
        rewards = np.asarray(answer, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{wanted}, not {shown(answer)}") from None
    if rewards.shape != (num_players,):
        raise ValueError(f"{wanted}, not an array of shape {rewards.shape}")
    if not np.isfinite(rewards).all():
        raise ValueError(f"{wanted}, not {rewards.tolist()}")
    return rewards


def reward_kind(reward: str | Reward) -> int:
    """The kind of a reward, for kernels; CUSTOM for a user's function."""
    function = reward_function(reward)
    return next((kind for kind, one in enumerate(REWARDS.values()) if one is function), CUSTOM)


def _rewards(before: GameState, after: GameState, kind: int) -> NDArray[np.float64]:
    check_state(before)
    check_state(after)
    check_variant(before.rows, after.variant, "a step")
    check_players(before.rows, after.num_players, "a step")
    rewards = np.zeros(after.num_players)
    write_rewards(before.rows, after.rows, kind, rewards)
    return rewards
