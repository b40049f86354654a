"""RULINGS.md 1 to 7, 11 and 12: the table, the boards and the order of scoring.

Endings (8 to 10), resigning (13) and the shape of the interface (14 to 19) have their own files.
"""

import numpy as np
import pytest

from azul_env import (
    ImpossibleDealError,
    InvalidPositionError,
    ProblemReason,
    apply_action,
    format_state,
    parse_action,
    parse_state,
    to_dict,
)
from positions import (
    LETTERS,
    after_round,
    fill,
    full_text,
    legal_moves,
    play,
    position,
    seat,
    seat_text,
)

COLORS = ["blue", "yellow", "red", "black", "white"]
WALL = ("BYRKW", "WBYRK", "KWBYR", "RKWBY", "YRKWB")
OPENING = """azul 2p round 0/50 turn 0 start 0 | BBYR KKWW - - - | * | bag ? lid -
             | 0 //// - | 0 //// -"""
LAST_TILE = """azul 2p round 4/50 turn 1 start 0 | W - - - - | * | bag ? lid -
               | 0 //// - | 0 //// -"""


def problem_reasons(short: str) -> set[ProblemReason]:
    with pytest.raises(InvalidPositionError) as refused:
        parse_state(full_text(short))
    return {problem.reason for problem in refused.value.problems}


def test_ruling_01_colors__have_these_names_in_this_order():  # R1.1
    state = position("""
        azul 2p round 1/50 turn 0 start 1 | BYRK - - - - | W | bag ? lid -
        | 0 B/YY/RRR/KKKK/WWWWW - | 0 //// *BYRKW""")
    first, second = to_dict(state)["players"]
    assert [line["color"] for line in first["pattern_lines"]] == COLORS
    assert second["floor"] == ["marker", *COLORS]
    assert (state.factories[0], state.center) == ((1, 1, 1, 1, 0), (0, 0, 0, 0, 1))


@pytest.mark.parametrize("row", range(5))
def test_ruling_01_wall__has_color_column_minus_row_in_each_cell(row):  # R1.5
    for column, letter in enumerate(WALL[row]):
        assert LETTERS.index(letter) == (column - row) % 5
        rows = [""] * 5
        rows[row] = letter * (row + 1)
        wall = after_round(f"0 {'/'.join(rows)} -").players[0].wall
        assert [(r, c) for r in range(5) for c in range(5) if wall[r][c]] == [(row, column)]


def test_ruling_02_full_floor__sends_everything_to_the_lid():  # R3.8
    before = position("""
        azul 2p round 2/50 turn 0 start 0 | KKKK WWWW - - - | * | bag ? lid -
        | 20 //// BYRBYRW | 0 //// -""")
    after = play(before, "0KF")
    assert seat(after, 0) == seat_text("20 //// BYRBYRW")
    assert after.lid == (0, 0, 0, 4, 0)
    assert play(after, "1W3").scores[0] == 20 - 14


def test_ruling_02_overflow_of_a_line__fills_the_floor_and_then_the_lid():  # R3.4 R3.8
    before = position("""
        azul 2p round 2/50 turn 0 start 0 | KKKK WWWW - - - | * | bag ? lid -
        | 20 //// BYRBYR | 0 //// -""")
    after = play(before, "0K0")
    assert seat(after, 0) == seat_text("20 K//// BYRBYRK")
    assert after.lid == (0, 0, 0, 2, 0)


def test_ruling_02_floor_of_8__is_no_position():
    assert problem_reasons("""
        azul 2p round 2/50 turn 0 start 0 | KKKK - - - - | * | bag ? lid -
        | 0 //// BYRBYRWW | 0 //// -""") == {ProblemReason.FLOOR_OVERFULL}


@pytest.mark.parametrize(
    ("move", "board"),
    [
        pytest.param("CR1", "/RR/// K*R", id="marker_before_the_tile_that_falls"),
        pytest.param("CRF", "//// K*RRR", id="marker_before_tiles_thrown_down"),
        pytest.param("CR3", "///.RRR/ K*", id="marker_after_what_lies_there"),
    ],
)
def test_ruling_03_marker__takes_the_leftmost_free_slot_first(move, board):  # R3.3
    before = position("""
        azul 2p round 2/50 turn 0 start 1 | KKKK - - - - | RRR* | bag ? lid -
        | 0 //// K | 0 //// -""")
    assert seat(play(before, move), 0) == seat_text(f"0 {board}")


