"""No public function changes what it is given, shares memory with it, or touches the world's random generators."""

import copy
import inspect
import itertools
import pickle
import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings

import azul_env
from azul_env import (
    Action,
    GameRecord,
    GameRecorder,
    GameState,
    IllegalActionError,
    ImpossibleDealError,
    InvalidPositionError,
    MissingDealError,
    NotationError,
    RecordError,
    append_record,
    apply_action,
    decode_action,
    describe_action,
    encode_action,
    format_action,
    from_dict,
    illegal_reason,
    legal_actions,
    legal_mask,
    new_game,
    num_actions,
    parse_action,
    parse_state,
    problems,
    ranking,
    read_records,
    replay,
    resign,
    to_dict,
    verify,
    winners,
    write_records,
)
from positions import before_last_move
from properties.walks import Walk, recorded, start_of, states_of, walks

ENDS_ROUND = Action(0, 4, 4)  # in `before_last_move`
FIRST_DEAL = [[0, 1, 1, 1, 1]] * 4 + [[4, 0, 0, 0, 0]]
NEXT_DEAL = [[1, 1, 1, 1, 0], [1, 1, 1, 0, 1], [1, 1, 0, 1, 1], [1, 0, 1, 1, 1], [0, 1, 1, 1, 1]]


def contents(thing: object) -> object:
    """The bytes of anything a test hands to a function."""
    if isinstance(thing, GameState):
        return thing.rows.tobytes(), thing.rows.flags.writeable, id(thing.rows)
    if isinstance(thing, np.ndarray):
        return thing.tobytes()
    if isinstance(thing, np.random.Generator):
        return repr(thing.bit_generator.state)
    if isinstance(thing, GameRecord):
        return pickle.dumps(thing.to_dict())
    if isinstance(thing, list | tuple):
        return type(thing), [contents(part) for part in thing]
    return repr(thing)


def global_randomness() -> object:
    kind, keys, *rest = np.random.get_state(legacy=True)
    return random.getstate(), kind, keys.tobytes(), rest


def unchanged(call: Callable[..., object], *arguments: object, **named: object) -> object:
    """The answer, or the error, of a call that must leave its arguments and the world as they are."""
    given_to_it = [*arguments, *named.values()]
    before = [contents(argument) for argument in given_to_it]
    world = global_randomness()
    try:
        answer = call(*arguments, **named)
        answer = list(answer) if isinstance(answer, Iterator) else answer
    except (ValueError, TypeError, OSError) as error:
        answer = error
    assert [contents(argument) for argument in given_to_it] == before, call.__name__
    assert global_randomness() == world, call.__name__
    return answer


def questions() -> list[Callable[[GameState], object]]:
    """Every public function of nothing but a state."""
    public = [getattr(azul_env, name) for name in azul_env.__all__ if name[0].islower()]
    return [function for function in public if callable(function) and needed(function) == ["state"]]


def needed(function: Callable[..., object]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is parameter.empty]


def test_questions__are_asked_by_name_as_functions_come():
    assert {legal_mask, legal_actions, to_dict, problems, ranking, winners} <= {*questions()}
    assert len(questions()) >= 7


@settings(max_examples=4)
@given(walks())
def test_states__are_unchanged_by_every_function(walk: Walk):
    rng = np.random.default_rng(walk.seed)
    for state in [*rng.choice(states_of(walk), 6), states_of(walk)[-1]]:
        for question in [*questions(), repr, hash, copy.copy]:
            unchanged(question, state)
        unchanged(pickle.dumps, state)
        unchanged(state.__eq__, start_of(walk))
        for number in rng.integers(-1, num_actions(walk.num_players) + 1, size=8).tolist():
            unchanged(illegal_reason, state, number)
            unchanged(illegal_reason, state, number, player=walk.starting_player)
            unchanged(apply_action, state, number)
            unchanged(apply_action, state, number, rng=walk.seed)
            unchanged(apply_action, state, number, deal=[[4, 0, 0, 0, 0]] * 5)
        for seat in range(-1, walk.num_players + 1):
            unchanged(resign, state, seat)
        for name in (name for name in dir(GameState) if not name.startswith("_")):
            unchanged(getattr, state, name)


@settings(max_examples=15)
@given(walks())
def test_results__share_no_memory_with_their_input(walk: Walk):
    states = states_of(walk)
    for before, after in itertools.pairwise(states):
        assert not np.shares_memory(before.rows, after.rows)
    state = states[0]
    relatives = [
        copy.copy(state),
        copy.deepcopy(state),
        pickle.loads(pickle.dumps(state)),
        from_dict(to_dict(state)),
        resign(state, 0).state,
    ]
    for relative in relatives:
        assert not np.shares_memory(relative.rows, state.rows)
    mask = legal_mask(state)
    assert not np.shares_memory(mask, state.rows) and not np.shares_memory(mask, legal_mask(state))
    expected = mask.copy()
    mask[:] = True
    assert (legal_mask(state) == expected).all()


def test_to_dict__hands_out_data_of_its_own():
    state = new_game(2, rng=0)
    expected, given_away = to_dict(state), to_dict(state)
    given_away["bag"][0] = 99
    given_away["factories"][0].clear()
    given_away["players"][0]["wall"][0][0] = 1
    given_away["players"][0]["pattern_lines"][0]["count"] = 1
    assert to_dict(state) == expected


