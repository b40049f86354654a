"""Whole games of the Gymnasium environment: rewards, ends, seeds, copies, state in and state out."""

import random
from typing import Any

import numpy as np
import pytest

from api.play import COPIES, PLAYERS, REWARDS, choice, episode, first_legal, last_legal, point_gain
from azul_env import GameState, apply_action, legal_mask, new_game, num_actions, observe
from azul_env.envs.single import AzulEnv
from azul_env.rewards import REWARDS as FUNCTIONS
from positions import before_last_move, random_game


def started(seed: int = 1, **arguments: Any) -> AzulEnv:
    env = AzulEnv(**arguments)
    env.reset(seed=seed)
    return env


def margin(scores: tuple[int, ...], seat: int) -> float:
    return scores[seat] - (sum(scores) - scores[seat]) / (len(scores) - 1)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_single_env__is_the_engine_with_the_opponents_answers_in_between(num_players):
    calls: list[tuple[GameState, int]] = []

    def noted(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
        action = choice(mask, rng)
        calls.append((state, action))
        return action

    env = started(seed=2, num_players=num_players, opponents=noted, max_rounds=3)
    rng = np.random.default_rng(2)
    state, is_over = env.get_state(), False
    while not is_over:
        calls.clear()
        action = choice(env.action_masks(), rng)
        _, _, terminated, truncated, _ = env.step(action)
        is_over = terminated or truncated
        after = env.get_state()
        played = [(state, action), *calls]
        shown = [asked for asked, _ in calls] + [after]
        for (before, number), following in zip(played, shown, strict=True):
            assert apply_action(before, number, deal=following.factories).state == following
        state = after
    assert truncated == (state.end_reason == "max_rounds")


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_reward__covers_the_opponents_answers(num_players, reward):
    env = started(num_players=num_players, reward=reward)
    rng = np.random.default_rng(1)
    total, is_over = 0.0, False
    while not is_over:
        before = env.get_state()
        _, value, terminated, truncated, _ = env.step(choice(env.action_masks(), rng))
        is_over = terminated or truncated
        after = env.get_state()
        assert type(value) is float
        assert value == pytest.approx(FUNCTIONS[reward](before, after)[env.seat])
        assert (value == 0) or reward == "round_margin" or is_over
        total += value
    final = env.get_state()
    expected = FUNCTIONS["outcome"](final, final)[env.seat]
    assert total == pytest.approx(
        expected if reward == "outcome" else margin(final.scores, env.seat)
    )


def test_reward__own_function_gets_the_states_around_a_step():
    calls = []

    def noting(before: GameState, after: GameState) -> list[float]:
        calls.append((before, after))
        return [10.0 * len(calls), 10.0 * len(calls) + 1]

    env = started(reward=noting)
    for step in range(1, 11):
        before = env.get_state()
        value = env.step(int(env.action_masks().argmax()))[1]
        assert value == 10 * step + env.seat
        assert calls[-1] == (before, env.get_state())
    assert len(calls) == 10


def test_reward__own_function_gives_every_learner_its_seat():
    for seat in range(3):
        env = started(num_players=3, seat=seat, reward=point_gain, max_rounds=2)
        total = sum(step[1] for step in episode(env, 1))
        assert total == env.get_state().scores[seat]


@pytest.mark.parametrize("max_rounds", [1, 2])
def test_end__at_the_round_cap_is_a_truncation(max_rounds):
    env = started(max_rounds=max_rounds)
    *others, last = episode(env, 1)
    assert last[2:4] == (False, True)
    assert all(step[2:4] == (False, False) for step in others)
    assert last[4]["end_reason"] == "max_rounds"
    assert env.get_state().round == max_rounds


def test_end__by_a_row_is_a_termination():
    last = episode(started(), 1)[-1]
    assert last[2:4] == (True, False)
    assert last[4]["end_reason"] == "row"


@pytest.mark.parametrize(
    ("board", "ends"), [("3 //// -", (False, True)), ("3 B:.YRKW//// -", (True, False))]
)
def test_end__at_the_cap_with_a_row_is_a_termination(board, ends):  # R6.3
    env = started()
    _, info = env.set_state(before_last_move(board, head="round 49/50"))
    assert info["seat"] == 1
    _, reward, terminated, truncated, info = env.step(28)
    assert (terminated, truncated) == ends
    assert reward == -1  # seat 0 has more points
    assert info["scores"] == env.get_state().scores


@pytest.mark.parametrize("num_players", PLAYERS)
def test_seed__reproduces_episodes_and_those_that_follow(num_players):
    def three(seed: int) -> list[Any]:
        env = AzulEnv(num_players=num_players, starting_player="random")
        episodes = []
        for number in range(3):
            vector, info = env.reset(seed=seed if number == 0 else None)
            episodes.append((vector.tobytes(), info["seat"], episode(env, 7)))
        return episodes

    episodes = three(5)
    assert episodes == three(5)
    assert len({first for first, _, _ in episodes}) == 3
    assert three(6)[0] != episodes[0]


def test_seed__reproduces_what_callables_draw_from_their_generator():
    def drawing(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
        return choice(mask, rng)

    first, second = (started(seed=5, opponents=drawing) for _ in range(2))
    game = episode(first, 5)
    assert game == episode(second, 5)
    first.reset()
    following = episode(first, 5)
    second.reset()
    assert following == episode(second, 5) != game


def test_reset_without_seed__differs_between_environments():
    first, second = AzulEnv(seat=0), AzulEnv(seat=0)
    first.reset()
    second.reset()
    assert first.get_state() != second.get_state()


def test_reset__in_the_middle_of_a_game_starts_all_over():
    env = started(seed=5)
    game = episode(env, 5)
    env.reset(seed=6)
    for _ in range(4):
        env.step(int(env.action_masks().argmax()))
    env.reset(seed=5)
    assert episode(env, 5) == game


def test_games__leave_the_global_random_generators_alone():
    random.seed(1)
    np.random.seed(1)
    plain, legacy = random.getstate(), np.random.get_state()
    env = AzulEnv(num_players=4, starting_player="random")
    env.reset()
    episode(env, 1)
    assert random.getstate() == plain
    assert all(map(np.array_equal, np.random.get_state(), legacy))


def test_two_environments__do_not_disturb_each_other():
    alone = [episode(started(seed=seed, num_players=seed), seed) for seed in (2, 4)]
    envs = [started(seed=seed, num_players=seed) for seed in (2, 4)]
    rngs = [np.random.default_rng(seed) for seed in (2, 4)]
    for turn in range(min(map(len, alone))):
        for env, rng, expected in zip(envs, rngs, alone, strict=True):
            vector, reward, *_ = env.step(choice(env.action_masks(), rng))
            assert (vector.tobytes(), reward) == expected[turn][:2]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("opponents", [None, first_legal, [first_legal, last_legal]])
def test_copy__in_mid_game_goes_on_like_the_original(opponents, copied):
    env = started(num_players=3, opponents=opponents, reward="round_margin")
    for _ in range(3):
        env.step(int(env.action_masks().argmax()))
    other = copied(env)
    before = env.get_state()
    assert other.get_state() == before
    assert np.array_equal(other.action_masks(), env.action_masks())
    game = episode(other, 4)
    assert env.get_state() == before
    assert episode(env, 4) == game
    assert env.reset()[0].tobytes() == other.reset()[0].tobytes()


def test_returned_objects__are_not_reused_between_calls():
    env = AzulEnv()
    vector, info = env.reset(seed=1)
    kept: list[tuple[Any, bytes]] = []
    for seed in range(2, 5):
        is_over = False
        while not is_over:
            arrays = (vector, vector[3:9], info["action_mask"], env.action_masks())
            kept += [(array, array.tobytes()) for array in arrays]
            kept += [(memoryview(vector), vector.tobytes())]
            *_, terminated, truncated, info = result = env.step(int(env.action_masks().argmax()))
            vector = result[0]
            is_over = terminated or truncated
        vector, info = env.reset(seed=seed)
    assert all(array.tobytes() == then for array, then in kept)


def test_returned_objects__may_be_overwritten_without_harm():
    env, plain = started(), started()
    rng = np.random.default_rng(1)
    is_over = False
    while not is_over:
        action = choice(plain.action_masks(), rng)
        expected, result = plain.step(action), env.step(action)
        assert result[0].tobytes() == expected[0].tobytes()
        assert result[1:4] == expected[1:4]
        result[0][:] = 1
        result[4].clear()
        is_over = result[2] or result[3]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_set_state__puts_the_learner_in_the_seat_to_move(num_players):
    env = AzulEnv(num_players=num_players, seat=0)
    env.reset(seed=1)
    *states, final = random_game(new_game(num_players, rng=3), seed=3)
    for state in states[::5]:
        before = state.rows.tobytes()
        vector, info = env.set_state(state)
        assert info["seat"] == env.seat == state.current_player
        assert np.array_equal(vector, observe(state))
        assert np.array_equal(info["action_mask"], legal_mask(state))
        assert np.array_equal(env.action_masks(), legal_mask(state))
        assert env.get_state() == state
        env.step(int(env.action_masks().argmax()))
        assert state.rows.tobytes() == before
    vector, info = env.set_state(final)
    assert not info["action_mask"].any()
    with pytest.raises(Exception, match="reset"):
        env.step(0)
    env.reset()
    assert env.seat == 0  # the next game is the environment's own again


def test_set_state__takes_the_place_of_reset():
    env = AzulEnv(num_players=3)
    state = new_game(3, 2, rng=4)
    env.set_state(state)
    assert env.get_state() == state
    assert len(episode(env, 1)) > 5


def test_set_state__reward_counts_from_that_position():
    env = started(reward="round_margin")
    state = before_last_move("30 //// -", "10 //// -")
    env.set_state(state)
    total = sum(step[1] for step in episode(env, 1))
    assert total == pytest.approx(margin(env.get_state().scores, 1) - margin((30, 10), 1))


def test_set_state__of_another_number_of_players_is_an_error():
    env = started(num_players=3)
    before = env.get_state()
    for count in (2, 4):
        with pytest.raises(ValueError, match=f"{count} players"):
            env.set_state(new_game(count, rng=1))
    assert env.get_state() == before


def test_get_state__is_a_copy():
    env = started()
    before = env.get_state()
    env.get_state().rows["scores"][:] = 9
    assert env.get_state() == before


@pytest.mark.parametrize("num_players", PLAYERS)
def test_spaces__have_the_sizes_of_the_game(num_players):
    env = AzulEnv(num_players=num_players)
    assert env.action_space.n == num_actions(num_players)
    assert env.observation_space.shape == observe(new_game(num_players, rng=1)).shape
    assert env.observation_space.low.min() == 0 and env.observation_space.high.max() == 1
