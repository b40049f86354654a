"""R10.18, R10.19: gray positions as data, what is wrong with some, and gray games as records."""

import json

import numpy as np
import pytest

from azul_env import (
    GameRecord,
    GameRecorder,
    GameState,
    InvalidPositionError,
    MissingDealError,
    RecordError,
    afterstate,
    apply_action,
    dealt,
    from_dict,
    illegal_reason,
    legal_actions,
    legal_mask,
    new_game,
    problems,
    resign,
    to_dict,
    verify,
)
from reference.gray_positions import EMPTY, Data, column, gray, next_fill

TWO_CHOOSE = gray("9 B:.Y.../:R..../RRR// *K", "5 K/.Y/WWW:.B...// W", turn=0)


def both_tiled() -> Data:
    """TWO_CHOOSE after all choices of seat 0."""
    state = from_dict(TWO_CHOOSE)
    for number in (0, 4):
        state = apply_action(state, column(TWO_CHOOSE, number)).state
    return to_dict(state)


# Positions.


@pytest.mark.parametrize(("num_players", "actions"), [(2, 185), (3, 245), (4, 305)])
def test_new_gray_game__has_five_actions_more(num_players, actions):  # R10.16
    state = new_game(num_players, rng=1, variant="gray")
    data = to_dict(state)
    assert state.variant == data["variant"] == "gray"
    assert data["phase"] == "factory_offer"
    assert legal_mask(state).shape == (actions,)
    assert not legal_mask(state)[-5:].any()


@pytest.mark.parametrize(("num_players", "actions"), [(2, 180), (3, 240), (4, 300)])
def test_colored_game__has_no_columns_to_choose(num_players, actions):  # R10.16
    state = new_game(num_players, rng=1)
    assert legal_mask(state).shape == (actions,)
    assert illegal_reason(state, actions) == "OUT_OF_RANGE"


def test_same_seed__deals_the_same_tiles_on_both_walls():
    colored, on_gray = (to_dict(new_game(3, rng=7, variant=name)) for name in ("colored", "gray"))
    assert colored | {"variant": "gray"} == on_gray


def test_wall_cells__tell_their_colors():  # R10.18
    data = json.loads(json.dumps(both_tiled()))
    assert data["phase"] == "wall_tiling"
    assert data["current_player"] == 1
    assert data["players"][0]["wall"][:3] == [[1, 2, 0, 0, 0], [3, 0, 0, 0, 0], [0, 0, 0, 0, 3]]
    assert to_dict(from_dict(data)) == data
    assert from_dict(data) == from_dict(both_tiled())


RIGHT = [
    pytest.param(TWO_CHOOSE, id="nobody_has_tiled"),
    pytest.param(both_tiled, id="marker_scored"),
    pytest.param(gray("9 B//// *", EMPTY, turn=0, start=0), id="marker_on_the_floor"),
    pytest.param(gray("9 B//// KKKKKKK", EMPTY, turn=0, start=0), id="marker_without_a_slot"),
    pytest.param(gray("9 :BKYRW//// -", "0 B//// -", turn=1, center="*"), id="row_complete"),
    pytest.param(gray("9 :BKYRW/BB/// -", EMPTY, turn=0, center="*"), id="own_row_complete"),
    pytest.param(
        gray("9 B//// *K resigned 0", "0 B//// -", EMPTY, turn=1, start=0),
        id="resigned_taker_tiles_last",
    ),
    pytest.param(
        gray("9 B//// K", "0 :B..../BB/// K", EMPTY, turn=1, start=1, center="*"),
        id="later_seats_wait",
    ),
    pytest.param(
        gray("9 //// -", "0 K//// - resigned 0", turn=1, start=1, center="*", over="resignation"),
        id="over_in_the_middle",
    ),
    pytest.param(
        gray(EMPTY, EMPTY, "9 :BKYRW//// - resigned 0", turn=2, round=5, over="row"),
        id="over_by_the_row_of_a_resigned_chooser",
    ),
]


@pytest.mark.parametrize("data", RIGHT)
def test_reachable_position__has_no_problems(data):  # R10.18
    data = data() if callable(data) else data
    assert problems(data) == []
    assert to_dict(from_dict(data)) == data


