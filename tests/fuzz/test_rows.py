"""Rows of numbers from outside: refused in words, or a game that every kernel can play to its end."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from azul_agents import make_agent
from azul_env import (
    AzulEnv,
    AzulTurnsVectorEnv,
    AzulVectorEnv,
    GameBatch,
    GameState,
    InvalidPositionError,
    afterstate,
    azul_v0,
    legal_mask,
    new_game,
    problems,
    resign,
    undealt_game,
)
from azul_env.core.soundness import ALL_SOUND, first_unsound
from azul_env.core.state import STATE
from azul_env.rules import apply_action
from azul_env.state import checked_rows
from fuzz.rows import sound_rows
from fuzz.running import play_mutated_rows
from positions import random_game


def test_mutated_rows__are_refused_or_played_to_the_end():
    """What is looked for is a crash, a hang, or a verdict that `problems` does not share."""
    play_mutated_rows(2000)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_check__accepts_all_that_games_reach(num_players):
    rows = sound_rows(num_players, seed=7)
    assert first_unsound(rows, 0, len(rows)) == ALL_SOUND
    assert {0, 1, 3, 4} <= {*rows["end_reason"].tolist()}
    assert checked_rows(rows, "rows") is rows


def test_check__accepts_states_between_two_rounds_and_what_resigning_there_leads_to():
    start = undealt_game(3)
    assert [problem.reason for problem in problems(start)] == ["EMPTY_TABLE"]
    one_left = resign(resign(start, 0).state, 2).state
    assert one_left.is_terminal
    for state in (start, resign(start, 0).state, one_left):
        assert GameState(state.rows.copy()) == state == pickle.loads(pickle.dumps(state))
    state = new_game(2, rng=3)
    while True:
        action = int(np.flatnonzero(legal_mask(state))[-1])
        after = afterstate(state, action)
        assert pickle.loads(pickle.dumps(after)) == after
        if after.awaits_deal:
            break
        state = apply_action(state, action).state
    spoilt = after.rows.copy()
    spoilt["marker_in_center"] = 0
    with pytest.raises(InvalidPositionError, match="the next round is not dealt yet"):
        GameState(spoilt)


def garbage(count: int, seed: int = 0) -> np.ndarray:
    """Rows of noise."""
    return np.frombuffer(np.random.default_rng(seed).bytes(count * STATE.itemsize), STATE).copy()


def broken(count: int, num_players: int = 2) -> np.ndarray:
    """Games of which the last has a seat that no table has."""
    rows = np.repeat(new_game(num_players, rng=1).rows, count)
    rows["current_player"][-1] = 10**9
    return rows


def in_an_agent(rows: np.ndarray) -> Any:
    masks, rngs = np.ones((len(rows), 180), np.bool_), [np.random.default_rng(1)] * len(rows)
    return make_agent("greedy").act_batch(rows, masks, rngs)


def unpickled(rows: np.ndarray) -> Any:
    state = new_game(2, rng=1)
    state.rows[:] = rows[-1:]
    return pickle.loads(pickle.dumps(state))


DOORS = {
    "GameState": lambda rows: GameState(rows[-1:]),
    "pickle": unpickled,
    "AzulVectorEnv": lambda rows: AzulVectorEnv(len(rows)).set_state(rows),
    "AzulTurnsVectorEnv": lambda rows: AzulTurnsVectorEnv(len(rows)).set_state(rows),
    "GameBatch": lambda rows: GameBatch(len(rows)).set_state(rows),
    "act_batch": in_an_agent,
}


@pytest.mark.parametrize("make", [garbage, broken])
@pytest.mark.parametrize("door", DOORS)
def test_every_door__refuses_impossible_rows_and_says_what_is_wrong(door, make):
    with pytest.raises(InvalidPositionError, match=r"impossible position: \w+ at .*: "):
        DOORS[door](make(3))


@pytest.mark.parametrize("door", [door for door in DOORS if door not in ("GameState", "pickle")])
def test_every_door__names_the_game_and_takes_rows_of_one_kind_only(door):
    with pytest.raises(InvalidPositionError, match="game 2, current_player"):
        DOORS[door](broken(3))
    for wrong in (np.zeros(3), np.zeros((3, 1), STATE), np.zeros(3, STATE.newbyteorder())):
        with pytest.raises((TypeError, ValueError)):
            DOORS[door](wrong)
    mixed = np.concatenate([new_game(2, rng=1).rows, new_game(3, rng=1).rows])
    with pytest.raises(ValueError, match="a state of 3 players in"):
        DOORS[door](mixed)


@pytest.mark.parametrize("door", DOORS)
def test_every_door__takes_rows_however_they_lie_in_memory(door):
    rows = np.repeat(new_game(2, rng=1).rows, 6)
    read_only = rows[:3].copy()
    read_only.flags.writeable = False
    unaligned = np.zeros(3 * STATE.itemsize + 1, np.uint8)[1:].view(STATE)
    unaligned[:] = rows[:3]
    for given in (rows[::2], rows[::-2], read_only, rows[:3].view(np.recarray), unaligned):
        DOORS[door](given)


def test_single_environments__refuse_a_state_that_awaits_a_deal_and_change_nothing():
    for env in (AzulEnv(), azul_v0.env(), azul_v0.raw_env()):
        env.reset(seed=1)
        before = env.get_state()
        for wrong, error in ((undealt_game(2), ValueError), (new_game(2, rng=1).rows, TypeError)):
            with pytest.raises(error, match="a state"):
                env.set_state(wrong)
        assert env.get_state() == before


def test_batch__shows_its_rows_but_does_not_let_them_be_written():
    batch = GameBatch(2, seed=1)
    with pytest.raises(ValueError, match="read-only"):
        batch.rows["num_players"] = 5
    for name in ("rows", "final_rows", "num_players"):
        with pytest.raises(AttributeError):
            setattr(batch, name, 5)
    later = GameBatch(2, seed=1)
    later.step(later.random_actions())
    batch.set_state(later.rows)
    assert batch.rows.tobytes() == later.rows.tobytes()
    with pytest.raises(ValueError, match="2 rows are needed, not 3"):
        batch.set_state(np.repeat(later.rows[:1], 3))


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_games": 0},
        {"num_games": -1},
        {"num_games": 10**12},
        {"num_games": 2.0},
        {"num_games": True},
        {"num_players": 5},
        {"num_players": 1},
        {"starting_player": 10**9},
        {"starting_player": 2},
        {"starting_player": -1},
        {"max_rounds": 0},
        {"max_rounds": 10**6},
        {"threads": 0},
        {"threads": 10**6},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": "1"},
    ],
    ids=str,
)
def test_batch__refuses_numbers_out_of_range_at_once(arguments):
    (name,) = arguments
    with pytest.raises((TypeError, ValueError), match="seed" if name == "seed" else name):
        GameBatch(**{"num_games": 1} | arguments)


@pytest.mark.parametrize("make", [AzulVectorEnv, AzulTurnsVectorEnv])
@pytest.mark.parametrize("num_envs", [0, -1, 10**12, 2.0, True])
def test_vector_environments__refuse_numbers_of_games_at_once(make, num_envs):
    with pytest.raises((TypeError, ValueError), match="num_envs"):
        make(num_envs)


@pytest.mark.parametrize("make", [AzulVectorEnv, AzulTurnsVectorEnv])
@pytest.mark.parametrize("seed", [[1], [1, "2", 3], [1, -2, 3], -1, 1.5, "123"])
def test_vector_environments__are_as_they_were_after_a_wrong_seed(make, seed):
    env = make(3)
    with pytest.raises((TypeError, ValueError), match="seed"):
        env.reset(seed=seed)
    with pytest.raises(Exception, match="reset"):  # no game has begun, so no kernel may look at one
        env.step([0, 0, 0])
    env.reset(seed=5)
    before = env.get_state().tobytes()
    kept = copy.deepcopy(env)
    with pytest.raises((TypeError, ValueError), match="seed"):
        env.reset(seed=seed)
    assert env.get_state().tobytes() == before
    actions = env.action_masks().argmax(axis=1)
    assert env.step(actions)[0].tobytes() == kept.step(actions)[0].tobytes()


@pytest.mark.parametrize("mask", [np.ones(180), np.ones(179, np.bool_), [True] * 180, None])
def test_agents__refuse_masks_of_other_types_and_shapes(mask):
    state = next(random_game(new_game(2, rng=1), seed=1))
    for spec in ("random", "greedy", "alphabeta:nodes=10"):
        with pytest.raises((TypeError, ValueError), match="a legal mask must"):
            make_agent(spec).act(state, mask, np.random.default_rng(1))


def test_agents__take_the_masks_of_environments_for_what_they_are():
    state, rng = new_game(2, rng=1), np.random.default_rng(1)
    for spec in ("greedy", "ppo"):
        agent = make_agent(spec)
        as_numbers = legal_mask(state).view(np.int8)
        assert agent.act(state, as_numbers, rng) == agent.act(state, legal_mask(state), rng)
