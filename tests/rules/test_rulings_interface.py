"""RULINGS.md 14 to 19: what is an action, where chance lives, reasons, names and the data form."""

import json

import numpy as np
import pytest

from azul_env import (
    Action,
    IllegalReason,
    InvalidPositionError,
    MissingDealError,
    ProblemReason,
    apply_action,
    encode_action,
    from_dict,
    illegal_reason,
    legal_actions,
    legal_mask,
    new_game,
    parse_action,
    to_dict,
)
from positions import (
    FLOOR,
    before_last_move,
    legal_moves,
    play,
    position,
    random_game,
    seat,
    seat_text,
)

OPENING = """azul 2p round 0/50 turn 0 start 0 | BBYR KKWW - - - | * | bag ? lid -
             | 0 //// - | 0 //// -"""
RUNNING = """azul 2p round 5/50 turn 0 start 0 | BBYR KKWW - - - | * | bag ? lid -
             | 9 W/.R:.B.../..R:..B..// - | 0 //// -"""
FINISHED = """azul 2p round 5/50 over row last 0 start 0 | - - - - - | - | bag ? lid -
              | 9 :BYRKW//// - | 0 //// -"""


@pytest.mark.parametrize(("num_players", "actions"), [(2, 180), (3, 240), (4, 300)])
def test_ruling_14_actions__are_drafts_only(num_players, actions):
    assert legal_mask(new_game(num_players, rng=0)).shape == (actions,)
    center = num_players * 2 + 1
    assert encode_action(Action(center, 4, FLOOR), num_players) == actions - 1
    assert encode_action(Action(1, 4, 3), num_players) == (1 * 5 + 4) * 6 + 3


def test_ruling_14_tiling_and_round_end__happen_inside_the_last_draft():  # R4.1
    for state in random_game(new_game(2, rng=14), seed=14):
        on_the_table = sum(state.center) + np.sum(state.factories)
        assert state.phase == ("game_over" if state.is_terminal else "factory_offer")
        assert state.is_terminal == (on_the_table == 0)
        assert state.is_terminal == (legal_actions(state) == [])


def test_ruling_15_state__keeps_nothing_of_the_generator():
    drawn = new_game(3, rng=np.random.default_rng(15))
    logged = new_game(3, deal=[list(display) for display in drawn.factories])
    assert drawn == logged
    assert drawn.rows.tobytes() == logged.rows.tobytes()


def test_ruling_15_next_fill__depends_on_the_generator_alone():
    state, action = before_last_move("0 //// -"), parse_action("0W4", 2)
    fills = [apply_action(state, action, rng=seed).state.factories for seed in (1, 1, 2, 3)]
    assert fills[0] == fills[1]
    assert len(set(fills)) == 3


def test_ruling_15_fill_without_generator_or_log__is_refused():
    with pytest.raises(MissingDealError):
        apply_action(before_last_move("0 //// -"), parse_action("0W4", 2))


def test_ruling_15_generator__rests_while_the_round_goes_on():
    rng = np.random.default_rng(15)
    before = rng.bit_generator.state
    apply_action(position(OPENING), parse_action("0B1", 2), rng=rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(
    ("state", "action", "player", "reason"),
    [
        pytest.param(FINISHED, 180, 1, "OUT_OF_RANGE", id="out_of_range_before_wrong_phase"),
        pytest.param(FINISHED, 0, 1, "WRONG_PHASE", id="wrong_phase_before_turn"),
        pytest.param(RUNNING, "2B0", 1, "NOT_PLAYERS_TURN", id="turn_before_empty_source"),
        pytest.param(RUNNING, "0W0", 0, "SOURCE_EMPTY", id="empty_source_before_full_line"),
        pytest.param(RUNNING, "0B0", 0, "PATTERN_LINE_COMPLETE", id="full_line_before_its_color"),
        pytest.param(RUNNING, "0B1", 0, "COLOR_MISMATCH", id="color_of_the_line_before_wall"),
        pytest.param(RUNNING, "2B2", 0, "SOURCE_EMPTY", id="empty_source_before_wall"),
    ],
)
def test_ruling_16_reason__is_the_first_that_applies(state, action, player, reason):  # R9
    action = parse_action(action, 2) if isinstance(action, str) else action
    assert illegal_reason(position(state), action, player=player) == IllegalReason(reason)


def test_ruling_16_overflow__cannot_be_declined():  # R3.4
    state = position(OPENING)
    assert legal_moves(state, "0B") == ["0B0", "0B1", "0B2", "0B3", "0B4", "0BF"]
    assert seat(play(state, "0B0"), 0) == seat_text("0 B//// B")


def test_ruling_17_variant__is_named():
    as_data = to_dict(position(OPENING))
    assert as_data["variant"] == "colored"
    assert from_dict(as_data | {"variant": "gray"}).variant == "gray"
    with pytest.raises(InvalidPositionError) as refused:
        from_dict(as_data | {"variant": "grey"})
    assert [problem.reason for problem in refused.value.problems] == [ProblemReason.UNKNOWN_NAME]


def test_ruling_18_ruleset__is_named_in_every_position():
    as_data = to_dict(position(OPENING))
    assert as_data["ruleset"] == "azul-base-2024-next-move"
    with pytest.raises(InvalidPositionError):
        from_dict(as_data | {"ruleset": "azul-summer-pavilion"})


@pytest.mark.parametrize("field", ["final_round_triggered", "turnStage", "hasFirstPlayerToken"])
def test_ruling_19_derived_fact__is_not_stored(field):
    as_data = to_dict(before_last_move("0 W:BYRK.//// -"))
    assert field not in json.dumps(as_data)
    with pytest.raises(InvalidPositionError) as refused:
        from_dict(as_data | {field: False})
    assert [problem.reason for problem in refused.value.problems] == [ProblemReason.UNKNOWN_KEY]


NO_TILE_ON_LINE = {"color": None, "count": 0}
AS_DATA = {
    "ruleset": "azul-base-2024-next-move",
    "variant": "colored",
    "num_players": 2,
    "current_player": 1,
    "starting_player_next_round": 0,
    "phase": "factory_offer",
    "round": 3,
    "max_rounds": 20,
    "end_reason": None,
    "bag": [17, 18, 17, 18, 19],
    "discard": [0, 0, 2, 0, 0],
    "factories": [[2, 1, 1, 0, 0]] + [[0] * 5] * 4,
    "center": [0, 0, 0, 1, 1],
    "center_has_marker": False,
    "players": [
        {
            "score": 7,
            "wall": [[1, 0, 0, 0, 0]] + [[0] * 5] * 4,
            "pattern_lines": [NO_TILE_ON_LINE, {"color": "black", "count": 1}]
            + [NO_TILE_ON_LINE] * 3,
            "floor": ["marker", "yellow"],
            "resigned": None,
        },
        {
            "score": 12,
            "wall": [[0] * 5] * 5,
            "pattern_lines": [NO_TILE_ON_LINE] * 5,
            "floor": [],
            "resigned": None,
        },
    ],
}


def test_position_as_data__is_the_documented_interchange_form():
    state = position("""
        azul 2p round 3/20 turn 1 start 0 | BBYR - - - - | KW | bag ? lid R2
        | 7 :B..../.K/// *Y | 12 //// -""")
    assert json.loads(json.dumps(to_dict(state))) == AS_DATA
    assert from_dict(AS_DATA) == state
