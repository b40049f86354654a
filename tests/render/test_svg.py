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
from azul_env.render import svg, svg_definitions, svg_parts
from azul_env.render.glyphs import GLYPHS, fitted, text, text_width
from positions import position, random_game

SVG = "{http://www.w3.org/2000/svg}"
COLORS = ("blue", "yellow", "red", "black", "white")
PENALTIES = (1, 1, 2, 2, 2, 3, 3)

MIDDLE = """azul 2p round 2/50 turn 0 start 1 | - BYRK - BBWW - | YRRK | bag ? lid -
    | 7 B://.RR:...Y.// - | 12 /.Y:W....///..WWW *BK"""
FULL_CENTER = """azul 4p round 2/50 turn 1 start 0 | - - - - - - - - -
    | BBBBBYYYYYRRRRRKKKKKWWWWWWW* | bag ? lid - | 0 //// - | 0 //// - | 0 //// - | 0 //// -"""


def ended(head: str, *seats: str) -> GameState:
    """A finished game: `head` gives the number of players, the rounds and the reason."""
    displays = {2: "- - - - -", 3: "- - - - - - -", 4: "- - - - - - - - -"}[len(seats)]
    return position(f"azul {head} | {displays} | - | bag - lid ? | {' | '.join(seats)}")


def stages() -> list[GameState]:
    """Start, two points on the way and end of a game for each number of players."""
    starts = [new_game(players, rng=players, max_rounds=8) for players in (2, 3, 4)]
    games = [list(random_game(start, seed=1, floor_share=0.2)) for start in starts]
    return [game[len(game) * part // 3 - (part == 3)] for game in games for part in range(4)]


STAGES = stages()


def elements(picture: str, name: str = "") -> list[ElementTree.Element]:
    """The elements outside the definitions with the class `name`, in the order they are drawn."""
    root = ElementTree.fromstring(picture)
    root.remove(root.find(f"{SVG}defs"))
    return [e for e in root.iter() if not name or name in e.get("class", "").split()]


def words(picture: str, name: str = "") -> list[str]:
    """The texts drawn inside elements of the class `name`, or all."""
    return [
        e.get("aria-label")
        for group in elements(picture, name)
        for e in group.iter()
        if e.get("aria-label") is not None and (name or e is group)
    ]


def tiles_by_place(state: GameState) -> Counter[tuple[str, str]]:
    """How many tiles of each color must be drawn at each place."""
    found: Counter[tuple[str, str]] = Counter()
    for number, tiles in enumerate([*state.factories, state.center]):
        place = f"factory {number}" if number < len(state.factories) else "center"
        found.update({(place, COLORS[color]): count for color, count in enumerate(tiles)})
    for seat, board in enumerate(state.players):
        for row, line in enumerate(board.pattern_lines):
            if line.color is not None:
                found[f"line {seat} {row}", COLORS[line.color]] += line.count
            for column, cell in enumerate(board.wall[row]):
                found[f"wall {seat} {row}", COLORS[(column - row) % 5]] += cell
        found.update((f"floor {seat}", name) for name in board.floor if name != "marker")
    return +found


@pytest.mark.parametrize("state", STAGES)
def test_picture__holds_exactly_the_tiles_of_the_position(state: GameState):
    drawn = elements(svg(state), "tile")
    places = Counter((e.get("data-place"), e.get("data-color")) for e in drawn)
    assert places == tiles_by_place(state)
    assert all(e.get("href") == f"#azul-tile-{letter_of(e)}" for e in drawn)


def letter_of(tile: ElementTree.Element) -> str:
    return "BYRKW"[COLORS.index(tile.get("data-color"))]


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


def part_elements(part: str, name: str) -> list[ElementTree.Element]:
    """The elements of a part with the class `name`, in the order they are drawn."""
    return [e for e in ElementTree.fromstring(part).iter() if name in e.get("class", "").split()]


@pytest.mark.parametrize("state", STAGES)
def test_parts__hold_exactly_the_tiles_of_the_position(state: GameState):
    parts = svg_parts(state)
    drawn = [e for part in (parts.table, *parts.boards) for e in part_elements(part, "tile")]
    assert Counter((e.get("data-place"), e.get("data-color")) for e in drawn) == tiles_by_place(
        state
    )


@pytest.mark.parametrize("state", STAGES)
def test_parts__are_drawn_as_in_the_picture(state: GameState):
    parts, picture = svg_parts(state), svg(state)
    for part in (parts.table, parts.supply):
        inner = part[part.index(">") + 1 : -len("</svg>")]
        assert inner in picture
    assert [parts.title, parts.headline] == [
        e.get("aria-label") for e in elements(picture, "text")[:2]
    ]
    assert (parts.ending is None) == (not state.is_terminal)


@pytest.mark.parametrize("state", STAGES)
def test_sources__group_their_tiles(state: GameState):
    sources = part_elements(svg_parts(state).table, "source")
    assert sorted(int(e.get("data-source")) for e in sources) == list(
        range(len(state.factories) + 1)
    )
    for group in sources:
        number = int(group.get("data-source"))
        place = "center" if number == len(state.factories) else f"factory {number}"
        tiles = [e for e in group.iter() if e.get("class") == "tile"]
        assert {e.get("data-place") for e in tiles} <= {place}
        assert len(tiles) == sum([*state.factories, state.center][number])


@pytest.mark.parametrize("state", STAGES)
def test_cells__are_all_there_once(state: GameState):
    expected = {f"wall {{}} {row} {column}" for row in range(5) for column in range(5)}
    expected |= {f"line {{}} {row} {column}" for row in range(5) for column in range(4 - row, 5)}
    expected |= {f"floor {{}} {slot}" for slot in range(7)}
    for seat, part in enumerate(svg_parts(state).boards):
        cells = [e.get("data-cell") for e in ElementTree.fromstring(part).iter()]
        cells = [cell for cell in cells if cell is not None]
        assert len(cells) == len(set(cells))
        assert set(cells) == {cell.format(seat) for cell in expected}


def test_targets__lie_over_the_spaces_of_their_line():
    for seat, part in enumerate(svg_parts(position(MIDDLE)).boards):
        targets = part_elements(part, "target")
        assert [(e.get("data-seat"), e.get("data-destination")) for e in targets] == [
            (str(seat), str(destination)) for destination in range(6)
        ]
        assert {e.get("fill") for e in targets} == {"none"}
        for row, target in enumerate(targets[:5]):
            left, width = float(target.get("x")), float(target.get("width"))
            spaces = [
                float(e.get("x"))
                for e in part_elements(part, "free")
                if e.get("data-cell").startswith(f"line {seat} {row} ")
            ]
            assert all(left <= x <= left + width - 34 for x in spaces)


def test_definitions__hold_what_parts_refer_to():
    parts = svg_parts(position(MIDDLE))
    ids = {e.get("id") for e in ElementTree.fromstring(svg_definitions()).iter()} - {None}
    used = {
        e.get("href")
        for part in (parts.table, parts.supply, *parts.boards)
        for e in ElementTree.fromstring(part).iter(f"{SVG}use")
    }
    assert {target.removeprefix("#") for target in used} <= ids


def test_colors__that_change_with_the_theme_have_classes():
    themed = {"#fffdf8": "panel", "#2f2b26": "ink", "#857b6a": "quiet", "#1f7a72": "turn"}
    parts = svg_parts(position(MIDDLE), Action(2, 4, 4), 1)
    for part in (parts.table, parts.supply, *parts.boards):
        for element in ElementTree.fromstring(part).iter():
            for color, name in themed.items():
                if element.get("stroke") == color and "text" in element.get("class", ""):
                    assert name in element.get("class").split()
            if element.get("fill") not in (None, "none"):
                assert element.get("class") or element.tag == f"{SVG}rect"


def test_last_move__is_marked_in_the_parts():
    parts = svg_parts(position(MIDDLE), Action(2, 4, 4), 1)
    (source,) = part_elements(parts.table, "last-move")
    assert source.get("data-source") == "2"
    assert [len(part_elements(part, "last-move")) for part in parts.boards] == [0, 1]


def test_tile__refers_to_its_definition():
    for tile in part_elements(svg_parts(position(MIDDLE)).table, "tile"):
        assert tile.get("href") == f"#azul-tile-{letter_of(tile)}"


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
