"""One drawing of a position, several outputs: SVG, terminal text, pixels, animations.

`svg` and `ansi` need nothing but this package; the others need the extra `render`, as does
`azul_env.render.window`, which shows pixels on a screen.
"""

from azul_env.render.ansi import ansi
from azul_env.render.raster import png_bytes, rgb_array, write_gif
from azul_env.render.svg import svg

__all__ = ["ansi", "png_bytes", "rgb_array", "svg", "write_gif"]
