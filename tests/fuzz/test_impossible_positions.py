"""Positions and deals with one thing wrong and all else in order: each is refused, by the name of that thing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from azul_env import (
    Action,
    GameState,
    ImpossibleDealError,
    InvalidPositionError,
    ProblemReason,
    apply_action,
    from_dict,
    new_game,
    problems,
    to_dict,
)
from fuzz.mutations import refusal
from positions import FLOOR, full_text, position, tiles_by_color
from properties.walks import late_in_the_game

Spoil = Callable[[dict[str, Any]], object]


@pytest.fixture
def sound() -> dict[str, Any]:
    """A sound position of three players, the second of whom has resigned, with tiles in every place."""
    state = position("""
        azul 3p round 5/50 turn 2 start 0 | BBYR KKWW - - BYRK - - | BYR | bag ? lid B2Y2R2K2W2
        | 9 :B..../.R:.B...///..KKK B* | 3 //// - resigned 0 | 0 //// BBBBBBB""")
    return to_dict(state)


def take(position: dict[str, Any], color: int, count: int = 1) -> None:
    """Take tiles out of the bag, for another place."""
    position["bag"][color] -= count


def line_overfull(row: int) -> Spoil:
    def spoil(position):
        take(position, 2, row + 2)
        position["players"][2]["pattern_lines"][row] = {"color": "red", "count": row + 2}

    return spoil


def line_on_wall(row: int) -> Spoil:
    def spoil(position):
        take(position, 2, 2)
        position["players"][2]["wall"][row][(2 + row) % 5] = 1
        position["players"][2]["pattern_lines"][row] = {"color": "red", "count": 1}

    return spoil


def full_row(row: int) -> Spoil:
    def spoil(position):
        for color in range(5):
            take(position, color)
        position["players"][2]["wall"][row] = [1] * 5

    return spoil


def display_overfull(position):
    take(position, 0)
    position["factories"][1][0] += 1


def floor_overfull(position):
    take(position, 2)
    position["players"][2]["floor"].append("red")


def empty_table(position):
    position["discard"] = np.sum(
        [position["discard"], position["center"], *position["factories"]], axis=0
    ).tolist()
    position["center"] = [0] * 5
    position["factories"] = [[0] * 5 for _ in range(7)]


def two_markers_on_a_floor(position):
    position["players"][0]["floor"].append("marker")


def no_marker(position):
    position["players"][0]["floor"].remove("marker")


def negative_supply(position):
    position["discard"][0] += position["bag"][0] + 1
    position["bag"][0] = -1


def set_to(*path: Any) -> Spoil:
    """Put the last argument into the place that the others lead to."""

    def spoil(position):
        *way, key, value = path
        for step in way:
            position = position[step]
        position[key] = value

    return spoil


def extra_key(position):
    position["players"][0]["name"] = "Ada"


def missing_key(position):
    del position["players"][0]["pattern_lines"][0]["count"]


def gray_color_twice(row: int, column: int) -> Spoil:
    def spoil(position):
        take(position, 0, 2)  # a gray wall of blue tiles looks like a colored one
        position["variant"] = "gray"
        position["players"][2]["wall"][0][0] = position["players"][2]["wall"][row][column] = 1

    return spoil


def gray_tiling_with_a_table(position: dict[str, Any]) -> None:
    position |= {"variant": "gray", "phase": "wall_tiling"}


