"""The same mistake gives the same error in every environment, and changes nothing."""

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from azul_env import (
    AzulEnv,
    AzulTurnsVectorEnv,
    AzulVectorEnv,
    GameBatch,
    afterstate,
    ansi,
    apply_action,
    azul_v0,
    deal_of_tiles,
    decode_observation,
    illegal_reason,
    legal_mask,
    new_game,
    num_actions,
    observation_layout,
    observe,
    outcome,
    ranking,
    round_margin,
    score_margin,
    svg,
    tile_chances,
    tiles_due,
    undealt_game,
    verify,
)

WRONG_ACTIONS = [np.array([3]), [3], (0, 0, 5), True, np.True_, 3.0, np.float32(3), "3", None]
NUMBER_NEEDED = "an action must be a whole number, not "
BATCHES = [AzulVectorEnv, AzulTurnsVectorEnv, GameBatch]


def bytes_of(games: Any) -> bytes:
    """The states of an environment or a batch."""
    rows = games.rows if isinstance(games, GameBatch) else games.get_state()
    return getattr(rows, "rows", rows).tobytes()


@pytest.mark.parametrize("action", WRONG_ACTIONS[:-1], ids=repr)
@pytest.mark.parametrize("make", [azul_v0.raw_env, AzulEnv])
def test_single_action__that_is_not_a_whole_number_has_one_error_everywhere(make, action):
    env = make()
    env.reset(seed=1)
    before = bytes_of(env)
    with pytest.raises(TypeError, match=NUMBER_NEEDED):
        env.step(action)
    assert bytes_of(env) == before


@pytest.mark.parametrize("action", WRONG_ACTIONS, ids=repr)
@pytest.mark.parametrize("call", [apply_action, afterstate, illegal_reason])
def test_pure_functions__refuse_what_is_neither_a_number_nor_three(call, action):
    state = new_game(2, rng=1)
    if isinstance(action, tuple):  # the three parts of an action, which only these functions take
        call(state, action)
        return
    with pytest.raises(
        TypeError, match=r"an action(, unless it is three numbers,)? (must be|has) "
    ):
        call(state, action)


@pytest.mark.parametrize("number", [np.int64, np.uint8, np.array])
@pytest.mark.parametrize("make", [azul_v0.raw_env, azul_v0.env, AzulEnv])
def test_whole_numbers_of_numpy__are_actions_everywhere(make, number):
    env, other = make(), make()
    for one in (env, other):
        one.reset(seed=1)
    action = int(_mask(env).argmax())
    env.step(number(action))
    other.step(action)
    assert bytes_of(env) == bytes_of(other)
    state = new_game(2, rng=1)
    assert apply_action(state, number(0)) == apply_action(state, 0)


CALLS = {
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "get_state": lambda env: env.get_state(),
    "agent_iter": lambda env: env.agent_iter(),
}


@pytest.mark.parametrize("call", CALLS)
def test_raw_environment__says_that_reset_comes_first(call):
    env = azul_v0.raw_env(render_mode="ansi")
    with pytest.raises(ResetNeeded, match=rf"call reset\(\) before {call}\(\)"):
        CALLS[call](env)
    env.reset(seed=1)
    assert CALLS[call](env) is not None or call == "step"


@pytest.mark.parametrize("call", ["step", "last"])
def test_raw_environment__says_so_after_the_last_dead_step_too(call):
    env = azul_v0.raw_env(max_rounds=1)
    env.reset(seed=1)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    with pytest.raises(ResetNeeded, match=rf"call reset\(\) before {call}\(\)"):
        CALLS[call](env)


def test_observe__of_an_agent_that_there_is_not_names_those_that_there_are():
    env = azul_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(KeyError, match="'player_2' is not one of player_0, player_1"):
        env.observe("player_2")


@pytest.mark.parametrize("dtype", [np.float32, "float32", "f4", np.dtype("float32"), "uint8", "u1"])
def test_observation_types__go_by_any_name_that_numpy_has_for_them(dtype):
    state = new_game(2, rng=1)
    assert observe(state, 0, dtype).dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, None, ">f4", "f4,f4", "no type", 5, int])
def test_other_observation_types__are_refused_in_the_words_of_the_caller(dtype):
    with pytest.raises(ValueError, match="observations are float32 or uint8, not ") as refused:
        observe(new_game(2, rng=1), 0, dtype)
    assert "not float32" not in str(refused.value)


@pytest.mark.parametrize("player", [-1, 2, 10**30, 0.0, "0", True])
def test_observe__refuses_seats_that_there_are_not(player):
    state = new_game(2, rng=1)
    with pytest.raises((TypeError, ValueError), match="player"):
        observe(state, player)
    with pytest.raises((TypeError, ValueError), match="player"):
        decode_observation(observe(state), 2, player)


@pytest.mark.parametrize("reward", [outcome, score_margin, round_margin])
def test_rewards__refuse_states_of_two_games(reward):
    two, four = new_game(2, rng=1), new_game(4, rng=1)
    for before, after in ((two, four), (four, two)):
        with pytest.raises(ValueError, match=r"a state of [24] players in a step for [24] players"):
            reward(before, after)
    for wrong in (None, two.rows):
        with pytest.raises(TypeError, match="a state must be a GameState"):
            reward(two, wrong)


