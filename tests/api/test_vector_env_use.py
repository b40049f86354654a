"""How a vector environment is used and misused: spaces, actions, seeds, copies, states."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from api.play import COPIES, PLAYERS, chosen, drawn, first_legals, states_of
from azul_env import GameState, legal_mask, new_game, observe
from azul_env.envs.single import AzulEnv
from azul_env.envs.vector import AzulVectorEnv
from positions import before_last_move, random_game

NAME = "azul_env:Azul-v0"
GAMES = 6
SEED = 40


def vector(**arguments: Any) -> AzulVectorEnv:
    env: Any = gymnasium.make_vec(NAME, num_envs=GAMES, **arguments)
    return env.unwrapped


def test_make_vec__gives_batched_spaces_and_says_how_it_resets():
    env = gymnasium.make_vec(NAME, num_envs=5, num_players=3)
    assert env.num_envs == 5
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.single_action_space == gymnasium.spaces.Discrete(240)
    assert env.action_space == gymnasium.spaces.MultiDiscrete([240] * 5)
    assert env.single_observation_space == AzulEnv(num_players=3).observation_space
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    for _ in range(20):
        seen, *_, info = env.step(env.unwrapped.action_masks().argmax(axis=1))
        assert env.observation_space.contains(seen)
        assert info["action_mask"].any(axis=1).all()


def test_illegal_action__in_one_game_ends_only_that_one():
    env, plain = vector(seat=0), vector(seat=0)
    env.reset(seed=1)
    plain.reset(seed=1)
    before = states_of(env)
    actions = env.action_masks().argmax(axis=1)
    expected = plain.step(actions.copy())
    actions[2] = 179
    seen, rewards, terminated, truncated, info = env.step(actions)
    others = np.arange(GAMES) != 2
    assert np.array_equal(seen[others], expected[0][others])
    assert rewards.tolist() == [0, 0, -1, 0, 0, 0]
    assert terminated.tolist() == info["illegal_action"].tolist() == (~others).tolist()
    assert not truncated.any()
    assert np.array_equal(info["final_obs"][2], observe(before[2], 0))
    fresh = states_of(env)[2]
    assert (fresh.round, fresh.current_player) == (0, 0) and fresh != before[2]


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(GAMES - 1, int),
        np.zeros((GAMES, 1), int),
        np.zeros(GAMES),
        np.zeros(GAMES, bool),
        ["0"] * GAMES,
        None,
        0,
    ],
)
def test_step__wrong_shapes_and_types_are_errors_and_change_nothing(actions):
    env = vector()
    env.reset(seed=1)
    before = env.get_state().tobytes()
    with pytest.raises((TypeError, ValueError)):
        env.step(actions)
    assert env.get_state().tobytes() == before


def test_step__takes_lists_and_every_type_of_whole_number():
    results = []
    for kind in (list, np.int64, np.int32, np.uint8):
        env = vector()
        env.reset(seed=1)
        legal = env.action_masks().argmax(axis=1)
        env.step(legal.tolist() if kind is list else legal.astype(kind))
        results.append(env.get_state().tobytes())
    assert len(set(results)) == 1


def test_step__out_of_range_actions_are_illegal_and_do_no_harm():
    env = vector()
    env.reset(seed=1)
    *_, info = env.step(np.array([-1, 180, 2**62, -(2**62), 300, 10**6]))
    assert info["illegal_action"].all()
    assert all(state.round == 0 for state in states_of(env))


def test_step__before_reset_needs_a_reset():
    with pytest.raises(ResetNeeded):
        vector().step(np.zeros(GAMES, int))


def test_before_reset__there_are_no_states_to_get():
    with pytest.raises((ResetNeeded, ValueError)):
        vector().get_state()


@pytest.mark.parametrize("num_players", PLAYERS)
def test_first_positions__are_those_of_new_game_with_seeds_in_a_row(num_players):
    env = vector(num_players=num_players, seat=0)
    env.reset(seed=SEED)
    expected = [new_game(num_players, rng=SEED + game) for game in range(GAMES)]
    assert states_of(env) == expected
    env.reset(seed=[7, 7, 1, 2, 3, 7])
    first, second, *_, last = states_of(env)
    assert first == second == last == new_game(num_players, rng=7)


@pytest.mark.parametrize("seed", [3, [3, 1, 4, 1, 5, 9]])
@pytest.mark.parametrize("opponents", [None, first_legals, drawn])
def test_seed__reproduces_the_games_and_those_that_follow(opponents, seed):
    def shown() -> list[bytes]:
        env = vector(num_players=3, max_rounds=1, opponents=opponents, starting_player="random")
        steps = []
        for number in range(2):
            _, info = env.reset(seed=seed if number == 0 else None)
            rng = np.random.default_rng(3)
            for _ in range(20):
                seen, *_, info = env.step(chosen(info["action_mask"], rng))
                steps.append(seen.tobytes())
        return steps

    games = shown()
    assert games == shown()
    assert games[:20] != games[20:]


@pytest.mark.parametrize("seed", [3, [3, 1, 4, 1, 5, 9]])
def test_seed__repeated_in_the_same_environment_reproduces_the_games(seed):
    env = vector(opponents=drawn)
    games = []
    for _ in range(2):
        env.reset(seed=seed)
        steps = [env.step(env.action_masks().argmax(axis=1))[0].tobytes() for _ in range(9)]
        games.append(steps)
    assert games[0] == games[1]


def test_seed__of_a_wrong_number_is_an_error():
    for seed in ([1, 2], [1] * (GAMES + 1)):
        with pytest.raises(ValueError, match="seeds"):
            vector().reset(seed=seed)


def test_reset_without_seed__goes_on_and_differs():
    env, other = vector(seat=0), vector(seat=0)
    env.reset()
    other.reset()
    assert states_of(env)[0] != states_of(other)[0]
    env.reset(seed=1)
    games = set(states_of(env))
    env.reset()
    assert len(games | set(states_of(env))) == 2 * GAMES


@pytest.mark.parametrize("copied", COPIES)
def test_copy__goes_on_like_the_original(copied):
    env = vector(num_players=3, max_rounds=2, opponents=first_legals)
    env.reset(seed=1)
    env.step(env.action_masks().argmax(axis=1))
    other = copied(env)
    before = env.get_state().tobytes()
    shown = []
    for one in (other, env):
        rng = np.random.default_rng(1)
        steps = [one.step(chosen(one.action_masks(), rng))[0].tobytes() for _ in range(30)]
        shown.append(steps)
        assert (env.get_state().tobytes() == before) == (one is other)
    assert shown[0] == shown[1]


@pytest.mark.parametrize("name", [NAME, "azul_env:AzulSelfPlay-v0"])
@pytest.mark.parametrize("observation", ["float32", "uint8"])
def test_returned_arrays__stay_as_they_are_as_long_as_somebody_holds_them(name, observation):
    env = gymnasium.make_vec(name, num_envs=GAMES, max_rounds=1, observation=observation)
    seen, info = env.reset(seed=1)
    kept: list[tuple[Any, bytes]] = []
    ends = 0
    for turn in range(60):
        arrays = [seen, seen[2], seen[:, 3:9], info["action_mask"], info["action_mask"][1]]
        arrays += [value for value in info.values() if isinstance(value, np.ndarray)]
        if turn % 3 == 0:  # at times a view or a buffer is all that is kept
            arrays = [seen[1:3].T, memoryview(info["action_mask"])]
        kept += [(array, array.tobytes()) for array in arrays]
        del arrays
        seen, *results, info = env.step(info["action_mask"].argmax(axis=1))
        kept += [(array, array.tobytes()) for array in results]
        ends += "final_obs" in info
        assert all(array.tobytes() == then for array, then in kept)
    assert ends > 3


def test_set_state__goes_on_from_the_positions_with_the_learner_to_move():
    states = list(random_game(new_game(3, rng=5), seed=5))[:-1][::10][:GAMES]
    env = vector(num_players=3, seat=0)
    for given in (states, np.concatenate([state.rows for state in states])):
        seen, info = env.set_state(given)  # without a reset as well
        assert states_of(env) == states
        assert info["seat"].tolist() == [state.current_player for state in states]
        assert np.array_equal(seen, [observe(state) for state in states])
        assert np.array_equal(env.action_masks(), [legal_mask(state) for state in states])
        env.step(env.action_masks().argmax(axis=1))
        assert states_of(env) != states
    assert all(state == GameState(state.rows.copy()) for state in states)


def test_set_state__next_games_have_the_settings_of_the_environment():
    env = vector(max_rounds=7, starting_player=1, seat=1)
    env.reset(seed=1)
    env.set_state([before_last_move("3 //// -", head="round 49/50")] * GAMES)
    *_, truncated, _ = env.step(np.full(GAMES, 28))
    assert truncated.all()
    assert {(state.max_rounds, state.current_player) for state in states_of(env)} == {(7, 1)}


def test_set_state__wrong_positions_are_errors():
    env = vector()
    env.reset(seed=1)
    before = env.get_state().tobytes()
    start = new_game(rng=1)
    *_, final = random_game(start, seed=1)
    for states, text in (
        ([start] * (GAMES - 1), "states are needed"),
        ([new_game(3, rng=1)] * GAMES, "2 players"),
        ([start] * (GAMES - 1) + [final], "state 5 is over"),
    ):
        with pytest.raises(ValueError, match=text):
            env.set_state(states)
    assert env.get_state().tobytes() == before


def test_get_state__is_a_copy():
    env = vector()
    env.reset(seed=1)
    before = env.get_state()
    env.get_state()["scores"] = 7
    assert env.get_state().tobytes() == before.tobytes()


def test_record_episode_statistics__counts_the_episodes():
    env = RecordEpisodeStatistics(vector(reward="round_margin", max_rounds=2))
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    returns, lengths = np.zeros(GAMES), np.zeros(GAMES, int)
    ends = 0
    for _ in range(40):
        _, rewards, terminated, truncated, info = env.step(chosen(info["action_mask"], rng))
        returns, lengths = returns + rewards, lengths + 1
        for game in np.flatnonzero(terminated | truncated):
            scores = info["final_info"]["scores"][game]
            assert info["episode"]["l"][game] == lengths[game]
            assert info["episode"]["r"][game] == pytest.approx(returns[game])
            assert abs(scores[0] - scores[1]) == pytest.approx(abs(returns[game]))
            returns[game] = lengths[game] = 0
            ends += 1
    assert ends > GAMES


def test_render__is_refused():
    with pytest.raises(ValueError, match="render"):
        vector(render_mode="rgb_array")