CASES: list[tuple[str, Spoil, str]] = [
    ("a tile too many", set_to("bag", 0, 20), "TILE_TOTAL"),
    ("five on a display", display_overfull, "FACTORY_OVERFULL"),
    *((f"line {row} overfull", line_overfull(row), "LINE_OVERFULL") for row in range(5)),
    *((f"line {row} on wall", line_on_wall(row), "LINE_ON_WALL") for row in range(5)),
    *((f"row {row} full", full_row(row), "ROW_IN_PLAY") for row in range(5)),
    (
        "empty line with a color",
        set_to("players", 2, "pattern_lines", 0, "color", "red"),
        "LINE_COLOR",
    ),
    ("eight on the floor", floor_overfull, "FLOOR_OVERFULL"),
    ("two markers", set_to("center_has_marker", True), "MARKER_COUNT"),
    ("two markers on a floor", two_markers_on_a_floor, "MARKER_COUNT"),
    ("no marker", no_marker, "MARKER_COUNT"),
    ("marker of another", set_to("starting_player_next_round", 2), "NEXT_STARTER"),
    ("negative supply", negative_supply, "NEGATIVE"),
    ("negative score", set_to("players", 0, "score", -1), "NEGATIVE"),
    ("negative seat", set_to("current_player", -1), "NEGATIVE"),
    ("seat beyond", set_to("current_player", 3), "OUT_OF_RANGE"),
    ("starter beyond", set_to("starting_player_next_round", 3), "OUT_OF_RANGE"),
    ("rounds beyond the cap", set_to("max_rounds", 5), "OUT_OF_RANGE"),
    ("no rounds at all", set_to("max_rounds", 0), "OUT_OF_RANGE"),
    ("five players", set_to("num_players", 5), "OUT_OF_RANGE"),
    ("wall cell of two", set_to("players", 0, "wall", 0, 0, 2), "OUT_OF_RANGE"),
    ("score beyond words", set_to("players", 0, "score", 2**63), "OUT_OF_RANGE"),
    ("empty table", empty_table, "EMPTY_TABLE"),
    ("resigned to move", set_to("current_player", 1), "RESIGNED"),
    ("resigned second, none first", set_to("players", 1, "resigned", 1), "RESIGNED"),
    ("over without a reason", set_to("phase", "game_over"), "END_MISMATCH"),
    ("a reason, but on", set_to("end_reason", "row"), "END_MISMATCH"),
    ("unknown color", set_to("players", 2, "floor", 0, "teal"), "UNKNOWN_NAME"),
    ("unknown phase", set_to("phase", "wall_tiling"), "UNKNOWN_NAME"),
    ("no such wall", set_to("variant", "grey"), "UNKNOWN_NAME"),
    ("gray wall, color twice in a row", gray_color_twice(0, 3), "WALL_COLOR"),
    ("gray wall, color twice in a column", gray_color_twice(3, 0), "WALL_COLOR"),
    ("tiling before the table is empty", gray_tiling_with_a_table, "TILING"),
    ("unknown key", extra_key, "UNKNOWN_KEY"),
    ("missing key", missing_key, "MISSING_KEY"),
    ("bool for a number", set_to("round", True), "WRONG_TYPE"),
    ("float for a number", set_to("bag", 0, 14.0), "WRONG_TYPE"),
    ("number for a bool", set_to("center_has_marker", 0), "WRONG_TYPE"),
    ("text for a list", set_to("center", "BYR"), "WRONG_TYPE"),
    ("four colors", set_to("center", [0, 0, 0, 0]), "WRONG_LENGTH"),
    ("six displays", set_to("factories", [[0] * 5] * 6), "WRONG_LENGTH"),
    ("no players", set_to("players", []), "WRONG_LENGTH"),
]


@pytest.mark.parametrize(
    ("spoil", "reason"), [pytest.param(*case[1:], id=case[0]) for case in CASES]
)
def test_one_thing_wrong__is_named_and_nothing_else(sound, spoil, reason):
    assert problems(sound) == []
    spoil(sound)
    assert {problem.reason for problem in problems(sound)} == {ProblemReason(reason)}
    with pytest.raises(InvalidPositionError, match=reason) as refused:
        from_dict(sound)
    assert refused.value.problems == tuple(problems(sound))


def test_cases__cover_every_reason():
    reasons = {reason for _, _, reason in CASES}
    assert reasons == {*ProblemReason} - {ProblemReason.STALE_WORD}


def test_words_that_do_not_follow__are_named():
    for name in ("legal", "available"):
        state = new_game(2, rng=0)
        broken = GameState(state.rows.copy())
        broken.rows[name] ^= 1
        assert [(one.reason, one.where) for one in problems(broken)] == [("STALE_WORD", name)]
        assert problems(state) == []


ENDS = {
    "sound by a row": "5/50 over row last 0 | - | - | :BYRKW//// - | //// - | //// - resigned 0",
    "sound by the cap": "5/5 over max_rounds last 1 | - | * | :BYRK.//// - | //// - | //// -",
    "sound by resignation": (
        "5/50 over resignation last 1 | BB | * | //// - resigned 0 | //// - resigned 1 | B//// B"
    ),
    "no row": "5/50 over row last 0 | - | - | :BYRK.//// - | //// - | //// -",
    "a row, but the cap is named": "5/5 over max_rounds last 0 | - | - | :BYRKW//// - | //// - | //// -",
    "before the cap": "4/5 over max_rounds last 0 | - | - | //// - | //// - | //// -",
    "tiles in the bag": "5/50 over no_tiles last 0 | - | - | //// - | //// - | //// -",
    "tiles on the table": "5/50 over row last 0 | BB | - | :BYRKW//// - | //// - | //// -",
    "a floor not cleared": "5/50 over row last 0 | - | - | :BYRKW//// - | //// B | //// -",
    "a full line not tiled": "5/50 over row last 0 | - | - | :BYRKW//// - | B//// - | //// -",
    "two are left": "5/50 over resignation last 1 | BB | * | //// - | //// - resigned 0 | //// -",
    "one is left, but a row is named": (
        "5/50 over row last 0 | - | - | :BYRKW//// - | //// - resigned 0 | //// - resigned 1"
    ),
    "who resigned moved last": (
        "5/50 over row last 2 | - | - | :BYRKW//// - | //// - | //// - resigned 0"
    ),
    "who did not resign last did so": (
        "5/50 over resignation last 0 | BB | * | //// - resigned 0 | //// - resigned 1 | //// -"
    ),
    "resigned with no tile to take": (
        "5/50 over resignation last 1 | - | * | //// - resigned 0 | //// - resigned 1 | //// -"
    ),
    "resigned and the marker is lost": (
        "5/50 over resignation last 1 | BB | - | //// - resigned 0 | //// - resigned 1 | //// -"
    ),
}


