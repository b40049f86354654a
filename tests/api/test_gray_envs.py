"""Gray games in all environments: the checkers, and that they are the engine, in any order of turns."""

import warnings
from functools import partial
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from api.play import (
    COPIES,
    PLAYERS,
    REWARDS,
    choice,
    chosen,
    last_legal,
    last_legals,
    played,
    point_gain,
    states_of,
)
from api.test_aec_conventions import EXPECTED_WARNINGS, started
from api.test_aec_parity import assert_over, assert_shows, step_both
from api.test_vector_env import GAMES, assert_same_games
from azul_env import GameState, azul_v0, decode_observation, legal_mask, new_game, observe
from azul_env.envs.single import AzulEnv

NAME = "azul_env:Azul-v0"
SELF_PLAY = "azul_env:AzulSelfPlay-v0"
ACTIONS = {2: 185, 3: 245, 4: 305}
MAKERS = [pytest.param(azul_v0.env, id="env"), pytest.param(azul_v0.raw_env, id="raw_env")]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("num_players", "reward"), [*zip(PLAYERS, REWARDS, strict=True)])
def test_gray_aec__passes_the_checkers_of_pettingzoo(num_players, reward, make):
    arguments = {"num_players": num_players, "reward": reward, "variant": "gray"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(started(make, **arguments), num_cycles=300)
    assert {str(warning.message) for warning in caught} <= set(EXPECTED_WARNINGS)
    seed_test(partial(make, **arguments), num_cycles=150)


@pytest.mark.parametrize("arguments", [{"reward": "round_margin"}, {"observation": "uint8"}])
def test_gray_env__passes_the_checker_of_gymnasium(arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        env = gymnasium.make(NAME, num_players=3, variant="gray", **arguments).unwrapped
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("arguments", [{"reward": "round_margin"}, {"observation": "uint8"}])
def test_check_env_of_sb3__passes_for_gray(arguments):
    from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env_of_sb3(AzulEnv(num_players=3, variant="gray", **arguments))


@pytest.mark.parametrize("num_players", PLAYERS)
def test_gray_spaces__have_five_actions_more_and_observations_of_their_own(num_players):
    size = len(observe(new_game(num_players, rng=1, variant="gray")))
    arguments = {"num_players": num_players, "variant": "gray"}
    aec = azul_v0.env(**arguments)
    single: Any = gymnasium.make(NAME, **arguments)
    vector: Any = gymnasium.make_vec(NAME, num_envs=2, **arguments)
    turns: Any = gymnasium.make_vec(SELF_PLAY, num_envs=2, **arguments)
    for actions, observations in (
        (aec.action_space("player_1"), aec.observation_space("player_1")["observation"]),
        (single.action_space, single.observation_space),
        (vector.single_action_space, vector.single_observation_space),
        (turns.single_action_space, turns.single_observation_space),
    ):
        assert actions.n == ACTIONS[num_players]
        assert observations.shape == (size,)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_gray_aec__is_the_engine_state_by_state(make, num_players):
    rng = np.random.default_rng(num_players)
    env = make(num_players=num_players, max_rounds=3, variant="gray")
    env.reset(seed=3)
    state = new_game(num_players, rng=3, max_rounds=3, variant="gray")
    movers = []
    while not state.is_terminal:
        assert_shows(env, state)
        if state.columns_to_choose:
            movers.append((state.round, state.current_player))
        state = step_both(env, state, choice(legal_mask(state), rng))
    assert_over(env, state)
    assert any(one == other for one, other in pairwise(movers))  # the same seat twice in a row


@pytest.mark.parametrize("copy", COPIES)
def test_gray_aec__copies_play_on_alike_from_the_middle_of_tiling(copy):
    env = azul_v0.env(variant="gray", max_rounds=2)
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    while not env.unwrapped.get_state().columns_to_choose:
        env.step(choice(env.last()[0]["action_mask"], rng))
    assert played(copy(env), seed=1) == played(env, seed=1)


@pytest.mark.parametrize(
    ("num_players", "reward", "observation"),
    [(2, "outcome", "uint8"), (3, "round_margin", "float32"), (4, point_gain, "float32")],
)
def test_gray_vector_env__is_n_single_ones_with_seeds_in_a_row(num_players, reward, observation):
    arguments = {"num_players": num_players, "reward": reward, "observation": observation}
    arguments |= {"max_rounds": 2, "variant": "gray"}
    assert assert_same_games(arguments, wrong=0.01) >= GAMES


def test_gray_vector_env__is_n_single_ones_with_functions_as_opponents():
    arguments = {"num_players": 3, "max_rounds": 2, "variant": "gray"}
    many, one = ({"opponents": function} for function in (last_legals, last_legal))
    assert assert_same_games(arguments | many, arguments | one) >= GAMES


@pytest.mark.parametrize("num_players", PLAYERS)
def test_gray_self_play__is_n_aec_environments_with_seeds_in_a_row(num_players):
    arguments = {"num_players": num_players, "max_rounds": 2, "reward": "round_margin"}
    env: Any = gymnasium.make_vec(SELF_PLAY, num_envs=GAMES, variant="gray", **arguments).unwrapped
    others = [azul_v0.raw_env(variant="gray", **arguments) for _ in range(GAMES)]
    seen, info = env.reset(seed=11)
    for game, other in enumerate(others):
        other.reset(seed=11 + game)
    rng = np.random.default_rng(11)
    ends = 0
    for _ in range(25 * num_players):
        states = [other.get_state() for other in others]
        assert states_of(env) == states
        assert np.array_equal(seen, [observe(state) for state in states])
        assert np.array_equal(info["action_mask"], [legal_mask(state) for state in states])
        assert info["player"].tolist() == [state.current_player for state in states]
        actions = chosen(info["action_mask"], rng)
        seen, own, terminated, truncated, info = env.step(actions)
        assert info["acted"].tolist() == [state.current_player for state in states]
        for game, other in enumerate(others):
            mover = states[game].current_player
            other.step(int(actions[game]))
            assert info["rewards"][game].tolist() == list(other.rewards.values())
            assert own[game] == info["rewards"][game, mover]
            agent = other.agent_selection
            assert terminated[game] == other.terminations[agent]
            assert truncated[game] == other.truncations[agent]
            if truncated[game] or terminated[game]:
                last = decode_observation(info["final_obs"][game], num_players, mover, "gray")
                assert last == other.get_state()
                other.reset()
                ends += 1
    assert ends >= GAMES


def test_gray_rewards__of_a_round_are_paid_tile_by_tile_and_sum_to_the_final_margin():
    env = azul_v0.raw_env(variant="gray", reward="round_margin", max_rounds=3)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    total, paid_in_tiling = 0.0, 0
    while env.agents and not any((*env.terminations.values(), *env.truncations.values())):
        before: GameState = env.get_state()
        env.step(choice(legal_mask(before), rng))
        total += env.rewards["player_0"]
        assert env.rewards["player_1"] == -env.rewards["player_0"]
        paid_in_tiling += bool(before.columns_to_choose) and env.rewards["player_0"] != 0
    scores = env.get_state().scores
    assert total == scores[0] - scores[1]
    assert paid_in_tiling > 1
