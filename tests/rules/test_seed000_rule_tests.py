"""Seed 000: the start of a game (5.1), the invariants of 8.2 and the rule-based tests of 8.3."""

import re

import pytest

from azul_env import apply_action, format_state, new_game, parse_action
from positions import (
    after_round,
    fill,
    full_text,
    play,
    position,
    random_game,
    seat,
    seat_text,
    tiles_by_color,
)

WALL = ("BYRKW", "WBYRK", "KWBYR", "RKWBY", "YRKWB")


# Section 5.1: the start.


def test_new_game__has_full_displays_empty_boards_and_the_marker_in_the_center():  # R2.1 R2.4 R2.5
    fresh = new_game(2, starting_player=1, deal=fill("BBBB BYRK KKKK RRWW YYYW"))
    assert format_state(fresh) == full_text("""
        azul 2p round 0/50 turn 1 start 1 | BBBB BYRK KKKK RRWW YYYW | * | bag ? lid -
        | 0 //// - | 0 //// -""")


@pytest.mark.parametrize(("num_players", "displays"), [(2, 5), (3, 7), (4, 9)])
def test_new_game__draws_four_tiles_for_every_display(num_players, displays):  # R1.3 R2.1
    fresh = new_game(num_players, rng=5)
    assert [sum(display) for display in fresh.factories] == [4] * displays
    assert sum(fresh.bag) == 100 - 4 * displays
    assert tiles_by_color(fresh) == [20] * 5


# Section 8.3: scoring a placement. The full line of three blue tiles goes to cell (2, 2).


@pytest.mark.parametrize(
    ("rows", "points"),
    [
        pytest.param("////", 1, id="single_tile_scores_1"),
        pytest.param("/:.B.R.//:.K.B./", 1, id="diagonal_neighbors_do_not_count"),
        pytest.param("//:K...R//", 1, id="tiles_behind_a_gap_do_not_count"),
        pytest.param("//:.W...//", 2, id="one_neighbor_in_the_row_scores_2"),
        pytest.param("//:KW...//", 3, id="two_to_the_left_score_3"),
        pytest.param("//:...YR//", 3, id="two_to_the_right_score_3"),
        pytest.param("//:KW.Y.//", 4, id="both_sides_of_the_row_score_4"),
        pytest.param("/:..Y..///", 2, id="one_neighbor_in_the_column_scores_2"),
        pytest.param(":..R../:..Y..///", 3, id="two_above_score_3"),
        pytest.param("///:..W../:..K..", 3, id="two_below_score_3"),
        pytest.param(":..R../:..Y..//:..W../:..K..", 5, id="whole_column_scores_5"),
        pytest.param(":..R..///:..W../", 2, id="gap_in_the_column_cuts_the_run"),
        pytest.param("/:..Y../:.W.../:..W../", 5, id="run_of_3_and_run_of_2_score_5"),
        pytest.param("/:..Y../:.W.Y./:..W../", 6, id="cross_scores_6"),
        pytest.param(":..R../:..Y../:KW.Y.//", 7, id="run_of_4_and_run_of_3_score_7"),
    ],
)
def test_placement__scores_its_two_runs(rows, points):  # R5.1
    around = rows.split("/")
    around[2] = f"BBB{around[2]}"
    assert after_round(f"0 {'/'.join(around)} -").scores[0] == points


def test_complete_row__scores_its_run_before_the_bonus():  # R5.1 R5.4
    assert after_round("0 //BBB:KW.YR// -").scores[0] == 5 + 2


# Section 8.3: floor penalties, and the examples of seed 003, section 7.


@pytest.mark.parametrize(
    ("floor", "penalty"),
    [
        pytest.param("-", 0, id="empty_floor_costs_0"),
        pytest.param("B", 1, id="first_slot_costs_1"),
        pytest.param("BR", 2, id="second_slot_costs_1"),
        pytest.param("BRY", 4, id="third_slot_costs_2"),
        pytest.param("BRYK", 6, id="fourth_slot_costs_2"),
        pytest.param("BRYKW", 8, id="fifth_slot_costs_2"),
        pytest.param("BRYKWB", 11, id="sixth_slot_costs_3"),
        pytest.param("BRYKWBR", 14, id="seventh_slot_costs_3"),
    ],
)
def test_floor__costs_the_sum_of_its_slots(floor, penalty):  # R5.2
    after = after_round(f"50 //// {floor}")
    assert seat(after, 0) == seat_text(f"{50 - penalty} //// -")
    assert sum(after.lid) == len(floor.strip("-"))


def test_full_floor__takes_no_score_below_0():  # R5.3
    assert after_round("13 //// BRYKWBR").scores[0] == 0


@pytest.mark.parametrize("floor", ["*BRYKW", "BR*YKW", "BRYKW*"])
def test_marker_on_the_floor__costs_what_a_tile_in_its_slot_costs(floor):  # R4.4
    before = position(f"""
        azul 2p round 3/50 turn 1 start 0 | W - - - - | - | bag ? lid -
        | 50 //// {floor} | 0 //// -""")
    after = play(before, "0W4")
    assert after.scores[0] == 50 - 11
    assert after.lid == (1, 1, 1, 1, 1)
    assert after.center_has_marker


