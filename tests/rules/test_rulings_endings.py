"""RULINGS.md 8 to 10: games without tiles or without end, ties; bonuses and large scores."""

import numpy as np
import pytest

from azul_env import (
    apply_action,
    format_state,
    new_game,
    parse_action,
    parse_state,
    ranking,
    winners,
)
from positions import (
    after_round,
    before_last_move,
    full_text,
    play,
    position,
    random_game,
    seat,
    seat_text,
)

# Walls and unfinished lines of 4 players hold 99 tiles; the last one is on the table.
SEATS_0_TO_2 = """10 :.YRKW/.W:.BYRK/.KK:.WBYR/.RRR:.KWBY/.YYYY:.RKWB -
    | 20 :B.RKW/.B:W.YRK/.WW:K.BYR/..KK:R.WBY/:Y.KWB -
    | 30 :BY.KW/:WB.RK/.BB:KW.YR/...W:RK.BY/:YR.WB -"""
NO_DISPLAYS = "- - - - - - - - -"


def last_of_100_tiles(source: str, center: str, head: str = "round 9/50"):
    return position(f"""
        azul 4p {head} turn 3 start 2 | {source} - - - - - - - - | {center} | bag - lid -
        | {SEATS_0_TO_2} | 40 :BYR.W/.R:WBY.K/:KWB.R/:RKW.Y/:YRK.B -""")


def test_ruling_08_no_tile_for_a_new_round__ends_the_game_with_bonuses():  # R6.2 R6.4
    result = apply_action(last_of_100_tiles("B", "*"), parse_action("0B3", 4))
    scored = full_text(f"""
        azul 4p round 10/50 over no_tiles last 3 start 2 | {NO_DISPLAYS} | * | bag - lid -
        | {SEATS_0_TO_2} | 40 :BYR.W/.R:WBY.K/:KWB.R/...B:RKW.Y/:YRK.B -""")
    for score in (10, 20, 30, 40):  # four complete columns each
        scored = scored.replace(f"| {score} ", f"| {score + 28} ")
    assert format_state(result.state) == scored
    assert result.final_scores == (38, 48, 58, 68)
    assert winners(result.state) == (3,)


def test_ruling_08_marker_taken_in_the_last_round__is_nowhere_at_the_end():  # R6.4
    after = play(last_of_100_tiles("-", "B*"), "CB3")
    assert after.end_reason == "no_tiles"
    assert not after.center_has_marker
    assert after.players[3].floor == ()
    assert after.scores[3] == 40 - 1 + 28


def test_ruling_08_a_tile_on_the_floor__is_enough_to_go_on():  # R6.2
    after = play(last_of_100_tiles("B", "*"), "0BF", deal="B" + NO_DISPLAYS[1:])
    assert not after.is_terminal
    assert after.scores == (10, 20, 30, 39)


def test_ruling_09_last_round_allowed__ends_the_game_with_bonuses():  # R6.3 R6.4
    before = before_last_move("6 :B..../:W..../:K..../:R..../YYYYY KK", head="round 49/50")
    result = apply_action(before, parse_action("0W4", 2))
    # 6 + 5 - 2, then 7 for the column.
    assert format_state(result.state) == full_text("""
        azul 2p round 50/50 over max_rounds last 1 start 0 | - - - - - | * | bag ? lid Y4K2
        | 16 :B..../:W..../:K..../:R..../:Y.... - | 0 ////....W -""")
    assert result.final_scores == (16, 0)


def test_ruling_09_round_before_the_last__goes_on():  # R6.3
    assert not after_round("6 //// -", head="round 48/50").is_terminal
    assert not after_round("6 //// -", head="round 49/51").is_terminal


def test_ruling_09_complete_row_in_the_last_round__is_an_ordinary_end():  # R6.3
    after = after_round("0 W:BYRK.//// -", head="round 49/50")
    assert (after.end_reason, after.round) == ("row", 50)


def test_ruling_09_no_tiles_after_the_last_round__is_an_ordinary_end():  # R6.3
    after = play(last_of_100_tiles("B", "*", head="round 49/50"), "0B3")
    assert (after.end_reason, after.round) == ("no_tiles", 50)


def test_ruling_09_complete_row_without_tiles_left__is_called_row():  # R6.1 R6.2
    # The last tile of all fills the top line of player 1 and completes its row.
    before = position("""
        azul 4p round 9/50 turn 1 start 2 | - - - - - - - - - | Y* | bag - lid -
        | 10 :.YRKW/.W:.BYRK/.KK:.WBYR/.RRR:.KWBY/..YYY:.RKWB -
        | 20 :B.RKW/.B:W.YRK/.WW:K.BYR/..KK:R.WBY/:Y.KWB -
        | 30 :BY.KW/:WB.RK/.BB:KW.YR/...W:RK.BY/:YR.WB -
        | 40 :BYR.W/.R:WBY.K/:KWB.R/...B:RKW.Y/:YRK.B -""")
    after = play(before, "CY0")
    assert after.end_reason == "row"
    # Player 1: 5 for the tile, -1 for the marker, then row 2, four columns 28, yellow 10.
    assert after.scores == (38, 20 + 5 - 1 + 2 + 28 + 10, 58, 68)


