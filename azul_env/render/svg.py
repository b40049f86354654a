"""Rendering of a position as a self-contained SVG, without fonts or scripts."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from azul_env.render.board import drawn_board
from azul_env.render.glyphs import fitted, plain, text, text_width
from azul_env.render.layout import (
    BOARD_HEIGHT,
    BOARD_WIDTH,
    INK,
    LAST,
    LAYOUTS,
    MARGIN,
    PAPER,
    QUIET,
    TURN,
    Box,
    Layout,
)
from azul_env.render.scene import Scene, scene_of
from azul_env.render.table import drawn_supply, drawn_table
from azul_env.render.tiles import definitions
from azul_env.rules import AnyAction
from azul_env.state import GameState

NAMESPACE: Final = "http://www.w3.org/2000/svg"
PART_MARGIN: Final = 2  # around a part, for the outline of its panel


class SvgParts(NamedTuple):
    """The parts of a picture, each an SVG of its own that refers to `svg_definitions`, and its texts."""

    table: str
    supply: str
    boards: tuple[str, ...]  # by seat
    title: str
    headline: str
    ending: str | None  # None while the game is on


def svg(
    state: GameState,
    last_action: AnyAction | None = None,
    last_player: int | None = None,
    names: Sequence[str] | None = None,
) -> str:
    """The picture of a position as SVG.

    `last_action` marks the source of the last move's tiles, with `last_player` also their destination. Tiles have the
    class `tile` and the attributes `data-color` and `data-place`; texts have an `aria-label`.
    """
    scene = scene_of(state, last_action, last_player, names)
    layout = LAYOUTS[state.num_players]
    width, height = layout.width, layout.height
    parts = [
        f'<svg xmlns="{NAMESPACE}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><desc>{escape(repr(state))}</desc>{definitions()}'
        f'<rect class="paper" width="{width}" height="{height}" fill="{PAPER}"/>',
        _head(scene, layout),
        drawn_table(scene, layout),
        drawn_supply(scene, layout.supply),
        *(drawn_board(scene, seat, box) for seat, box in enumerate(layout.boards)),
    ]
    return "".join(parts) + "</svg>"


def svg_parts(
    state: GameState,
    last_action: AnyAction | None = None,
    last_player: int | None = None,
    names: Sequence[str] | None = None,
) -> SvgParts:
    """The picture of a position in parts, for pages with a layout of their own; arguments as for `svg`."""
    scene = scene_of(state, last_action, last_player, names)
    layout = LAYOUTS[state.num_players]
    board = Box(0, 0, BOARD_WIDTH, BOARD_HEIGHT)
    return SvgParts(
        table=_part(layout.table, drawn_table(scene, layout)),
        supply=_part(layout.supply, drawn_supply(scene, layout.supply)),
        boards=tuple(
            _part(board, drawn_board(scene, seat, board)) for seat in range(state.num_players)
        ),
        title=scene.title,
        headline=scene.headline,
        ending=scene.ending,
    )


def svg_definitions() -> str:
    """An empty SVG with the definitions that the parts refer to."""
    return f'<svg xmlns="{NAMESPACE}" width="0" height="0">{definitions()}</svg>'


def _part(box: Box, drawn: str) -> str:
    margin = PART_MARGIN
    corner = f"{box.x - margin:g} {box.y - margin:g}"
    size = f"{box.width + 2 * margin:g} {box.height + 2 * margin:g}"
    return f'<svg xmlns="{NAMESPACE}" viewBox="{corner} {size}">{drawn}</svg>'


def _head(scene: Scene, layout: Layout) -> str:
    """The top line: round, player to move or winners, and the last move."""
    baseline = 52
    x: float = MARGIN + 4
    right = layout.width - MARGIN - 4
    parts = [text(x, baseline, scene.title, 19, INK, weight=2.0)]
    x += text_width(scene.title, 19) + 26
    headline = fitted(scene.headline, 14, 0.48 * layout.width)
    parts.append(f'<g class="headline">{text(x, baseline, headline, 14, TURN, weight=1.9)}</g>')
    x += text_width(headline, 14) + 20
    if scene.ending is not None:
        ending = fitted(scene.ending, 11.5, right - x)
        parts.append(text(x, baseline, ending, 11.5, QUIET, weight=1.6))
        x += text_width(ending, 11.5) + 20
    words = next((w for w in scene.move_words if text_width(plain(w), 11.5) <= right - x), None)
    if words is not None:
        shown = text(right, baseline, words, 11.5, LAST, weight=1.6, anchor=1)
        parts.append(f'<g class="last-move-words">{shown}</g>')
    return "".join(parts)