def test_ruling_03_last_free_slot__goes_to_the_marker_and_the_tiles_to_the_lid():  # R3.3 R3.8
    before = position("""
        azul 2p round 2/50 turn 0 start 1 | KKKK - - - - | RR* | bag ? lid -
        | 0 //// BYBYBY | 0 //// -""")
    after = play(before, "CRF")
    assert seat(after, 0) == seat_text("0 //// BYBYBY*")
    assert after.lid == (0, 0, 2, 0, 0)


FULL_FLOOR_AND_MARKER = """azul 2p round 2/50 turn 1 start 0 | - - - - - | BBY* | bag ? lid -
                           | 8 //// - | 28 //// KKKKRRR"""


def test_ruling_04_marker_without_slot__costs_nothing_and_still_starts():  # R3.9
    after = play(position(FULL_FLOOR_AND_MARKER), "CB4", "CY4")
    assert format_state(after) == full_text("""
        azul 2p round 3/50 turn 1 start 1 | BYRK BYRW BYKW BRKW YRKW | * | bag ? lid R3K4
        | 8 ////....Y - | 14 ////...BB -""")


def test_ruling_04_marker_without_slot__is_not_taken_again():  # R3.3 R3.9
    after = play(position(FULL_FLOOR_AND_MARKER.replace("| - -", "| WWWW -")), "CB4", "CY4")
    assert after.players[0].floor == ()
    assert after.starting_player_next_round == 1


def test_ruling_04_no_marker__is_a_position_only_beside_the_starters_full_floor():
    lost = "azul 2p round 2/50 turn 0 start 1 | - - - - - | Y | bag ? lid - | 8 //// - | 28 //// "
    assert not position(lost + "KKKKRRR").center_has_marker
    assert problem_reasons(lost + "KKKKRR") == {ProblemReason.MARKER_COUNT}
    assert ProblemReason.MARKER_COUNT in problem_reasons(
        lost.replace("| Y |", "| Y* |") + "KKKKRR*"
    )


@pytest.mark.parametrize("starter", [0, 1])
def test_ruling_05_marker_never_taken__stays_and_the_starter_starts_again(starter):  # R4.5
    before = position(f"""
        azul 2p round 2/50 turn 0 start {starter} | BBBB KKKK - - - | * | bag ? lid -
        | 0 //// - | 0 //// -""")
    after = play(before, "0B4", "1K4")
    assert format_state(after) == full_text(f"""
        azul 2p round 3/50 turn {starter} start {starter} | BYRK BYRW BYKW BRKW YRKW | *
        | bag ? lid - | 0 ////.BBBB - | 0 ////.KKKK -""")


@pytest.mark.parametrize(
    "deal",
    [
        pytest.param("YYYY BBBB BBRR RRKK WWWW", id="lid_before_the_bag"),
        pytest.param("BBBB BYRK RRRR KKKK WWWW", id="tile_of_the_bag_passed_over"),
        pytest.param("BBBY BBBR RRKK KKWW WWYY", id="tile_of_the_lid_among_those_of_the_bag"),
        pytest.param("BBBB BBYY YYRR RRKK KKK", id="display_short_though_tiles_are_left"),
        pytest.param("BBBB BBYY YYRR RRKK KKKKK", id="five_on_a_display"),
        pytest.param("BBBB BBYY YYRR RRKK", id="display_forgotten"),
    ],
)
def test_ruling_06_fill_that_hands_cannot_make__is_refused(deal):  # R2.1 R2.2
    before = position(LAST_TILE.replace("bag ? lid -", "bag B6 lid ?"))
    with pytest.raises(ImpossibleDealError):
        apply_action(before, parse_action("0W4", 2), deal=fill(deal))


