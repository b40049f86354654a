"""RULINGS.md 13: resigning with 2, 3 and 4 seats."""

import pytest

from azul_env import (
    IllegalActionError,
    IllegalReason,
    InvalidPositionError,
    ProblemReason,
    format_state,
    illegal_reason,
    parse_action,
    parse_state,
    ranking,
    resign,
    winners,
)
from positions import full_text, legal_moves, play, position, seat, seat_text

EMPTY = "0 //// -"


def table(turn: int, *seats: str, start: int = 0, displays: str = "BBBB KKKK", center: str = "*"):
    """A position of as many players as there are `seats`, with these first displays filled."""
    words = displays.split()
    words += ["-"] * (2 * len(seats) + 1 - len(words))
    return position(f"""
        azul {len(seats)}p round 5/50 turn {turn} start {start} | {" ".join(words)} | {center}
        | bag ? lid - | {" | ".join(seats)}""")


def resigned_in_order(state, *players: int):
    for player in players:
        state = resign(state, player).state
    return state


# Whose turn it is.


def test_resigning_in_turn__passes_the_turn_and_changes_nothing_else():  # R8.2
    result = resign(table(1, "3 //// -", "4 //..R// K", "5 //// -", center="YY*"), 1)
    assert format_state(result.state) == full_text("""
        azul 3p round 5/50 turn 2 start 0 | BBBB KKKK - - - - - | YY* | bag ? lid -
        | 3 //// - | 4 //..R// K resigned 0 | 5 //// -""")
    assert result.final_scores is None


def test_resigning_out_of_turn__leaves_the_turn_where_it_is():  # R8.1 R8.2
    result = resign(table(1, "3 //// -", "4 //..R// K", "5 //// -"), 2)
    assert format_state(result.state) == full_text("""
        azul 3p round 5/50 turn 1 start 0 | BBBB KKKK - - - - - | * | bag ? lid -
        | 3 //// - | 4 //..R// K | 5 //// - resigned 0""")


def test_resigning_in_turn__wraps_around_the_table():  # R8.2
    assert resign(table(3, *[EMPTY] * 4), 3).state.current_player == 0


def test_resigning_in_turn__passes_over_seats_that_resigned_before():  # R8.2
    assert resigned_in_order(table(0, *[EMPTY] * 4), 1, 0).current_player == 2


def test_resigned_seats__are_skipped_by_the_turns():  # R8.2
    state = resigned_in_order(table(0, *[EMPTY] * 4, displays="BBBB KKKK WWWW RRRR"), 1, 2)
    turns = [state.current_player]
    for move in ("0B4", "1K4", "2W3"):
        state = play(state, move)
        turns.append(state.current_player)
    assert turns == [0, 3, 0, 3]


def test_resigned_seat__may_not_move():  # R9.3
    state = resign(table(0, EMPTY, EMPTY, EMPTY), 1).state
    reason = illegal_reason(state, parse_action("0B4", 3), player=1)
    assert reason == IllegalReason.NOT_PLAYERS_TURN


def test_player_to_move__keeps_the_same_moves_when_another_resigns():
    before = table(0, "0 /.B/// -", EMPTY, EMPTY)
    assert legal_moves(resign(before, 2).state) == legal_moves(before)


# Who starts the next round.


@pytest.mark.parametrize(
    ("resigned", "holder", "starter"),
    [
        pytest.param([1], 1, 2, id="next_seat_starts_for_the_marker_holder"),
        pytest.param([2, 1], 1, 3, id="two_seats_in_a_row_are_skipped"),
        pytest.param([3], 3, 0, id="skipping_wraps_around"),
        pytest.param([0, 3], 3, 1, id="skipping_wraps_past_a_resigned_seat"),
        pytest.param([1], 2, 2, id="holder_who_stays_is_not_skipped"),
    ],
)
def test_round_start__skips_resigned_seats(resigned, holder, starter):  # R8.4
    seats = [EMPTY] * 4
    seats[holder] = "9 //// *"
    mover = next(player for player in range(4) if player not in resigned)
    before = table(mover, *seats, start=holder, displays="BBBB", center="-")
    after = play(resigned_in_order(before, *resigned), "0B4")
    assert (after.current_player, after.starting_player_next_round) == (starter, starter)
    assert after.scores[holder] == 8  # R8.3
    assert after.center_has_marker


def test_marker_that_nobody_took__leaves_the_start_to_the_seat_after_the_resigned_starter():
    before = table(0, EMPTY, EMPTY, EMPTY, start=2, displays="BBBB")  # R4.5 R8.4
    after = play(resign(before, 2).state, "0B4")
    assert after.current_player == 0


def test_seat_that_started_for_a_resigned_one__starts_again_if_nobody_takes_the_marker():  # R4.5
    state = resign(table(1, EMPTY, EMPTY, EMPTY, EMPTY, start=0, displays="BBBB"), 0).state
    state = play(state, "0B4", deal="BBBB YYYY RRRR KKKK WWWW BBBB YYYY RRRR KKKK")
    starters = [state.current_player]
    for move in ("0BF", "1YF", "2RF", "3KF", "4WF", "5BF", "6YF", "7RF", "8KF"):
        state = play(state, move)
    starters.append(state.current_player)
    assert starters == [1, 1]


# The board stays in the game.


