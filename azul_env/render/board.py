"""SVG of a player's board: pattern lines, wall, floor, score and name."""

from typing import Final

from azul_env.core.spec import COLOR_NAMES, FLOOR, FLOOR_PENALTIES, MARKER_NAME, NUM_LINES
from azul_env.render.glyphs import fitted, text, text_width
from azul_env.render.layout import (
    BOARD_HEIGHT,
    BOARD_WIDTH,
    INK,
    LAST,
    QUIET,
    TURN,
    Box,
    panel,
)
from azul_env.render.scene import Scene
from azul_env.render.tiles import (
    PITCH,
    SIZE,
    placed_ghost,
    placed_gray,
    placed_marker,
    placed_space,
    placed_tile,
)

LEFT: Final = 36  # left edge of line 4, the longest
RIGHT: Final = BOARD_WIDTH - 20
ROWS_TOP: Final = 60
WALL_LEFT: Final = RIGHT - NUM_LINES * PITCH + (PITCH - SIZE)
FLOOR_TOP: Final = 286
TAG_INK: Final = {"to move": TURN, "winner": TURN}


def drawn_board(scene: Scene, seat: int, box: Box) -> str:
    """A player's board, scaled to fit `box`."""
    scale = box.width / BOARD_WIDTH
    box_of_board = Box(0, 0, BOARD_WIDTH, BOARD_HEIGHT)
    parts = [panel(box_of_board, scene.tag(seat) in TAG_INK), _head(scene, seat)]
    parts += [_line(scene, seat, row) + _wall_row(scene, seat, row) for row in range(NUM_LINES)]
    if scene.variant.tiles_by_choice:
        parts.append(_column_labels(scene, seat))
    parts.append(_floor(scene, seat))
    parts += [_line_target(seat, row) for row in range(NUM_LINES)]
    parts.append(_target(seat, FLOOR, LEFT, FLOOR_TOP, len(FLOOR_PENALTIES)))
    opacity = ' opacity="0.65"' if scene.boards[seat].resigned is not None else ""
    transform = f"translate({box.x:g} {box.y:g}) scale({scale:g})"
    return (
        f'<g class="board" data-seat="{seat}" transform="{transform}"{opacity}>{"".join(parts)}</g>'
    )


def _head(scene: Scene, seat: int) -> str:
    score = str(scene.boards[seat].score)
    parts = [f'<g class="score">{text(RIGHT, 41, score, 22, INK, weight=1.9, anchor=1)}</g>']
    tag = scene.tag(seat)
    tag_room = text_width(tag, 9.5) + 40 if tag else 0
    room = RIGHT - 20 - text_width(score, 22) - tag_room - 20
    name = fitted(scene.names[seat], 15, room)
    parts.append(text(20, 38, name, 15, INK, weight=2.0))
    if tag:
        parts.append(_tag(tag, 20 + text_width(name, 15) + 14))
    return "".join(parts)


def _tag(tag: str, x: float) -> str:
    width = text_width(tag, 9.5) + 22
    fill, ink = (TAG_INK[tag], "#ffffff") if tag in TAG_INK else ("#efe7d8", "#6b6253")
    name = "tag turn" if tag in TAG_INK else "tag"
    pill = f'<rect x="{x:.1f}" y="19" width="{width:.1f}" height="23" rx="11.5" fill="{fill}"/>'
    return f'<g class="{name}">{pill}{text(x + 11, 35, tag, 9.5, ink, weight=1.7)}</g>'


def _line(scene: Scene, seat: int, row: int) -> str:
    line = scene.boards[seat].pattern_lines[row]
    y = ROWS_TOP + row * PITCH
    first = NUM_LINES - row - 1  # column of the line's leftmost space
    is_last = scene.is_destination(seat, row)
    parts = []
    if is_last:
        parts.append(_highlight(LEFT + first * PITCH, y, (row + 1) * PITCH, "line", row))
    label = LEFT + first * PITCH - 12
    is_choice = scene.is_choice(seat, row)
    ink = TURN if is_choice else LAST if is_last else QUIET
    parts.append(text(label, y + 22.5, str(row), 9, ink, anchor=0.5))
    for column in range(first, NUM_LINES):
        x = LEFT + column * PITCH
        if line.color is not None and column >= NUM_LINES - line.count:
            parts.append(placed_tile(line.color, x, y, SIZE, f"line {seat} {row}", column))
        else:
            parts.append(placed_space(x, y, f"line {seat} {row}", column))
    if is_choice:
        what = f'data-seat="{seat}" data-line="{row}"'
        parts.append(_choice(LEFT + first * PITCH, y, (row + 1) * PITCH - 4, what, opacity=0))
    return "".join(parts)


def _line_target(seat: int, row: int) -> str:
    return _target(seat, row, LEFT + (NUM_LINES - row - 1) * PITCH, ROWS_TOP + row * PITCH, row + 1)