def test_ruling_09_cap__is_50_unless_told_otherwise():  # R6.3
    assert new_game(2, rng=0).max_rounds == 50
    assert new_game(4, rng=0, max_rounds=7).max_rounds == 7


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_ruling_09_players_who_throw_everything_down__reach_the_cap(num_players):  # R6.3
    start = new_game(num_players, rng=9, max_rounds=6)
    *_, last = random_game(start, seed=9, floor_share=1.0)
    assert (last.end_reason, last.round) == ("max_rounds", 6)
    assert last.scores == (0,) * num_players


ROWS = {0: "////", 1: ":BYRKW////", 2: ":BYRKW/:WBYRK///", 3: ":BYRKW/:WBYRK/:KWBYR//"}


def finished(*points_and_rows: tuple[int, int]):
    """A game that a complete row ended, with these scores and numbers of complete rows."""
    seats = " | ".join(f"{points} {ROWS[rows]} -" for points, rows in points_and_rows)
    players = len(points_and_rows)
    displays = " ".join("-" * (2 * players + 1))
    return position(f"""
        azul {players}p round 8/50 over row last 0 start 0 | {displays} | - | bag ? lid -
        | {seats}""")


@pytest.mark.parametrize(
    ("seats", "ranks"),
    [
        pytest.param([(40, 1), (41, 0)], (2, 1), id="2p_points_count_before_rows"),
        pytest.param([(40, 1), (40, 2)], (2, 1), id="2p_rows_split_equal_points"),
        pytest.param([(40, 1), (40, 1)], (1, 1), id="2p_equal_points_and_rows_are_shared"),
        pytest.param([(40, 1), (30, 3), (40, 1)], (1, 3, 1), id="3p_two_share_first_place"),
        pytest.param([(40, 2), (40, 0), (40, 1)], (1, 3, 2), id="3p_rows_split_three"),
        pytest.param([(40, 1), (40, 1), (40, 1)], (1, 1, 1), id="3p_all_share"),
        pytest.param([(50, 1), (40, 1), (40, 1)], (1, 2, 2), id="3p_two_share_second_place"),
        pytest.param([(9, 0), (40, 1), (9, 0), (9, 1)], (3, 1, 3, 2), id="4p_two_share_last"),
        pytest.param([(40, 1), (50, 1), (40, 1), (30, 0)], (2, 1, 2, 4), id="4p_two_share_second"),
        pytest.param([(40, 2), (40, 1), (40, 2), (40, 1)], (1, 3, 1, 3), id="4p_two_and_two"),
        pytest.param([(40, 1), (40, 1), (40, 1), (40, 1)], (1, 1, 1, 1), id="4p_all_share"),
        pytest.param(
            [(0, 1), (0, 0), (0, 0), (0, 0)], (1, 2, 2, 2), id="4p_row_wins_without_points"
        ),
    ],
)
def test_ruling_10_ranking__is_by_points_then_rows_then_shared(seats, ranks):  # R7.1 R7.3
    state = finished(*seats)
    assert ranking(state) == ranks
    assert winners(state) == tuple(np.flatnonzero(np.array(ranks) == 1))


def test_ruling_10_columns_and_colors__split_no_tie():  # R7.1
    state = position("""
        azul 2p round 8/50 over row last 0 start 0 | - - - - - | - | bag ? lid -
        | 40 :BYRKW//// - | 40 :BYRKW/:WB.../:K.B../:R..B./:Y...B -""")
    assert winners(state) == (0, 1)


def test_ruling_10_game_that_is_on__has_no_winners_and_no_ranking():
    state = before_last_move("6 //// -")
    with pytest.raises(ValueError):  # noqa: PT011
        winners(state)
    with pytest.raises(ValueError):  # noqa: PT011
        ranking(state)


def test_bonuses__of_a_whole_wall_in_one_round_are_95():  # R5.4
    # Placements 5, 5 + 2, 5 + 3, 5 + 4, 5 + 5; five rows 10, five columns 35, five colors 50.
    after = after_round("0 B:.YRKW/WW:.BYRK/KKK:.WBYR/RRRR:.KWBY/YYYYY:.RKWB -")
    assert seat(after, 0) == seat_text("134 :BYRKW/:WBYRK/:KWBYR/:RKWBY/:YRKWB -")


def test_bonuses__are_paid_to_every_player():  # R5.4
    column_of_1 = "50 :B..../:W..../:K..../:R..../:Y.... -"
    assert after_round("10 W:BYRK.//// -", column_of_1).scores == (17, 57)


@pytest.mark.parametrize(
    ("score", "seat_0", "total"),
    [
        pytest.param(120, ":..R../:..Y../BBB:KW.Y./:..W../:..K.. -", 129, id="past_127_in_play"),
        pytest.param(250, ":..R../:..Y../BBB:KW.Y./:..W../:..K.. -", 259, id="past_255_in_play"),
        pytest.param(270, "//// BYRBYRB", 256, id="past_255_and_down_again"),
        pytest.param(250, "W:BYRK.//// -", 257, id="past_255_by_the_bonus"),
        pytest.param(
            240, "B:.YRKW/WW:.BYRK/KKK:.WBYR/RRRR:.KWBY/YYYYY:.RKWB -", 374, id="far_past_255"
        ),
    ],
)
def test_score__does_not_wrap(score, seat_0, total):
    after = after_round(f"{score} {seat_0}")
    assert after.scores[0] == total
    assert parse_state(format_state(after)) == after


def test_score_past_255__wins():  # R7.1
    state = finished((260, 1), (255, 1), (127, 1), (128, 1))
    assert ranking(state) == (1, 2, 4, 3)
