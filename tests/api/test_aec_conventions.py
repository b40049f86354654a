"""PettingZoo's conventions: its own checkers, and what users run into when they hold the environment wrongly."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test, render_test, seed_test

import azul_env.render
from api.play import COPIES, PLAYERS, REWARDS, choice, pickled, played
from azul_env import IllegalActionError, azul_v0, legal_mask, num_actions
from azul_env.envs.guard import GuardedAEC

MAKERS = [
    pytest.param(azul_v0.env, id="env"),
    pytest.param(azul_v0.raw_env, id="raw_env"),
]
# Every environment with dict observations gets the first two; finished agents observe an empty mask.
EXPECTED_WARNINGS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
)


def started(make: Callable[..., Any], **arguments: Any) -> Any:
    """An environment whose chance and whose sampled actions are the same in every run of the tests."""
    env = make(**arguments)
    env.reset(seed=1)
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(number)
    return env


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_api_test__passes_with_no_warning_but_those_of_every_dict(num_players, reward, make):
    env = started(make, num_players=num_players, reward=reward)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env, num_cycles=1000)
    assert {str(warning.message) for warning in caught} <= set(EXPECTED_WARNINGS)


@pytest.mark.parametrize("arguments", [{"observation": "uint8"}, {"starting_player": "random"}])
def test_api_test__passes_with_other_options(arguments):
    api_test(started(azul_v0.env, num_players=3, max_rounds=2, **arguments), num_cycles=1000)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_seed_test__passes(num_players, reward, make):
    seed_test(partial(make, num_players=num_players, reward=reward), num_cycles=500)


@pytest.mark.parametrize(
    ("num_players", "reward", "scale"),
    [(2, "outcome", 1.0), (3, "score_margin", 0.2), (4, "round_margin", 0.2)],
)
def test_render_test__passes_in_every_mode(num_players, reward, scale, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    # Most of the time goes into pixels: one size in full is enough.
    small = partial(azul_env.render.rgb_array, scale=scale)
    monkeypatch.setattr(azul_env.render, "rgb_array", small)
    modes = []

    def make(render_mode: str) -> Any:
        modes.append(render_mode)
        return started(azul_v0.env, num_players=num_players, reward=reward, render_mode=render_mode)

    custom = {
        "rgb_array": lambda picture: len(np.unique(picture)) > 10,
        "ansi": lambda text: text.count("\n") > 10,
    }
    render_test(make, custom)
    assert set(modes) == {"human", "rgb_array", "ansi"}


def test_render__without_a_mode_warns_and_shows_nothing():
    env = started(azul_v0.env)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_metadata__says_what_pettingzoo_asks_for():
    for metadata in (azul_v0.env().metadata, azul_v0.raw_env.metadata):
        assert metadata["name"] == "azul_v0"
        assert metadata["render_modes"] == ["human", "rgb_array", "ansi"]
        assert metadata["is_parallelizable"] is False
        assert metadata["render_fps"] > 0
    assert azul_v0.env(render_mode="ansi").render_mode == "ansi"


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_spaces__are_the_same_objects_on_each_call_before_and_after_reset(num_players, make):
    env = make(num_players=num_players)
    assert env.possible_agents == [f"player_{seat}" for seat in range(num_players)]
    before = [
        (env.observation_space(agent), env.action_space(agent)) for agent in env.possible_agents
    ]
    env.reset(seed=3)
    for agent, (observations, actions) in zip(env.possible_agents, before, strict=True):
        assert env.observation_space(agent) is observations
        assert env.action_space(agent) is actions
        assert actions == spaces.Discrete(num_actions(num_players))
        assert set(observations.spaces) == {"observation", "action_mask"}
        assert observations["action_mask"].dtype == np.int8
        assert observations["observation"].dtype == np.float32
    assert len({id(actions) for _, actions in before}) == num_players  # each sampled on its own
    assert env.state_space.contains(env.state())


def test_registry__makes_the_guarded_environment():
    env = pettingzoo.make("aec", "azul/azul-v0", num_players=3, reward="score_margin")
    assert isinstance(env, GuardedAEC)
    assert env.max_num_agents == 3
    same = azul_v0.env(num_players=3, reward="score_margin")
    env.reset(seed=4)
    same.reset(seed=4)
    assert played(env, 4) == played(same, 4)


@pytest.mark.parametrize("make", MAKERS)
def test_pickle__keeps_the_arguments(make):
    env = make(
        num_players=3, max_rounds=2, reward="round_margin", starting_player=2, observation="uint8"
    )
    other = pickled(env)
    env.reset(seed=8)
    other.reset(seed=8)
    assert env.agent_selection == other.agent_selection == "player_2"
    assert played(env, 8) == played(other, 8)


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("make", MAKERS)
def test_copy__in_mid_game_goes_on_like_the_original(make, copied):
    env = make(num_players=3)
    env.reset(seed=8)
    played(env, 8, steps=25)
    other = copied(env)
    assert other.agents == env.agents
    assert other.get_state() == env.get_state()
    before = env.get_state()
    game = played(other, 9)
    assert len(game) > 20
    assert env.get_state() == before  # the copy shares nothing with the original
    assert played(env, 9) == game


@pytest.mark.parametrize("make", MAKERS)
def test_two_environments__do_not_disturb_each_other(make):
    def alone(num_players: int, seed: int) -> list[Any]:
        env = make(num_players=num_players)
        env.reset(seed=seed)
        return [seen for turn in range(60) for seen in played(env, turn, steps=1)]

    together: dict[int, list[Any]] = {2: [], 4: []}
    envs = {num_players: make(num_players=num_players) for num_players in together}
    for num_players, env in envs.items():
        env.reset(seed=num_players)
    for turn in range(60):
        for num_players, env in envs.items():
            together[num_players] += played(env, turn, steps=1)
    assert together == {num_players: alone(num_players, num_players) for num_players in together}


@pytest.mark.parametrize("steps", [1, 30, 10_000])
@pytest.mark.parametrize("make", MAKERS)
def test_reset__in_the_middle_or_at_the_end_starts_all_over(make, steps):
    env = make(num_players=3, reward="round_margin", max_rounds=3)
    env.reset(seed=5)
    game = played(env, 5)
    env.reset(seed=6)
    played(env, 6, steps=steps)
    env.reset(seed=5)
    assert env.agents == env.possible_agents
    assert set(env.rewards.values()) == set(env._cumulative_rewards.values()) == {0}
    assert not any(env.terminations.values()) and not any(env.truncations.values())
    assert played(env, 5) == game


@pytest.mark.parametrize("make", MAKERS)
def test_reset__while_agents_leave_starts_all_over(make):
    def ending(env: Any, seed: int) -> tuple[list[Any], str]:
        env.reset(seed=seed)
        return played(env, seed), env.agent_selection

    fresh = [ending(make(num_players=3, max_rounds=1), seed) for seed in range(6)]
    assert len({selected for _, selected in fresh}) > 1
    env = make(num_players=3, max_rounds=1)
    for seed, (game, _) in enumerate(fresh):
        env.reset(seed=seed)
        played(env, seed, steps=len(game) - 2)
        assert env.num_agents == 2
        assert ending(env, 5 - seed) == fresh[5 - seed]


def test_reset__after_an_illegal_action_starts_all_over():
    env = azul_v0.env()
    env.reset(seed=5)
    game = played(env, 5)
    env.reset(seed=5)
    env.step(179)  # the center is empty at first
    assert all(env.terminations.values())
    env.step(None)
    env.reset(seed=5)
    assert played(env, 5) == game


def test_step_after_the_end__warns_and_changes_nothing(caplog):
    env = azul_v0.env(max_rounds=1)
    env.reset(seed=2)
    played(env, 2)
    assert env.agents == []
    before = env.get_state()
    caplog.clear()
    for action in (None, 0, 60):
        env.step(action)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    assert "reset()" in caplog.text
    assert env.get_state() == before and env.agents == []


def test_step_after_the_end__is_an_error_of_the_raw_environment():
    env = azul_v0.raw_env(max_rounds=1)
    env.reset(seed=2)
    played(env, 2)
    before = env.get_state()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before step\(\)"):
        env.step(0)
    assert env.get_state() == before


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.step(None),
        lambda env: env.observe("player_0"),
        lambda env: env.unwrapped.state(),
        lambda env: env.last(),
        lambda env: env.last(observe=False),
        lambda env: env.agent_selection,
    ],
)
@pytest.mark.parametrize("make", MAKERS)
def test_before_reset__nothing_can_be_played_or_seen(make, call):
    errors = (AssertionError, AttributeError, gymnasium.error.ResetNeeded)
    with pytest.raises(errors, match=r"reset|agent_selection"):
        call(make())


def test_before_reset__there_is_no_state_to_get():
    for make in (azul_v0.env, azul_v0.raw_env):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            make().get_state()


@pytest.mark.parametrize("action", ["3", 1.5, np.float32(3), [3], (0, 1, 2), np.array([3])])
def test_step__wrong_types_are_errors_and_change_nothing(action):
    for make, error in ((azul_v0.env, AssertionError), (azul_v0.raw_env, TypeError)):
        env = started(make)
        before = env.get_state()
        with pytest.raises(error):
            env.step(action)
        assert env.get_state() == before
        assert env.agent_selection == "player_0"


@pytest.mark.parametrize("action", [-1, 180, 2**40, 2**63, -(2**70)])
def test_raw_step__number_of_no_action_is_named_in_the_error(action):
    env = started(azul_v0.raw_env)
    before = env.get_state()
    with pytest.raises(IllegalActionError, match=f"{action}.*OUT_OF_RANGE"):
        env.step(action)
    assert env.get_state() == before


def test_raw_step__illegal_action_is_an_error_and_changes_nothing():
    env = started(azul_v0.raw_env)
    before = env.get_state()
    with pytest.raises(IllegalActionError, match="SOURCE_EMPTY"):
        env.step(179)
    assert env.get_state() == before and env.agents == env.possible_agents


@pytest.mark.parametrize("kind", [int, np.int32, np.int64, np.uint8, np.array])
@pytest.mark.parametrize("make", MAKERS)
def test_step__takes_every_kind_of_whole_number(make, kind):
    env, other = started(make), started(make)
    action = int(legal_mask(env.get_state()).argmax())
    env.step(action)
    other.step(kind(action))
    assert env.get_state() == other.get_state()


def test_step__none_for_a_living_agent_is_an_error():
    for make, error in ((azul_v0.env, AssertionError), (azul_v0.raw_env, ValueError)):
        env = started(make)
        with pytest.raises(error):
            env.step(None)
        assert env.agents == env.possible_agents


@pytest.mark.parametrize("make", MAKERS)
def test_dead_step__takes_none_only_and_removes_one_agent_at_a_time(make):
    env = started(make, num_players=3, max_rounds=1)
    rng = np.random.default_rng(0)
    while not any(env.truncations.values()):
        env.step(choice(env.last()[0]["action_mask"], rng))
    for left in (3, 2, 1):
        assert env.num_agents == left
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        gone = env.agent_selection
        env.step(None)
        assert gone not in env.agents
    assert env.agents == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"num_players": 1}, ValueError),
        ({"num_players": 5}, ValueError),
        ({"num_players": "2"}, TypeError),
        ({"num_players": 2.5}, TypeError),
        ({"max_rounds": 0}, ValueError),
        ({"max_rounds": None}, TypeError),
        ({"reward": "points"}, ValueError),
        ({"render_mode": "svg"}, ValueError),
        ({"starting_player": 2}, ValueError),
        ({"starting_player": -1}, ValueError),
        ({"starting_player": "first"}, ValueError),
        ({"observation": "int8"}, ValueError),
        ({"players": 2}, TypeError),
    ],
)
@pytest.mark.parametrize("make", MAKERS)
def test_arguments__wrong_ones_are_errors_that_name_them(make, arguments, error):
    name = next(iter(arguments))
    with pytest.raises(error, match=name if error is ValueError else None):
        make(**arguments)
