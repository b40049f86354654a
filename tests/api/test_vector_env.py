"""Many games as one Gymnasium vector environment: the same games as in single ones, step by step."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest

from api.play import (
    PLAYERS,
    REWARDS,
    chosen,
    drawn,
    first_legal,
    first_legals,
    last_legal,
    last_legals,
    point_gain,
    states_of,
)
from azul_env import GameState, IllegalActionError, legal_mask
from azul_env.envs.single import AzulEnv
from azul_env.envs.vector import AzulVectorEnv

NAME = "azul_env:Azul-v0"
GAMES = 6
SEED = 40


def vector(**arguments: Any) -> AzulVectorEnv:
    env: Any = gymnasium.make_vec(NAME, num_envs=GAMES, **arguments)
    assert isinstance(env.unwrapped, AzulVectorEnv)
    return env.unwrapped


class Singles:
    """Single environments with seeds of their own, each reset by hand in the step that ends its episode."""

    def __init__(self, **arguments: Any) -> None:
        self.envs = [AzulEnv(**arguments) for _ in range(GAMES)]

    def reset(self, seeds: Sequence[int | None]) -> tuple[np.ndarray, list[dict]]:
        results = [env.reset(seed=seed) for env, seed in zip(self.envs, seeds, strict=True)]
        return np.stack([vector for vector, _ in results]), [info for _, info in results]

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        """Observations, rewards, ends, infos; and where an episode ended, its last observation and info."""
        vectors, rewards, terminated, truncated, infos, finals = [], [], [], [], [], {}
        for game, env in enumerate(self.envs):
            seen, reward, is_over, is_cut, info = env.step(int(actions[game]))
            if is_over or is_cut:
                finals[game] = (seen, info)
                seen, info = env.reset()
            vectors.append(seen)
            rewards.append(reward)
            terminated.append(is_over)
            truncated.append(is_cut)
            infos.append(info)
        return np.stack(vectors), rewards, terminated, truncated, infos, finals


def assert_same_infos(env: Any, info: dict, infos: list[dict]) -> None:
    assert info["action_mask"].dtype == np.bool_
    assert np.array_equal(info["action_mask"], [one["action_mask"] for one in infos])
    assert np.array_equal(env.action_masks(), info["action_mask"])
    assert info["seat"].tolist() == [one["seat"] for one in infos]


def assert_same_games(
    arguments: dict, singles: dict | None = None, steps: int = 60, wrong: float = 0.0
) -> int:
    """Both kinds of environment show the same in every step; the number of episodes that ended."""
    env, others = vector(**arguments), Singles(**(singles or arguments))
    vectors, info = env.reset(seed=SEED)
    expected, infos = others.reset(range(SEED, SEED + GAMES))
    rng = np.random.default_rng(SEED)
    ends = 0
    for _ in range(steps):
        assert vectors.dtype == expected.dtype == env.single_observation_space.dtype
        assert np.array_equal(vectors, expected)
        assert_same_infos(env, info, infos)
        assert states_of(env) == [other.get_state() for other in others.envs]
        actions = chosen(info["action_mask"], rng, wrong)
        vectors, rewards, terminated, truncated, info = env.step(actions)
        expected, *results, infos, finals = others.step(actions)
        assert [rewards.tolist(), terminated.tolist(), truncated.tolist()] == results
        assert_same_finals(info, finals)
        ends += len(finals)
    return ends


def assert_same_finals(info: dict, finals: dict[int, tuple[np.ndarray, dict]]) -> None:
    """`final_obs` and `final_info` are what the single environments showed last."""
    if not finals:
        assert "final_obs" not in info
        return
    ended = [game in finals for game in range(GAMES)]
    assert info["_final_obs"].tolist() == info["_final_info"].tolist() == ended
    illegal = info.get("illegal_action", np.zeros(GAMES, bool))
    for game, (seen, told) in finals.items():
        assert np.array_equal(info["final_obs"][game], seen)
        assert illegal[game] == ("illegal_action" in told)
        if not illegal[game]:
            assert info["final_info"]["scores"][game].tolist() == list(told["scores"])


@pytest.mark.parametrize("reward", [*REWARDS, point_gain])
@pytest.mark.parametrize("num_players", PLAYERS)
def test_vector_env__is_n_single_ones_with_seeds_in_a_row(num_players, reward):
    arguments = {"num_players": num_players, "reward": reward, "max_rounds": 3}
    assert assert_same_games(arguments) >= GAMES


@pytest.mark.parametrize(
    "arguments",
    [
        {"observation": "uint8"},
        {"seat": 1, "starting_player": 0},
        {"seat": "random", "starting_player": "random", "num_players": 4},
        {"seat": 0, "starting_player": 2, "num_players": 3, "max_rounds": 50},
    ],
)
def test_vector_env__is_n_single_ones_with_other_options(arguments):
    assert assert_same_games({"max_rounds": 2} | arguments, steps=50)


def test_vector_env__is_n_single_ones_with_illegal_actions():
    arguments = {"reward": "round_margin", "max_rounds": 3}
    assert assert_same_games(arguments, wrong=0.1) > 2 * GAMES


def test_vector_env__is_n_single_ones_with_one_batched_opponent():
    arguments = {"num_players": 3, "max_rounds": 2, "opponents": first_legals}
    assert assert_same_games(arguments, arguments | {"opponents": first_legal})


@pytest.mark.parametrize("seat", [0, 1, 2, "random"])
def test_vector_env__is_n_single_ones_with_batched_opponents_in_turn_order(seat):
    arguments = {"num_players": 3, "max_rounds": 2, "seat": seat}
    batched = arguments | {"opponents": [first_legals, last_legals]}
    single = arguments | {"opponents": [first_legal, last_legal]}
    assert assert_same_games(batched, single, steps=40)


def test_opponents__get_the_games_in_which_they_are_to_move():
    asked: list[tuple[int, int]] = []

    def opponent(place: int) -> Any:
        def act(rows: Any, masks: np.ndarray, rng: np.random.Generator) -> list[int]:
            assert isinstance(rng, np.random.Generator)
            states = [GameState(rows[game : game + 1]) for game in range(len(rows))]
            assert np.array_equal(masks, [legal_mask(state) for state in states])
            asked.extend((place, state.current_player) for state in states)
            return drawn(rows, masks, rng)

        return act

    env = vector(num_players=3, seat=1, opponents=[opponent(1), opponent(2)])
    env.reset(seed=1)
    assert asked == [(2, 0)] * GAMES  # seat 0 starts, two places behind the learner
    for _ in range(10):
        env.step(env.action_masks().argmax(axis=1))
    assert set(asked) == {(1, 2), (2, 0)}


def test_opponents__cannot_change_the_games_by_what_they_are_given():
    def meddling(rows: Any, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        actions = masks.argmax(axis=1)
        rows["scores"] = 50
        masks[:] = False
        return actions

    env, plain = vector(opponents=meddling), vector(opponents=first_legals)
    env.reset(seed=1)
    plain.reset(seed=1)
    for _ in range(15):
        actions = plain.action_masks().argmax(axis=1)
        assert np.array_equal(env.step(actions)[0], plain.step(actions)[0])


def test_opponents__illegal_or_too_few_actions_are_errors():
    env = vector(seat=1, opponents=lambda rows, masks, rng: np.full(len(rows), 179))
    with pytest.raises(IllegalActionError, match=r"action 179.*SOURCE_EMPTY"):
        env.reset(seed=1)
    env = vector(seat=1, opponents=lambda rows, masks, rng: masks.argmax(axis=1)[:-1])
    with pytest.raises(ValueError, match="shape"):
        env.reset(seed=1)


@pytest.mark.parametrize(
    "answer", [lambda legal: legal + 0.5, lambda legal: legal.astype(str)], ids=["fraction", "text"]
)
def test_opponents__answers_that_are_no_whole_numbers_are_errors(answer):
    env = vector(seat=1, opponents=lambda rows, masks, rng: answer(masks.argmax(axis=1)))
    with pytest.raises((TypeError, ValueError)):
        env.reset(seed=1)
