"""Seed 003, to be checked off: 8 edge cases, 13 matrix rows, 3 test vectors, 3 invariants.

RULINGS.md 2, 3 and 11 correct the seed; its partial positions are completed to 100 tiles.
"""

import pytest

from azul_env import IllegalReason, format_state, legal_mask, new_game
from positions import (
    LETTERS,
    assert_refused,
    full_text,
    legal_moves,
    play,
    position,
    random_game,
    reason_against,
    seat,
    seat_text,
    tiles_by_color,
)

ANYWHERE = "01234F"


def offer(board: str, displays: str = "BYRK BYRW - - -", center: str = "*"):
    """A position with player 0 to move; where the marker is not in the center, player 1 has it."""
    marker_taken = "*" not in center
    return position(f"""
        azul 2p round 1/50 turn 0 start {int(marker_taken)} | {displays} | {center} | bag ? lid -
        | 20 {board} | 20 //// {"*" if marker_taken else "-"}""")


# Section 5: edge cases.


def test_edge_case_1_color_mismatch__other_rows_and_floor_remain():  # R3.6 R9.6
    state = offer("//.RR// -", "BBBW - - - -")
    assert_refused(state, "0B2", IllegalReason.COLOR_MISMATCH)
    assert legal_moves(state, "0B") == ["0B0", "0B1", "0B3", "0B4", "0BF"]


def test_edge_case_2_wall_conflict__other_rows_and_floor_remain():  # R3.7 R9.7
    state = offer("/:..Y../// -", center="YY*")
    assert state.players[0].wall[1] == (0, 0, 1, 0, 0)
    assert_refused(state, "CY1", IllegalReason.WALL_CONFLICT)
    assert legal_moves(state, "CY") == ["CY0", "CY2", "CY3", "CY4", "CYF"]


def test_edge_case_3_complete_line__other_rows_and_floor_remain():  # R3.5 R9.5
    state = offer("///BBBB/ -", "- BBKK - - -")
    assert_refused(state, "1B3", IllegalReason.PATTERN_LINE_COMPLETE)
    assert legal_moves(state, "1B") == ["1B0", "1B1", "1B2", "1B4", "1BF"]


def test_edge_case_4_center_with_token__token_joins_the_floor():  # R3.3, RULINGS 3
    before = position("""
        azul 2p round 1/50 turn 1 start 0 | BBYY - - - - | KKWWW* | bag ? lid -
        | 0 //// - | 0 //// R""")
    assert format_state(play(before, "CW4")) == full_text("""
        azul 2p round 1/50 turn 0 start 1 | BBYY - - - - | KK | bag ? lid -
        | 0 //// - | 0 ////..WWW R*""")


def test_edge_case_5_overflow__three_of_four_fall():  # R3.4
    state = offer("/.B/// -", "- - BBBB KKKK -")
    assert seat(play(state, "2B1"), 0) == seat_text("20 /BB/// BBB")


def test_edge_case_6_every_line_blocked__floor_is_the_only_move():  # R3.10
    # Line 0 is full, rows 1 and 3 have red on the wall, lines 2 and 4 hold other colors.
    board = "K/:...R./..B/:R..../...YY"
    state = offer(f"{board} K", "BBYY - - - -", "RRR")
    assert legal_moves(state, "CR") == ["CRF"]
    assert seat(play(state, "CRF"), 0) == seat_text(f"20 {board} KRRR")


def test_edge_case_7_empty_source__refuses_every_color_and_destination():  # R9.4
    state = offer("//// -")
    for move in [f"2{color}{to}" for color in LETTERS for to in ANYWHERE]:
        assert reason_against(state, move) == IllegalReason.SOURCE_EMPTY
    assert legal_moves(state, "2") == []


def test_edge_case_8_floor_past_7__costs_14_and_spills_into_the_lid():  # R3.8 R5.2, RULINGS 2
    drafted = play(offer("//// BRYKWB", "B - - - -", "RRR"), "CRF")
    assert seat(drafted, 0) == seat_text("20 //// BRYKWBR")
    assert drafted.lid == (0, 0, 2, 0, 0)
    after = play(drafted, "0B4")
    assert after.scores == (6, 19)
    assert after.lid == (2, 1, 4, 1, 1)


# Section 6: legality matrix.


def test_matrix_01_empty_line__takes_any_color():
    state = offer("//// -")
    for move in ("0B2", "0Y2", "0R2", "0K2", "1W2"):
        assert reason_against(state, move) is None


def test_matrix_02_started_line__takes_its_color():  # R3.6
    assert reason_against(offer("//.RR// -"), "0R2") is None


def test_matrix_03_started_line__refuses_another_color():  # R3.6
    assert reason_against(offer("//.RR// -"), "0B2") == IllegalReason.COLOR_MISMATCH


def test_matrix_04_color_on_the_wall__is_refused_by_its_row():  # R3.7
    assert reason_against(offer("/:..Y../// -"), "0Y1") == IllegalReason.WALL_CONFLICT


def test_matrix_05_color_on_the_wall__is_taken_by_the_floor():  # R3.10
    assert reason_against(offer("/:..Y../// -"), "0YF") is None


