"""Game records and files of them, broken in every way: refused with a RecordError, or telling the truth."""

import copy
import json
import warnings
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from azul_env import (
    GameRecord,
    LostRecordWarning,
    RecordError,
    problems,
    read_records,
    replay,
    verify,
    winners,
)
from fuzz.mutations import ODD, Edit, edited, edits, refusal
from properties.walks import Walk, recorded


@cache
def sound_records() -> tuple[GameRecord, ...]:
    walks = [
        Walk(2, 0, 1, "uniform", 50),
        Walk(2, 1, 2, "floor", 2),
        Walk(3, 2, 3, "uniform", 50, ((4, 1),)),
        Walk(4, 3, 4, "uniform", 1, ((2, 0), (2, 3), (9, 1))),
    ]
    return tuple(recorded(walk)[0].record for walk in walks)


some_record = st.integers(0, len(sound_records()) - 1).map(lambda i: sound_records()[i])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def told_again(record: GameRecord) -> list[dict[str, Any]]:
    """The events of a record, written down once more from the states it replays to."""
    events: list[dict[str, Any]] = []
    state = None
    for after, event in replay(record):
        if event is not None and event["type"] == "draft":
            player, action = state.current_player, int(event["action"])
            events.append({"type": "draft", "player": player, "action": action})
        elif event is not None:
            events.append(
                {"type": "resign", "player": int(event["player"]), "forfeit": event["forfeit"]}
            )
        if state is None or (after.round > state.round and not after.is_terminal):
            events.append({"type": "deal", "factories": [list(one) for one in after.factories]})
        state = after
    if state.is_terminal:
        scores = [board.score for board in state.players]
        end = {"reason": state.end_reason, "scores": scores, "winners": list(winners(state))}
        events.append({"type": "end", **end})
    return events


def check_record(data: Any) -> None:
    """A record is refused with a RecordError or tells of a game that is possible, event by event."""
    error = refusal(GameRecord.from_dict, data)
    if error is not None:
        assert isinstance(error, RecordError)
        return
    record = GameRecord.from_dict(data)
    again = GameRecord.from_json(record.to_json())
    assert again == record and again.to_json() == record.to_json()
    error = refusal(verify, record)
    if error is None:
        assert problems(verify(record)) == []
        assert json.dumps(told_again(record)) == json.dumps(record.events)
        assert 2 <= record.num_players <= 4
        assert type(data["format"]) is int
    else:
        assert isinstance(error, RecordError)
        assert error.event is None or 0 <= error.event <= len(record.events)


@settings(max_examples=120)
@given(some_record, edits)
@example(sound_records()[0], [Edit(6, "replace", "5001 digits")])
@example(sound_records()[0], [Edit(6, "replace", "deep list")])
def test_edited_records__are_refused_or_true(record: GameRecord, changes: list[Edit]):
    check_record(edited(record.to_dict(), changes))


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_value_in_a_record__is_refused_or_true(name):
    record = sound_records()[1].to_dict()
    shorter = record | {"events": record["events"][:3] + record["events"][-1:]}
    check_record(ODD[name]())
    for place in range(60):
        check_record(edited(shorter, [Edit(place, "replace", name)]))


@pytest.mark.parametrize("value", [True, 1.0], ids=repr)
def test_format__is_the_number_1_and_no_other_type(value):
    with pytest.raises(RecordError, match="format"):
        GameRecord.from_dict(sound_records()[0].to_dict() | {"format": value})


def test_type_of_an_event__may_be_anything_but_is_refused_with_its_number():
    record = sound_records()[0].to_dict()
    for odd in ("empty list", "dict", "none", "digit", "nan", "np.int64", "5001 digits"):
        events = [record["events"][0], {"type": ODD[odd]()}]
        with pytest.raises(RecordError, match=r"\b1\b") as refused:
            GameRecord.from_dict(record | {"events": events})
        assert refused.value.event == 1


@settings(max_examples=100)
@given(
    some_record,
    st.sampled_from(["swap", "drop", "repeat", "cut", "borrow", "nudge"]),
    st.integers(0, 500),
    st.integers(0, 500),
)
def test_events_in_disorder__are_refused_or_true(record, how, one, other):
    data = copy.deepcopy(record.to_dict())
    events = data["events"]
    first, second = one % len(events), other % len(events)
    match how:
        case "swap":
            events[first], events[second] = events[second], events[first]
        case "drop":
            del events[first]
        case "repeat":
            events.insert(second, copy.deepcopy(events[first]))
        case "cut":
            del events[max(1, first) :]
        case "borrow":
            foreign = sound_records()[other % len(sound_records())].events
            events[first] = copy.deepcopy(foreign[one % len(foreign)])
        case "nudge" if events[first]["type"] == "draft":
            events[first]["action"] = other % 300
    check_record(data)


def test_events_in_disorder__are_told_from_the_first_that_is_impossible():
    record = sound_records()[0]
    turns = [i for i, event in enumerate(record.events) if event["type"] == "draft"]
    for place in turns[::9]:
        events = copy.deepcopy(record.events)
        events[place]["action"] = 180  # no such action with two players
        with pytest.raises(RecordError, match="OUT_OF_RANGE") as refused:
            verify(GameRecord(2, record.starting_player, record.max_rounds, events=events))
        assert refused.value.event == place


@settings(max_examples=100)
@given(st.text(max_size=60) | json_values.map(json.dumps) | st.sampled_from(["[" * 10**5, "{}"]))
@example('{"format": ' + "1" * 5000 + "}")
@example('{"format": 1, "a": ' + "[" * 10**5 + "]" * 10**5 + "}")
def test_random_lines__are_no_records(line: str):
    assert type(refusal(GameRecord.from_json, line)) is RecordError


@pytest.mark.parametrize("name", sorted(ODD))
def test_line_of_another_type__is_refused(name):
    error = refusal(GameRecord.from_json, ODD[name]())
    assert isinstance(error, TypeError | RecordError)


@settings(max_examples=100)
@given(
    st.binary(max_size=120) | st.lists(json_values.map(json.dumps)).map("\n".join).map(str.encode)
)
@example(b'{"format": ' + b"1" * 5000 + b"}\n{}\n")
@example(b"\xff\xfe{\x00}\x00\n{}\n")
@example(b"\xef\xbb\xbf{}\n{}\n")
def test_files_of_random_bytes__are_refused_with_a_line_or_empty(tmp_path_factory, content: bytes):
    path = tmp_path_factory.mktemp("fuzz") / "games.jsonl"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostRecordWarning)
        error = refusal(lambda: list(read_records(path)))
        if error is None:
            assert list(read_records(path)) == []
        else:
            assert isinstance(error, RecordError)
            assert str(path) in str(error) and "line " in str(error)
    assert path.read_bytes() == content


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.binary(max_size=3), st.integers(0, 3))
def test_files_with_bytes_changed__give_no_game_that_is_not_in_them(
    tmp_path_factory, place: int, letters: bytes, width: int
):
    path = tmp_path_factory.mktemp("fuzz") / "games.jsonl"
    content = b"".join(record.to_json().encode() + b"\n" for record in sound_records())
    place %= len(content)
    path.write_bytes(content[:place] + letters + content[place + width :])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostRecordWarning)
        read: list[GameRecord] = []
        error = refusal(lambda: read.extend(read_records(path)))
    whole = content[:place].count(b"\n")
    assert read[:whole] == list(sound_records()[: min(whole, len(read))])
    if error is not None:
        assert isinstance(error, RecordError) and f"line {len(read) + 1}" in str(error)
    for record in read:
        check_record(record.to_dict())
