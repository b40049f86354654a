"""What a step is worth: the three rewards as they are documented, and one of the user's own."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from api.play import PLAYERS, REWARDS, choice, played, point_gain
from azul_env import GameState, azul_v0, new_game, ranking
from azul_env.rewards import REWARDS as FUNCTIONS
from azul_env.rewards import outcome, round_margin, score_margin
from positions import position, random_game

WHITE_OF_0_TO_LINE_4 = 28


def rewarded(scores: tuple[int, ...], reward: str = "outcome", seats: tuple[str, ...] = ()) -> list:
    """What all seats get for the last move of a game that then ends with these points at the round cap."""
    count = len(scores)
    boards = seats or tuple(f"{score} //// -" for score in scores)
    state = position(f"""
        azul {count}p round 49/50 turn 0 start 0 | W {"- " * 2 * count}| * | bag ? lid -
        | {" | ".join(boards)}""")
    env = azul_v0.env(num_players=count, reward=reward)
    env.reset(seed=1)
    env.set_state(state)
    env.step(WHITE_OF_0_TO_LINE_4)
    assert env.get_state().scores == scores
    return list(env.rewards.values())


def walked(num_players: int, seed: int, max_rounds: int = 50) -> list[GameState]:
    return list(random_game(new_game(num_players, rng=seed, max_rounds=max_rounds), seed))


def margins(scores: tuple[int, ...]) -> list[float]:
    """Own points minus the mean of the others'."""
    return [
        own - np.mean([score for other, score in enumerate(scores) if other != seat])
        for seat, own in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((6, 5), (1, -1)),
        ((5, 5), (0, 0)),
        ((1, 2, 3), (-1, 0, 1)),
        ((5, 5, 5), (0, 0, 0)),
        ((7, 5, 5), (1, -1 / 2, -1 / 2)),
        ((5, 7, 7), (-1, 1 / 2, 1 / 2)),
        ((4, 3, 2, 1), (1, 1 / 3, -1 / 3, -1)),
        ((1, 4, 4, 2), (-1, 2 / 3, 2 / 3, -1 / 3)),
        ((1, 4, 2, 2), (-1, 1, 0, 0)),
        ((4, 4, 4, 1), (1 / 3, 1 / 3, 1 / 3, -1)),
        ((9, 1, 1, 1), (1, -1 / 3, -1 / 3, -1 / 3)),
        ((4, 1, 4, 1), (2 / 3, -2 / 3, 2 / 3, -2 / 3)),
        ((3, 3, 3, 3), (0, 0, 0, 0)),
    ],
)
def test_outcome__gives_tied_ranks_their_average(scores, expected):
    assert rewarded(scores) == pytest.approx(expected)


def test_outcome__equal_points_are_split_by_complete_rows():  # R7.1
    # Seat 0 completes a row for 5 points and 2 at the end.
    boards = ("3 B:.YRKW//// -", "10 //// -", "10 //// -")
    assert rewarded((10, 10, 10), seats=boards) == pytest.approx([1, -1 / 2, -1 / 2])


def test_outcome__ranks_the_resigned_below_all_others():  # R7.2
    boards = ("3 //// -", "9 //// - resigned 1", "5 //// -", "8 //// - resigned 0")
    assert rewarded((3, 9, 5, 8), seats=boards) == pytest.approx([1 / 3, -1 / 3, 1, -1])


