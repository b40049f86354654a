"""What holds in every position of every game on the gray wall, over random games of all kinds (R10)."""

import json

import numpy as np
from hypothesis import event, given, settings

from azul_env import (
    GameRecord,
    GameState,
    afterstate,
    apply_action,
    format_action,
    from_dict,
    illegal_reason,
    legal_actions,
    legal_mask,
    move_previews,
    parse_action,
    parse_state,
    problems,
    resign,
    resignation_scoring,
    round_scoring,
    tiles_due,
    to_dict,
    verify,
)
from positions import tiles_by_color
from properties.walks import Walk, recorded, states_of, steps_of, walks

FIRST_COLUMN = {2: 180, 3: 240, 4: 300}
GRAY = walks(variant="gray")


@settings(max_examples=25)
@given(GRAY)
def test_color__is_at_most_once_in_each_row_and_column_of_a_wall(walk: Walk):  # R10.1
    for state in states_of(walk):
        for board in state.players:
            for cells in (*board.wall, *zip(*board.wall, strict=True)):
                colors = [cell for cell in cells if cell]
                assert len(colors) == len(set(colors)), repr(state)


@settings(max_examples=20)
@given(GRAY)
def test_tiles__are_20_of_each_color_in_every_state(walk: Walk):  # R1.2
    for state in states_of(walk):
        assert tiles_by_color(state) == [20] * 5


@settings(max_examples=25)
@given(GRAY)
def test_tiling_position__offers_at_least_two_columns_and_nothing_else(walk: Walk):  # R10.5
    for state in states_of(walk):
        actions = np.flatnonzero(legal_mask(state))
        event(state.phase)
        if state.phase == "wall_tiling":
            assert len(actions) >= 2
            assert (actions >= FIRST_COLUMN[walk.num_players]).all()
            assert state.columns_to_choose == tuple(actions - FIRST_COLUMN[walk.num_players])
            assert state.players[state.current_player].resigned is None
        else:
            assert (actions < FIRST_COLUMN[walk.num_players]).all()
            assert state.line_to_tile is None and state.columns_to_choose == ()
        assert not state.awaits_deal


@settings(max_examples=10)
@given(GRAY)
def test_legal_mask__equals_illegal_reason(walk: Walk):  # R10.17
    for state in states_of(walk)[::7]:
        mask = legal_mask(state)
        assert mask.tolist() == [illegal_reason(state, n) is None for n in range(len(mask))]


@settings(max_examples=12)
@given(GRAY)
def test_position__round_trips_as_text_data_and_row(walk: Walk):  # R10.18
    for state in states_of(walk)[::3]:
        assert problems(state) == [], repr(state)
        assert parse_state(repr(state)) == state
        assert from_dict(json.loads(json.dumps(to_dict(state)))) == state
        assert GameState(state.rows.copy()) == state
        for action in legal_actions(state):
            said = format_action(action, state.num_players, "gray")
            assert parse_action(said.lower(), state.num_players, "gray") == action


@settings(max_examples=12)
@given(GRAY)
def test_record__replays_and_notes_choices_only(walk: Walk):  # R10.19
    recorder, states = recorded(walk)
    record = GameRecord.from_json(recorder.record.to_json())
    assert verify(record) == states[-1]
    choices = [state for state in states[:-1] if state.phase == "wall_tiling"]
    tiled = [event for event in record.events if event["type"] == "tile"]
    assert len(choices) - len(walk.resignations) <= len(tiled) <= len(choices)


@settings(max_examples=12)
@given(GRAY)
def test_scoring_items__add_up_at_every_step(walk: Walk):  # R10.8, R10.9
    for before, done, result in steps_of(walk):
        score = resignation_scoring if isinstance(done, int) else round_scoring
        scoring = score(before, done)
        after = result.state
        if scoring is None:
            assert after.scores == before.scores and after.round == before.round
            continue
        assert scoring.is_final == after.is_terminal
        assert tuple(seat.before for seat in scoring.seats) == before.scores
        assert tuple(seat.after for seat in scoring.seats) == after.scores
        for items in scoring.seats:
            points = sum(tile.points for tile in items.tiles) + items.floor + items.clamp
            bonuses = items.row_bonus + items.column_bonus + items.color_bonus
            assert items.before + points + bonuses == items.after
        for preview in move_previews(before) if before.phase == "wall_tiling" else ():
            row, column = preview.wall_cell
            first = round_scoring(before, preview.action).seats[preview.player].tiles[0]
            assert (first.row, first.column, first.points) == (row, column, preview.points)


@settings(max_examples=12)
@given(GRAY)
def test_afterstate__comes_when_all_have_tiled(walk: Walk):  # R10.10
    for before, done, result in steps_of(walk):
        if isinstance(done, int):
            continue
        after = afterstate(before, done)
        is_dealt = result.state.round > before.round and not result.state.is_terminal
        assert after.awaits_deal == is_dealt == (tiles_due(after) > 0)
        if not is_dealt:
            assert after == result.state


@settings(max_examples=8)
@given(GRAY)
def test_functions__leave_their_arguments_alone(walk: Walk):
    for before, done, _ in list(steps_of(walk))[::5]:
        kept = before.rows.tobytes()
        if isinstance(done, int):
            resign(before, done, rng=1)
        else:
            apply_action(before, done, rng=1)
        legal_mask(before), problems(before), to_dict(before), str(before)
        assert before.rows.tobytes() == kept