def test_from_dict__keeps_nothing_of_the_dict():
    position = to_dict(new_game(2, rng=0))
    state = from_dict(position)
    before = state.rows.tobytes()
    position["bag"][0] += 1
    position["players"][0]["floor"].append("marker")
    assert state.rows.tobytes() == before


def test_failing_calls__leave_their_input_alone():
    last_move = before_last_move("5 B//..R:.WB../.WWW/ BB")
    short = [[0] * 5 for _ in range(5)]
    cases = [
        (IllegalActionError, unchanged(apply_action, last_move, Action(1, 0, 0), rng=1)),
        (IllegalActionError, unchanged(apply_action, last_move, 9999, deal=NEXT_DEAL)),
        (IllegalActionError, unchanged(resign, last_move, 7)),
        (MissingDealError, unchanged(apply_action, last_move, ENDS_ROUND)),
        (ImpossibleDealError, unchanged(apply_action, last_move, ENDS_ROUND, deal=short)),
        (ImpossibleDealError, unchanged(new_game, 2, deal=short)),
        (ValueError, unchanged(new_game, 5, deal=FIRST_DEAL)),
        (TypeError, unchanged(apply_action, last_move, "0W4", rng=1)),
        (InvalidPositionError, unchanged(from_dict, to_dict(last_move) | {"bag": [0] * 5})),
        (NotationError, unchanged(parse_state, "azul")),
        (NotationError, unchanged(parse_action, "9Z9", 2)),
        (RecordError, unchanged(GameRecord.from_dict, {"events": []})),
    ]
    for expected, answer in cases:
        assert isinstance(answer, expected), answer


def test_successful_calls__leave_their_input_alone():
    last_move = before_last_move("5 B//..R:.WB../.WWW/ BB")
    position = to_dict(last_move)
    cases = [
        unchanged(new_game, 2, deal=FIRST_DEAL).factories == tuple(map(tuple, FIRST_DEAL)),
        unchanged(apply_action, last_move, ENDS_ROUND, deal=NEXT_DEAL).state.round == 5,
        unchanged(from_dict, position) == last_move,
        unchanged(problems, position) == [],
        unchanged(encode_action, Action(1, 2, 3), 2) == 45,
        unchanged(decode_action, 45, 2) == Action(1, 2, 3),
        unchanged(format_action, Action(1, 2, 3), 2) == "1R3",
        unchanged(describe_action, Action(1, 2, 3), 2) == "factory 1, red, line 3",
        unchanged(describe_action, 45, 2) == "factory 1, red, line 3",
    ]
    assert all(cases), cases


def test_records__are_unchanged_by_reading_replaying_and_writing(tmp_path):
    record = recorded(Walk(3, 1, 4, "uniform", 50, ((5, 1),)))[0].record
    path = tmp_path / "games.jsonl"
    assert isinstance(unchanged(replay, record), list)
    assert isinstance(unchanged(verify, record), GameState)
    assert unchanged(GameRecord.from_dict, record.to_dict()) == record
    assert unchanged(GameRecord.from_json, record.to_json()) == record
    assert unchanged(write_records, path, [record]) is None
    assert unchanged(append_record, path, record) is None
    assert unchanged(read_records, path) == [record, record]
    broken = GameRecord.from_dict(record.to_dict() | {"events": record.events[1:]})
    assert isinstance(unchanged(verify, broken), RecordError)


def test_generator__is_used_only_where_a_round_ends_and_the_game_goes_on():
    start = new_game(2, rng=0)
    last_move = before_last_move("5 //// -")
    final_move = before_last_move("5 W:BYRK.//// -")
    rng = np.random.default_rng(3)
    for state, action in [(start, legal_actions(start)[0]), (final_move, ENDS_ROUND)]:
        unchanged(apply_action, state, action, rng=rng)
    assert apply_action(final_move, ENDS_ROUND).state.end_reason == "row"
    for action in (Action(1, 0, 0), 9999):
        assert isinstance(unchanged(apply_action, last_move, action, rng=rng), IllegalActionError)
    unchanged(apply_action, last_move, ENDS_ROUND, rng=rng, deal=NEXT_DEAL)
    before = contents(rng)
    apply_action(last_move, ENDS_ROUND, rng=rng)
    assert contents(rng) != before


def test_fresh_entropy__comes_from_the_system_and_not_from_global_generators():
    random.seed(1)
    np.random.seed(1)
    world = global_randomness()
    games = {new_game(4) for _ in range(3)} | {GameRecorder(4).state for _ in range(3)}
    assert global_randomness() == world
    assert len(games) == 6


@settings(max_examples=15)
@given(walks())
def test_same_seed__gives_the_same_game(walk: Walk):
    assert states_of(walk) == states_of(walk)
    first, second = recorded(walk), recorded(walk)
    assert first[1] == second[1] and first[0].record == second[0].record


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_seed__stands_for_the_named_generator(num_players):
    for seed in (0, 1, 2**32 - 1, 2**63, 2**200, np.int64(7), np.uint8(200)):
        named = np.random.Generator(np.random.PCG64(int(seed)))
        assert new_game(num_players, rng=seed) == new_game(num_players, rng=named)
    last_move = before_last_move("5 //// -")
    word_of_the_round = np.random.PCG64(11).advance(last_move.round + 1)
    named = np.random.Generator(word_of_the_round)
    by_seed = apply_action(last_move, ENDS_ROUND, rng=11)
    assert by_seed == apply_action(last_move, ENDS_ROUND, rng=named)
    assert len({new_game(num_players, rng=seed) for seed in range(50)}) > 45
