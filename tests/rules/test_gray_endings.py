"""R10.10, R10.11, R6: the end of a round and of the game on the gray wall, on both engines."""

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
FOUR_BLUE = ":B..../:.B.../:..B../:...B."  # rows 0 to 3
LEFT_COLUMN = ":B..../:Y..../:R..../:K...."


def test_complete_row__does_not_stop_the_tiling(engine):  # R10.10
    before = gray("9 B:KY.RW//// W", "0 R//// K", turn=1, factories="W", center="*")
    between = gray("13 :KYBRW//// -", "0 R////....W K", turn=1, center="*", lid="W")
    # 2 for the row; seat 1's tile stands above nothing, and its floor costs 1.
    after = gray(
        "15 :KYBRW//// -",
        "0 :...R.////....W -",
        turn=1,
        center="*",
        lid="WK",
        round=5,
        over="row",
    )
    assert engine.after(before, END) == between
    assert legal_columns(engine, between) == [0, 1, 2, 3, 4]
    assert engine.after(between, column(between, 3)) == after


def test_two_complete_rows__both_count(engine):  # R6.1 R10.10
    before = gray("9 B:KY.RW//// -", "0 R/BB:KYRW./// -", turn=1, factories="W", center="*")
    between = gray("14 :KYBRW//// -", "0 R/BB:KYRW.///....W -", turn=1, center="*")
    assert engine.after(before, END) == between
    # Seat 1: 2 for red above black, then 5 and 2 for blue below nothing but in a row of five.
    after = engine.after(between, column(between, 0))
    assert after["end_reason"] == "row"
    assert [player["score"] for player in after["players"]] == [16, 2 + 5 + 2]


def test_choice_of_the_last_seat__is_the_last_move_of_the_game(engine):  # R10.11
    before = gray("9 R:KY...//// -", "9 B:KY.RW//// *", turn=1, start=1, factories="W")
    between = engine.after(before, END)
    assert (between["current_player"], between["phase"]) == (0, "wall_tiling")
    after = engine.after(between, column(between, 4))
    assert (after["current_player"], after["phase"]) == (0, "game_over")


def test_draft__is_the_last_move_of_a_game_that_ends_with_forced_tiles(engine):  # R10.11
    before = gray("9 B:KY.RW//// -", EMPTY, EMPTY, turn=2, factories="W", center="*")
    after = engine.after(before, END)
    assert (after["current_player"], after["phase"]) == (2, "game_over")


def test_round__is_counted_when_all_have_tiled(engine):  # R10.10
    before = gray("0 B//// -", "0 R//// -", turn=1, factories="W", center="*", round=48)
    first = engine.after(before, END)
    second = engine.after(first, column(first, 0))
    third = engine.after(second, column(second, 0))
    assert [data["round"] for data in (first, second, third)] == [48, 48, 49]
    assert third["phase"] == "factory_offer"


def test_last_round__ends_the_game_after_the_tiling(engine):  # R6.3 R10.10
    before = gray("0 B//// -", EMPTY, turn=0, center="*", round=2, max_rounds=3)
    after = gray(
        "1 :....B//// -",
        EMPTY,
        turn=0,
        center="*",
        round=3,
        max_rounds=3,
        over="max_rounds",
    )
    assert engine.after(before, column(before, 4)) == after


def test_empty_bag_and_lid__end_the_game_after_the_tiling(engine):  # R6.2 R10.10
    five_black = ":BYRK./.W:YBKR./.WW:RKBY./.WWW:KRYB./.BBBB:....K -"  # 10 at the end
    others = [
        "0 :BYRK./.W:YBKR./.WW:RKBY./.WWW:KRYB./.YYYY -",
        "0 :BYRK./.W:YBKR./:RKBY./:KRYB./.RRRR -",
    ]
    rows = "/.W:YBKR./.WW:RKBY./.WWW:KRYB./.KKKK -"
    before = gray("0 W:BYR.." + rows, "0 " + five_black, *others, turn=0, center="*")
    assert legal_columns(engine, before) == [3, 4]
    assert before["bag"] == before["discard"] == [0] * 5
    seats = ["1 :BYR.W" + rows, "10 " + five_black, *others]
    after = gray(*seats, turn=0, center="*", round=5, over="no_tiles")
    assert engine.after(before, column(before, 4)) == after


@pytest.mark.parametrize(
    ("board", "number", "points"),
    [
        pytest.param(f"{FOUR_BLUE}/BBBBB:YR...", 4, 1 + 10, id="color"),
        pytest.param(f"{FOUR_BLUE}/BBBBB:YRK..", 4, 1 + 10, id="color_forced"),
        pytest.param(f"{LEFT_COLUMN}/WWWWW", 0, 5 + 7, id="column"),
        pytest.param(f"{LEFT_COLUMN}/WWWWW", 1, 1, id="nothing"),
        pytest.param(f"{LEFT_COLUMN}/WWWWW:.YRK.", 0, 5 + 4 + 7, id="column_from_a_row"),
    ],
)
def test_bonuses__are_those_of_the_colors_that_were_placed(engine, board, number, points):  # R5.4
    before = gray(f"20 {board} -", EMPTY, turn=1, factories="W", center="*", round=0, max_rounds=1)
    after = engine.after(before, draft(0, "W", 5))  # 1 for seat 1's floor, at score 0
    if after["phase"] == "wall_tiling":
        after = engine.after(after, column(after, number))
    assert after["end_reason"] == "max_rounds"
    assert [player["score"] for player in after["players"]] == [20 + points, 0]


def test_bonus_for_a_row__comes_with_the_tile_that_completes_it(engine):  # R5.4
    before = gray("20 //://WWWWW:BYRK. -", EMPTY, turn=1, factories="W", center="*")
    after = engine.after(before, draft(0, "W", 5))
    assert after["end_reason"] == "row"
    assert [player["score"] for player in after["players"]] == [20 + 5 + 2, 0]


def test_marker_of_a_game_that_ends__is_nowhere_if_somebody_took_it(engine):  # R6.4
    before = gray("9 B:KY.RW//// *", "0 R//// -", turn=1, start=0, factories="W")
    between = engine.after(before, END)
    after = engine.after(between, column(between, 1))
    assert after["phase"] == "game_over"
    assert not after["center_has_marker"]
    assert [player["floor"] for player in after["players"]] == [[], []]


def test_next_round__starts_with_the_seat_that_tiled_first(engine):  # R3.3 R10.4
    before = gray("0 B//// -", "0 R//// *", EMPTY, turn=1, start=1)
    between = engine.after(before, column(before, 0))
    assert between["current_player"] == 0
    after = dealt("1 :B....//// -", "0 :R....//// -", EMPTY, turn=1)
    assert engine.after(between, column(between, 0)) == after
