"""Masked DQN with Tianshou's `PettingZooEnv`, against a random player: python examples/train_tianshou.py [TURNS].

`PettingZooEnv` shows only the agent to move, so no mask is empty before the end of a game. What follows a turn is the
position of the opponent: the horizon of the returns is longer than a game, so nothing is bootstrapped from there.
"""

import logging
import sys

import numpy as np
import torch
from against_random import win_rate
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode

import azul_env as az

GAMES, TURNS_PER_ROUND, LONGER_THAN_A_GAME = 16, 64, 200


def reward(before, after):
    """The change of the margin at the end of every round, scaled."""
    return az.round_margin(before, after) / 30


def make_env():
    """A game; the starting player is drawn, so that the learner meets both sides."""
    return PettingZooEnv(az.azul_v0.env(reward=reward, starting_player="random"))


def main(turns):
    """Train, and print the win rate before and after."""
    logging.disable(logging.WARNING)  # statistics of rewards with two columns
    np.random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    env, envs = make_env(), DummyVectorEnv([make_env] * GAMES)
    envs.seed(list(range(GAMES)))
    size = env.observation_space["observation"].shape
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=size, action_shape=env.action_space.n, hidden_sizes=[256, 256]),
        action_space=env.action_space,
        eps_training=0.2,
    )
    learner = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=LONGER_THAN_A_GAME,
    )
    opponent = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, opponent], env=env)
    buffer = VectorReplayBuffer(turns, GAMES)
    collector = Collector(both, envs, buffer, exploration_noise=True)
    collector.reset()

    def network(observations):
        return policy.model(observations)[0]  # without the state of recurrent networks

    print(f"before: wins {win_rate(network):.0%} against random")
    for _ in range(turns // (GAMES * TURNS_PER_ROUND)):
        with policy_within_training_step(both.policy):
            collector.collect(n_step=GAMES * TURNS_PER_ROUND)
            with torch_train_mode(both):
                for _ in range(40):
                    both.update(buffer, sample_size=512)
    print(f"after: wins {win_rate(network):.0%} against random")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)
