"""SVG of a tile: color, pattern and letter, so tiles can be told apart without color vision."""

from typing import Final, NamedTuple

from azul_env.core.spec import COLOR_LETTERS, COLOR_NAMES
from azul_env.render.glyphs import text
from azul_env.render.layout import INK, PANEL

SIZE: Final = 36
PITCH: Final = 40  # from one tile to the next
MARKER_ID: Final = "azul-marker"


class Look(NamedTuple):
    """The colors and the pattern of a tile."""

    face: str
    edge: str
    mark: str  # of the pattern
    letter: str
    ghost: str  # letter and edge of an empty wall cell
    pattern: str  # a path in a 36 x 36 square
    pattern_width: float = 2.2


LOOKS: Final = (
    Look("#2d6ca8", "#22557f", "#7fb0dd", "#ffffff", "#2d6ca8", "M18 4.5A13.5 13.5 0 1 0 18 31.5A13.5 13.5 0 1 0 18 4.5Z"),
    Look("#ecb93f", "#c3922a", "#b07f17", "#4a3406", "#a87a18", "M18 3.5L32.5 18L18 32.5L3.5 18Z"),
    Look("#c54d40", "#983629", "#eda197", "#ffffff", "#bb4436", "M5 10.5L10.5 5M5 16.5L16.5 5M19.5 31L31 19.5M25.5 31L31 25.5"),
    Look("#36373d", "#1f2024", "#9a9ca6", "#ffffff", "#44454c", "M7 7H7.1M29 7H28.9M7 29H7.1M29 29H28.9", 5),
    Look("#f0f4f6", "#6f7d87", "#9dabb4", "#3d4a52", "#84909a", "M8 6.5H28M8 29.5H28"),
)  # fmt: skip


def tile_id(color: int) -> str:
    """The id of a color's tile in the SVG definitions."""
    return f"azul-tile-{COLOR_LETTERS[color]}"


def ghost_id(color: int) -> str:
    """The id of a color's empty wall cell in the SVG definitions."""
    return f"azul-ghost-{COLOR_LETTERS[color]}"


def definitions() -> str:
    """The SVG definitions that `placed_tile`, `placed_ghost` and `placed_marker` refer to."""
    colors = range(len(LOOKS))
    parts = [_tile(color) for color in colors] + [_ghost(color) for color in colors] + [_marker()]
    return f"<defs>{''.join(parts)}</defs>"


def placed_tile(
    color: int, x: float, y: float, size: float, place: str, index: int | None = None
) -> str:
    """A tile of the position with its corner at (x, y).

    `place` names the source, line, wall row or floor it is on, `index` its column or slot on a board.
    """
    what = f'class="tile" data-color="{COLOR_NAMES[color]}" data-place="{place}"'
    return _use(tile_id(color), what + _cell(place, index), x, y, size)


def placed_swatch(color: int, x: float, y: float, size: float) -> str:
    """A tile that represents its color in a legend, not a tile of the position."""
    return _use(tile_id(color), 'class="swatch"', x, y, size)


def placed_ghost(color: int, x: float, y: float, place: str, index: int) -> str:
    """An empty wall cell of a color."""
    return _use(ghost_id(color), 'class="free-wall"' + _cell(place, index), x, y, SIZE)


def placed_marker(x: float, y: float, size: float, place: str, index: int | None = None) -> str:
    """The first-player marker."""
    what = f'class="marker" data-place="{place}"'
    return _use(MARKER_ID, what + _cell(place, index), x, y, size)


def placed_space(x: float, y: float, place: str, index: int) -> str:
    """An empty space of a line or a floor."""
    return (
        f'<rect class="free"{_cell(place, index)} x="{x + 1:g}" y="{y + 1:g}" width="{SIZE - 2}" height="{SIZE - 2}" '
        f'rx="7" fill="#f3ecdf" stroke="#ddd1bb" stroke-width="1.2"/>'
    )


def placed_gray(x: float, y: float, place: str, index: int) -> str:
    """An empty cell of a wall without printed colors."""
    return (
        f'<rect class="free gray"{_cell(place, index)} x="{x + 1:g}" y="{y + 1:g}" width="{SIZE - 2}" '
        f'height="{SIZE - 2}" rx="7" fill="#dcd9d3" stroke="#bab5ab" stroke-width="1.2"/>'
    )


def _cell(place: str, index: int | None) -> str:
    """The attribute that identifies a space of a board; tiles on the table have none."""
    return "" if index is None else f' data-cell="{place} {index}"'


def _use(target: str, what: str, x: float, y: float, size: float) -> str:
    scale = "" if size == SIZE else f" scale({size / SIZE:.3f})"
    return f'<use href="#{target}" {what} transform="translate({x:.1f} {y:.1f}){scale}"/>'


def _faint(color: str, share: float) -> str:
    """A color blended into the panel's, which is faster to rasterise than opacity."""
    channels = [(int(color[i : i + 2], 16), int(PANEL[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(
        f"{round(share * own + (1 - share) * ground):02x}" for own, ground in channels
    )


def _square(fill: str, edge: str) -> str:
    return (
        f'<rect class="face" x="1" y="1" width="{SIZE - 2}" height="{SIZE - 2}" rx="7" fill="{fill}" '
        f'stroke="{edge}" stroke-width="1.4"/>'
    )


def _pattern(look: Look, ink: str) -> str:
    return (
        f'<path class="pattern" d="{look.pattern}" fill="none" stroke="{ink}" '
        f'stroke-width="{look.pattern_width:g}" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _tile(color: int) -> str:
    look = LOOKS[color]
    letter = text(18, 24.5, COLOR_LETTERS[color], 13, look.letter, weight=2.3, anchor=0.5)
    square, pattern = _square(look.face, look.edge), _pattern(look, look.mark)
    return f'<g id="{tile_id(color)}">{square}{pattern}{letter}</g>'


def _ghost(color: int) -> str:
    look = LOOKS[color]
    ink = _faint(look.ghost, 0.72)
    letter = text(18, 23.5, COLOR_LETTERS[color], 11, ink, weight=1.7, anchor=0.5)
    square = _square(_faint(look.face, 0.13), _faint(look.ghost, 0.42))
    pattern = _pattern(look, _faint(look.ghost, 0.22))
    return f'<g id="{ghost_id(color)}" class="ghost">{square}{pattern}{letter}</g>'


def _marker() -> str:
    one = text(18, 25, "1", 14, INK, weight=2.4, anchor=0.55)
    return (
        f'<g id="{MARKER_ID}">'
        '<circle cx="18" cy="18" r="16.5" fill="#d8c49a" stroke="#8f7a4c" stroke-width="1.6"/>'
        f'<circle cx="18" cy="18" r="13" fill="none" stroke="#f3e7cb" stroke-width="1.4"/>{one}</g>'
    )
