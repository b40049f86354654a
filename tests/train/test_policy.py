"""The policy of MaskablePPO: the same numbers as SB3's own computation, in one pass."""

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from azul_env import GameBatch, num_actions
from azul_env.observation import observation_size
from azul_train.sb3.policy import AzulPolicy
from azul_train.selfplay.network_agent import inputs_of
from train.tiny import TINY_NETWORK


def policy_and_games(count: int) -> tuple[AzulPolicy, torch.Tensor, np.ndarray]:
    """A policy that prefers some moves, and games as it sees them."""
    torch.manual_seed(2)
    space = spaces.Box(0, 1, (observation_size(2),), np.float32)
    policy = AzulPolicy(space, spaces.Discrete(num_actions(2)), lambda left: 1e-3, TINY_NETWORK)
    with torch.no_grad():
        policy.network.turns.weight *= 2000
    batch = GameBatch(count, seed=3)
    for _ in range(5):
        batch.step(batch.random_actions())
    masks = batch.legal_masks()
    return policy, torch.from_numpy(inputs_of(policy.network).of(batch.rows)), masks


def test_evaluated_actions__are_what_sb3_computes():
    policy, games, masks = policy_and_games(60)
    actions = torch.from_numpy(masks.argmax(axis=1))
    ours = policy.evaluate_actions(games, actions, torch.from_numpy(masks).float())
    theirs = MaskableActorCriticPolicy.evaluate_actions(policy, games, actions, masks)
    for own, other in zip(ours, theirs, strict=True):
        assert own.shape == other.shape
        torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-4)


def test_actions__are_legal_and_drawn_from_the_softmax():
    policy, games, masks = policy_and_games(1)
    many, many_masks = games.repeat(20_000, 1), np.repeat(masks, 20_000, axis=0)
    with torch.no_grad():
        actions, values, log_probabilities = policy(many, action_masks=many_masks)
        _, expected, _ = policy.evaluate_actions(many, actions, many_masks)
        chances = policy.get_distribution(games, masks).distribution.probs[0].numpy()
        best, _, _ = policy(games, deterministic=True, action_masks=masks)
    assert masks[0, actions.numpy()].all()
    shares = np.bincount(actions.numpy(), minlength=masks.shape[1]) / len(actions)
    assert np.abs(shares - chances).max() < 0.015
    assert chances.max() > 3 / masks.sum()
    assert best.tolist() == [chances.argmax()]
    torch.testing.assert_close(log_probabilities, expected)
    assert values.shape == (20_000, 1)
