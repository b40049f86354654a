"""The gray wall where agents learn: games for SB3, and what networks do not know yet."""

import numpy as np
import pytest

from azul_agents import make_agent
from azul_train.config import LeagueConfig, TrainConfig
from azul_train.sb3.league_env import LeagueVecEnv
from azul_train.sb3.policy import AzulPolicy
from azul_train.sb3.vec_env import ArrayVecEnv, AzulVecEnv
from azul_train.selfplay.league import League


def play(env: ArrayVecEnv, steps: int) -> int:
    """Play random legal actions; the number of games that ended."""
    rng = np.random.default_rng(1)
    observations = env.reset()
    ends = 0
    for _ in range(steps):
        assert env.observation_space.contains(observations[0])
        masks = env.action_masks()
        assert masks.shape == (env.num_envs, 185)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        observations, _, done, _ = env.step(actions)
        ends += int(done.sum())
    return ends


def test_vec_env_of_sb3__plays_gray_games():
    assert play(AzulVecEnv(3, variant="gray", max_rounds=1), 30) >= 3


def test_league_env__plays_gray_games_against_agents_that_play_them():
    league = League(LeagueConfig(scripted={"random": 1.0}), {"random": make_agent("random")})
    env = LeagueVecEnv(3, 2, league, {"round_margin": 1.0}, 1, 1, variant="gray")
    assert play(env, 30) >= 3


def test_network_policy__refuses_gray_games_by_name():
    env = AzulVecEnv(1, variant="gray")
    with pytest.raises(ValueError, match="networks do not learn the variant 'gray' yet"):
        AzulPolicy(env.observation_space, env.action_space, lambda _: 1e-3)


def test_training__refuses_gray_games_by_name_before_it_starts():
    with pytest.raises(ValueError, match="variant must be colored, not 'gray'"):
        TrainConfig(variant="gray")
