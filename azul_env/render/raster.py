"""Rendering of positions as pixels and of games as animations. Needs the extra `render`."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from io import BytesIO
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.extras import install_command
from azul_env.files import AnyPath, atomic_file
from azul_env.render.svg import svg
from azul_env.rules import AnyAction
from azul_env.state import GameState

GIF_COLORS: Final = 128
PALETTE_SAMPLES: Final = 4  # frames from which the colors of an animation are chosen


def needed(module: str) -> Any:
    """Import a module of the extra `render`. Raises ModuleNotFoundError with the command to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(
            f"drawing pixels needs {module.partition('.')[0]}: {install_command('render')}",
            name=module,
        ) from error


def png_bytes(
    state: GameState,
    last_action: AnyAction | None = None,
    last_player: int | None = None,
    names: Sequence[str] | None = None,
    scale: float = 1.0,
) -> bytes:
    """The picture of a position as a PNG file, `scale` times as large as the SVG."""
    return png_of_svg(svg(state, last_action, last_player, names), scale)


def png_of_svg(picture: str, scale: float = 1.0) -> bytes:
    """A drawing of `svg` as a PNG file. The library holds Python's lock until it is done."""
    resvg = needed("resvg_py")
    return bytes(resvg.svg_to_bytes(svg_string=picture, skip_system_fonts=True, zoom=scale))


def rgb_array(
    state: GameState,
    last_action: AnyAction | None = None,
    last_player: int | None = None,
    names: Sequence[str] | None = None,
    scale: float = 1.0,
) -> NDArray[np.uint8]:
    """The picture of a position as an array of shape (height, width, 3)."""
    image = needed("PIL.Image")
    data = png_bytes(state, last_action, last_player, names, scale)
    return np.array(image.open(BytesIO(data)).convert("RGB"), np.uint8)


def write_gif(
    frames: Iterable[NDArray[np.uint8]],
    path: AnyPath,
    seconds_per_frame: float = 0.8,
) -> None:
    """Write an animated GIF that loops forever. The file is written atomically.

    All frames are held in memory because they share one palette: with separate palettes, parts that do not change would
    flicker. Consecutive equal frames are merged into one that lasts longer.
    """
    image = needed("PIL.Image")
    pictures = [image.fromarray(np.asarray(frame, np.uint8)) for frame in frames]
    if not pictures:
        raise ValueError("an animation needs at least one frame")
    palette = _palette(image, pictures)
    no_dither = image.Dither.NONE
    first, *others = [picture.quantize(palette=palette, dither=no_dither) for picture in pictures]
    with atomic_file(path) as file:
        first.save(
            file,
            format="GIF",
            save_all=True,
            append_images=others,
            duration=round(1000 * seconds_per_frame),
            loop=0,
            optimize=True,  # omits unchanged parts
        )


def _palette(image: Any, pictures: list[Any]) -> Any:
    """One palette for all pictures, from frames spread over the animation."""
    last = len(pictures) - 1
    numbers = sorted({round(last * i / (PALETTE_SAMPLES - 1)) for i in range(PALETTE_SAMPLES)})
    width, height = pictures[0].size
    sheet = image.new("RGB", (width, height * len(numbers)))
    for row, number in enumerate(numbers):
        sheet.paste(pictures[number], (0, row * height))
    return sheet.quantize(GIF_COLORS, method=image.Quantize.MAXCOVERAGE, kmeans=1)
