"""The form of records as data, and files of them: what is refused, what is lost, what is kept."""

import copy
import json
import math
from typing import Any

import pytest

from azul_env import (
    GameRecord,
    LostRecordWarning,
    RecordError,
    append_record,
    read_records,
    write_records,
)
from azul_env.record_files import record_writer
from properties.walks import Walk, recorded


def a_record(seed: int) -> GameRecord:
    return recorded(Walk(2, 0, seed, "uniform", 1))[0].record


RECORDS = [a_record(seed) for seed in range(3)]
LINES = [record.to_json().encode() + b"\n" for record in RECORDS]


@pytest.fixture
def game() -> dict[str, Any]:
    """A game of one round that ends by resignation, as data to spoil."""
    walk = Walk(3, 0, 1, "uniform", 1, ((2, 1), (3, 0)))
    return copy.deepcopy(recorded(walk)[0].record.to_dict())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


@pytest.mark.parametrize("key", GameRecord(2).to_dict())
def test_record_without_a_key__is_refused(game, key):
    del game[key]
    with pytest.raises(RecordError, match=key) as refused:
        GameRecord.from_dict(game)
    assert refused.value.event is None


def test_record_with_an_unknown_key__is_refused(game):
    with pytest.raises(RecordError, match="'comment'"):
        GameRecord.from_dict(game | {"comment": ""})


WRONG_VALUES = [
    ("format", 2),
    ("format", "1"),
    ("format", None),
    ("ruleset", "azul-base"),
    ("ruleset", None),
    ("variant", "grey"),
    ("num_players", "2"),
    ("num_players", 2.0),
    ("num_players", True),
    ("num_players", -2),
    ("starting_player", None),
    ("starting_player", False),
    ("max_rounds", math.nan),
    ("max_rounds", -1),
    ("seed", "17"),
    ("seed", 1.5),
    ("seed", -1),
    ("seed", True),
    ("agents", "abc"),
    ("agents", [1, 2, 3]),
    ("agents", ["a", "b"]),
    ("agents", None),
    ("events", None),
    ("events", {}),
    ("events", "deal"),
]


@pytest.mark.parametrize(("key", "value"), WRONG_VALUES, ids=repr)
def test_record_with_a_wrong_value__is_refused_by_its_key(game, key, value):
    with pytest.raises(RecordError, match=key):
        GameRecord.from_dict(game | {key: value})


@pytest.mark.parametrize("data", [None, [], "record", 1, True], ids=repr)
def test_record_of_another_type__is_refused(data):
    with pytest.raises(RecordError, match="object"):
        GameRecord.from_dict(data)
    with pytest.raises(RecordError, match="object"):
        GameRecord.from_json(json.dumps(data))


WRONG_EVENTS = [
    ("deal", "factories", None),
    ("deal", "factories", [1, 2, 3]),
    ("deal", "factories", [["4", 0, 0, 0, 0]]),
    ("deal", "factories", [[True, 0, 0, 0, 0]]),
    ("deal", "factories", [[-1, 0, 0, 0, 0]]),
    ("draft", "player", "0"),
    ("draft", "player", None),
    ("draft", "player", -1),
    ("draft", "player", False),
    ("draft", "action", 1.0),
    ("draft", "action", [0, 0, 0]),
    ("draft", "action", True),
    ("draft", "action", "0B0"),
    ("resign", "player", "0"),
    ("resign", "player", 1.0),
    ("resign", "forfeit", 5),
    ("resign", "forfeit", False),
    ("end", "reason", None),
    ("end", "reason", 1),
    ("end", "scores", 5),
    ("end", "scores", [1.0, 2, 3]),
    ("end", "scores", [-1, 2, 3]),
    ("end", "winners", [None]),
    ("end", "winners", "0"),
    ("end", "winners", [True]),
]


