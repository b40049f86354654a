"""Rendering of positions as SVG, terminal text, pixels and animations.

`svg` and `ansi` have no extra dependencies; the others and `azul_env.render.window` need the extra `render`.
"""

from azul_env.render.ansi import ansi
from azul_env.render.raster import png_bytes, rgb_array, write_gif
from azul_env.render.svg import SvgParts, svg, svg_definitions, svg_parts

__all__ = [
    "SvgParts",
    "ansi",
    "png_bytes",
    "rgb_array",
    "svg",
    "svg_definitions",
    "svg_parts",
    "write_gif",
]