def test_board_of_a_resigned_seat__is_still_tiled_and_scored():  # R8.3
    seats = ("10 //// -", "10 /YY/.RR// KW resigned 0", "10 //// -")
    after = play(table(0, *seats, displays="BBBB"), "0B4")
    assert seat(after, 1) == seat_text("9 /:..Y../.RR// - resigned 0")
    assert after.lid == (0, 1, 0, 1, 1)
    assert not after.is_terminal


def test_complete_row_of_a_resigned_seat__ends_the_game():  # R8.3 R7.2
    seats = ("10 //// -", "90 W:BYRK.//// - resigned 0", "12 //// -")
    after = play(table(0, *seats, displays="BBBB"), "0B4")
    assert after.end_reason == "row"
    assert after.scores == (10, 97, 12)
    assert ranking(after) == (2, 3, 1)
    assert winners(after) == (2,)


# The end by resignation.


@pytest.mark.parametrize("player", [0, 1])
def test_resignation_with_2_seats__ends_the_game_at_once(player):  # R8.5
    # Seat 0's full lines stay, its floor is not scored; both columns get their 7.
    seats = [
        "20 W:B..../YY:W..../:K..../:R..../:Y.... KK",
        "30 :B..../:W..../:K..../:R..../:Y.... *W",
    ]
    result = resign(table(0, *seats, start=1, displays="BBYR", center="RW"), player)
    ended = [seats[0].replace("20 ", "27 "), seats[1].replace("30 ", "37 ")]
    ended[player] += " resigned 0"
    assert format_state(result.state) == full_text(f"""
        azul 2p round 5/50 over resignation last {player} start 1 | BBYR - - - - | RW
        | bag ? lid - | {" | ".join(ended)}""")
    assert result.final_scores == (27, 37)
    assert winners(result.state) == (1 - player,)
    assert legal_moves(result.state) == []


def test_complete_line_for_a_row__is_not_tiled_by_a_resignation():  # R8.5
    after = resign(table(0, EMPTY, "5 W:BYRK.//// -"), 0).state
    assert seat(after, 1) == seat_text("5 W:BYRK.//// -")


@pytest.mark.parametrize(
    ("order", "ranks"),
    [
        pytest.param([0], (2, 1), id="2p"),
        pytest.param([0, 1], (3, 2, 1), id="3p_in_order"),
        pytest.param([2, 0], (2, 1, 3), id="3p_out_of_order"),
        pytest.param([2, 0, 3], (3, 1, 4, 2), id="4p_out_of_order"),
        pytest.param([3, 2, 1], (1, 2, 3, 4), id="4p_backwards"),
    ],
)
def test_last_seat__wins_and_the_later_to_resign_ranks_higher(order, ranks):  # R7.2 R8.5
    boards = [f"{100 - 30 * rank} //// -" for rank in range(len(ranks))]
    state = table(0, *boards)
    assert not resigned_in_order(state, *order[:-1]).is_terminal
    after = resigned_in_order(state, *order)
    assert (after.end_reason, after.current_player) == ("resignation", order[-1])
    assert ranking(after) == ranks
    assert winners(after) == (ranks.index(1),)
    assert after.scores == state.scores


def test_resigned_seats__rank_below_all_others_and_never_share():  # R7.2
    state = position("""
        azul 4p round 8/50 over row last 3 start 3 | - - - - - - - - - | - | bag ? lid -
        | 90 //// - resigned 1 | 20 :BYRKW//// - | 90 //// - resigned 0 | 20 //// -""")
    assert ranking(state) == (3, 1, 4, 2)


# What is refused.


def reason_of_refusal(state, player: int) -> IllegalReason:
    before = state.rows.tobytes()
    with pytest.raises(IllegalActionError) as refused:
        resign(state, player)
    assert state.rows.tobytes() == before
    return refused.value.reason


def test_second_resignation__is_refused_in_play_and_after_the_end():  # R8.1 R9.8
    once = resign(table(0, EMPTY, EMPTY, EMPTY), 1).state
    assert reason_of_refusal(once, 1) == IllegalReason.ALREADY_RESIGNED
    ended = resign(once, 0).state
    assert reason_of_refusal(ended, 1) == IllegalReason.ALREADY_RESIGNED


def test_resignation_after_the_end__is_refused():  # R8.1 R9.2
    ended = resign(table(0, EMPTY, EMPTY), 0).state
    assert reason_of_refusal(ended, 1) == IllegalReason.WRONG_PHASE


@pytest.mark.parametrize("player", [-1, 3])
def test_resignation_of_no_seat__is_refused(player):  # R9.1
    assert reason_of_refusal(table(0, EMPTY, EMPTY, EMPTY), player) == IllegalReason.OUT_OF_RANGE


@pytest.mark.parametrize(
    "seats",
    [
        pytest.param("0 //// - | 0 //// - resigned 1 | 0 //// -", id="orders_that_skip_0"),
        pytest.param("0 //// - resigned 0 | 0 //// - | 0 //// -", id="resigned_seat_to_move"),
    ],
)
def test_position_with_impossible_resignations__is_refused(seats):
    text = f"""azul 3p round 0/50 turn 0 start 0 | BBBB - - - - - - | * | bag ? lid - | {seats}"""
    with pytest.raises(InvalidPositionError) as refused:
        parse_state(full_text(text))
    assert ProblemReason.RESIGNED in {problem.reason for problem in refused.value.problems}
