"""The items of a scoring and the preview of a move, against the engine over whole games."""

from collections.abc import Iterator

import numpy as np
import pytest

from azul_env import (
    COLOR_NAMES,
    FLOOR,
    Action,
    GameState,
    IllegalActionError,
    PlacedTile,
    afterstate,
    apply_action,
    decode_action,
    legal_mask,
    move_preview,
    new_game,
    resign,
    resignation_scoring,
    round_scoring,
)
from azul_env.core.spec import FLOOR_PENALTIES, MARKER_NAME, NUM_LINES
from positions import before_last_move, position
from properties.walks import late_in_the_game

ENDS_ROUND = Action(0, 4, 4)  # in `before_last_move`


def moves_of(num_players: int, seed: int) -> Iterator[tuple[GameState, int]]:
    """The moves of a random game; every third game throws much on the floor, every fourth begins late."""
    rng = np.random.default_rng(seed)
    state = new_game(num_players, seed % num_players, seed, max_rounds=12)
    if seed % 4 == 0:
        state = late_in_the_game(state, seed)
    while not state.is_terminal:
        choices = np.flatnonzero(legal_mask(state))
        if seed % 3 == 0 and rng.random() < 0.7:
            choices = choices[choices % 6 == FLOOR]
        action = int(rng.choice(choices))
        yield state, action
        state = apply_action(state, action, seed).state


def takes_the_last_tiles(state: GameState, action: int) -> bool:
    left = int(np.sum(state.factories)) + sum(state.center)
    move = decode_action(action, state.num_players)
    return left == [*state.factories, state.center][move.source][move.color]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_scoring_items__add_up_to_the_engines_scores_and_walls(num_players):
    clamps = bonuses = 0
    for seed in range(100):
        for state, action in moves_of(num_players, seed):
            if not takes_the_last_tiles(state, action):
                continue
            scoring, after = round_scoring(state, action), afterstate(state, action)
            assert scoring is not None
            assert (scoring.round, scoring.is_final) == (after.round, after.is_terminal)
            for seat, items in enumerate(scoring.seats):
                placed = sum(tile.points for tile in items.tiles)
                bonus = items.row_bonus + items.column_bonus + items.color_bonus
                assert items.before == state.scores[seat]
                assert items.before + placed + items.floor + items.clamp + bonus == items.after
                assert items.after == after.scores[seat]
                assert 0 <= items.clamp <= -items.floor
                clamps += items.clamp > 0
                bonuses += bonus > 0
                wall = [list(row) for row in state.players[seat].wall]
                for tile in items.tiles:
                    assert not wall[tile.row][tile.column]
                    wall[tile.row][tile.column] = 1
                assert wall == [list(row) for row in after.players[seat].wall]
    assert clamps > 20 and bonuses > 20, "the games must meet both"


def test_scoring__is_none_while_the_round_goes_on():
    for state, action in moves_of(2, 1):
        ends = afterstate(state, action).round > state.round
        assert ends == takes_the_last_tiles(state, action)
        assert (round_scoring(state, action) is not None) == ends


def test_scoring__names_tiles_floor_and_clamp():  # R5.1, R5.2, R5.3
    state = before_last_move("1 B:.Y.../YY:...../..R:.WB../.WWW/ BBBBR")
    scoring = round_scoring(state, ENDS_ROUND)
    assert scoring is not None and (scoring.round, scoring.is_final) == (5, False)
    items = scoring.seats[0]
    assert items.tiles == (PlacedTile(0, 0, 0, 2), PlacedTile(1, 2, 1, 2))
    assert (items.before, items.floor, items.clamp, items.after) == (1, -8, 3, 0)


def test_scoring_of_an_illegal_action__is_refused():
    with pytest.raises(IllegalActionError):
        round_scoring(new_game(2, rng=1), 9999)


@pytest.mark.parametrize("num_players", [2, 3])
def test_resignation__scores_bonuses_only_when_it_ends_the_game(num_players):  # R8.5
    state = late_in_the_game(new_game(num_players, rng=4), 4)
    if num_players == 3:
        assert resignation_scoring(state, 1) is None
        state = resign(state, 1).state
    scoring, after = resignation_scoring(state, 0), resign(state, 0).state
    assert scoring is not None and scoring.is_final
    assert tuple(items.after for items in scoring.seats) == after.scores
    assert all(items.tiles == () and items.floor == 0 for items in scoring.seats)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_preview__is_what_the_move_does(num_players):
    seen = {"to_lid": 0, "marker": 0, "no_slot": 0, "overflow": 0}
    for seed in range(25):
        for state, action in moves_of(num_players, seed):
            preview, after = move_preview(state, action), afterstate(state, action)
            seen["to_lid"] += preview.to_lid > 0
            seen["marker"] += preview.marker_slot is not None
            seen["no_slot"] += preview.takes_marker and preview.marker_slot is None
            seen["overflow"] += bool(preview.line_columns and preview.floor_slots)
            landed = len(preview.line_columns) + len(preview.floor_slots) + preview.to_lid
            assert preview.taken == landed
            if after.round > state.round:
                continue  # the board is cleared; the scoring is tested above
            assert sum(after.lid) - sum(state.lid) == preview.to_lid
            assert state.center_has_marker - after.center_has_marker == preview.takes_marker
            check_board(preview, state, after)
    assert seen["marker"] and seen["overflow"] and seen["to_lid"], seen


def check_board(preview, state: GameState, after: GameState) -> None:
    """The board after a move is the board before it with the preview's tiles on it."""
    before, board = state.players[preview.player], after.players[preview.player]
    name = COLOR_NAMES[preview.action.color]
    floor = dict(enumerate(before.floor))
    if preview.marker_slot is not None:
        floor[preview.marker_slot] = MARKER_NAME
    floor |= dict.fromkeys(preview.floor_slots, name)
    assert floor == dict(enumerate(board.floor))
    cost = [sum(FLOOR_PENALTIES[: len(each.floor)]) for each in (before, board)]
    assert cost[1] - cost[0] == preview.penalty
    if preview.action.destination == FLOOR:
        assert preview.line_columns == () and not preview.fills_line
        assert board.pattern_lines == before.pattern_lines
        return
    row = preview.action.destination
    held = {NUM_LINES - 1 - i for i in range(before.pattern_lines[row].count)}
    assert not held & {*preview.line_columns}
    assert held | {*preview.line_columns} == {
        NUM_LINES - 1 - i for i in range(board.pattern_lines[row].count)
    }
    assert board.pattern_lines[row].color == preview.action.color
    assert preview.fills_line == (board.pattern_lines[row].count == row + 1)


def test_preview_of_a_marker_without_a_slot__costs_nothing():  # R3.9
    state = position("""
        azul 2p round 1/50 turn 0 start 0 | W - - - - | BB* | bag ? lid - | 0 //// YYYYYYY | 0 //// -""")
    preview = move_preview(state, Action(5, 0, 0))
    assert preview.takes_marker and preview.marker_slot is None and preview.penalty == 0
    assert (preview.line_columns, preview.floor_slots, preview.to_lid) == ((4,), (), 1)


def test_preview__counts_columns_and_slots_as_drawn():  # R3.3, R3.4
    state = position("""
        azul 2p round 1/50 turn 0 start 0 | W - - - - | BBBB* | bag ? lid - | 0 //..B// Y | 0 //// -""")
    preview = move_preview(state, Action(5, 0, 2))
    assert preview.taken == 4 and preview.line_columns == (3, 2) and preview.fills_line
    assert (preview.marker_slot, preview.floor_slots, preview.penalty) == (1, (2, 3), 5)
