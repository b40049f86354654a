"""The thirty scenarios that section 10 of seed 001 asks for: ten normal, ten illegal, ten edge."""

import pytest

from azul_env import (
    Action,
    IllegalActionError,
    IllegalReason,
    apply_action,
    format_state,
    illegal_reason,
    legal_mask,
    parse_action,
    ranking,
    resign,
    winners,
)
from positions import (
    after_round,
    assert_refused,
    before_last_move,
    full_text,
    legal_moves,
    play,
    position,
    seat,
    seat_text,
)

OPENING = "azul 2p round 0/50 turn 0 start 0 | BBYR KKWW RWWW - - | * | bag ? lid - "
ROW_DONE = """azul 2p round 5/50 over row last 1 start 0 | - - - - - | - | bag ? lid -
              | 9 :BYRKW//// - | 0 //// -"""


# Ten normal scenarios: drafting, wall tiling, score updates, round transitions.


def test_normal_01_display__color_goes_to_a_line_and_the_rest_to_the_center():  # R3.1 R3.2
    before = position(OPENING + "| 0 //// - | 0 //// -")
    assert format_state(play(before, "0B2")) == full_text("""
        azul 2p round 0/50 turn 1 start 0 | - KKWW RWWW - - | YR* | bag ? lid -
        | 0 //.BB// - | 0 //// -""")


def test_normal_02_center_without_marker__gives_only_its_tiles():  # R3.1
    before = position("""
        azul 2p round 0/50 turn 1 start 0 | - KKWW - - - | YYR | bag ? lid -
        | 0 //// * | 0 //// -""")
    assert format_state(play(before, "CY1")) == full_text("""
        azul 2p round 0/50 turn 0 start 0 | - KKWW - - - | R | bag ? lid -
        | 0 //// * | 0 /YY/// -""")


def test_normal_03_center_with_marker__gives_the_marker_too():  # R3.3
    before = position("""
        azul 2p round 0/50 turn 1 start 0 | - KKWW - - - | YR* | bag ? lid -
        | 0 //// - | 0 //// -""")
    assert format_state(play(before, "CR0")) == full_text("""
        azul 2p round 0/50 turn 0 start 1 | - KKWW - - - | Y | bag ? lid -
        | 0 //// - | 0 R//// *""")


def test_normal_04_started_line__takes_more_of_its_color():  # R3.6
    before = position(OPENING + "| 0 ///..KK/ - | 0 //// -")
    assert seat(play(before, "1K3"), 0) == seat_text("0 ///KKKK/ -")


def test_normal_05_more_tiles_than_fit__fall_to_the_floor():  # R3.4
    before = position(OPENING + "| 0 //// - | 0 //// -")
    assert seat(play(before, "2W1"), 0) == seat_text("0 /WW/// W")


def test_normal_06_floor__may_be_chosen_while_lines_are_open():  # R3.4 R3.10
    before = position(OPENING + "| 0 //// - | 0 //// -")
    assert seat(play(before, "2WF"), 0) == seat_text("0 //// WWW")


def test_normal_07_wall_tiling__moves_full_lines_and_keeps_the_others():  # R4.2
    before = position("""
        azul 2p round 0/50 turn 1 start 0 | W - - - - | * | bag ? lid -
        | 0 /YY/.RR// - | 0 //// -""")
    assert format_state(play(before, "0W4")) == full_text("""
        azul 2p round 1/50 turn 0 start 0 | BYRK BYRW BYKW BRKW YRKW | * | bag ? lid Y1
        | 1 /:..Y../.RR// - | 0 ////....W -""")


def test_normal_08_placements__score_one_by_one_from_the_top():  # R4.2 R5.1
    # Red stands alone (1), then yellow joins it and the blue below (3). From the bottom: 2 + 3.
    after = after_round("5 R/YY/:..B..// -")
    assert seat(after, 0) == seat_text("9 :..R../:..Y../:..B..// -")


def test_normal_09_round_transition__marker_holder_starts_on_fresh_displays():  # R3.3 R4.3 R4.4
    before = position("""
        azul 2p round 3/50 turn 0 start 1 | - - - - - | BB | bag ? lid -
        | 3 //// - | 7 //// *W""")
    after = play(before, "CB4", deal="BBBB YYYY RRRR KKKK WWWW")
    assert format_state(after) == full_text("""
        azul 2p round 4/50 turn 1 start 1 | BBBB YYYY RRRR KKKK WWWW | * | bag ? lid W1
        | 3 ////...BB - | 5 //// -""")


