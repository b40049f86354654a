"""The picture says what the position says: read back from the elements, not from the code that drew them."""

import re
import string
import subprocess
import sys
from collections import Counter
from math import hypot
from pathlib import Path
from xml.etree import ElementTree

import pytest

import azul_env
from azul_env import Action, GameState, encode_action, new_game, parse_state, resign
from azul_env.render import svg
from azul_env.render.glyphs import GLYPHS, fitted, text, text_width
from positions import position
from render.drawn import (
    FULL_CENTER,
    MIDDLE,
    STAGES,
    SVG,
    elements,
    ended,
    letter_of,
    tiles_by_place,
    words,
)

PENALTIES = (1, 1, 2, 2, 2, 3, 3)


@pytest.mark.parametrize("state", STAGES)
def test_picture__holds_exactly_the_tiles_of_the_position(state: GameState):
    drawn = elements(svg(state), "tile")
    places = Counter((e.get("data-place"), e.get("data-color")) for e in drawn)
    assert places == tiles_by_place(state)
    assert all(e.get("href") == f"#azul-tile-{letter_of(e)}" for e in drawn)


@pytest.mark.parametrize("state", STAGES)
def test_picture__tells_scores_supply_and_floors(state: GameState):
    picture = svg(state)
    assert words(picture, "bag") == [str(count) for count in state.bag]
    assert words(picture, "lid") == [str(count) for count in state.lid]
    assert words(picture, "score") == [str(score) for score in state.scores]
    costs = [sum(PENALTIES[: len(board.floor)]) for board in state.players]
    assert words(picture, "floor-cost") == [f"-{cost}" if cost else "0" for cost in costs]
    assert words(picture).count("-3") >= 2 * state.num_players


@pytest.mark.parametrize("state", STAGES)
def test_picture__carries_the_position_as_text(state: GameState):
    assert parse_state(ElementTree.fromstring(svg(state)).findtext(f"{SVG}desc")) == state


@pytest.mark.parametrize("state", STAGES)
def test_picture__has_a_sensible_size_and_depends_on_nothing(state: GameState):
    picture = svg(state)
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    assert 1000 <= int(root.get("width")) <= 1450
    assert 700 <= int(root.get("height")) <= 950
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert picture.count("http") == 1  # the namespace
    assert not re.search(r"<(text|image|style|script)|font|url\(", picture)


@pytest.mark.parametrize("state", STAGES)
def test_marker__lies_where_the_position_says(state: GameState):
    expected = ["center"] * state.center_has_marker
    expected += [f"floor {s}" for s, board in enumerate(state.players) if "marker" in board.floor]
    assert [e.get("data-place") for e in elements(svg(state), "marker")] == expected


def test_tile__has_a_letter_and_a_pattern_of_its_own():
    root = ElementTree.fromstring(svg(new_game(2, rng=0)))
    found = {}
    for color in "BYRKW":
        (tile,) = [e for e in root.iter() if e.get("id") == f"azul-tile-{color}"]
        (ghost,) = [e for e in root.iter() if e.get("id") == f"azul-ghost-{color}"]
        assert [e.get("aria-label") for e in tile.iter() if e.get("aria-label")] == [color]
        assert [e.get("aria-label") for e in ghost.iter() if e.get("aria-label")] == [color]
        found[color] = next(e.get("d") for e in tile.iter() if e.get("d"))
    assert len(set(found.values())) == 5


def test_wall__shows_every_free_space_with_its_color():
    state = position(MIDDLE)
    free = Counter(e.get("href")[-1] for e in elements(svg(state), "free-wall"))
    assert free == {"B": 10, "Y": 9, "R": 10, "K": 10, "W": 9}


def test_pattern_lines__are_filled_from_the_right():
    tiles = [
        e for e in elements(svg(position(MIDDLE)), "tile") if e.get("data-place") == "line 0 2"
    ]
    board = elements(svg(position(MIDDLE)), "board")[0]
    spaces = [e for e in board if "free" in e.get("class", "").split()]
    row = re.search(r"translate\(\S+ (\S+)\)", tiles[0].get("transform"))[1]
    (space,) = [e for e in spaces if abs(float(e.get("y")) - 1 - float(row)) < 1]
    lefts = [float(re.search(r"translate\((\S+)", e.get("transform"))[1]) for e in tiles]
    assert len(lefts) == 2 and float(space.get("x")) < min(lefts)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 15, 21, 27, 100])
def test_center__keeps_its_tiles_apart_and_inside(players: int, count: int):
    displays, center = "- " * (2 * players + 1), ("BYRKW" * 20)[:count]
    seats = " | 0 //// -" * players
    state = position(
        f"azul {players}p round 2/50 turn 0 start 0 | {displays}| {center}* | bag ? lid -{seats}"
    )
    picture = svg(state)
    (pool,) = elements(picture, "center")
    x, y, radius = (float(pool.get(name)) for name in ("cx", "cy", "r"))
    corners = [
        [float(number) for number in re.findall(r"[\d.]+", e.get("transform"))]
        for e in elements(picture, "tile") + elements(picture, "marker")
        if e.get("data-place") == "center"
    ]
    assert len(corners) == count + 1  # and the marker
    size = 36 * corners[0][2]
    for left, top, _ in corners:
        for corner in (
            (left, top),
            (left + size, top),
            (left, top + size),
            (left + size, top + size),
        ):
            assert hypot(corner[0] - x, corner[1] - y) <= radius + 0.2  # coordinates are rounded
    for i, (left, top, _) in enumerate(corners):
        for other_left, other_top, _ in corners[:i]:
            assert max(abs(left - other_left), abs(top - other_top)) >= size + 0.5


