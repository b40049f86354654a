"""What holds in every position of every game, over random games of all kinds. RULINGS.md and docs/RULES.md say why."""

import numpy as np
import pytest
from hypothesis import event, example, given, settings

from azul_env import (
    GameState,
    IllegalReason,
    decode_action,
    illegal_reason,
    legal_actions,
    legal_mask,
    num_actions,
    problems,
    ranking,
    winners,
)
from positions import FLOOR, tiles_by_color
from properties.walks import Walk, start_of, states_of, steps_of, walks

END_REASONS = {"row", "no_tiles", "max_rounds", "resignation"}
MARKER = "marker"
FULL_FLOOR = 7


def complete_rows(board) -> int:
    return sum(all(row) for row in board.wall)


def markers_on_floors(state: GameState) -> list[int]:
    """The seats with the marker on their floor, one entry a marker."""
    return [
        seat for seat, board in enumerate(state.players) for name in board.floor if name == MARKER
    ]


def has_tiles(state: GameState) -> bool:
    return any(map(any, [*state.factories, state.center]))


@settings(max_examples=30)
@given(walks())
def test_tiles__are_20_of_each_color_in_every_state(walk: Walk):  # R1.2
    for state in states_of(walk):
        assert tiles_by_color(state) == [20] * 5


@settings(max_examples=12)
@given(walks())
def test_problems__are_none_in_every_state(walk: Walk):
    for state in states_of(walk)[::3]:
        assert problems(state) == [], repr(state)


@settings(max_examples=25)
@given(walks())
def test_legal_mask__equals_legal_actions_and_holds_nothing_once_the_game_is_over(walk: Walk):
    for state in states_of(walk):
        mask = legal_mask(state)
        assert mask.shape == (num_actions(walk.num_players),) and mask.dtype == np.bool_
        expected = [decode_action(int(i), walk.num_players) for i in np.flatnonzero(mask)]
        assert legal_actions(state) == expected
        assert state.is_terminal == (not mask.any())


@settings(max_examples=12)
@given(walks())
def test_legal_mask__equals_illegal_reason_for_every_action(walk: Walk):
    rng = np.random.default_rng(walk.seed)
    states = states_of(walk)
    for state in [states[0], states[-1], *rng.choice(states, 2)]:
        reasons = [illegal_reason(state, i) for i in range(num_actions(walk.num_players))]
        assert [reason is None for reason in reasons] == legal_mask(state).tolist()


@settings(max_examples=25)
@given(walks())
def test_legal_mask__equals_illegal_reason_for_sampled_actions_of_every_state(walk: Walk):
    rng = np.random.default_rng(walk.seed)
    for state in states_of(walk):
        mask = legal_mask(state)
        for number in rng.integers(num_actions(walk.num_players), size=2).tolist():
            assert (illegal_reason(state, number) is None) == mask[number], (number, repr(state))


@settings(max_examples=10)
@given(walks())
def test_illegal_reason__is_the_first_that_applies(walk: Walk):  # R9
    rng = np.random.default_rng(walk.seed)
    for state in rng.choice(states_of(walk), 3):
        for number in rng.integers(num_actions(walk.num_players), size=30).tolist():
            assert illegal_reason(state, number) == expected_reason(state, number), repr(state)
        for seat in range(walk.num_players):
            legal = state.current_player == seat and not state.is_terminal
            reason = illegal_reason(state, 0, player=seat)
            if not legal:
                expected = "WRONG_PHASE" if state.is_terminal else "NOT_PLAYERS_TURN"
                assert reason == expected


def expected_reason(state: GameState, number: int) -> IllegalReason | None:
    """R9 once more, over the text of the rules: a table of claims in order."""
    source, rest = divmod(number, 30)
    color, destination = divmod(rest, 6)
    on_source = [*state.factories, state.center][source][color]
    is_line = destination != FLOOR
    board = state.players[state.current_player]
    line = board.pattern_lines[destination] if is_line else None
    claims = [
        (state.is_terminal, IllegalReason.WRONG_PHASE),
        (on_source == 0, IllegalReason.SOURCE_EMPTY),
        (is_line and line.count > destination, IllegalReason.PATTERN_LINE_COMPLETE),
        (is_line and line.count > 0 and line.color != color, IllegalReason.COLOR_MISMATCH),
        (
            is_line and board.wall[destination][(color + destination) % 5] == 1,
            IllegalReason.WALL_CONFLICT,
        ),
    ]
    return next((reason for claim, reason in claims if claim), None)


@settings(max_examples=60)
@given(walks())
def test_marker__is_one_and_nowhere_only_after_a_full_floor_or_the_end(walk: Walk):  # RULINGS 4
    nowhere_allowed = False
    assert start_of(walk).center_has_marker
    for before, done, result in steps_of(walk):
        state = result.state
        on_floors = markers_on_floors(state)
        assert len(on_floors) + state.center_has_marker <= 1
        assert on_floors in ([], [state.starting_player_next_round])
        if state.round > before.round:
            nowhere_allowed = False
        elif isinstance(done, tuple) and before.center_has_marker and not state.center_has_marker:
            taker = before.current_player
            assert state.starting_player_next_round == taker
            nowhere_allowed = len(before.players[taker].floor) == FULL_FLOOR
            assert (on_floors == [taker]) != nowhere_allowed
        if not state.is_terminal and not on_floors and not state.center_has_marker:
            event("the marker is nowhere")
            assert nowhere_allowed
            assert len(state.players[state.starting_player_next_round].floor) == FULL_FLOOR
        if state.round > before.round and not state.is_terminal:
            assert state.center_has_marker and not on_floors