WRONG = {
    "color_twice_in_a_row": (gray("9 B:.Y.Y.//// -", EMPTY, turn=0, center="*"), "wall"),
    "color_twice_in_a_column": (gray("9 B:.Y.../:.Y.../// -", EMPTY, turn=0, center="*"), "wall"),
    "color_of_a_row_in_its_line": (
        gray("9 B:.B.../YY/// -", EMPTY, turn=0, center="*"),
        "pattern_lines[0]",
    ),
    "tiles_on_the_table": (
        gray("9 B//// -", EMPTY, turn=0, center="W*") | {"phase": "wall_tiling"},
        "",
    ),
    "nothing_to_choose": (gray("9 /.B/// -", EMPTY, turn=0, center="*"), ""),
    "one_legal_column": (gray("9 B:YRK..//:...B.// -", EMPTY, turn=0, center="*"), ""),
    "no_legal_column": (gray("9 :....B/BB:YRKW./// -", EMPTY, turn=0, center="*"), ""),
    "topmost_line_without_a_choice": (gray("9 B:YRKW./YY/// -", EMPTY, turn=0, center="*"), ""),
    "resigned_player_chooses": (
        gray("9 B//// - resigned 0", EMPTY, EMPTY, turn=0, start=1, center="*"),
        "current_player",
    ),
    "full_line_of_one_who_has_tiled": (
        gray("9 B//// -", "0 Y//// -", turn=1, start=0, center="*"),
        "",
    ),
    "floor_of_one_who_has_tiled": (
        gray("9 //// K", "0 Y//// -", turn=1, start=0, center="*"),
        "",
    ),
    "marker_of_one_who_has_tiled": (
        gray("9 //// *", "0 Y//// -", turn=1, start=0),
        "",
    ),
    "marker_of_another": (gray("9 B//// -", "0 Y//// *", turn=0, start=0), ""),
    "marker_lost": (gray("9 B//// K", "0 Y//// -", turn=0, start=0), ""),
    "two_markers": (gray("9 B//// *", "0 Y//// -", turn=0, start=0, center="*"), ""),
    "no_round_left": (
        gray("9 B//// -", EMPTY, turn=0, center="*", round=3, max_rounds=3),
        "round",
    ),
    "row_complete_while_drafting": (
        gray("9 :BKYRW//// -", EMPTY, turn=0, factories="W", center="*"),
        "players",
    ),
    "empty_table_while_drafting": (
        gray("9 B//// -", EMPTY, turn=0, center="*") | {"phase": "factory_offer"},
        "",
    ),
    "colored": (gray("9 B//// -", EMPTY, turn=0, center="*") | {"variant": "colored"}, "phase"),
}


@pytest.mark.parametrize(("data", "where"), WRONG.values(), ids=WRONG.keys())
def test_unreachable_position__is_refused(data, where):  # R10.18
    found = problems(data)
    assert found
    assert any(where in problem.where for problem in found), found
    with pytest.raises(InvalidPositionError):
        from_dict(data)


def test_cell_of_no_color__is_refused():  # R10.18
    data = gray("9 B//// -", EMPTY, turn=0, center="*")
    data["players"][0]["wall"][4][4] = 6
    assert [str(problem) for problem in problems(data)] == [
        "OUT_OF_RANGE at players[0].wall[4][4]: 6 is not in 0..5"
    ]


def test_states__leave_their_inputs_alone():
    before = from_dict(TWO_CHOOSE)
    kept = before.rows.tobytes()
    apply_action(before, column(TWO_CHOOSE, 0))
    resign(before, 0)
    legal_mask(before)
    assert before.rows.tobytes() == kept


@pytest.mark.parametrize("end_round", [apply_action, resign])
def test_end_of_a_round__needs_a_deal(end_round):  # R10.13
    state = from_dict(gray("9 B//// -", EMPTY, EMPTY, turn=0, center="*"))
    with pytest.raises(MissingDealError):
        end_round(state, 240 if end_round is apply_action else 0)
    after = end_round(state, 240 if end_round is apply_action else 0, rng=1).state
    assert (after.round, after.phase) == (5, "factory_offer")


def test_last_choice__has_an_afterstate_that_awaits_the_deal():  # R10.10
    state = from_dict(TWO_CHOOSE)
    for number in (0, 4, 2):
        state = afterstate(state, column(TWO_CHOOSE, number))
        assert (state.phase, state.awaits_deal) == ("wall_tiling", False)
    ended = afterstate(state, column(TWO_CHOOSE, 0))
    assert ended.awaits_deal
    assert not legal_mask(ended).any()
    assert illegal_reason(ended, column(TWO_CHOOSE, 0)) == "WRONG_PHASE"
    deal = next_fill(TWO_CHOOSE)
    assert dealt(ended, deal) == apply_action(state, column(TWO_CHOOSE, 0), deal=deal).state


