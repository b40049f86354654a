"""Rendering of a position as text, 80 columns wide, with two boards side by side."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from azul_env.core.spec import (
    COLOR_LETTERS,
    COLOR_NAMES,
    FACTORY_CAPACITY,
    FLOOR,
    FLOOR_PENALTIES,
    MARKER_NAME,
    NUM_LINES,
)
from azul_env.core.variant import Variant
from azul_env.notation import CENTER_LETTER, FLOOR_LETTER, MARKER
from azul_env.render.scene import Scene, clipped, scene_of
from azul_env.rules import AnyAction
from azul_env.state import GameState

WIDTH: Final = 80
CELL: Final = 3  # width of a tile or an empty space
BOARD_WIDTH: Final = 36
GAP: Final = 4  # between boards
FACTORIES_PER_ROW: Final = 5
TILES_PER_ROW: Final = 25  # in the center
LAST_MOVE: Final = ">"
CHOICE: Final = "?"

STRONG: Final = "1"
FAINT: Final = "2"
LAST_STYLE: Final = "1;35"
TURN_STYLE: Final = "1;36"
MARKER_STYLE: Final = "1;38;5;16;48;5;180"
TILE_STYLES: Final = (
    "1;38;5;231;48;5;26",
    "1;38;5;16;48;5;220",
    "1;38;5;231;48;5;160",
    "1;38;5;231;48;5;239",
    "1;38;5;16;48;5;255",
)
FREE_WALL_STYLES: Final = ("2;38;5;75", "2;38;5;220", "2;38;5;203", "2;38;5;245", "2;38;5;252")


class Span(NamedTuple):
    """A part of a line in one style."""

    text: str
    style: str = ""
    uncolored: str | None = None  # text of the same width for output without colors


Line = list[Span]


def ansi(
    state: GameState,
    last_action: AnyAction | None = None,
    last_player: int | None = None,
    names: Sequence[str] | None = None,
    color: bool = True,
) -> str:
    """The position as lines of text, with ANSI escape codes for colors unless `color` is false.

    An empty wall cell shows the letter of its color in lower case; without colors, tiles are in brackets. `*` is the
    first-player marker. `>` marks the last move: the source of its tiles and, with `last_player`, their destination. `?`
    marks the line to be tiled on a gray wall; the columns to choose from show their numbers, in parentheses without colors.
    """
    scene = scene_of(state, last_action, last_player, names)
    lines = [*_head(scene), [], *_table(scene), [], *_boards(scene)]
    return "\n".join(_joined(line, color) for line in lines)


def _joined(line: Line, color: bool) -> str:
    if not color:
        return "".join(
            span.text if span.uncolored is None else span.uncolored for span in line
        ).rstrip()
    return "".join(
        f"\x1b[{span.style}m{span.text}\x1b[0m" if span.style else span.text for span in line
    )


def _width(line: Line) -> int:
    return sum(len(span.text) for span in line)


def _head(scene: Scene) -> list[Line]:
    cap = f" of at most {scene.state.max_rounds}" if not scene.state.is_terminal else ""
    title = scene.title + cap + "   "
    lines = [[Span(title, STRONG), Span(clipped(scene.headline, WIDTH - len(title)), TURN_STYLE)]]
    if scene.ending is not None:
        lines.append([Span(clipped(scene.ending, WIDTH))])
    if scene.move_words:
        lines.append([Span(clipped(scene.move_words[0], WIDTH), LAST_STYLE)])
    return lines


def _table(scene: Scene) -> list[Line]:
    lines: list[Line] = []
    for number in range(len(scene.state.factories)):
        if number % FACTORIES_PER_ROW == 0:
            lines.append([])
        lines[-1] += _factory(scene, number)
    supply = f"   bag {_counts(scene.state.bag)}   lid {_counts(scene.state.lid)}"
    return [*lines, *_center(scene), [Span(supply)]]


def _factory(scene: Scene, number: int) -> Line:
    tiles = _tiles(scene.state.factories[number]) or [_free("-")]
    line = [_label(str(number), scene.is_source(number)), *tiles]
    return [*line, Span(" " * (CELL * (FACTORY_CAPACITY + 1) + 1 - _width(line)))]


def _center(scene: Scene) -> list[Line]:
    state = scene.state
    marker = [_marker()] if state.center_has_marker else []
    tokens = [*marker, *_tiles(state.center)] or [_free("-")]
    rows = [tokens[start : start + TILES_PER_ROW] for start in range(0, len(tokens), TILES_PER_ROW)]
    label = _label(CENTER_LETTER, scene.is_source(len(state.factories)))
    return [[label if number == 0 else Span(" " * CELL), *row] for number, row in enumerate(rows)]


def _boards(scene: Scene) -> list[Line]:
    """The boards, two side by side."""
    boards = [_board(scene, seat) for seat in range(scene.state.num_players)]
    lines: list[Line] = []
    for start in range(0, len(boards), 2):
        if start:
            lines.append([])
        lines += [
            [span for line in pair for span in line]
            for pair in zip(*boards[start : start + 2], strict=True)
        ]
    return lines


def _board(scene: Scene, seat: int) -> list[Line]:
    lines = [_board_head(scene, seat)]
    lines += [_board_row(scene, seat, row) for row in range(NUM_LINES)]
    lines.append(_floor(scene, seat))
    width = BOARD_WIDTH + (GAP if seat % 2 == 0 else 0)
    return [[*line, Span(" " * (width - _width(line)))] for line in lines]


def _board_head(scene: Scene, seat: int) -> Line:
    score = str(scene.boards[seat].score)
    tag = scene.tag(seat)
    marked = f" ({tag})" if tag else ""
    name = clipped(scene.names[seat], BOARD_WIDTH - 2 - len(marked) - len(score))
    style = TURN_STYLE if tag in ("to move", "winner") else STRONG
    space = " " * (BOARD_WIDTH - len(name) - len(marked) - len(score))
    return [Span(name, style), Span(marked), Span(space), Span(score, STRONG)]


def _board_row(scene: Scene, seat: int, row: int) -> Line:
    board = scene.boards[seat]
    line = board.pattern_lines[row]
    tiles = [] if line.color is None else [_tile(line.color)] * line.count
    free = [_free(".")] * (row + 1 - line.count)
    wall = [_wall_cell(scene.variant, cell, row, c) for c, cell in enumerate(board.wall[row])]
    indent = Span(" " * CELL * (NUM_LINES - row - 1))
    label = _label(str(row), scene.is_destination(seat, row))
    if scene.is_choice(seat, row):
        label = Span(f"{CHOICE}{row} ", TURN_STYLE)
        for column in scene.state.columns_to_choose:
            wall[column] = Span(f" {column} ", TURN_STYLE, f"({column})")
    return [label, indent, *free, *tiles, Span(" | ", FAINT), *wall]


def _floor(scene: Scene, seat: int) -> Line:
    tokens = [
        _marker() if name == MARKER_NAME else _tile(COLOR_NAMES.index(name))
        for name in scene.boards[seat].floor
    ]
    free = [Span(f"-{penalty} ", FAINT) for penalty in FLOOR_PENALTIES[len(tokens) :]]
    line = [_label(FLOOR_LETTER, scene.is_destination(seat, FLOOR)), *tokens, *free]
    cost = f"floor {-scene.floor_cost(seat)}"
    return [*line, Span(cost.rjust(BOARD_WIDTH - _width(line)))]


def _label(name: str, is_last: bool) -> Span:
    return Span(f"{LAST_MOVE}{name} ", LAST_STYLE) if is_last else Span(f" {name} ", FAINT)


def _tiles(counts: tuple[int, ...]) -> Line:
    return [_tile(color) for color, count in enumerate(counts) for _ in range(count)]


def _tile(color: int) -> Span:
    letter = COLOR_LETTERS[color]
    return Span(f" {letter} ", TILE_STYLES[color], f"[{letter}]")


def _marker() -> Span:
    return Span(f" {MARKER} ", MARKER_STYLE, f"[{MARKER}]")


def _wall_cell(variant: Variant, datum: int, row: int, column: int) -> Span:
    tile, printed = variant.tile_color(datum, row, column), variant.printed_color(row, column)
    if tile is not None:
        return _tile(tile)
    if printed is None:
        return _free(".")
    return Span(f" {COLOR_LETTERS[printed].lower()} ", FREE_WALL_STYLES[printed])


def _free(sign: str) -> Span:
    return Span(f" {sign} ", FAINT)


def _counts(tiles: tuple[int, ...]) -> str:
    words = (f"{letter}{count}" for letter, count in zip(COLOR_LETTERS, tiles, strict=True))
    return f"{sum(tiles)}: {' '.join(words)}"
