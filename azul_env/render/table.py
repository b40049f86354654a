"""SVG of the table: the factories around the center, and the contents of bag and lid."""

from math import ceil, cos, hypot, pi, sin, sqrt
from typing import Final

from azul_env.core.spec import COLOR_NAMES
from azul_env.render.glyphs import text, text_width
from azul_env.render.layout import INK, LAST, PANEL, QUIET, Box, Layout, panel
from azul_env.render.scene import Scene
from azul_env.render.tiles import placed_marker, placed_swatch, placed_tile

DISC_FACE: Final = "#f1e9d9"
DISC_EDGE: Final = "#d6c8ad"
POOL_FACE: Final = "#faf5ea"


def drawn_table(scene: Scene, layout: Layout) -> str:
    """The factories, clockwise from the top, and the center between them."""
    box = layout.table
    factories = scene.state.factories
    lowest = max(_spot(layout, 0, 0, number, len(factories))[1] for number in range(len(factories)))
    # A ring of an odd number of factories extends further up than down: shift it down to center it in the panel.
    x, y = box.x + box.width / 2, box.y + box.height / 2 + (layout.ring_radius - lowest) / 2
    parts = [panel(box), _center(scene, layout, x, y)]
    for number, tiles in enumerate(factories):
        spot = _spot(layout, x, y, number, len(factories))
        parts.append(_factory(scene, layout, number, tiles, spot))
    return "".join(parts)


def drawn_supply(scene: Scene, box: Box) -> str:
    """The contents of bag and lid, by color."""
    half = box.width / 2
    bag = _counts("Bag", scene.state.bag, box.x, box.y, half)
    lid = _counts("Lid", scene.state.lid, box.x + half, box.y, half)
    return panel(box) + bag + lid


def _spot(layout: Layout, x: float, y: float, number: int, total: int) -> tuple[float, float]:
    angle = 2 * pi * number / total
    return x + layout.ring_radius * sin(angle), y - layout.ring_radius * cos(angle)


def _factory(
    scene: Scene, layout: Layout, number: int, tiles: tuple[int, ...], spot: tuple[float, float]
) -> str:
    x, y = spot
    size, radius = layout.tile_size, layout.disc_radius
    edge, width = (LAST, 3) if scene.is_source(number) else (DISC_EDGE, 1.5)
    last = " last-move" if scene.is_source(number) else ""
    disc = (
        f'<circle class="factory{last}" data-source="{number}" cx="{x:.1f}" cy="{y:.1f}" '
        f'r="{radius:g}" fill="{DISC_FACE}" stroke="{edge}" stroke-width="{width:g}"/>'
    )
    colors = [color for color, count in enumerate(tiles) for _ in range(count)]
    step = size + 4
    drawn = [
        placed_tile(
            color,
            x + (i % 2) * step - size - 2,
            y + (i // 2) * step - size - 2,
            size,
            f"factory {number}",
        )
        for i, color in enumerate(colors)
    ]
    badge = _badge(str(number), x, y - radius, scene.is_source(number))
    return _source(number, disc, drawn, badge)


def _source(number: int, *parts: str | list[str]) -> str:
    """A factory or the center as one group."""
    drawn = "".join(part if isinstance(part, str) else "".join(part) for part in parts)
    return f'<g class="source" data-source="{number}">{drawn}</g>'


def _badge(label: str, x: float, y: float, is_last: bool) -> str:
    """The name of a source in move notation, on its rim."""
    edge, ink, name = (LAST, LAST, "badge last") if is_last else (DISC_EDGE, QUIET, "badge")
    circle = (
        f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="10" fill="{PANEL}" stroke="{edge}" '
        f'stroke-width="1.5"/>'
    )
    return circle + text(x, y + 4.5, label, 9, ink, weight=1.7, anchor=0.5)


def _center(scene: Scene, layout: Layout, x: float, y: float) -> str:
    state = scene.state
    is_last = scene.is_source(len(state.factories))
    radius = layout.ring_radius - layout.disc_radius - 13
    edge, width = (LAST, 3) if is_last else (DISC_EDGE, 1.5)
    pool = (
        f'<circle class="center{" last-move" * is_last}" data-source="{len(state.factories)}" '
        f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{POOL_FACE}" stroke="{edge}" '
        f'stroke-width="{width}" stroke-dasharray="{"none" if is_last else "5 6"}"/>'
    )
    tiles = [color for color, count in enumerate(state.center) for _ in range(count)]
    tokens: list[int | None] = [None] * state.center_has_marker + tiles  # None is the marker
    corners = _heap(_row_lengths(len(tokens)))
    reach = max(
        (hypot(abs(left + 0.5) + 0.5, abs(top + 0.5) + 0.5) for left, top in corners), default=1
    )
    step = min(0.98 * layout.tile_size, radius / reach)
    size = 0.91 * step
    drawn = []
    for token, (left, top) in zip(tokens, corners, strict=True):
        at_x, at_y = x + left * step + (step - size) / 2, y + top * step + (step - size) / 2
        drawn.append(
            placed_marker(at_x, at_y, size, "center")
            if token is None
            else placed_tile(token, at_x, at_y, size, "center")
        )
    return _source(len(state.factories), pool, drawn, _badge("C", x, y + radius, is_last))


def _row_lengths(count: int) -> list[int]:
    """Number of tokens in each row of a round heap of `count` tokens, with longer rows in the middle."""
    num_rows = max(1, ceil(sqrt(0.8 * count)))
    middle_first = sorted(range(num_rows), key=lambda row: abs(row - (num_rows - 1) / 2))
    lengths = [count // num_rows] * num_rows
    for row in middle_first[: count % num_rows]:
        lengths[row] += 1
    return lengths


def _heap(lengths: list[int]) -> list[tuple[float, float]]:
    """The top left corners of unit squares in rows centered at (0, 0)."""
    return [
        (column - length / 2, row - len(lengths) / 2)
        for row, length in enumerate(lengths)
        for column in range(length)
    ]


def _counts(name: str, tiles: tuple[int, ...], x: float, y: float, width: float) -> str:
    step = (width - 40) / len(tiles)
    parts = [
        text(x + 20, y + 33, name, 13, INK, weight=1.9),
        text(x + 32 + text_width(name, 13), y + 33, str(sum(tiles)), 13, QUIET, weight=1.6),
    ]
    for color, count in enumerate(tiles):
        left = x + 20 + color * step
        parts.append(placed_swatch(color, left, y + 48, 26))
        parts.append(f'<g class="{name.lower()}" data-color="{COLOR_NAMES[color]}">')
        parts.append(text(left + 13, y + 95, str(count), 11, INK if count else QUIET, anchor=0.5))
        parts.append("</g>")
    return "".join(parts)