@pytest.mark.parametrize(("kind", "key", "value"), WRONG_EVENTS, ids=repr)
def test_event_with_a_wrong_value__is_refused_by_number_and_key(game, kind, key, value):
    place = next(i for i, event in enumerate(game["events"]) if event["type"] == kind)
    game["events"][place][key] = value
    with pytest.raises(RecordError, match=key) as refused:
        GameRecord.from_dict(game)
    assert refused.value.event == place and f"event {place}" in str(refused.value)


@pytest.mark.parametrize("kind", ["deal", "draft", "resign", "end"])
def test_event_with_other_keys__is_refused_by_number(game, kind):
    place = next(i for i, event in enumerate(game["events"]) if event["type"] == kind)
    event = game["events"][place]
    for changed in [
        event | {"note": 1},
        *({k: event[k] for k in event if k != key} for key in event),
    ]:
        game["events"][place] = changed
        with pytest.raises(RecordError, match=f"event {place}") as refused:
            GameRecord.from_dict(game)
        assert refused.value.event == place


@pytest.mark.parametrize(
    "event", [None, [], "draft", {}, {"type": None}, {"type": "tile"}], ids=repr
)
def test_event_of_unknown_type__is_refused_by_number(game, event):
    game["events"][2] = event
    with pytest.raises(RecordError, match="event 2") as refused:
        GameRecord.from_dict(game)
    assert refused.value.event == 2


def test_files__give_back_what_was_written(path):
    write_records(path, RECORDS[:2])
    append_record(path, RECORDS[2])
    assert list(read_records(path)) == RECORDS
    assert path.read_bytes() == b"".join(LINES)
    assert list(read_records(str(path))) == RECORDS
    assert list(path.parent.iterdir()) == [path]
    write_records(path, [])
    assert list(read_records(path)) == []


def test_append_record__makes_the_file(path):
    append_record(path, RECORDS[0])
    assert path.read_bytes() == LINES[0]


def test_blank_lines__are_skipped_and_windows_line_ends_read(path):
    path.write_bytes(b"\n" + LINES[0] + b"  \n" + LINES[1].replace(b"\n", b"\r\n") + b"\n\n")
    assert list(read_records(path)) == RECORDS[:2]


def test_last_line_without_line_end__is_no_loss(path):
    path.write_bytes(LINES[0] + LINES[1].rstrip())
    assert list(read_records(path)) == RECORDS[:2]
    append_record(path, RECORDS[2])
    assert path.read_bytes() == b"".join(LINES)


@pytest.mark.parametrize("share", [0.001, 0.3, 0.7, 0.999])
def test_cut_off_last_line__loses_that_game_only(path, share):
    kept = LINES[2][: max(1, int(share * (len(LINES[2]) - 1)))]
    path.write_bytes(LINES[0] + LINES[1] + kept)
    with pytest.warns(LostRecordWarning) as warned:
        assert list(read_records(path)) == RECORDS[:2]
    message = str(warned[0].message)
    assert len(warned) == 1 and str(path) in message and "line 3" in message
    assert path.read_bytes() == LINES[0] + LINES[1] + kept


def test_file_cut_off_anywhere__keeps_every_game_before_the_cut(path):
    content = b"".join(LINES)
    ends = [len(b"".join(LINES[:count])) for count in range(4)]  # after this many whole lines
    cuts = {*range(0, len(content), 97), *(end - 1 for end in ends[1:]), *ends}
    for cut in sorted(cuts):
        path.write_bytes(content[:cut])
        whole = sum(cut >= end - 1 for end in ends[1:])  # the line end itself is no part of a game
        if cut > ends[whole]:
            with pytest.warns(LostRecordWarning, match=f"line {whole + 1} "):
                assert list(read_records(path)) == RECORDS[:whole]
        else:
            assert list(read_records(path)) == RECORDS[:whole]


def test_append_after_a_cut_off_line__drops_that_line_with_a_warning(path):
    path.write_bytes(LINES[0] + LINES[1][:50])
    with pytest.warns(LostRecordWarning) as warned:
        append_record(path, RECORDS[2])
    assert len(warned) == 1 and str(path) in str(warned[0].message)
    assert path.read_bytes() == LINES[0] + LINES[2]


