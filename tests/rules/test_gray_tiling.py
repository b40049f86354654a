"""R10: who tiles when, what is asked, what is not, and the points of it, on both engines.

`LAST` is a table with one white tile on it: `END` takes it to line 4 of the player to move and so ends the drafting.
"""

import pytest

from positions import LETTERS
from reference.gray_positions import (
    EMPTY,
    both_engines,
    column,
    dealt,
    draft,
    gray,
    legal_columns,
)

pytestmark = both_engines

LAST = "W"
END = draft(0, "W", 4)
TOOK_IT = "0 ////....W -"  # the board of a player who had nothing before END


# What is asked.


def test_last_draft__asks_for_the_column_of_a_full_line(engine):  # R10.5
    before = gray("3 B//// K", EMPTY, turn=1, factories=LAST, center="*")
    after = gray("3 B//// K", TOOK_IT, turn=0, center="*")
    assert engine.after(before, END) == after
    assert legal_columns(engine, after) == [0, 1, 2, 3, 4]


def test_unfinished_lines__are_not_asked_for(engine):  # R10.5 R10.10
    before = gray("3 /.B/.YY// -", EMPTY, turn=1, factories=LAST, center="*")
    assert engine.after(before, END) == dealt("3 /.B/.YY// -", TOOK_IT, turn=0)


def test_column__must_be_free_and_without_the_color(engine):  # R10.3
    before = gray("3 :B..../BB:..K../://:...B. -", TOOK_IT, turn=0, center="*")
    assert legal_columns(engine, before) == [1, 4]


def test_wall_of_another_color__closes_no_column(engine):  # R10.3
    before = gray("3 :Y..../BB:..K../:.R.../:....W/:...K. -", TOOK_IT, turn=0, center="*")
    assert legal_columns(engine, before) == [0, 1, 3, 4]


def test_choice__places_one_tile_and_sends_the_others_to_the_lid(engine):  # R10.8
    before = gray("3 //YYY// -", "0 B////....W -", turn=0, center="*")
    after = gray("4 //:..Y..// -", "0 B////....W -", turn=1, center="*", lid="YY")
    assert engine.after(before, column(before, 2)) == after


def test_full_lines__are_tiled_from_the_top_down(engine):  # R10.5 R10.16
    lines = gray("0 B/YY/RRR// -", TOOK_IT, turn=0, center="*")
    first = gray("1 :..B../YY/RRR// -", TOOK_IT, turn=0, center="*")
    second = gray("3 :..B../:..Y../RRR// -", TOOK_IT, turn=0, center="*", lid="Y")
    last = dealt("6 :..B../:..Y../:..R..// -", TOOK_IT, turn=0, lid="YRR")
    assert engine.after(lines, column(lines, 2)) == first
    assert engine.after(first, column(first, 2)) == second
    assert engine.after(second, column(second, 2)) == last


def test_earlier_line__closes_its_column_for_the_same_color(engine):  # R10.8
    before = gray("0 B//BBB// -", TOOK_IT, turn=0, center="*")
    after = gray("1 :...B.//BBB// -", TOOK_IT, turn=0, center="*")
    assert engine.after(before, column(before, 3)) == after
    assert legal_columns(engine, after) == [0, 1, 2, 4]


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("number", range(5))
def test_columns__are_the_last_five_actions(engine, num_players, number):  # R10.16
    before = gray("0 B//// -", *[EMPTY] * (num_players - 1), turn=0, center="*")
    wall = "." * number + "B" + "." * (4 - number)
    after = dealt(f"1 :{wall}//// -", *[EMPTY] * (num_players - 1), turn=0)
    assert engine.after(before, {2: 180, 3: 240, 4: 300}[num_players] + number) == after


# Points.


@pytest.mark.parametrize(
    ("board", "number", "points"),
    [
        pytest.param("B:...../", 2, 1, id="alone"),
        pytest.param("B:K..../", 1, 2, id="beside_one"),
        pytest.param("B:K.Y../", 1, 3, id="between_two"),
        pytest.param("B:K.Y../:.R...", 1, 5, id="row_and_column"),
        pytest.param("B:K..../:..R..", 2, 2, id="above_one"),
        pytest.param("B:KYR../", 4, 1, id="with_a_gap"),
    ],
)
def test_placed_tile__scores_its_runs_at_once(engine, board, number, points):  # R5.1 R10.8
    before = gray(f"7 {board}/YYY// -", TOOK_IT, turn=0, center="*")
    assert number in legal_columns(engine, before)
    after = engine.after(before, column(before, number))
    assert after["players"][0]["score"] == 7 + points
    assert after["phase"] == "wall_tiling"  # line 2 is still to come


