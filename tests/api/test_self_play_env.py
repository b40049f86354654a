"""The turn-based vector environment, in which the player to move acts: the engine, game by game."""

import random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from api.play import COPIES, PLAYERS, REWARDS, chosen, point_gain, states_of
from azul_env import (
    GameState,
    apply_action,
    azul_v0,
    decode_observation,
    legal_mask,
    new_game,
    observe,
    resign,
)
from azul_env.envs.vector import AzulTurnsVectorEnv
from azul_env.rewards import reward_function
from positions import before_last_move, random_game

NAME = "azul_env:AzulSelfPlay-v0"
GAMES = 6


def self_play(**arguments: Any) -> AzulTurnsVectorEnv:
    env: Any = gymnasium.make_vec(NAME, num_envs=GAMES, **arguments)
    assert isinstance(env.unwrapped, AzulTurnsVectorEnv)
    return env.unwrapped


def assert_shows(env: Any, seen: np.ndarray, info: dict[str, Any]) -> list[GameState]:
    """Observations, masks and players are those of the positions."""
    states = states_of(env)
    dtype = env.single_observation_space.dtype.type
    assert np.array_equal(seen, [observe(state, dtype=dtype) for state in states])
    assert seen.dtype == dtype
    assert np.array_equal(info["action_mask"], [legal_mask(state) for state in states])
    assert np.array_equal(env.action_masks(), info["action_mask"])
    assert info["player"].tolist() == [state.current_player for state in states]
    return states


@pytest.mark.parametrize(
    ("reward", "observation"),
    [
        ("outcome", "float32"),
        ("score_margin", "uint8"),
        ("round_margin", "float32"),
        (point_gain, "uint8"),
    ],
)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_self_play__is_the_engine_step_by_step(num_players, reward, observation):
    env = self_play(num_players=num_players, reward=reward, max_rounds=2, observation=observation)
    seen, info = env.reset(seed=3)
    before = assert_shows(env, seen, info)
    assert before == [new_game(num_players, rng=3 + game, max_rounds=2) for game in range(GAMES)]
    rng = np.random.default_rng(3)
    ends = 0
    for _ in range(20 * num_players):
        actions = chosen(info["action_mask"], rng)
        seen, own, terminated, truncated, info = env.step(actions)
        after = assert_shows(env, seen, info)
        for game, state in enumerate(before):
            following = after[game]
            if terminated[game] or truncated[game]:
                assert info["_final_obs"][game]
                last = info["final_obs"][game]
                following = decode_observation(last, num_players, state.current_player)
                assert after[game].round == 0 and not after[game].is_terminal
                assert info["final_info"]["scores"][game].tolist() == list(following.scores)
                ends += 1
            expected = apply_action(state, int(actions[game]), deal=following.factories).state
            assert following == expected
            assert truncated[game] == (expected.end_reason == "max_rounds")
            assert terminated[game] == (expected.end_reason not in (None, "max_rounds"))
            values = reward_function(reward)(state, expected)
            assert info["rewards"][game].tolist() == pytest.approx(list(values))
            assert info["acted"][game] == state.current_player
            assert own[game] == info["rewards"][game, state.current_player]
        before = after
    assert ends >= GAMES


@pytest.mark.parametrize("starting_player", [1, "random"])
def test_self_play__is_n_aec_environments_with_seeds_in_a_row(starting_player):
    arguments: dict[str, Any] = {
        "num_players": 3,
        "max_rounds": 1,
        "starting_player": starting_player,
        "reward": "round_margin",
    }
    env = self_play(**arguments)
    others = [azul_v0.raw_env(**arguments) for _ in range(GAMES)]
    _, info = env.reset(seed=11)
    for game, other in enumerate(others):
        other.reset(seed=11 + game)
    rng = np.random.default_rng(11)
    ends = 0
    for _ in range(80):
        assert states_of(env) == [other.get_state() for other in others]
        actions = chosen(info["action_mask"], rng)
        _, _, terminated, truncated, info = env.step(actions)
        for game, other in enumerate(others):
            other.step(int(actions[game]))
            assert info["rewards"][game].tolist() == list(other.rewards.values())
            agent = other.agent_selection
            assert terminated[game] == other.terminations[agent]
            assert truncated[game] == other.truncations[agent]
            if truncated[game] or terminated[game]:
                other.reset()
                ends += 1
    assert ends >= GAMES


@pytest.mark.parametrize("num_players", PLAYERS)
def test_self_play__rewards_of_all_seats_are_zero_sum_and_add_up(num_players):
    env = self_play(num_players=num_players, reward="round_margin", max_rounds=3)
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    totals = np.zeros((GAMES, num_players))
    ends = 0
    for _ in range(40 * num_players):
        _, _, terminated, truncated, info = env.step(chosen(info["action_mask"], rng))
        totals += info["rewards"]
        assert np.allclose(info["rewards"].sum(axis=1), 0)
        for game in np.flatnonzero(terminated | truncated):
            scores = info["final_info"]["scores"][game]
            others = (scores.sum() - scores) / (num_players - 1)
            assert totals[game] == pytest.approx(scores - others)
            totals[game] = 0
            ends += 1
    assert ends >= GAMES