def test_normal_10_complete_row__ends_the_game_after_the_round():  # R6.1 R6.4
    before = before_last_move("10 W:BYRK.//// -")
    result = apply_action(before, parse_action("0W4", 2))
    assert format_state(result.state) == full_text("""
        azul 2p round 5/50 over row last 1 start 0 | - - - - - | * | bag ? lid -
        | 17 :BYRKW//// - | 0 ////....W -""")
    assert result.final_scores == (17, 0)


# Ten illegal scenarios: colors that are not there, lines that do not take them, wrong stage.


def test_illegal_01_color_not_on_the_display__source_empty():  # R9.4
    assert_refused(position(OPENING + "| 0 //// - | 0 //// -"), "0W2", IllegalReason.SOURCE_EMPTY)


def test_illegal_02_empty_display__source_empty():  # R9.4
    assert_refused(position(OPENING + "| 0 //// - | 0 //// -"), "3BF", IllegalReason.SOURCE_EMPTY)


def test_illegal_03_center_with_the_marker_alone__source_empty():  # R9.4
    state = position(OPENING + "| 0 //// - | 0 //// -")
    assert_refused(state, "CB0", IllegalReason.SOURCE_EMPTY)
    assert legal_moves(state, "C") == []


def test_illegal_04_line_of_another_color__color_mismatch():  # R9.6
    state = position(OPENING + "| 0 ////...YY - | 0 //// -")
    assert_refused(state, "0B4", IllegalReason.COLOR_MISMATCH)


def test_illegal_05_full_line__pattern_line_complete_even_for_its_color():  # R9.5
    state = position(OPENING + "| 0 /BB/// - | 0 //// -")
    assert_refused(state, "0B1", IllegalReason.PATTERN_LINE_COMPLETE)


def test_illegal_06_color_on_the_wall_of_that_row__wall_conflict():  # R9.7
    state = position(OPENING + "| 0 ///:...B./ - | 0 //// -")
    assert_refused(state, "0B3", IllegalReason.WALL_CONFLICT)


def test_illegal_07_other_players_move__not_players_turn():  # R9.3
    state = position(OPENING + "| 0 //// - | 0 //// -")
    action = parse_action("0B2", 2)
    assert illegal_reason(state, action, player=1) == IllegalReason.NOT_PLAYERS_TURN
    assert illegal_reason(state, action, player=0) is None


def test_illegal_08_draft_after_the_end__wrong_phase():  # R9.2
    state = position(ROW_DONE)
    assert_refused(state, "0B0", IllegalReason.WRONG_PHASE)
    assert not legal_mask(state).any()


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(Action(6, 0, 0), id="a_sixth_display"),
        pytest.param(Action(0, 5, 0), id="a_sixth_color"),
        pytest.param(Action(0, 0, 6), id="a_sixth_line"),
        pytest.param(180, id="index_past_the_last"),
        pytest.param(-1, id="index_below_0"),
    ],
)
def test_illegal_09_action_that_does_not_exist__out_of_range(action):  # R9.1
    assert_refused(position(OPENING + "| 0 //// - | 0 //// -"), action, IllegalReason.OUT_OF_RANGE)


def test_illegal_10_second_resignation__already_resigned():  # R9.8
    state = position("""
        azul 3p round 0/50 turn 0 start 0 | BBYR - - - - - - | * | bag ? lid -
        | 0 //// - | 0 //// - resigned 0 | 0 //// -""")
    with pytest.raises(IllegalActionError) as refused:
        resign(state, 1)
    assert refused.value.reason == IllegalReason.ALREADY_RESIGNED


# Ten edge scenarios: bag depletion, bonuses, clamping, overflow.


def test_edge_01_bag_runs_out_inside_a_fill__lid_returns():  # R2.2
    before = position("""
        azul 2p round 4/50 turn 1 start 0 | W - - - - | * | bag B6 lid ?
        | 9 //// - | 9 //// -""")
    after = play(before, "0W4", deal="BBBB BBYY YYRR RKKK WWWW")
    assert format_state(after) == full_text("""
        azul 2p round 5/50 turn 0 start 0 | BBBB BBYY YYRR RKKK WWWW | * | bag ? lid -
        | 9 //// - | 9 ////....W -""")