def test_matrix_06_full_line__refuses_any_color():  # R3.5
    state = offer("///BBBB/ -")
    for move in ("0B3", "0Y3", "0R3", "0K3", "1W3"):
        assert reason_against(state, move) == IllegalReason.PATTERN_LINE_COMPLETE


def test_matrix_07_color_on_the_display__goes_anywhere():  # R3.1
    state = offer("//// -", "BBR - - - -")
    assert legal_moves(state, "0B") == ["0B0", "0B1", "0B2", "0B3", "0B4", "0BF"]


def test_matrix_08_color_not_on_the_display__goes_nowhere():  # R3.1
    state = offer("//// -", "BBR - - - -")
    for to in ANYWHERE:
        assert reason_against(state, f"0Y{to}") == IllegalReason.SOURCE_EMPTY


def test_matrix_09_empty_display__gives_nothing_while_others_do():  # R3.1
    state = offer("//// -", "BYRK BYRW - BYKW BRKW")
    for move in [f"2{color}{to}" for color in LETTERS for to in ANYWHERE]:
        assert reason_against(state, move) == IllegalReason.SOURCE_EMPTY
    assert {move[0] for move in legal_moves(state)} == set("0134")


def test_matrix_10_center_with_token__gives_any_color_and_the_token():  # R3.3
    state = offer("//// -", center="BYRKW*")
    for move in [f"C{color}{to}" for color in LETTERS for to in ANYWHERE]:
        after = play(state, move)
        assert after.players[0].floor[0] == "marker"
        assert not after.center_has_marker


def test_matrix_11_five_into_a_line_of_5_with_3__three_fall():  # R3.4, RULINGS 11
    state = offer("////..RRR -", center="RRRRR")
    assert seat(play(state, "CR4"), 0) == seat_text("20 ////RRRRR RRR")


def test_matrix_12_four_into_a_line_of_2_with_1__three_fall():  # R3.4
    state = offer("/.K/// -", center="KKKK")
    assert seat(play(state, "CK1"), 0) == seat_text("20 /KK/// KKK")


def test_matrix_13_all_lines_full__floor_takes_red():  # R3.10
    state = offer("K/YY/BBB/WWWW/KKKKK -")
    assert legal_moves(state, "0R") == ["0RF"]


# Section 10: test vectors.


def test_vector_1_legal_actions__are_66():
    state = offer("//// -", "BBYR KKKW - BYYY RRKK", "RWW*")
    by_source = {source: len(legal_moves(state, source)) for source in "01234C"}
    assert by_source == {"0": 18, "1": 12, "2": 0, "3": 12, "4": 12, "C": 12}
    assert legal_mask(state).sum() == 66


def test_vector_2_overflow__three_fall_and_the_turn_passes():  # RULINGS 11
    before = position("""
        azul 2p round 0/50 turn 0 start 0 | BBBB KKWW - - - | * | bag ? lid -
        | 0 /.B/// - | 0 //// -""")
    assert format_state(play(before, "0B1")) == full_text("""
        azul 2p round 0/50 turn 1 start 0 | - KKWW - - - | * | bag ? lid -
        | 0 /BB/// BBB | 0 //// -""")


def test_vector_3_token__moves_to_the_floor_of_the_taker():
    before = position("""
        azul 2p round 0/50 turn 1 start 0 | KKKK - - - - | WW* | bag ? lid -
        | 0 //// - | 0 //// -""")
    assert format_state(play(before, "CW4")) == full_text("""
        azul 2p round 0/50 turn 0 start 1 | KKKK - - - - | - | bag ? lid -
        | 0 //// - | 0 ////...WW *""")


# Section 11: invariants, over random games.


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_invariant_1_tiles__are_always_100(num_players):  # R1.2
    for state in random_game(new_game(num_players, rng=1), seed=1):
        assert sum(tiles_by_color(state)) == 100, state


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_invariant_2_pattern_lines__never_overfull_and_colored_when_not_empty(num_players):
    for state in random_game(new_game(num_players, rng=2), seed=2):
        lines = [line for board in state.players for line in enumerate(board.pattern_lines)]
        assert all(0 <= line.count <= row + 1 for row, line in lines), state
        assert all((line.color is None) == (line.count == 0) for _, line in lines), state


def markers(state) -> int:
    return state.center_has_marker + sum("marker" in board.floor for board in state.players)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_invariant_3_token__is_in_one_place(num_players):  # R1.6
    for state in random_game(new_game(num_players, rng=3), seed=3, floor_share=0.3):
        assert markers(state) == 1 or state.is_terminal, state


@pytest.mark.parametrize("seed", range(3))
def test_invariant_3_token__is_nowhere_only_beside_the_full_floor_of_its_taker(seed):  # RULINGS 4
    start = position("""
        azul 2p round 1/4 turn 0 start 0 | BYRK BYRW BYKW - - | RRKW* | bag ? lid -
        | 0 //// BBBBBYY | 0 //// KKKKKWW""")
    in_play = [state for state in random_game(start, seed) if not state.is_terminal]
    without = [state for state in in_play if markers(state) == 0]
    assert {markers(state) for state in in_play} == {0, 1}
    for state in without:
        assert len(state.players[state.starting_player_next_round].floor) == 7, state
