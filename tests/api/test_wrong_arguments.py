"""The same mistake gives the same error in every environment, and changes nothing."""

from typing import Any

import numpy as np
import pytest

from azul_env import AzulEnv, AzulTurnsVectorEnv, AzulVectorEnv, GameBatch, azul_v0

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
    with pytest.raises(ValueError, match="the reward function must return 2 numbers"):
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
