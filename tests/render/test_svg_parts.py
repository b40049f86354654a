"""The parts of the picture that the page puts together: each holds what the whole picture has."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from azul_env import Action, GameState
from azul_env.render import svg, svg_definitions, svg_parts
from positions import position
from render.drawn import MIDDLE, STAGES, SVG, elements, letter_of, tiles_by_place


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