@settings(max_examples=30)
@given(walks())
def test_scores__are_never_below_zero_and_change_only_when_a_round_or_the_game_ends(walk: Walk):
    for before, _, result in steps_of(walk):
        assert min(result.state.scores) >= 0
        assert result.state.scores == tuple(board.score for board in result.state.players)
        if result.state.round == before.round and not result.state.is_terminal:
            assert result.state.scores == before.scores


@settings(max_examples=30)
@given(walks())
def test_final_scores__are_given_just_when_the_game_is_over(walk: Walk):
    for before, _, result in steps_of(walk):
        assert not before.is_terminal
        assert result.state.is_terminal == (result.final_scores is not None)
        assert result.final_scores in (None, result.state.scores)
    assert result.state.is_terminal


@settings(max_examples=30)
@given(walks())
def test_phase__follows_from_the_end_and_the_round_counts_up_by_one(walk: Walk):
    for before, _, result in steps_of(walk):
        state = result.state
        over = state.is_terminal
        assert state.phase == ("game_over" if over else "factory_offer")
        assert (state.end_reason in END_REASONS) if over else (state.end_reason is None)
        assert state.round - before.round in (0, 1) and state.round <= walk.max_rounds
        assert has_tiles(state) == (not over or state.end_reason == "resignation")
        round_ended = state.round > before.round
        assert round_ended == (over and state.end_reason != "resignation") or not over
        if round_ended:
            assert not any(board.floor for board in state.players)
    event(f"ends by {state.end_reason}")


@settings(max_examples=25)
@given(walks())
def test_end_reason__is_what_the_boards_say(walk: Walk):  # R6, R8.5
    last = states_of(walk)[-1]
    rows = sum(map(complete_rows, last.players))
    playing = [seat for seat, board in enumerate(last.players) if board.resigned is None]
    assert (last.end_reason == "row") == (rows > 0)
    assert (last.end_reason == "resignation") == (len(playing) == 1)
    if last.end_reason == "max_rounds":
        assert last.round == walk.max_rounds
    if last.end_reason in ("no_tiles", "max_rounds"):  # R6.3: where both apply, there are no tiles
        assert (last.end_reason == "no_tiles") == (sum(last.bag) + sum(last.lid) == 0)


@settings(max_examples=30)
@given(walks())
def test_ranking__follows_from_points_rows_and_resignations(walk: Walk):  # R7
    *running, last = states_of(walk)
    for state in running[:: max(1, len(running) // 3)]:
        with pytest.raises(ValueError, match="still on"):
            ranking(state)
        with pytest.raises(ValueError, match="still on"):
            winners(state)
    ranks = ranking(last)
    assert winners(last) == tuple(seat for seat, rank in enumerate(ranks) if rank == 1) != ()
    for one, board in enumerate(last.players):
        better = sum(is_better(other, board) for other in last.players)
        assert ranks[one] == 1 + better
    assert min(ranks) == 1 and all(1 <= rank <= walk.num_players for rank in ranks)


def is_better(one, other) -> bool:
    """Whether one board ranks strictly above another, claim by claim (R7.1, R7.2)."""
    if one.resigned is None and other.resigned is not None:
        return True
    if one.resigned is not None:
        return other.resigned is not None and one.resigned > other.resigned
    if one.score != other.score:
        return one.score > other.score
    return complete_rows(one) > complete_rows(other)


@settings(max_examples=25)
@given(walks())
@example(Walk(3, 0, 0, "uniform", 3, ((8, 1),)))  # who resigns here has just taken the marker
@example(Walk(4, 0, 1, "uniform", 3, ((4, 3),)))
def test_turns__go_clockwise_past_those_who_resigned(walk: Walk):  # R2.5, R8.2, R8.4
    for before, done, result in steps_of(walk):
        state = result.state
        if state.is_terminal:
            continue
        still_in = [seat for seat, board in enumerate(state.players) if board.resigned is None]
        in_order = [seat % walk.num_players for seat in range(2 * walk.num_players)]
        first = before.current_player
        if state.round > before.round:
            takes_marker = done.source == len(before.factories) and before.center_has_marker
            first = before.current_player if takes_marker else before.starting_player_next_round
        elif isinstance(done, tuple):
            first = before.current_player + 1
        assert state.current_player == next(seat for seat in in_order[first:] if seat in still_in)
        if state.round > before.round:
            assert state.starting_player_next_round == state.current_player


def test_walks__reach_the_ends_and_the_rarities_that_the_properties_speak_about():
    plans = [
        Walk(2, 0, 7, "uniform", 50),
        Walk(3, 1, 7, "greedy", 50),
        Walk(4, 2, 7, "floor", 2),
        Walk(4, 0, 7, "uniform", 50, ((3, 0), (3, 2), (9, 1))),
        *(Walk(4, 0, seed, "patient", 50, is_late=True) for seed in range(10)),
        *(Walk(3, 0, seed, "floor", 6, ((1, 1),)) for seed in range(10)),
    ]
    games = [states_of(plan) for plan in plans]
    ends = {game[-1].end_reason for game in games}
    assert ends == END_REASONS
    running = [state for game in games for state in game[:-1]]
    assert any(not markers_on_floors(one) and not one.center_has_marker for one in running)
    assert any(sum(one.bag) == 0 for one in running)
