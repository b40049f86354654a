"""Weighted rewards and shares of the win for one seat in each of many games."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from azul_env import MAX_PLAYERS, Rows
from azul_env.core.jit import kernel
from azul_env.core.ranking import win_share
from azul_env.rewards import begin_rewards, finish_rewards, reward_kind


@kernel
def add_rewards(
    before: Rows,
    after: Rows,
    seats: NDArray[np.int64],
    kind: int,
    weight: float,
    scratch: NDArray[np.float64],
    rewards: NDArray[np.float64],
) -> None:
    """Add one weighted reward between two states, for one seat of every game."""
    for i in range(len(before)):
        begin_rewards(before[i], kind, scratch)
        finish_rewards(after[i], kind, scratch)
        rewards[i] += weight * scratch[seats[i]]


def seat_rewards(
    before: Rows, after: Rows, seats: NDArray[np.int64], weights: Mapping[str, float]
) -> NDArray[np.float64]:
    """The weighted reward between two states for one seat of every game; at the end of a game, the return."""
    rewards, scratch = np.zeros(len(before)), np.zeros(MAX_PLAYERS)
    for name, weight in weights.items():
        add_rewards(before, after, seats, reward_kind(name), float(weight), scratch, rewards)
    return rewards


@kernel
def write_win_shares(rows: Rows, seats: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
    """Write one seat's share of the win in every finished game."""
    for i in range(len(rows)):
        shares[i] = win_share(rows[i], seats[i])


def win_shares(rows: Rows, seats: NDArray[np.int64]) -> NDArray[np.float64]:
    """One seat's share of the win in every finished game."""
    shares = np.zeros(len(rows))
    write_win_shares(rows, seats, shares)
    return shares