def test_ruling_06_bag_that_is_enough__gives_all_tiles_itself():  # R2.2
    before = position(LAST_TILE.replace("bag ? lid -", "bag B15Y15 lid ?"))
    with pytest.raises(ImpossibleDealError):
        play(before, "0W4", deal="BBBB BBBB YYYY YYYY YYYR")
    after = play(before, "0W4", deal="BBBB BBBB YYYY YYYY YYYB")
    assert after.bag == (15 - 9, 15 - 11, 0, 0, 0)
    assert after.lid == (5, 5, 20, 20, 19)


@pytest.mark.parametrize("seed", range(4))
def test_ruling_06_bag_one_tile_short__is_emptied_and_the_lid_gives_one(seed):  # R2.2
    before = position(LAST_TILE.replace("bag ? lid -", "bag B10Y9 lid ?"))
    after = apply_action(before, parse_action("0W4", 2), rng=seed).state
    drawn = np.sum(after.factories, axis=0)
    assert drawn.sum() == 20
    assert (drawn >= (10, 9, 0, 0, 0)).all()
    assert sum(after.lid) == 0


# 4 players whose walls and unfinished lines hold 99 tiles; the last one is on the table.
ONE_TILE_LEFT = """azul 4p round 9/50 turn 3 start 2 | B - - - - - - - - | * | bag - lid -
    | 9 :.YRKW/.W:.BYRK/.KK:.WBYR/.RRR:.KWBY/.YYYY:.RKWB -
    | 9 :B.RKW/.B:W.YRK/.WW:K.BYR/..KK:R.WBY/:Y.KWB -
    | 9 :BY.KW/:WB.RK/.BB:KW.YR/...W:RK.BY/:YR.WB -
    | 9 :BYR.W/.R:WBY.K/:KWB.R/:RKW.Y/:YRK.B -"""


def test_ruling_07_single_tile__makes_a_round():  # R2.3
    before = position(ONE_TILE_LEFT)
    after = play(before, "0BF", deal="B - - - - - - - -")
    assert format_state(after) == full_text(
        ONE_TILE_LEFT.replace("round 9/50 turn 3", "round 10/50 turn 2").replace(
            "| 9 :BYR.W", "| 8 :BYR.W"
        )
    )


@pytest.mark.parametrize("deal", ["- B - - - - - - -", "- - - - - - - - -", "W - - - - - - - -"])
def test_ruling_07_displays__are_filled_in_order_with_what_there_is(deal):  # R2.3
    with pytest.raises(ImpossibleDealError):
        play(position(ONE_TILE_LEFT), "0BF", deal=deal)


def test_ruling_07_short_draw__puts_the_last_tile_on_the_first_display():  # R2.3
    after = apply_action(position(ONE_TILE_LEFT), parse_action("0BF", 4), rng=1).state
    assert [sum(display) for display in after.factories] == [1, 0, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("rows", "points"),
    [
        pytest.param("/YY/:..B..//", 2, id="alone_in_its_row_beside_a_column_of_2"),
        pytest.param("/YY:.B...///", 2, id="alone_in_its_column_beside_a_row_of_2"),
        pytest.param("/YY///", 1, id="alone_in_both"),
    ],
)
def test_ruling_11_run_of_1__scores_only_where_both_are_1(rows, points):  # R5.1
    assert after_round(f"0 {rows} -").scores[0] == points


def test_ruling_11_overflow__is_what_the_line_has_no_space_for():  # R3.4
    state = position(OPENING.replace("BBYR", "BBBB").replace("| 0 ////", "| 0 /.B///", 1))
    fallen = {move: play(state, move).players[0].floor for move in legal_moves(state, "0B")}
    counts = [len(fallen[f"0B{to}"]) for to in "01234F"]
    assert counts == [3, 3, 1, 0, 0, 4]


def test_ruling_12_floor__is_taken_off_after_the_placements():  # R5.3
    # 2 + 1 - 4 is below 0; the floor first would leave 0 + 1.
    assert after_round("2 R//// BYR").scores[0] == 0


def test_ruling_12_bonuses__come_after_the_clamp():  # R5.3 R5.4
    # 0 + 5 - 14 becomes 0, then 2 for the row.
    assert after_round("0 W:BYRK.//// BYRBYRB").scores[0] == 2