@pytest.mark.parametrize("why", ENDS)
def test_end_of_the_game__is_refused_unless_sound(why):  # R6, R8.5
    end, display, center, *seats = ENDS[why].split(" | ")
    seats = " | ".join(f"0 {seat}" for seat in seats)
    short = (
        f"azul 3p round {end} start 0 | {display} - - - - - - | {center} | bag ? lid - | {seats}"
    )
    error = refusal(position, short)
    assert (error is None) == why.startswith("sound"), full_text(short)
    assert error is None or isinstance(error, InvalidPositionError)


def short_of_tiles(num_players: int, seed: int) -> tuple[GameState, Action]:
    """A position with few tiles left, and the move to the floor that ends its round."""
    data = to_dict(late_in_the_game(new_game(num_players, rng=seed), seed))
    color = next(color for color, count in enumerate(data["center"]) if count)
    supply = np.add(data["discard"], data["center"])
    supply[color] -= 1
    data["bag"] = np.random.default_rng(seed).binomial(supply, 0.3).tolist()
    data["discard"] = (supply - data["bag"]).tolist()
    data["center"] = [int(c == color) for c in range(5)]
    return from_dict(data), Action(2 * num_players + 1, color, FLOOR)


def can_be_drawn(deal: list[list[int]], bag: np.ndarray, lid: np.ndarray) -> bool:
    """Whether hands could fill the displays so: R2.1 to R2.3, display by display."""
    for display in np.array(deal):
        space = 4
        if bag.sum() < 4:  # all that is left comes first, then the lid is the bag
            if (display < bag).any():
                return False
            display, space = display - bag, space - bag.sum()
            bag, lid = lid, np.zeros(5, int)
        if display.sum() != min(space, bag.sum()) or (display > bag).any():
            return False
        bag = bag - display
    return True


def changed_deal(deal: list[list[int]], how: str, one: int, other: int) -> None:
    """Exchange two tiles, move one to another display, recolor or drop it."""
    tiles = [
        (display, color)
        for display, counts in enumerate(deal)
        for color in range(5)
        for _ in range(counts[color])
    ]
    display, color = tiles[one % len(tiles)]
    target, target_color = tiles[other % len(tiles)]
    deal[display][color] -= 1
    match how:
        case "exchange":
            deal[target][target_color] -= 1
            deal[target][color] += 1
            deal[display][target_color] += 1
        case "move":
            deal[other % len(deal)][color] += 1
        case "recolor":
            deal[display][other % 5] += 1


@settings(max_examples=250)
@given(
    st.integers(2, 4),
    st.integers(0, 99),
    st.sampled_from(["exchange", "move", "recolor", "drop"]),
    st.lists(st.tuples(st.integers(0, 35), st.integers(0, 35)), max_size=2),
)
def test_deals__are_accepted_only_if_hands_could_draw_them(num_players, seed, how, changes):
    state, action = short_of_tiles(num_players, seed)
    after = apply_action(state, action, rng=seed).state
    deal = [list(tiles) for tiles in after.factories]
    for one, other in changes if np.sum(deal) > 2 else []:
        changed_deal(deal, how, one, other)
    lid = np.array(state.lid)
    lid[action.color] += 1
    possible = can_be_drawn(deal, np.array(state.bag), lid)
    error = refusal(lambda: apply_action(state, action, deal=deal))
    event("possible" if possible else "impossible")
    assert (error is None) == possible
    if possible:
        dealt = apply_action(state, action, deal=deal).state
        assert [list(tiles) for tiles in dealt.factories] == deal
        assert problems(dealt) == [] and tiles_by_color(dealt) == [20] * 5
    else:
        assert isinstance(error, ImpossibleDealError)
