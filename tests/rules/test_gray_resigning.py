"""R10.12 to R10.15: resigned seats and resigning on the gray wall, on both engines."""

import pytest

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

END = draft(0, "W", 4)
TOOK_IT = "0 ////....W -"
CHOOSES = "0 R//// -"
CHOSE = "1 :R....//// -"  # in the leftmost column


# Seats that resigned before the tiling.


def test_resigned_seat__tiles_in_the_leftmost_legal_columns(engine):  # R10.12
    resigned = "9 B:K..../BB:.Y.../// W resigned 0"
    before = gray(CHOOSES, resigned, EMPTY, turn=2, factories="W", center="*")
    between = gray(CHOOSES, resigned, TOOK_IT, turn=0, center="*")
    # Blue beside black and above yellow is worth 4, below black and beside yellow as well.
    tiled = "16 :KB.../:BY.../// - resigned 0"
    assert engine.after(before, END) == between
    assert engine.after(between, column(between, 0)) == dealt(
        CHOSE, tiled, TOOK_IT, turn=0, lid="BW"
    )


def test_leftmost_column__may_be_any_but_an_illegal_one(engine):  # R10.3 R10.12
    resigned = "0 :.B.../BB:K..../// - resigned 0"
    before = gray(EMPTY, resigned, EMPTY, turn=2, factories="W", center="*")
    after = dealt(EMPTY, "1 :.B.../:K.B../// - resigned 0", TOOK_IT, turn=0, lid="B")
    assert engine.after(before, END) == after


def test_resigned_seat__lets_a_line_without_a_column_fall(engine):  # R10.7 R10.12
    resigned = "9 :....B/BB:KYRW./// - resigned 0"
    before = gray(EMPTY, resigned, EMPTY, turn=2, factories="W", center="*")
    after = dealt(EMPTY, "7 :....B/:KYRW./// - resigned 0", TOOK_IT, turn=0, lid="BB")
    assert engine.after(before, END) == after


def test_resigned_seat__tiles_in_its_place_in_the_order(engine):  # R10.4
    seats = [CHOOSES, "0 B//// - resigned 0", "0 K//// -", EMPTY]
    before = gray(*seats, turn=3, factories="W", center="*")
    first = gray(*seats[:3], TOOK_IT, turn=0, center="*")
    second = gray(CHOSE, "1 :B....//// - resigned 0", "0 K//// -", TOOK_IT, turn=2, center="*")
    assert engine.after(before, END) == first
    assert engine.after(first, column(first, 0)) == second


def test_next_starter_who_resigned__tiles_last(engine):  # R8.4 R10.4
    resigned = "5 B//// *K resigned 0"
    before = gray("0 Y//// -", resigned, "0 K//// -", turn=0, start=1, factories="W")
    first = gray("0 Y////....W -", resigned, "0 K//// -", turn=2, start=1)
    second = gray("0 Y////....W -", resigned, "1 :K....//// -", turn=0, start=1)
    after = dealt(
        "1 :Y....////....W -",
        "4 :B....//// - resigned 0",
        "1 :K....//// -",
        turn=2,
        lid="K",
    )
    assert engine.after(before, END) == first
    assert engine.after(first, column(first, 0)) == second
    assert engine.after(second, column(second, 0)) == after


def test_row_of_a_resigned_seat__ends_the_game(engine):  # R8.3 R10.12
    before = gray(CHOOSES, "5 B:KYRW.//// - resigned 0", EMPTY, turn=0, center="*")
    after = gray(
        CHOSE,
        "12 :KYRWB//// - resigned 0",  # 5 for the run, 2 for the row
        EMPTY,
        turn=0,
        center="*",
        round=5,
        over="row",
    )
    assert engine.after(before, column(before, 0)) == after


# Resigning in the middle of the tiling.


def test_seat_to_choose__resigns_and_the_rest_goes_to_the_leftmost_columns(engine):  # R10.13
    before = gray("5 B/YY/.R// *W", CHOOSES, EMPTY, turn=0)
    # 1 for blue, 2 for yellow below it; the floor costs 2. Line 2 is not full.
    after = gray("6 :B..../:Y..../.R// - resigned 0", CHOOSES, EMPTY, turn=1, lid="YW")
    assert engine.resigned(before, 0) == after


def test_seat_to_choose__resigns_after_its_first_choice(engine):  # R10.13
    before = gray("5 B/YY/RRR// -", CHOOSES, EMPTY, turn=0, center="*")
    between = engine.after(before, column(before, 4))
    after = gray(
        "9 :....B/:Y..../:R....// - resigned 0", CHOOSES, EMPTY, turn=1, center="*", lid="YRR"
    )
    assert engine.resigned(between, 0) == after


def test_seat_to_choose__resigns_and_what_has_no_column_falls(engine):  # R10.7 R10.13
    before = gray("9 B:K...Y/BB:.YRKW///:B.... -", CHOOSES, EMPTY, turn=0, center="*")
    # 4 for blue in column 1 of row 0; row 1 has only column 0 free, which holds blue in row 4.
    after = gray(
        "11 :KB..Y/:.YRKW///:B.... - resigned 0", CHOOSES, EMPTY, turn=1, center="*", lid="BB"
    )
    assert engine.resigned(before, 0) == after