# Records.


def play_on(recorder: GameRecorder, rng: np.random.Generator) -> list[dict]:
    """Play a recorded game to its end; what its choices should look like in the record."""
    choices = []
    while not recorder.state.is_terminal:
        state = recorder.state
        action = int(rng.choice(np.flatnonzero(legal_mask(state))))
        if state.phase == "wall_tiling":
            choices.append(choice_event(state, action))
        recorder.draft(action)
    return choices


def choice_event(state: GameState, action: int) -> dict:
    lines = state.players[state.current_player].pattern_lines
    top = next(number for number, line in enumerate(lines) if line.count == number + 1)
    number = action - 30 * (len(state.factories) + 1)
    return {"type": "tile", "player": state.current_player, "line": top, "column": number}


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_record__notes_every_choice_and_nothing_else(num_players):  # R10.19
    recorder = GameRecorder(num_players, rng=5, variant="gray")
    choices = play_on(recorder, np.random.default_rng(5))
    events = recorder.record.events
    assert [event for event in events if event["type"] == "tile"] == choices
    assert len(choices) > 5
    again = GameRecord.from_json(recorder.record.to_json())
    assert again == recorder.record
    assert verify(again) == recorder.state
    assert again.variant == "gray"


def recorded_choice() -> tuple[GameRecord, int]:
    """A whole gray game and the number of an event of tiling."""
    recorder = GameRecorder(2, rng=6, variant="gray")
    play_on(recorder, np.random.default_rng(6))
    kinds = [event["type"] for event in recorder.record.events]
    return recorder.record, kinds.index("tile")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"column": 5}, id="no_such_column"),
        pytest.param({"line": 5}, id="no_such_line"),
        pytest.param({"line": "other"}, id="another_line"),
        pytest.param({"player": "other"}, id="another_player"),
        pytest.param({"type": "draft", "action": 0}, id="a_draft"),
    ],
)
def test_impossible_choice__is_named_by_the_replay(change):  # R10.19
    record, index = recorded_choice()
    event = record.events[index]
    if change.get("player") == "other":
        change = {"player": 1 - event["player"]}
    if change.get("line") == "other":
        change = {"line": (event["line"] + 1) % 5}
    changed = event | change
    if "action" in changed:
        changed = {key: changed[key] for key in ("type", "player", "action")}
    record.events[index] = changed
    with pytest.raises(RecordError) as refused:
        verify(record)
    assert f"event {index}" in str(refused.value)


def test_choice_in_a_colored_record__is_refused():  # R10.16
    recorder = GameRecorder(2, rng=6)
    recorder.record.events.append({"type": "tile", "player": 0, "line": 0, "column": 0})
    with pytest.raises(RecordError, match=r"event 1 \(tile\): in the variant 'colored' nobody"):
        verify(recorder.record)


def test_record__read_as_another_variant_says_what_does_not_belong_to_it():  # R10.16 R10.19
    record, index = recorded_choice()
    with pytest.raises(RecordError, match=r"\(tile\): in the variant 'colored' nobody") as refused:
        GameRecord.from_dict(record.to_dict() | {"variant": "colored"})
    assert refused.value.event == index
    colored = GameRecorder(2, rng=6)
    while colored.state.round == 0:
        colored.draft(legal_actions(colored.state)[0])
    colored.record.variant = "gray"
    with pytest.raises(RecordError, match=r"\(deal\): no deal .*player \d is to choose a column"):
        verify(colored.record)


def test_resignation_that_ends_a_round__is_followed_by_a_deal():  # R10.13 R10.19
    start = from_dict(gray("9 B//// *", EMPTY, EMPTY, turn=0, start=0))
    record = GameRecord(3, starting_player=0, max_rounds=50, variant="gray")
    recorder = GameRecorder.resumed(record, rng=1, start=start)
    after = recorder.resign(0)
    assert (after.round, after.current_player) == (5, 1)
    assert [event["type"] for event in record.events] == ["resign", "deal"]
    assert verify(record, start) == after
    assert after.players[0].score == 9 + 1 - 1