def test_last_move__marks_source_and_destination():
    state = position(MIDDLE)
    picture = svg(state, Action(2, 4, 4), last_player=1)
    marked = elements(picture, "last-move")
    assert [(e.get("data-source"), e.get("data-destination")) for e in marked] == [
        ("2", None),
        (None, "4"),
    ]
    boards = elements(picture, "board")
    assert [
        len([e for e in board.iter() if "last-move" in e.get("class", "")]) for board in boards
    ] == [0, 1]
    assert words(picture, "last-move-words") == ["Last move by Player 1: factory 2, white, line 4"]
    assert svg(state, encode_action((2, 4, 4), 2), last_player=1) == picture


def test_last_move__may_come_from_the_center_and_go_to_the_floor():
    picture = svg(position(MIDDLE), Action(5, 0, 5), last_player=0)
    source, destination = elements(picture, "last-move")
    assert source.get("class").split()[0] == "center"
    assert "floor" in destination.get("class").split()


def test_last_move__without_its_player_marks_the_source_only():
    (marked,) = elements(svg(position(MIDDLE), Action(2, 4, 4)), "last-move")
    assert marked.get("data-source") == "2"


def test_last_move__is_marked_nowhere_if_none_is_given():
    assert elements(svg(position(MIDDLE), last_player=1), "last-move") == []


def test_head__says_whose_turn_it_is():
    picture = svg(position(MIDDLE), names=["Ada", "Bob"])
    assert words(picture, "headline") == ["Ada to move"]
    assert "Round 3" in words(picture)
    assert [words_of(board)[1:3] for board in elements(picture, "board")] == [
        ["Ada", "to move"],
        ["Bob", "starts next round"],
    ]


def words_of(element: ElementTree.Element) -> list[str]:
    return [e.get("aria-label") for e in element.iter() if e.get("aria-label")]


@pytest.mark.parametrize(
    ("state", "headline", "ending"),
    [
        (
            ended("2p round 5/50 over row last 0 start 0", "20 :BYRKW//// -", "30 //// -"),
            "Player 1 wins",
            "a row is complete, 5 rounds",
        ),
        (
            ended(
                "3p round 9/9 over max_rounds last 1 start 0", "3 //// -", "7 //// -", "7 //// -"
            ),
            "Player 1 and Player 2 share the win",
            "the last round is played, 9 rounds",
        ),
        (resign(position(MIDDLE), 0).state, "Player 1 wins", "all others resigned, 2 rounds"),
    ],
)
def test_head__says_who_won_and_why(state: GameState, headline: str, ending: str):
    picture = svg(state)
    assert words(picture, "headline") == [headline]
    assert "Game over" in words(picture)
    assert ending in words(picture)


def test_board__says_rank_and_resignation():
    state = ended(
        "3p round 9/9 over max_rounds last 1 start 0", "3 //// -", "7 //// -", "9 //// - resigned 0"
    )
    tags = [words_of(board)[2] for board in elements(svg(state), "board")]
    assert tags == ["rank 2", "winner", "resigned"]


def test_names__cannot_break_the_picture():
    names = ['<b>&"', "line\nbreak\x00", "José 棋", "W" * 200]
    picture = svg(position(FULL_CENTER), Action(9, 0, 5), 3, names)
    shown = [words_of(board)[1] for board in elements(picture, "board")]
    assert shown[:3] == ['<b>&"', "line?break?", "Jose 棋"]
    assert shown[3].endswith("...") and text_width(shown[3], 15) < 420


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["Ada"]}, "1 names for 2 players"),
        ({"last_player": 2}, "last_player=2"),
        ({"last_action": 180}, "action 180 does not exist"),
        ({"last_action": Action(6, 0, 0)}, "does not exist"),
    ],
)
def test_picture__refuses_what_does_not_fit_the_players(arguments: dict[str, object], message: str):
    with pytest.raises(ValueError, match=message):
        svg(position(MIDDLE), **arguments)


def test_notebook__shows_the_picture():
    state = new_game(3, rng=1)
    assert state._repr_svg_() == svg(state)


def test_glyphs__cover_what_a_keyboard_types():
    assert set(string.printable) - set(string.whitespace) | {" "} == set(GLYPHS)


def test_text__ends_where_its_anchor_says():
    drawn = text(100, 50, "10", 12, "#000", anchor=1)
    assert f"translate({100 - text_width('10', 12):.1f} 38.0)" in drawn


def test_fitted__cuts_only_what_is_too_wide():
    assert fitted("short", 10, 500) == "short"
    cut = fitted("a rather long name", 10, 80)
    assert cut.endswith("...") and text_width(cut, 10) <= 80


def test_import__needs_no_extra():
    extras = {"resvg_py", "PIL", "pygame"}
    code = f"import sys, azul_env.render; print(sorted({extras} & set(sys.modules)))"
    root = Path(azul_env.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == "[]"