def _target(seat: int, destination: int, x: float, y: float, spaces: int) -> str:
    """An invisible shape over the spaces of a line or floor, as a click target for web pages."""
    return (
        f'<rect class="target" data-seat="{seat}" data-destination="{destination}" '
        f'x="{x - 4:g}" y="{y - 2:g}" width="{spaces * PITCH + 4}" height="{PITCH}" rx="9" '
        f'fill="none" pointer-events="all"/>'
    )


def _wall_row(scene: Scene, seat: int, row: int) -> str:
    y = ROWS_TOP + row * PITCH
    place = f"wall {seat} {row}"
    middle = (LEFT + NUM_LINES * PITCH - (PITCH - SIZE) + WALL_LEFT) / 2
    parts = [
        f'<path class="arrow" d="M{middle - 3:g} {y + 12}l6 6l-6 6" fill="none" stroke="#c9bb9f" '
        f'stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
    ]
    for column, cell in enumerate(scene.boards[seat].wall[row]):
        x = WALL_LEFT + column * PITCH
        tile = scene.variant.tile_color(cell, row, column)
        printed = scene.variant.printed_color(row, column)
        if tile is not None:
            parts.append(placed_tile(tile, x, y, SIZE, place, column))
        elif printed is None:
            parts.append(placed_gray(x, y, place, column))
        else:
            parts.append(placed_ghost(printed, x, y, place, column))
        if scene.is_choice(seat, row) and column in scene.state.columns_to_choose:
            parts.append(_choice(x, y, PITCH - 4, f'data-seat="{seat}" data-column="{column}"'))
    return "".join(parts)


def _column_labels(scene: Scene, seat: int) -> str:
    """The numbers of a wall's columns, by which they are chosen."""
    is_choosing = scene.state.current_player == seat
    choices = scene.state.columns_to_choose if is_choosing else ()
    return "".join(
        text(
            WALL_LEFT + column * PITCH + SIZE / 2,
            ROWS_TOP - 4,
            str(column),
            8,
            TURN if column in choices else QUIET,
            anchor=0.5,
        )
        for column in range(NUM_LINES)
    )


def _choice(x: float, y: float, width: float, what: str, opacity: float = 0.16) -> str:
    """A frame around the line to be tiled, or around a cell that may be chosen for its tile."""
    return (
        f'<rect class="choice" {what} x="{x - 2:g}" y="{y - 2:g}" width="{width + 4:g}" height="{SIZE + 4}" '
        f'rx="9" fill="{TURN}" fill-opacity="{opacity:g}" stroke="{TURN}" stroke-width="2.6"/>'
    )


def _floor(scene: Scene, seat: int) -> str:
    parts = []
    is_last = scene.is_destination(seat, FLOOR)
    if is_last:
        parts.append(_highlight(LEFT, FLOOR_TOP, len(FLOOR_PENALTIES) * PITCH, "floor", FLOOR))
    label_ink = LAST if is_last else QUIET
    parts.append(text(LEFT - 12, FLOOR_TOP + 22.5, "F", 9, label_ink, anchor=0.5))
    tokens = scene.boards[seat].floor
    place = f"floor {seat}"
    for slot, penalty in enumerate(FLOOR_PENALTIES):
        x = LEFT + slot * PITCH
        ink = INK if slot < len(tokens) else QUIET
        parts.append(text(x + SIZE / 2 - 1, FLOOR_TOP - 8, f"-{penalty}", 9, ink, anchor=0.5))
        if slot >= len(tokens):
            parts.append(placed_space(x, FLOOR_TOP, place, slot))
        elif tokens[slot] == MARKER_NAME:
            parts.append(placed_marker(x, FLOOR_TOP, SIZE, place, slot))
        else:
            color = COLOR_NAMES.index(tokens[slot])
            parts.append(placed_tile(color, x, FLOOR_TOP, SIZE, place, slot))
    cost = f"-{scene.floor_cost(seat)}" if tokens else "0"
    parts.append(text(RIGHT, FLOOR_TOP - 8, "floor", 9, QUIET, anchor=1))
    total = text(RIGHT, FLOOR_TOP + 26, cost, 16, INK if tokens else QUIET, weight=1.8, anchor=1)
    return "".join(parts) + f'<g class="floor-cost">{total}</g>'


def _highlight(x: float, y: float, width: float, what: str, destination: int) -> str:
    return (
        f'<rect class="last-move {what}" data-destination="{destination}" '
        f'x="{x - 4:g}" y="{y - 3.5:g}" width="{width + 4:g}" height="{SIZE + 7}" rx="10" '
        f'fill="{LAST}" fill-opacity="0.14" stroke="{LAST}" stroke-width="2.4"/>'
    )