# What is not asked.


def test_one_legal_column__is_not_asked_for(engine):  # R10.6 R10.10
    before = gray("9 B:KYR..//:...B.// -", EMPTY, turn=1, factories=LAST, center="*")
    after = dealt("10 :KYR.B//:...B.// -", TOOK_IT, turn=0)
    assert engine.after(before, END) == after


def test_one_free_cell__is_not_asked_for(engine):  # R10.6 R6.1
    before = gray("9 B:KY.RW//// -", EMPTY, turn=1, factories=LAST, center="*")
    after = gray("16 :KYBRW//// -", TOOK_IT, turn=1, center="*", round=5, over="row")
    assert engine.after(before, END) == after


def test_choice__may_leave_one_column_for_the_next_line(engine):  # R10.6 R10.8
    before = gray("0 B/BB:KYR../// -", TOOK_IT, turn=0, center="*")
    # The blue tile of line 1 goes to column 4, with no neighbor.
    after = dealt("2 :...B./:KYR.B/// -", TOOK_IT, turn=0, lid="B")
    assert engine.after(before, column(before, 3)) == after


def test_choice__may_leave_no_column_for_the_next_line(engine):  # R10.7 R10.8
    before = gray("9 B/BB:KYRW./// -", TOOK_IT, turn=0, center="*")
    after = dealt("8 :....B/:KYRW./// -", TOOK_IT, turn=0, lid="BB")  # 9 + 1 - 2
    assert engine.after(before, column(before, 4)) == after


def test_no_legal_column__drops_the_line_to_the_floor(engine):  # R10.7
    before = gray("10 :....B/BB:KYRW./// W", EMPTY, turn=1, factories=LAST, center="*")
    after = dealt("6 :....B/:KYRW./// -", TOOK_IT, turn=0, lid="WBB")
    assert engine.after(before, END) == after


def test_dropped_tiles__lie_on_the_floor_until_the_last_line_is_tiled(engine):  # R10.7 R10.9
    before = gray("10 :....B/BB:KYRW./RRR// *W", EMPTY, turn=1, factories=LAST)
    between = gray("10 :....B/:KYRW./RRR// *WBB", TOOK_IT, turn=0)
    after = dealt("6 :....B/:KYRW./:R....// -", TOOK_IT, turn=0, lid="WBBRR")  # 10 + 2 - 6
    assert engine.after(before, END) == between
    assert engine.after(between, column(between, 0)) == after


def test_dropped_tiles__fill_free_slots_and_the_rest_goes_to_the_lid(engine):  # R10.7
    before = gray("30 :....B///BBBB:KYRW./ WWKKR", EMPTY, turn=1, factories=LAST, center="*")
    after = dealt("16 :....B///:KYRW./ -", TOOK_IT, turn=0, lid="WWKKRBBBB")
    assert engine.after(before, END) == after


def test_dropped_line__shows_how_much_of_it_found_a_slot(engine):  # R10.7
    before = gray("30 :....B/BB:KYRW.//RRRR/ WWKKRR", EMPTY, turn=1, factories=LAST, center="*")
    after = gray("30 :....B/:KYRW.//RRRR/ WWKKRRB", TOOK_IT, turn=0, center="*", lid="B")
    assert engine.after(before, END) == after


def test_line_on_a_full_floor__goes_to_the_lid_at_no_cost(engine):  # R10.7
    before = gray("30 :....B/BB:KYRW.//RRRR/ WWKKRRY", EMPTY, turn=1, factories=LAST, center="*")
    after = gray("30 :....B/:KYRW.//RRRR/ WWKKRRY", TOOK_IT, turn=0, center="*", lid="BB")
    assert engine.after(before, END) == after
    scored = engine.after(after, column(after, 4))
    assert scored["players"][0]["score"] == 30 + 1 - 14


def test_drafting__may_fill_a_line_without_a_legal_column(engine):  # R10.2
    before = gray("10 :....B/.B:KYRW./// -", EMPTY, turn=0, factories="B W", center="*")
    after = gray("10 :....B/BB:KYRW./// -", EMPTY, turn=1, factories="- W", center="*")
    assert engine.after(before, draft(0, "B", 1)) == after