def test_illegal_action__ends_only_its_game_and_costs_only_its_player():
    env, plain = self_play(num_players=3), self_play(num_players=3)
    for one in (env, plain):
        one.reset(seed=1)
        one.step(one.action_masks().argmax(axis=1))
    before = states_of(env)
    actions = env.action_masks().argmax(axis=1)
    expected = plain.step(actions.copy())
    actions[4] = 10_000
    seen, own, terminated, truncated, info = env.step(actions)
    others = np.arange(GAMES) != 4
    assert np.array_equal(seen[others], expected[0][others])
    assert own.tolist() == [0, 0, 0, 0, -1, 0]
    assert info["rewards"][4].tolist() == [0, -1, 0]
    assert terminated.tolist() == info["illegal_action"].tolist() == (~others).tolist()
    assert not truncated.any()
    assert np.array_equal(info["final_obs"][4], observe(before[4], 1))
    assert (states_of(env)[4].round, info["player"][4]) == (0, 0)


@pytest.mark.parametrize("reward", [*REWARDS, point_gain])
def test_illegal_action__costs_the_same_with_every_reward(reward):
    env = self_play(reward=reward)
    env.reset(seed=1)
    _, own, *_, info = env.step(np.full(GAMES, 179))
    assert own.tolist() == [-1] * GAMES
    assert info["rewards"].tolist() == [[-1, 0]] * GAMES


def test_set_state__goes_on_from_the_positions():
    states = list(random_game(new_game(3, rng=5), seed=5))[:-1][::10][: GAMES - 1]
    states.append(resign(new_game(3, rng=6), 0).state)
    env = self_play(num_players=3)
    for given in (states, np.concatenate([state.rows for state in states])):
        seen, info = env.set_state(given)  # without a reset as well
        assert assert_shows(env, seen, info) == states
        actions = env.action_masks().argmax(axis=1)
        seen, *_, info = env.step(actions)
        assert info["acted"].tolist() == [state.current_player for state in states]
        after = assert_shows(env, seen, info)
        for state, action, following in zip(states, actions, after, strict=True):
            assert apply_action(state, action, deal=following.factories).state == following
    assert after[-1].current_player == 2  # seat 0 has resigned


def test_set_state__next_games_have_the_settings_of_the_environment():
    env = self_play(max_rounds=7, starting_player=1)
    env.reset(seed=1)
    env.set_state([before_last_move("3 //// -", head="round 49/50")] * GAMES)
    *_, truncated, info = env.step(np.full(GAMES, 28))
    assert truncated.all()
    assert {(state.max_rounds, state.current_player) for state in states_of(env)} == {(7, 1)}
    assert info["player"].tolist() == [1] * GAMES


def test_set_state__wrong_positions_are_errors():
    env = self_play()
    env.reset(seed=1)
    before = env.get_state().tobytes()
    start = new_game(rng=1)
    *_, final = random_game(start, seed=1)
    for states, text in (
        ([start] * (GAMES + 1), "states are needed"),
        ([new_game(4, rng=1)] * GAMES, "2 players"),
        ([final] + [start] * (GAMES - 1), "state 0 is over"),
    ):
        with pytest.raises(ValueError, match=text):
            env.set_state(states)
    assert env.get_state().tobytes() == before


@pytest.mark.parametrize("copied", COPIES)
def test_copy__goes_on_like_the_original(copied):
    env = self_play(num_players=3, max_rounds=1)
    env.reset(seed=1)
    env.step(env.action_masks().argmax(axis=1))
    other = copied(env)
    before = env.get_state().tobytes()
    shown = []
    for one in (other, env):
        rng = np.random.default_rng(1)
        shown.append([one.step(chosen(one.action_masks(), rng))[0].tobytes() for _ in range(40)])
        assert (env.get_state().tobytes() == before) == (one is other)
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    "actions", [np.zeros(GAMES + 1, int), np.zeros(GAMES), None, [None] * GAMES]
)
def test_step__wrong_shapes_and_types_are_errors_and_change_nothing(actions):
    env = self_play()
    env.reset(seed=1)
    before = env.get_state().tobytes()
    with pytest.raises((TypeError, ValueError)):
        env.step(actions)
    assert env.get_state().tobytes() == before


def test_step__before_reset_needs_a_reset():
    with pytest.raises(ResetNeeded):
        self_play().step(np.zeros(GAMES, int))


def test_make_vec__gives_batched_spaces_and_says_how_it_resets():
    env = gymnasium.make_vec(NAME, num_envs=3, num_players=4)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.action_space == gymnasium.spaces.MultiDiscrete([300] * 3)
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    with pytest.raises(ValueError, match="render"):
        gymnasium.make_vec(NAME, num_envs=3, render_mode="human")


def test_record_episode_statistics__counts_the_episodes():
    env = RecordEpisodeStatistics(self_play(max_rounds=1))
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    lengths = np.zeros(GAMES, int)
    ends = 0
    for _ in range(40):
        _, _, terminated, truncated, info = env.step(chosen(info["action_mask"], rng))
        lengths += 1
        for game in np.flatnonzero(terminated | truncated):
            assert info["episode"]["l"][game] == lengths[game]
            lengths[game] = 0
            ends += 1
    assert ends >= GAMES


@pytest.mark.parametrize("name", [NAME, "azul_env:Azul-v0"])
def test_games__leave_the_global_random_generators_alone(name):
    random.seed(1)
    np.random.seed(1)
    plain, legacy = random.getstate(), np.random.get_state()
    env = gymnasium.make_vec(name, num_envs=4, starting_player="random", max_rounds=1)
    for seed in (None, 3):
        _, info = env.reset(seed=seed)
        for _ in range(20):
            *_, info = env.step(info["action_mask"].argmax(axis=1))
    assert random.getstate() == plain
    assert all(map(np.array_equal, np.random.get_state(), legacy))
