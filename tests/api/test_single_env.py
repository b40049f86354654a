"""One seat as a Gymnasium environment: checkers, opponents, seats, ends and rewards."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import azul_env.render
from api.play import PLAYERS, REWARDS, choice, episode, first_legal, point_gain
from azul_agents import make_agent
from azul_env import (
    GameState,
    IllegalActionError,
    IllegalReason,
    apply_action,
    legal_actions,
    legal_mask,
    new_game,
    observe,
)
from azul_env.envs.single import AzulEnv

NAME = "azul_env:Azul-v0"


def started(seed: int = 1, **arguments: Any) -> AzulEnv:
    env = AzulEnv(**arguments)
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("arguments", [{"reward": "round_margin"}, {"observation": "uint8"}])
@pytest.mark.parametrize("num_players", PLAYERS)
def test_check_env_of_gymnasium__passes_without_warnings(num_players, arguments, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(
        azul_env.render, "rgb_array", lambda *_, **__: np.zeros((9, 9, 3), np.uint8)
    )
    env = gymnasium.make(NAME, num_players=num_players, **arguments).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env(env)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_check_env_of_sb3__passes_without_warnings(num_players):
    from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env_of_sb3(AzulEnv(num_players=num_players))


def test_make__passes_every_argument_on():
    calls = []

    def noted(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
        calls.append(state.current_player)
        return first_legal(state, mask, rng)

    env = gymnasium.make(
        NAME,
        num_players=3,
        opponents=noted,
        seat=2,
        starting_player=1,
        reward="score_margin",
        max_rounds=1,
        render_mode="ansi",
        observation="uint8",
    )
    vector, info = env.reset(seed=1)
    state = env.unwrapped.get_state()
    assert (state.num_players, state.max_rounds) == (3, 1)
    assert calls == [1]  # between the starting player and the seat
    assert info["seat"] == state.current_player == 2
    assert env.action_space == gymnasium.spaces.Discrete(240)
    assert env.observation_space.dtype == vector.dtype == np.uint8
    assert env.observation_space.contains(vector)
    assert isinstance(env.render(), str)
    truncated = False
    while not truncated:
        _, reward, _, truncated, info = env.step(int(info["action_mask"].argmax()))
    assert info["end_reason"] == "max_rounds"
    scores = info["scores"]
    assert reward == pytest.approx(scores[2] - (scores[0] + scores[1]) / 2)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"num_players": 5}, ValueError),
        ({"seat": 2}, ValueError),
        ({"seat": "own"}, ValueError),
        ({"seat": None}, TypeError),
        ({"starting_player": -1}, ValueError),
        ({"reward": "win"}, ValueError),
        ({"max_rounds": 0}, ValueError),
        ({"render_mode": "picture"}, ValueError),
        ({"observation": "float64"}, ValueError),
        ({"opponents": [first_legal, first_legal]}, ValueError),
        ({"opponents": []}, ValueError),
        ({"opponents": ["nobody"]}, ValueError),
        ({"opponents": 3}, (TypeError, ValueError)),
        ({"num_players": 3, "opponents": [first_legal]}, ValueError),
    ],
)
def test_arguments__wrong_ones_are_errors_that_name_them(arguments, error):
    name = list(arguments)[-1]
    with pytest.raises(error, match=name if error is ValueError else None):
        AzulEnv(**arguments)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_observation_and_mask__are_those_of_the_engine_for_the_seat_to_move(num_players):
    env = AzulEnv(num_players=num_players, starting_player="random")
    rng = np.random.default_rng(0)
    for seed in range(4):
        vector, info = env.reset(seed=seed)
        is_over = False
        while not is_over:
            state = env.get_state()
            assert state.current_player == env.seat == info["seat"]
            assert np.array_equal(vector, observe(state, env.seat))
            assert np.array_equal(info["action_mask"], legal_mask(state))
            assert info["action_mask"].dtype == np.int8
            assert np.array_equal(env.action_masks(), legal_mask(state))
            assert env.action_masks().dtype == np.bool_
            vector, _, terminated, truncated, info = env.step(choice(info["action_mask"], rng))
            is_over = terminated or truncated
        assert np.array_equal(vector, observe(env.get_state(), env.seat))
        assert not info["action_mask"].any() and not env.action_masks().any()
        assert info["end_reason"] == env.get_state().end_reason
        assert info["scores"] == env.get_state().scores


@pytest.mark.parametrize("num_players", PLAYERS)
def test_first_position__is_that_of_new_game_with_the_same_seed(num_players):
    # With a fixed seat that starts, nothing but the deal is drawn.
    for seat in range(num_players):
        env = AzulEnv(num_players=num_players, seat=seat, starting_player=seat)
        for seed in range(10):
            env.reset(seed=seed)
            assert env.get_state() == new_game(num_players, seat, rng=seed)


def test_random_opponents__play_every_legal_move_about_as_often():
    env = started(seed=3)
    start = new_game(rng=1)
    action = int(legal_mask(start).argmax())
    asked = apply_action(start, action).state
    replies = {apply_action(asked, reply).state: 0 for reply in legal_actions(asked)}
    assert len(replies) > 50
    for _ in range(40 * len(replies)):
        env.set_state(start)
        env.step(action)
        replies[env.get_state()] += 1
    assert min(replies.values()) > 15 and max(replies.values()) < 80


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_opponents__are_asked_in_turn_order_with_their_own_turn_and_mask(seat):
    asked: list[tuple[int, int]] = []

    def opponent(place: int) -> Any:
        def act(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
            assert isinstance(state, GameState) and isinstance(rng, np.random.Generator)
            assert mask.dtype == np.bool_
            assert np.array_equal(mask, legal_mask(state))
            asked.append((place, state.current_player))
            return choice(mask, rng)

        return act

    env = AzulEnv(num_players=3, seat=seat, opponents=[opponent(1), opponent(2)])
    env.reset(seed=1)
    episode(env, 1)
    assert len(asked) > 20
    assert set(asked) == {(place, (seat + place) % 3) for place in (1, 2)}


def test_opponents__one_callable_plays_all_other_seats():
    seats = []

    def noted(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
        seats.append(state.current_player)
        return first_legal(state, mask, rng)

    episode(started(num_players=4, seat=1, opponents=noted), 1)
    assert set(seats) == {0, 2, 3}


def test_opponents__cannot_change_the_game_by_what_they_are_given():
    def meddling(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
        action = first_legal(state, mask, rng)
        state.rows["scores"][:] = 99
        state.rows["current_player"] = 0
        mask[:] = False
        return action

    plain = started(opponents=first_legal, reward="round_margin")
    meddled = started(opponents=meddling, reward="round_margin")
    assert episode(meddled, 3) == episode(plain, 3)


@pytest.mark.parametrize(
    ("answer", "reason"), [(179, "SOURCE_EMPTY"), (-1, "OUT_OF_RANGE"), (180, "OUT_OF_RANGE")]
)
def test_opponents__illegal_action_is_an_error_that_names_it(answer, reason):
    env = AzulEnv(seat=1, opponents=lambda state, mask, rng: answer)
    with pytest.raises(IllegalActionError, match=f"action {answer}.*{reason}"):
        env.reset(seed=1)


@pytest.mark.parametrize(
    "answer",
    [str, lambda legal: legal + 0.5, lambda legal: None, lambda legal: [legal, legal]],
    ids=["text", "fraction", "None", "two"],
)
def test_opponents__answer_that_is_no_whole_number_is_an_error(answer):
    env = AzulEnv(seat=1, opponents=lambda state, mask, rng: answer(int(mask.argmax())))
    with pytest.raises((TypeError, ValueError)):
        env.reset(seed=1)


@pytest.mark.parametrize("answer", [np.int64, np.uint8, np.array])
def test_opponents__may_answer_with_numpy_numbers(answer):
    env = AzulEnv(opponents=lambda state, mask, rng: answer(mask.argmax()))
    env.reset(seed=1)
    plain = started(opponents=first_legal)
    assert episode(env, 1) == episode(plain, 1)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_seat__is_fixed_or_drawn_anew_for_every_game(num_players):
    for seat in range(num_players):
        env = AzulEnv(num_players=num_players, seat=seat)
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(5)} == {seat}
    env = AzulEnv(num_players=num_players)
    seats = [env.reset(seed=0)[1]["seat"], *(env.reset()[1]["seat"] for _ in range(200))]
    assert min(seats.count(seat) for seat in range(num_players)) > 0.5 * 200 / num_players


@pytest.mark.parametrize("starting_player", [0, 1, 2])
def test_starting_player__moves_first_whoever_learns(starting_player):
    firsts = []

    def noted(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
        firsts.append((state.starting_player_next_round, state.current_player))
        return first_legal(state, mask, rng)

    for seat in range(3):
        env = AzulEnv(num_players=3, seat=seat, starting_player=starting_player, opponents=noted)
        firsts.clear()
        env.reset(seed=1)
        before = [(starting_player + turn) % 3 for turn in range((seat - starting_player) % 3)]
        assert [mover for _, mover in firsts] == before
        assert all(starter == starting_player for starter, _ in firsts)


def test_starting_player__random_is_every_seat():
    env = AzulEnv(seat=0, starting_player="random")
    env.reset(seed=0)
    moved_first = []
    for _ in range(100):
        env.reset()
        moved_first.append(sum(map(sum, env.get_state().factories)) == 20)
    assert 30 < sum(moved_first) < 70


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (179, IllegalReason.SOURCE_EMPTY),
        (-1, IllegalReason.OUT_OF_RANGE),
        (180, IllegalReason.OUT_OF_RANGE),
        (10**9, IllegalReason.OUT_OF_RANGE),
    ],
)
@pytest.mark.parametrize("reward", [*REWARDS, point_gain])
def test_illegal_action__ends_the_episode_with_minus_one_and_says_why(reward, action, reason):
    env = started(seat=0, reward=reward)
    before = env.get_state()
    vector, value, terminated, truncated, info = env.step(action)
    assert (value, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == str(reason)
    assert "end_reason" not in info
    assert not info["action_mask"].any() and not env.action_masks().any()
    assert env.get_state() == before
    assert np.array_equal(vector, observe(before, 0))
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()
    assert "illegal_action" not in env.step(int(env.action_masks().argmax()))[4]


@pytest.mark.parametrize("action", [None, "5", 1.5, np.float32(1), {}])
def test_step__wrong_types_are_errors_and_change_nothing(action):
    env = started()
    before = env.get_state()
    with pytest.raises((TypeError, ValueError)):
        env.step(action)
    assert env.get_state() == before
    env.step(int(env.action_masks().argmax()))


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint8, np.array])
def test_step__takes_every_kind_of_whole_number(kind):
    env, other = started(), started()
    action = int(env.action_masks().argmax())
    env.step(action)
    other.step(kind(action))
    assert env.get_state() == other.get_state()


def test_step__before_reset_and_after_the_end_needs_a_reset():
    for env in (AzulEnv(max_rounds=1), gymnasium.make(NAME, max_rounds=1)):
        with pytest.raises(ResetNeeded):
            env.step(0)
        env.reset(seed=1)
        episode(env.unwrapped, 1)
        with pytest.raises(ResetNeeded):
            env.unwrapped.step(0)
        env.reset()
        env.step(int(env.unwrapped.action_masks().argmax()))


def test_before_reset__there_is_no_state_to_get():
    with pytest.raises((ResetNeeded, ValueError)):
        AzulEnv().get_state()


@pytest.mark.parametrize("num_players", [2, 3])
def test_opponents__by_spec_are_those_of_the_arena(num_players):
    seats = num_players - 1
    given = ("greedy", ["greedy"] * seats, make_agent("greedy"), make_agent("greedy").act)
    games = [
        episode(started(num_players=num_players, seat=0, opponents=opponents), 5)
        for opponents in given
    ]
    assert games[0] == games[1] == games[2] == games[3]
    assert games[0] != episode(started(num_players=num_players, seat=0), 5)
    with pytest.raises(ValueError, match="opponents: unknown agent 'nobody'"):
        AzulEnv(num_players, opponents="nobody")
