"""R10.16, R10.17, R3.7: what is refused on the gray wall and why, on both engines."""

import pytest

from reference.gray_positions import EMPTY, both_engines, column, draft, gray

pytestmark = both_engines

TILING = gray("0 :B..../BB:..K../:...B.// -", "0 R//// -", turn=0, center="*")
DRAFTING = gray("0 :B..../BB:..K../.R// -", "0 R//// -", turn=0, factories="BBYR", center="KW*")
OVER = gray("30 :BKYRW//// -", EMPTY, turn=1, center="*", over="row", round=5)


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
def test_column_while_drafting__is_the_wrong_phase(engine, number):  # R10.17
    assert engine.reason(DRAFTING, column(DRAFTING, number)) == "WRONG_PHASE"


@pytest.mark.parametrize("action", [0, 5, draft(0, "W", 4), draft(5, "B", 5), 179])
def test_draft_while_tiling__is_the_wrong_phase(engine, action):  # R10.17
    assert engine.reason(TILING, action) == "WRONG_PHASE"


@pytest.mark.parametrize("action", [0, 179, 180, 184])
def test_action_after_the_end__is_the_wrong_phase(engine, action):  # R9.2
    assert engine.reason(OVER, action) == "WRONG_PHASE"
    assert engine.legal(OVER) == []


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        pytest.param(0, "WALL_CONFLICT", id="color_above"),
        pytest.param(1, None, id="free"),
        pytest.param(2, "WALL_CONFLICT", id="taken"),
        pytest.param(3, "WALL_CONFLICT", id="color_below"),
        pytest.param(4, None, id="free_at_the_end"),
    ],
)
def test_column_that_is_taken_or_holds_the_color__conflicts(engine, number, reason):  # R10.17
    assert engine.reason(TILING, column(TILING, number)) == reason
    assert (column(TILING, number) in engine.legal(TILING)) == (reason is None)


@pytest.mark.parametrize("number", [1, 2])
def test_column_of_another_player__is_out_of_turn(engine, number):  # R9.3 R10.17
    assert engine.reason(TILING, column(TILING, number), player=1) == "NOT_PLAYERS_TURN"


def test_wrong_phase__comes_before_the_turn(engine):  # R10.17
    assert engine.reason(TILING, draft(0, "B", 0), player=1) == "WRONG_PHASE"
    assert engine.reason(DRAFTING, column(DRAFTING, 1), player=1) == "WRONG_PHASE"


@pytest.mark.parametrize("data", [TILING, DRAFTING, OVER], ids=lambda data: data["phase"])
@pytest.mark.parametrize("action", [-1, 185, 240, 10**9])
def test_other_numbers__are_out_of_range(engine, data, action):  # R10.16
    assert engine.reason(data, action) == "OUT_OF_RANGE"


@pytest.mark.parametrize(("num_players", "first"), [(2, 180), (3, 240), (4, 300)])
def test_range__grows_with_the_number_of_players(engine, num_players, first):  # R10.16
    data = gray("0 B//// -", *[EMPTY] * (num_players - 1), turn=0, center="*")
    assert engine.legal(data) == [first, first + 1, first + 2, first + 3, first + 4]
    assert engine.reason(data, first - 1) == "WRONG_PHASE"
    assert engine.reason(data, first + 5) == "OUT_OF_RANGE"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        pytest.param(draft(1, "B", 2), "SOURCE_EMPTY", id="nothing_there"),
        pytest.param(draft(0, "B", 1), "PATTERN_LINE_COMPLETE", id="full_line"),
        pytest.param(draft(0, "B", 2), "COLOR_MISMATCH", id="line_of_another_color"),
        pytest.param(draft(0, "B", 0), "WALL_CONFLICT", id="color_in_the_row"),
        pytest.param(draft(0, "Y", 0), None, id="another_color_in_the_row"),
        pytest.param(draft(0, "B", 5), None, id="floor"),
    ],
)
def test_draft__is_refused_as_on_the_colored_wall(engine, action, reason):  # R10.2
    assert engine.reason(DRAFTING, action) == reason


def test_color_anywhere_in_the_row__closes_the_line(engine):  # R3.7 R10.2
    for wall in ("B....", ".B...", "..B..", "...B.", "....B"):
        data = gray(f"0 ://:{wall}// -", EMPTY, turn=0, factories="BBYR", center="*")
        assert engine.reason(data, draft(0, "B", 2)) == "WALL_CONFLICT"
        assert draft(0, "B", 2) not in engine.legal(data)
        assert draft(0, "B", 1) in engine.legal(data)  # its column does not matter


@pytest.mark.parametrize("data", [TILING, DRAFTING, OVER], ids=lambda data: data["phase"])
def test_legal_actions__are_those_without_a_reason(engine, data):
    allowed = [action for action in range(185) if engine.reason(data, action) is None]
    assert engine.legal(data) == allowed
