"""Environments of every kind, played, copied, restored and given wrong actions for as long as it is told."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from api.play import choice, chosen
from azul_env import AzulEnv, AzulTurnsVectorEnv, AzulVectorEnv, GameState, azul_v0, problems
from soak.chores import Chore

REWARDS = ("outcome", "score_margin", "round_margin")
OPPONENTS = (None, "random", "greedy")
OBSERVATIONS = ("float32", "uint8")
NO_ACTIONS = (True, 3.0, "3", [3], (0, 0, 5), np.array([3]))
NO_BATCHES = (
    3,
    None,
    "3",
    [],
    [[3]],
    [3.0],
    [True],
    [3] * 1000,
    np.array(3),
    np.zeros((2, 2), int),
)


def settings(chore: Chore) -> dict[str, Any]:
    """Arguments of an environment."""
    rng = chore.rng
    return {
        "num_players": rng.choice((2, 3, 4)),
        "reward": rng.choice(REWARDS),
        "max_rounds": rng.choice((50, 50, 3)),
        "observation": rng.choice(OBSERVATIONS),
    }


def aec(chore: Chore) -> None:
    """Whole games of the AEC environment, copied in the middle, with wrong and illegal actions."""
    while chore.goes_on():
        wrapped = chore.rng.random() < 0.5
        env = (azul_v0.env if wrapped else azul_v0.raw_env)(**settings(chore))
        env.reset(seed=chore.rng.randrange(2**40))
        rng = np.random.default_rng(chore.rng.randrange(2**32))
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if chore.rng.random() < 0.01:
                env = chore.rng.choice((copy.deepcopy, copied))(env)
            if terminated or truncated:
                env.step(None)
                continue
            if chore.rng.random() < 0.01:
                refused(env.step, chore.rng.choice(NO_ACTIONS))
            env.step(choice(observation["action_mask"], rng))
            chore.count("steps")
        chore.count("games")


def single(chore: Chore) -> None:
    """Games of the Gymnasium environment, restored to earlier positions now and then."""
    while chore.goes_on():
        env = AzulEnv(opponents=chore.rng.choice(OPPONENTS), **settings(chore))
        rng = np.random.default_rng(chore.rng.randrange(2**32))
        env.reset(seed=chore.rng.randrange(2**40))
        kept, is_over = env.get_state(), False
        while not is_over:
            _, _, terminated, truncated, _ = env.step(choice(env.action_masks(), rng))
            is_over = terminated or truncated
            chore.count("steps")
            if chore.rng.random() < 0.02 and not is_over:
                refused(env.step, chore.rng.choice(NO_ACTIONS))
                env.set_state(kept)
                chore.count("restored")
        sound(env.get_state())
        chore.count("games")


def vector(chore: Chore) -> None:
    """Steps of many games against opponents."""
    step_many(chore, AzulVectorEnv, {"opponents": chore.rng.choice(OPPONENTS)})


def turns(chore: Chore) -> None:
    """Steps of many games of self-play."""
    step_many(chore, AzulTurnsVectorEnv, {})


def step_many(chore: Chore, kind: Any, arguments: dict[str, Any]) -> None:
    while chore.goes_on():
        count = chore.rng.choice((1, 3, 64, 256))
        env = kind(count, **settings(chore), **arguments)
        rng = np.random.default_rng(chore.rng.randrange(2**32))
        env.reset(seed=chore.rng.randrange(2**40))
        kept = env.get_state()
        for _ in range(chore.rng.randrange(400)):
            env.step(chosen(env.action_masks(), rng, wrong=0.001))
            chore.count("steps", count)
            if chore.rng.random() < 0.01:
                env.set_state(kept)
            if chore.rng.random() < 0.01:
                refused(env.step, chore.rng.choice(NO_BATCHES))
            if chore.rng.random() < 0.01:
                due = rng.random(count) < 0.5
                due[rng.integers(count)] = True  # a mask of no game is refused
                env.reset(options={"reset_mask": due})
                chore.count("partial resets")
        for game in chore.rng.sample(range(count), min(4, count)):
            sound(GameState(env.get_state()[game : game + 1]))


def sound(state: GameState) -> None:
    """Fails for a position that no game can reach."""
    assert problems(state) == [], (problems(state), state.rows.tobytes().hex())


def refused(step: Any, action: Any) -> None:
    """Fails unless a wrong action is refused in words."""
    # PettingZoo's convention for what is not in the action space is an AssertionError.
    with pytest.raises((TypeError, ValueError, AssertionError), match="action"):
        step(action)


def copied(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))
