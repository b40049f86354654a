"""Every form of a position, a move and a game leads back to the thing itself."""

import copy
import itertools
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azul_env import (
    Action,
    GameRecord,
    GameState,
    IllegalActionError,
    IllegalReason,
    InvalidPositionError,
    RecordError,
    apply_action,
    decode_action,
    encode_action,
    format_action,
    format_state,
    from_dict,
    new_game,
    num_actions,
    num_factories,
    parse_action,
    parse_state,
    resign,
    to_dict,
    verify,
)
from properties.walks import Walk, recorded, states_of, walks

PLAYERS = (2, 3, 4)


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """A state of a random game; the last one is drawn often."""
    game = states_of(draw(walks()))
    return game[draw(st.integers(-1, len(game) - 1))]


def is_plain(data: object) -> bool:
    """Whether data has only the types that JSON knows, exactly."""
    if type(data) is dict:
        return all(type(key) is str and is_plain(value) for key, value in data.items())
    if type(data) is list:
        return all(map(is_plain, data))
    return data is None or type(data) in (bool, int, str)


def same(one: GameState, other: GameState) -> bool:
    return one == other and one.rows.tobytes() == other.rows.tobytes()


@settings(max_examples=50)
@given(states())
def test_dict__leads_back_to_the_state_through_json(state: GameState):
    position = to_dict(state)
    assert is_plain(position)
    assert same(from_dict(position), state)
    assert same(from_dict(json.loads(json.dumps(position))), state)
    assert to_dict(from_dict(position)) == position


@settings(max_examples=50)
@given(states())
def test_text__leads_back_to_the_state_and_is_its_repr(state: GameState):
    text = format_state(state)
    assert repr(state) == text
    assert "\n" not in text and text.isascii()
    assert same(parse_state(text), state)
    assert same(parse_state(f"  {text}\n"), state)


@settings(max_examples=30)
@given(states(), states())
def test_text__differs_where_states_differ(one: GameState, other: GameState):
    assert (format_state(one) == format_state(other)) == (one == other)
    assert (to_dict(one) == to_dict(other)) == (one == other)


@settings(max_examples=30)
@given(states())
def test_copies_and_pickles__are_equal_states_of_their_own(state: GameState):
    pickles = [
        pickle.loads(pickle.dumps(state, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ]
    for twin in [copy.copy(state), copy.deepcopy(state), *pickles]:
        assert same(twin, state) and hash(twin) == hash(state) and twin is not state
        assert {state: 1}[twin] == 1
        before = state.rows.tobytes()
        twin.rows["scores"][0, 0] += 1
        assert twin != state and state.rows.tobytes() == before


@settings(max_examples=20)
@given(walks())
def test_equality__means_equal_content_and_equal_hash(walk: Walk):
    states = states_of(walk)
    again = states_of(walk)
    assert states == again and list(map(hash, states)) == list(map(hash, again))
    for before, after in itertools.pairwise(states):
        assert before != after
    assert states[0] != repr(states[0]) and states[0] != to_dict(states[0])


@settings(max_examples=20)
@given(states())
def test_parsed_states__play_on_like_the_original(state: GameState):
    if state.is_terminal:
        return
    parsed = parse_state(format_state(state))
    seat = (state.current_player + 1) % state.num_players
    if state.players[seat].resigned is None:
        assert resign(parsed, seat) == resign(state, seat)
    for number in range(0, num_actions(state.num_players), 7):
        assert outcome(parsed, number) == outcome(state, number)


def outcome(state: GameState, number: int) -> object:
    try:
        return apply_action(state, number, rng=5)
    except IllegalActionError as error:
        return error.reason


@pytest.mark.parametrize("num_players", PLAYERS)
def test_actions__lead_back_from_number_and_name(num_players):
    assert num_actions(num_players) == {2: 180, 3: 240, 4: 300}[num_players]
    names = set()
    for number in range(num_actions(num_players)):
        action = decode_action(number, num_players)
        assert isinstance(action, Action) and all(type(part) is int for part in action)
        source, color, destination = action
        assert number == (source * 5 + color) * 6 + destination
        assert encode_action(action, num_players) == number
        name = format_action(action, num_players)
        assert format_action(number, num_players) == name
        for text in (name, name.lower(), f" {name}\n"):
            assert parse_action(text, num_players) == action
        names.add(name)
        is_center = source == num_factories(num_players)
        assert name[0] == ("C" if is_center else str(source))
        assert name[1] == "BYRKW"[color]
        assert name[2] == ("F" if destination == 5 else str(destination))
    assert len(names) == num_actions(num_players)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_action_parts__cover_every_number_just_once(num_players):
    every = [
        encode_action(Action(source, color, destination), num_players)
        for source in range(num_factories(num_players) + 1)
        for color in range(5)
        for destination in range(6)
    ]
    assert every == list(range(num_actions(num_players)))


@settings(max_examples=25)
@given(walks(), st.booleans())
def test_record__leads_back_through_json_and_dict(walk: Walk, named: bool):
    agents = tuple(f"Ägent {seat}\n" for seat in range(walk.num_players)) if named else ()
    recorder, states = recorded(walk, agents)
    record = recorder.record
    line = record.to_json()
    assert "\n" not in line and is_plain(record.to_dict())
    assert GameRecord.from_json(line) == record == GameRecord.from_dict(record.to_dict())
    assert GameRecord.from_json(line).to_json() == line
    assert pickle.loads(pickle.dumps(record)) == record == copy.deepcopy(record)
    assert verify(GameRecord.from_json(line)) == states[-1]


@settings(max_examples=10)
@given(walks(), st.integers(0, 100))
def test_record_of_an_unfinished_game__leads_back_too(walk: Walk, turns: int):
    recorder, _ = recorded(walk)
    # A draft that ends a round is whole only with its deal, and the end event belongs to the last move.
    events = recorder.record.events[: turns + 1]
    while len(events) > 1 and len(events) < len(recorder.record.events):
        if recorder.record.events[len(events)]["type"] not in ("deal", "end"):
            break
        events = events[:-1]
    cut = GameRecord(walk.num_players, walk.starting_player, walk.max_rounds, events=events)
    again = GameRecord.from_json(cut.to_json())
    assert again == cut and verify(again) == verify(cut)


def test_errors__survive_pickling_with_their_facts():
    state = new_game(2, rng=0)
    with pytest.raises(InvalidPositionError) as refused:
        from_dict({})
    errors = [
        refused.value,
        IllegalActionError("action 1", IllegalReason.SOURCE_EMPTY, state),
        RecordError("event 3: no", 3),
        RecordError("no record"),
    ]
    for error in errors:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) != ""
        assert {**vars(again)} == {**vars(error)}