def test_append_to_a_file_that_is_one_cut_off_line__starts_it_anew(path):
    path.write_bytes(LINES[1][:50])
    with pytest.warns(LostRecordWarning):
        append_record(path, RECORDS[2])
    assert path.read_bytes() == LINES[2]


BROKEN_LINES = {
    "half a line": LINES[1][:50] + b"\n",
    "no JSON": b"deal draft end\n",
    "no record": b"[1, 2]\n",
    "no UTF-8": b'{"format": "\xff"}\n',
    "unknown key": LINES[1].replace(b'"seed"', b'"sead"'),
}


@pytest.mark.parametrize("kind", BROKEN_LINES)
def test_broken_line_in_the_middle__is_named_and_loses_nothing_before_it(path, kind):
    path.write_bytes(LINES[0] + BROKEN_LINES[kind] + LINES[2])
    records = read_records(path)
    assert next(records) == RECORDS[0]
    with pytest.raises(RecordError, match="line 2") as refused:
        next(records)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("kind", BROKEN_LINES)
def test_broken_last_line_with_its_line_end__was_not_cut_off_and_is_refused(path, kind):
    path.write_bytes(LINES[0] + BROKEN_LINES[kind])
    with pytest.raises(RecordError, match="line 2"):
        list(read_records(path))


def test_impossible_event_in_the_form__keeps_its_number_when_read_from_a_file(path):
    path.write_bytes(LINES[0].replace(b'"type":"end"', b'"type":"fin"'))
    with pytest.raises(RecordError, match="line 1") as refused:
        list(read_records(path))
    assert refused.value.event == len(RECORDS[0].events) - 1


def test_write_records__leaves_the_old_file_if_a_game_fails(path):
    def failing():
        yield RECORDS[1]
        raise RuntimeError("no more games")

    write_records(path, RECORDS[:1])
    with pytest.raises(RuntimeError, match="no more games"):
        write_records(path, failing())
    assert path.read_bytes() == LINES[0]


def test_write_records__leaves_no_unfinished_file_if_a_game_fails(path):
    with pytest.raises(TypeError):
        write_records(path, [RECORDS[0], GameRecord(2, agents=[object()])])
    assert list(path.parent.iterdir()) == []


def test_write_records__can_rewrite_the_file_it_reads(path):
    write_records(path, RECORDS)
    write_records(path, (record for record in read_records(path) if record != RECORDS[1]))
    assert path.read_bytes() == LINES[0] + LINES[2]


def test_append_record__leaves_the_file_alone_if_the_record_cannot_be_written(path):
    path.write_bytes(LINES[0] + LINES[1][:20])
    with pytest.raises(TypeError):
        append_record(path, GameRecord(2, agents=[object()]))
    assert path.read_bytes() == LINES[0] + LINES[1][:20]


def test_missing_file__is_an_error_of_the_system(path):
    with pytest.raises(FileNotFoundError):
        list(read_records(path))


def test_record_writer__adds_to_a_new_file_game_by_game(path):
    def interrupted():
        with record_writer(path) as write:
            assert not path.exists()
            for count, record in enumerate(RECORDS[:2], start=1):
                write(record)
                assert path.read_bytes() == b"".join(LINES[:count])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(read_records(path)) == RECORDS[:2]


def test_record_writer__replaces_an_old_file_at_the_end_or_not_at_all(path):
    def interrupted():
        with record_writer(path) as write:
            write(RECORDS[1])
            raise KeyboardInterrupt

    write_records(path, RECORDS[:1])
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == LINES[0]
    with record_writer(path) as write:
        write(RECORDS[1])
        assert path.read_bytes() == LINES[0]
    assert path.read_bytes() == LINES[1]
    assert list(path.parent.iterdir()) == [path]
