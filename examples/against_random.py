"""The win rate of a policy against random players, which the examples of other libraries print."""

import gymnasium
import numpy as np
import torch

HELD_OUT = 1_000_000  # first seed of the evaluation


@torch.no_grad()
def win_rate(network, games=200):
    """The share of games won from random seats by the legal actions with the largest outputs of a network."""
    envs = gymnasium.make_vec("azul_env:Azul-v0", num_envs=games)
    observations, info = envs.reset(seed=HELD_OUT)
    outcomes = np.full(games, np.nan)
    while np.isnan(outcomes).any():
        outputs = network(torch.as_tensor(observations)).numpy()[:, : envs.single_action_space.n]
        actions = np.where(info["action_mask"], outputs, -np.inf).argmax(axis=1)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        # A finished game restarts in the same step: only its first result counts.
        first = (terminated | truncated) & np.isnan(outcomes)
        outcomes[first] = rewards[first]
    return (outcomes > 0).mean()
