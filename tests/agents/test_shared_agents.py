"""Search agents that are shared, copied and pickled."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest

import azul_env
from azul_agents import analysis_of, make_agent
from azul_agents.base import Agent, AnalysisLimits
from azul_env import GameState, legal_mask, new_game
from positions import random_game

gymnasium.register_envs(azul_env)

SEARCHES = ("alphabeta:nodes=400", "mcts:simulations=100", "guided:simulations=60")


def answer(agent: Agent, state: GameState) -> int:
    return int(agent.act(state, legal_mask(state), np.random.default_rng(5)))


def states() -> list[GameState]:
    games = [random_game(new_game(players, rng=players), seed=players) for players in (2, 3)]
    return [state for game in games for state in [*game][:40:2]]


@pytest.mark.parametrize("spec", SEARCHES)
def test_agent_of_several_threads__answers_as_if_alone(spec: str) -> None:
    asked = states()
    alone, shared = make_agent(spec), make_agent(spec)
    expected = [answer(alone, state) for state in asked]
    with ThreadPoolExecutor(3) as threads:
        for _ in range(3):
            assert [*threads.map(lambda state: answer(shared, state), asked)] == expected


@pytest.mark.parametrize("spec", SEARCHES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copy__answers_alike_and_shares_nothing(spec, copied) -> None:
    agent = make_agent(spec)
    other = copied(agent)
    assert (other.spec, other.options) == (agent.spec, agent.options)
    asked = states()[::4]
    with ThreadPoolExecutor(2) as threads:
        one, two = threads.map(lambda a: [answer(a, state) for state in asked], (agent, other))
    assert one == two


@pytest.mark.parametrize("spec", SEARCHES)
def test_agent_that_analyses__does_nothing_else_until_that_is_closed(spec: str) -> None:
    agent, state = make_agent(spec), new_game(3, rng=1)
    steps = agent.analysis_steps(state, AnalysisLimits(nodes=10**6))
    next(steps)
    with pytest.raises(RuntimeError, match=r"is analysing a position: finish or close"):
        answer(agent, state)
    with pytest.raises(RuntimeError, match="is analysing"):
        analysis_of(state, agent)
    steps.close()
    assert answer(agent, state) == answer(make_agent(spec), state)


def test_environment_with_a_searching_opponent__can_be_pickled_in_mid_game() -> None:
    env = gymnasium.make("azul_env:Azul-v0", opponents="alphabeta:nodes=50")
    _, info = env.reset(seed=3)
    for _ in range(3):
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, _, _, info = env.step(action)
    other = pickle.loads(pickle.dumps(env))
    action = int(np.flatnonzero(info["action_mask"])[0])
    for mine, theirs in zip(env.step(action), other.step(action), strict=True):
        np.testing.assert_equal(mine, theirs)