def test_edge_02_bag_just_enough_for_the_fill__lid_stays():  # R2.2
    before = position("""
        azul 2p round 4/50 turn 1 start 0 | W - - - - | * | bag B4Y4R4K4W4 lid ?
        | 9 //// - | 9 //// -""")
    assert format_state(play(before, "0W4")) == full_text("""
        azul 2p round 5/50 turn 0 start 0 | BYRK BYRW BYKW BRKW YRKW | * | bag - lid ?
        | 9 //// - | 9 ////....W -""")


def test_edge_03_too_few_tiles__last_displays_stay_short_or_empty():  # R2.3
    boards = """/.W:.BYRK/.KK:.WBYR/.RRR:.KWBY/.YYYY:.RKWB -
        | 0 :BY.KW/.Y:WB.RK/.BB:KW.YR/.WWW:RK.BY/.KKKK:YR.WB -
        | 0 :BYRK./.K:WBYR./.RR:KWBY./.YYY:RKWB./.BBBB:YRKW. -"""
    before = position(f"""
        azul 3p round 9/50 turn 0 start 0 | WWWW - - - - - - | * | bag B2 lid R3K1
        | 20 :.YRKW{boards}""")
    after = play(before, "0WF", deal="BBRR RKWW WW - - - -")
    assert format_state(after) == full_text(f"""
        azul 3p round 10/50 turn 0 start 0 | BBRR RKWW WW - - - - | * | bag - lid -
        | 14 :.YRKW{boards}""")


def test_edge_04_several_bonuses__add_up():  # R5.4
    # Placements 5 and 7; two rows 4, the first column 7, all blue tiles 10.
    after = after_round("30 W:BYRK./KK:WBYR./:K.B../:R..B./:Y...B -")
    assert seat(after, 0) == seat_text("63 :BYRKW/:WBYRK/:K.B../:R..B./:Y...B -")


def test_edge_05_floor_beyond_the_score__leaves_0():  # R5.3
    after = after_round("3 //// BYRKW")
    assert seat(after, 0) == seat_text("0 //// -")
    assert after.lid == (1, 1, 1, 1, 1)


def test_edge_06_score_of_0__placements_pay_for_the_floor():  # R5.3
    # Black joins four others in its column: 0 + 5 - 4, with no clamping in between.
    after = after_round("0 :..R../:..Y../:..B../:..W../KKKKK BYR")
    assert seat(after, 0) == seat_text("1 :..R../:..Y../:..B../:..W../:..K.. -")


def test_edge_07_floor_past_its_last_slot__spills_into_the_lid_at_once():  # R3.8
    before = position("""
        azul 2p round 2/50 turn 0 start 0 | KKKK WWWW - - - | * | bag ? lid B3
        | 8 //// BYRBY | 8 //// -""")
    assert format_state(play(before, "0KF")) == full_text("""
        azul 2p round 2/50 turn 1 start 0 | - WWWW - - - | * | bag ? lid B3K2
        | 8 //// BYRBYKK | 8 //// -""")


def test_edge_08_marker_on_a_full_floor__lies_nowhere():  # R3.9
    before = position("""
        azul 2p round 2/50 turn 1 start 0 | WWWW - - - - | BBY* | bag ? lid -
        | 8 //// - | 8 //// KKKKRRR""")
    assert format_state(play(before, "CB4")) == full_text("""
        azul 2p round 2/50 turn 0 start 1 | WWWW - - - - | Y | bag ? lid -
        | 8 //// - | 8 ////...BB KKKKRRR""")


def test_edge_09_rows_of_both_players_in_one_round__both_score():  # R6.1
    before = position("""
        azul 2p round 7/50 turn 0 start 1 | - - - - - | K | bag ? lid -
        | 10 W:BYRK.//// - | 11 ////YYYYY:.RKWB *""")
    assert format_state(play(before, "CK1")) == full_text("""
        azul 2p round 8/50 over row last 0 start 1 | - - - - - | - | bag ? lid Y4
        | 17 :BYRKW/.K/// - | 17 ////:YRKWB -""")


def test_edge_10_equal_points__more_complete_rows_win():  # R7.1
    # 12 + 5 + 2 against 3 + 5 + 7 + 4.
    after = after_round("12 W:BYRK.//// -", "3 B:.YRKW/WW:.BYRK/// -")
    assert after.scores == (19, 19)
    assert winners(after) == (1,)
    assert ranking(after) == (2, 1)