@pytest.mark.parametrize("value", [None, 3, "x", [], np.zeros(3), new_game(2, rng=1).rows])
@pytest.mark.parametrize("call", [ansi, svg, legal_mask, observe, ranking, tiles_due])
def test_functions_of_states__refuse_anything_else_in_the_same_words(call, value):
    with pytest.raises(TypeError, match="a state must be a GameState, not"):
        call(value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tile_chances(undealt_game(2), 3), "the tiles drawn must be a list of colors"),
        (lambda: deal_of_tiles(undealt_game(2), None), "the tiles drawn must be a list of colors"),
        (lambda: verify({}), "a record must be a GameRecord"),
        (lambda: observation_layout(5), r"num_players=5 is not in 2\.\.4"),
        (lambda: AzulEnv(render_mode=np.zeros(2)), "render_mode=array"),
        (lambda: AzulEnv(observation=["uint8"]), "observation="),
        (lambda: AzulEnv(reward=[1]), "reward="),
        (lambda: AzulVectorEnv(1).set_state(5), "states must be a list of states or an array"),
        (lambda: AzulVectorEnv(1).set_state([5]), "a state must be a GameState"),
        (lambda: AzulVectorEnv(1).reset(options=5), "options must be a dict"),
    ],
)
def test_other_arguments__of_a_wrong_type_are_named(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


@pytest.mark.parametrize(
    "observation", [None, [0.0] * 10, np.zeros(10, complex), np.zeros(10, object), "0" * 10]
)
def test_decode_observation__refuses_other_things(observation):
    with pytest.raises(TypeError, match="an observation is an array of floats or uint8, not"):
        decode_observation(observation, 2)


@pytest.mark.parametrize("action", WRONG_ACTIONS, ids=repr)
def test_guarded_action__outside_the_space_is_an_assertion_error_as_in_pettingzoo(action):
    env = azul_v0.env()
    env.reset(seed=1)
    before = bytes_of(env)
    # Gymnasium's Discrete space contains Python's bools: there the environment itself objects.
    error, text = (
        (TypeError, NUMBER_NEEDED) if action is True else (AssertionError, "not in action space")
    )
    with pytest.raises(error, match=text):
        env.step(action)
    assert bytes_of(env) == before


@pytest.mark.parametrize("action", WRONG_ACTIONS, ids=repr)
@pytest.mark.parametrize("make", BATCHES)
def test_batched_actions__that_are_not_whole_numbers_have_one_error_everywhere(make, action):
    games = make(2)
    games.reset()
    before = bytes_of(games)
    with pytest.raises(
        (TypeError, ValueError), match=r"^actions must be whole numbers of shape \(2,\), not "
    ):
        games.step([action] * 2)
    assert bytes_of(games) == before


@pytest.mark.parametrize("action", WRONG_ACTIONS, ids=repr)
def test_opponents_action__that_is_not_a_whole_number_has_the_error_of_batched_actions(action):
    env = AzulEnv(seat=1, opponents=lambda state, mask, rng: action)
    with pytest.raises(
        (TypeError, ValueError), match=r"the actions of a player must be whole numbers of shape"
    ):
        env.reset(seed=1)


@pytest.mark.parametrize("values", [[0.0], [0.0] * 3, 0.0, [[0.0, 0.0]]])
@pytest.mark.parametrize(
    "make", [azul_v0.raw_env, azul_v0.env, AzulEnv, AzulVectorEnv, AzulTurnsVectorEnv]
)
def test_custom_reward__of_a_wrong_shape_has_one_error_everywhere(make, values):
    env = make(reward=lambda before, after: values)
    env.reset(seed=1)
    state = env.get_state()
    action = int(np.flatnonzero(_mask(env))[0])
    with pytest.raises(ValueError, match="the reward function must return 2 finite numbers"):
        env.step([action] if isinstance(state, np.ndarray) else action)


@pytest.mark.parametrize("opponents", [5, "no such agent", ["random", "random"], [5]])
@pytest.mark.parametrize("make", [AzulEnv, AzulVectorEnv])
def test_wrong_opponents__have_one_error_everywhere(make, opponents):
    with pytest.raises(ValueError, match="opponents"):
        make(opponents=opponents)


def _mask(env: Any) -> np.ndarray:
    """The legal mask of an environment's only game."""
    if hasattr(env, "action_masks"):
        return env.action_masks().reshape(-1)
    return env.last()[0]["action_mask"]


@pytest.mark.parametrize("num_players", [1, 5, "2", 2.0])
def test_number_of_actions__is_asked_for_2_to_4_players(num_players):
    with pytest.raises((TypeError, ValueError), match="num_players"):
        num_actions(num_players)


@pytest.mark.parametrize("rng", ["x", 1.5, -1])
def test_wrong_source_of_chance__is_refused_at_once(rng):
    state = new_game(2, rng=1)
    with pytest.raises((TypeError, ValueError), match="a seed must be"):
        apply_action(state, int(np.flatnonzero(legal_mask(state))[0]), rng)


def test_random_actions__are_refused_where_nobody_is_to_move():
    batch = GameBatch(3, num_players=2, seed=1)
    batch.play_to_end()
    with pytest.raises(ValueError, match="game 0 is over or awaits a deal"):
        batch.random_actions()