# One seat after the other.


def with_lines(num_players, *full):
    """Boards with a full line 0, by seat; the others are empty."""
    return [f"0 {LETTERS[seat]}//// -" if seat in full else EMPTY for seat in range(num_players)]


def choosing_seats(engine, data):
    """Who chooses, one after the other, until the next round; everybody takes the first column."""
    seats = []
    while data["phase"] == "wall_tiling":
        seats.append(data["current_player"])
        data = engine.after(data, engine.legal(data)[0])
    return seats


@pytest.mark.parametrize(
    ("num_players", "start", "order"),
    [
        (2, 0, [0, 1]),
        (2, 1, [1, 0]),
        (3, 1, [1, 2, 0]),
        (4, 0, [0, 1, 2, 3]),
        (4, 2, [2, 3, 0, 1]),
    ],
)
@pytest.mark.parametrize("last", [0, 1])
def test_nobody_took_the_marker__starter_of_this_round_tiles_first(
    engine, num_players, start, order, last
):  # R4.5 R10.4
    seats = with_lines(num_players, *range(num_players))
    before = gray(*seats, turn=last, start=start, factories=LAST, center="*")
    after = engine.after(before, END)
    assert choosing_seats(engine, after) == order


@pytest.mark.parametrize("taker", [0, 1, 2])
def test_taker_of_the_marker__tiles_first(engine, taker):  # R3.3 R10.4
    seats = with_lines(3, 0, 1, 2)
    before = gray(*seats, turn=taker, start=(taker + 1) % 3, center="W*")
    after = engine.after(before, draft(7, "W", 4))
    assert choosing_seats(engine, after) == [taker, (taker + 1) % 3, (taker + 2) % 3]


def test_taker_with_a_full_floor__tiles_first(engine):  # R3.9 R10.4
    before = gray("0 B//// -", "9 K//// WWWWWYY", turn=1, start=0, center="W*")
    after = engine.after(before, draft(5, "W", 4))
    assert after == gray("0 B//// -", "9 K////....W WWWWWYY", turn=1, start=1)


def test_seat_with_nothing_to_choose__is_passed_over(engine):  # R10.5
    before = gray(*with_lines(4, 0, 3), turn=1, start=1, factories=LAST, center="*")
    assert choosing_seats(engine, engine.after(before, END)) == [3, 0]


def test_floor_of_a_seat_with_nothing_to_tile__is_scored_before_the_next_seat(engine):  # R10.9
    before = gray("9 //// BKW", "0 K//// -", turn=1, factories=LAST, center="*")
    after = gray("5 //// -", "0 K////....W -", turn=1, center="*", lid="BKW")
    assert engine.after(before, END) == after


def test_floor_of_a_later_seat__waits(engine):  # R10.9
    before = gray("0 B//// -", "9 //// KK", turn=0, center="*")
    after = dealt("1 :B....//// -", "7 //// -", turn=0, lid="KK")
    assert legal_columns(engine, before) == [0, 1, 2, 3, 4]
    assert engine.after(before, column(before, 0)) == after


def test_score__is_clamped_at_0_before_the_next_seat(engine):  # R10.9
    before = gray("3 B//// KKWWWYY", "0 R//// -", turn=0, center="*")
    after = gray("0 :B....//// -", "0 R//// -", turn=1, center="*", lid="KKWWWYY")
    assert engine.after(before, column(before, 0)) == after


def test_score__is_clamped_once_after_all_lines(engine):  # R5.3 R10.9
    before = gray("0 B/YY/// KKW", "0 R//// -", turn=0, center="*")
    between = gray("1 :B..../YY/// KKW", "0 R//// -", turn=0, center="*")
    after = gray("0 :B..../:Y..../// -", "0 R//// -", turn=1, center="*", lid="KKWY")  # 3 - 4
    assert engine.after(before, column(before, 0)) == between
    assert engine.after(between, column(between, 0)) == after


def test_scored_marker__is_nowhere_until_the_next_round(engine):  # R4.4 R10.9
    before = gray("5 B//// K*", "0 R//// -", turn=0)
    between = gray("4 :B....//// -", "0 R//// -", turn=1, lid="K")
    after = dealt("4 :B....//// -", "1 :R....//// -", turn=0, lid="K")
    assert engine.after(before, column(before, 0)) == between
    assert engine.after(between, column(between, 0)) == after