def test_last_seat_to_choose__resigns_and_the_next_round_begins(engine):  # R10.13 R8.4
    before = gray("1 :B....//// -", EMPTY, "0 K//// -", turn=2, start=0, center="*")
    after = dealt("1 :B....//// -", EMPTY, "1 :K....//// - resigned 0", turn=0)
    assert engine.resigned(before, 2) == after


def test_only_seat_to_choose__resigns_and_does_not_start_the_next_round(engine):  # R10.13 R8.4
    before = gray(EMPTY, "0 K//// *", EMPTY, turn=1, start=1)
    after = dealt(EMPTY, "0 :K....//// - resigned 0", EMPTY, turn=2)
    assert engine.resigned(before, 1) == after


def test_resignation_that_completes_the_tiling__may_end_the_game(engine):  # R10.11 R10.13
    before = gray(EMPTY, EMPTY, "0 K/BB:KYRW./// W", turn=2, start=0, center="*")
    after = gray(
        EMPTY,
        EMPTY,
        # Column 0 holds black: 2 for black above yellow, 5 for the row, -1; 2 at the end.
        "8 :.K.../:KYRWB/// - resigned 0",
        turn=2,
        center="*",
        lid="BW",
        round=5,
        over="row",
    )
    assert engine.resigned(before, 2) == after


def test_resignation_that_completes_the_last_round__ends_the_game(engine):  # R6.3 R10.13
    before = gray(EMPTY, EMPTY, "0 K//// -", turn=2, center="*", round=7, max_rounds=8)
    after = gray(
        EMPTY,
        EMPTY,
        "1 :K....//// - resigned 0",
        turn=2,
        center="*",
        round=8,
        max_rounds=8,
        over="max_rounds",
    )
    assert engine.resigned(before, 2) == after


def test_seat_that_has_not_tiled__resigns_and_tiles_in_turn(engine):  # R10.14
    before = gray(CHOOSES, "0 B/YY/// K", "0 K//// -", turn=0, center="*")
    between = gray(CHOOSES, "0 B/YY/// K resigned 0", "0 K//// -", turn=0, center="*")
    after = gray(
        CHOSE, "2 :B..../:Y..../// - resigned 0", "0 K//// -", turn=2, center="*", lid="YK"
    )
    assert engine.resigned(before, 1) == between
    assert engine.after(between, column(between, 0)) == after


def test_seat_that_has_tiled__resigns_and_the_order_stays(engine):  # R10.14
    seats = ["1 :B....//// -", "0 Y//// W", "0 K//// W"]
    before = gray(*seats, turn=1, start=0, center="*")
    between = gray(seats[0] + " resigned 0", *seats[1:], turn=1, start=0, center="*")
    after = gray(
        seats[0] + " resigned 0", "0 :Y....//// -", seats[2], turn=2, start=0, center="*", lid="W"
    )
    last = dealt(seats[0] + " resigned 0", "0 :Y....//// -", "0 :K....//// -", turn=1, lid="WW")
    assert engine.resigned(before, 0) == between
    assert engine.after(between, column(between, 0)) == after
    assert engine.after(after, column(after, 0)) == last


def test_taker_of_the_marker__resigns_after_tiling(engine):  # R10.9 R10.14
    before = gray("1 :B....//// -", "0 Y//// W", "0 K//// W", turn=1, start=0)  # marker nowhere
    between = gray("1 :B....//// - resigned 0", "0 Y//// W", "0 K//// W", turn=1, start=0)
    assert engine.resigned(before, 0) == between
    assert legal_columns(engine, between) == [0, 1, 2, 3, 4]


# One seat is left.


@pytest.mark.parametrize("player", [0, 1])
def test_one_of_two__resigns_in_the_middle_of_the_tiling(engine, player):  # R10.15
    column_done = ":Y..../:B..../:R..../:K..../:W...."  # 7 at the end
    before = gray(f"20 {column_done} K", "9 B:K..../YY/// KW*", turn=1, start=1)
    ended = [f"27 {column_done} K", "9 B:K..../YY/// KW*"]
    ended[player] += " resigned 0"
    after = gray(*ended, turn=player, start=1, over="resignation")
    assert engine.resigned(before, player) == after


def test_second_of_three__resigns_in_the_middle_of_the_tiling(engine):  # R10.15
    before = gray("9 B//// K", "0 //// - resigned 0", "0 K//// -", turn=0, center="*")
    after = gray(
        "9 B//// K resigned 1",
        "0 //// - resigned 0",
        "0 K//// -",
        turn=0,
        center="*",
        over="resignation",
    )
    assert engine.resigned(before, 0) == after


def test_complete_row__gets_its_bonus_but_does_not_give_the_reason(engine):  # R10.15
    before = gray("14 :KYBRW//// -", "0 R//// KK", turn=1, center="*")
    after = gray("16 :KYBRW//// -", "0 R//// KK resigned 0", turn=1, center="*", over="resignation")
    assert engine.resigned(before, 1) == after