# Section 8.3: bonuses. Each case's white tile completes row 0 and so ends the game: 5 + 2.


@pytest.mark.parametrize(
    ("lower_rows", "bonus"),
    [
        pytest.param("///", 0, id="row_alone_adds_nothing_more"),
        pytest.param(":W..../:K..../:R..../:Y....", 7, id="column_adds_7"),
        pytest.param(":.B.../:..B../:...B./:....B", 10, id="color_adds_10"),
        pytest.param(":WB.../:K.B../:R..B./:Y...B", 17, id="column_and_color_add_17"),
        pytest.param(":WB.../:KW.../:RK.../:YR...", 14, id="two_columns_add_14"),
        pytest.param(":.BY../:..BY./:...BY/:Y...B", 20, id="two_colors_add_20"),
    ],
)
def test_bonus__adds_columns_and_colors_to_the_row(lower_rows, bonus):  # R5.4
    after = after_round(f"0 W:BYRK./{lower_rows} -")
    assert after.end_reason == "row"
    assert after.scores[0] == 5 + 2 + bonus


def test_bonus__is_not_paid_while_the_game_goes_on():  # R5.4
    column_and_color = "4 :B..../:WB.../:K.B../:R..B./YYYYY:....B -"
    # Yellow completes the column: 5 points, the 7 and the 10 wait for the end.
    assert after_round(column_and_color).scores[0] == 4 + 5


# Section 8.3: refill from a depleted bag.


@pytest.mark.parametrize("seed", range(8))
def test_refill__empties_the_bag_before_it_touches_the_lid(seed):  # R2.2
    before = position("""
        azul 2p round 4/50 turn 1 start 0 | W - - - - | * | bag B6 lid ?
        | 0 //// - | 0 //// -""")
    after = apply_action(before, parse_action("0W4", 2), rng=seed).state
    assert after.factories[0] == (4, 0, 0, 0, 0)
    assert after.factories[1][0] >= 2
    assert [sum(display) for display in after.factories] == [4] * 5
    assert after.lid == (0, 0, 0, 0, 0)
    assert sum(after.bag) == 100 - 20 - 1


def test_refill__takes_the_tiles_of_this_very_round_if_need_be():  # R2.2 R4.2 R4.3
    # All other tiles are on the boards for good; the floor is emptied before the fill begins.
    before = position("""
        azul 4p round 9/50 turn 3 start 0 | - - - - - - - - - | W* | bag - lid -
        | 9 :.YRKW/.W:.BYRK/.KK:.WBYR/.RRR:.KWBY/.YYYY:.RKWB -
        | 9 :B.RKW/.B:W.YRK/.WW:K.BYR/..KK:R.WBY/:Y.KWB -
        | 9 :BY.KW/:WB.RK/.BB:KW.YR/:RK.BY/:YR.WB -
        | 9 :BYR.W/.R:WBY.K/:KWB.R/:RKW.Y/:YRK.B B""")
    after = play(before, "CWF", deal="BW - - - - - - - -")
    assert after.factories[0] == (1, 0, 0, 0, 1)
    assert (after.bag, after.lid) == ((0,) * 5, (0,) * 5)
    assert after.scores == (9, 9, 9, 5)


# Section 8.2: invariants, over random games.


@pytest.fixture(scope="module", params=[2, 3, 4], ids=["2p", "3p", "4p"])
def states(request):
    """Every position of two random games, one of them with many tiles on the floors."""
    usual, long = new_game(request.param, rng=8), new_game(request.param, rng=9, max_rounds=9)
    return [*random_game(usual, seed=8), *random_game(long, seed=9, floor_share=0.5)]


def test_invariant__20_tiles_of_each_color(states):  # R1.2
    assert all(tiles_by_color(state) == [20] * 5 for state in states)


def test_invariant__floors_hold_at_most_7(states):  # R1.4
    lengths = [len(board.floor) for state in states for board in state.players]
    assert max(lengths) == 7


def test_invariant__lines_hold_one_color_that_their_row_still_needs(states):  # R3.6 R3.7
    for state in states:
        for board in state.players:
            for row, line in enumerate(board.pattern_lines):
                assert line.count <= row + 1
                assert (line.count == 0) == (line.color is None)
                assert line.color is None or board.wall[row][(line.color + row) % 5] == 0


def test_invariant__text_form_shows_every_wall_tile_in_its_own_cell(states):  # R1.5
    for state in states[::5]:
        for player in range(state.num_players):
            walls = re.findall(r":(\S{5})", seat(state, player))
            for shown, pattern in zip(walls, WALL, strict=True):
                assert all(a in (".", b) for a, b in zip(shown, pattern, strict=True)), state


def test_invariant__seats_and_scores_stay_in_range(states):  # R5.3
    for state in states:
        assert 0 <= state.current_player < state.num_players
        assert 0 <= state.starting_player_next_round < state.num_players
        assert min(state.scores) >= 0