@pytest.mark.parametrize("num_players", PLAYERS)
def test_outcome__is_zero_sum_within_bounds_and_given_once(num_players):
    for seed in range(8):
        states = walked(num_players, seed, max_rounds=6)
        for before, after in pairwise(states[:-1]):
            assert not outcome(before, after).any()
        values = outcome(*states[-2:])
        assert values.sum() == pytest.approx(0)
        assert abs(values).max() <= 1
        ranks = ranking(states[-1])
        expected = []
        for rank in ranks:
            shared = range(rank, rank + ranks.count(rank))
            expected.append(np.mean([1 - 2 * (place - 1) / (num_players - 1) for place in shared]))
        assert values == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((6, 4), (2, -2)),
        ((9, 4, 1), (6.5, -1, -5.5)),
        ((7, 3, 3, 1), (14 / 3, -2 / 3, -2 / 3, -10 / 3)),
    ],
)
def test_score_margin__is_own_points_minus_the_mean_of_the_others(scores, expected):
    assert rewarded(scores, "score_margin") == pytest.approx(expected)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_margins__are_as_documented_in_every_step_and_add_up(num_players):
    states = walked(num_players, seed=3)
    total = np.zeros(num_players)
    for before, after in pairwise(states):
        dense, sparse = round_margin(before, after), score_margin(before, after)
        change = np.subtract(margins(after.scores), margins(before.scores))
        assert dense == pytest.approx(change)
        assert not dense.any() or after.round == before.round + 1
        assert sparse == pytest.approx(
            margins(after.scores) if after.is_terminal else [0] * num_players
        )
        total += dense
    assert total == pytest.approx(margins(states[-1].scores))
    assert total.sum() == pytest.approx(0)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_aec_rewards__are_those_of_the_reward_function_step_by_step(num_players, reward):
    env = azul_v0.env(num_players=num_players, reward=reward)
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    while not any(env.terminations.values()):
        before = env.get_state()
        env.step(choice(env.last()[0]["action_mask"], rng))
        values = FUNCTIONS[reward](before, env.get_state())
        assert list(env.rewards.values()) == values.tolist()
        assert all(type(value) is float for value in env.rewards.values())


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_aec_rewards__that_agents_are_told_add_up_to_the_final_result(num_players, reward):
    env = azul_v0.env(num_players=num_players, reward=reward)
    env.reset(seed=6)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for seen in played(env, 6):
        totals[seen.agent] += seen.reward
    final = env.get_state()
    expected = outcome(final, final) if reward == "outcome" else margins(final.scores)
    assert list(totals.values()) == pytest.approx(list(expected))
    assert any(totals.values())


def test_own_reward__is_asked_once_a_step_with_the_states_before_and_after():
    calls: list[tuple[GameState, GameState]] = []

    def noting(before: GameState, after: GameState) -> list[int]:
        calls.append((before, after))
        return [len(calls), -1, 0]

    env = azul_v0.env(num_players=3, reward=noting)
    env.reset(seed=1)
    states = [env.get_state()]
    for turn in range(40):
        env.step(choice(env.last()[0]["action_mask"], np.random.default_rng(turn)))
        states.append(env.get_state())
        assert env.rewards == {"player_0": turn + 1, "player_1": -1, "player_2": 0}
    assert calls == list(pairwise(states))


def test_own_reward__may_be_a_numpy_array_and_cannot_change_the_game():
    def meddling(before: GameState, after: GameState) -> np.ndarray:
        gain = point_gain(before, after)
        before.rows["scores"][:] = 50
        after.rows["scores"][:] = 50
        return gain

    env, plain = azul_v0.env(reward=meddling), azul_v0.env(reward=point_gain)
    env.reset(seed=2)
    plain.reset(seed=2)
    assert played(env, 2) == played(plain, 2)
    assert env.get_state() == plain.get_state()


def test_own_reward__may_be_an_object_that_cannot_be_hashed():
    @dataclass
    class Scaled:
        factor: float

        def __call__(self, before: GameState, after: GameState) -> Any:
            return self.factor * point_gain(before, after)

    env, plain = azul_v0.env(reward=Scaled(1.0)), azul_v0.env(reward=point_gain)
    env.reset(seed=2)
    plain.reset(seed=2)
    assert played(env, 2) == played(plain, 2)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([0, 0], ValueError),
        ([0, float("nan"), 0], ValueError),
        ([float("inf"), 0, 0], ValueError),
        ({0: 1}, TypeError),
        (None, ValueError),
        ([1j, 0, 0], TypeError),
        ("abc", TypeError),
    ],
)
def test_own_reward__that_is_not_a_finite_number_for_each_seat_is_an_error(answer, error):
    env = azul_v0.env(num_players=3, reward=lambda before, after: answer)
    env.reset(seed=1)
    with pytest.raises(error, match="the reward function must return 3 finite numbers"):
        env.step(int(env.last()[0]["action_mask"].argmax()))


def test_named_reward__may_be_given_as_its_function():
    for name, function in FUNCTIONS.items():
        games = []
        for reward in (name, function):
            env = azul_v0.env(reward=reward)
            env.reset(seed=2)
            games.append(played(env, 2))
        assert games[0] == games[1]
