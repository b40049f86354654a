"""A child process of `azul web`: drawings in on stdin, a PNG or GIF out on stdout."""

import json
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any


def main() -> None:
    """Do one task and exit; an error is one line on stderr."""
    try:
        content = _pixels(json.loads(sys.stdin.buffer.read()))
    except (ImportError, ValueError) as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    sys.stdout.buffer.write(content)


def _pixels(task: dict[str, Any]) -> bytes:
    from azul_env.render.raster import needed, png_of_svg

    pictures = (png_of_svg(picture, task["scale"]) for picture in task["pictures"])
    if task["kind"] == "png":
        return next(pictures)
    import numpy as np

    from azul_env.render.raster import write_gif

    image = needed("PIL.Image")
    frames = [np.array(image.open(BytesIO(png)).convert("RGB"), np.uint8) for png in pictures]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.gif"
        write_gif(frames, path, task["seconds"])
        return path.read_bytes()


if __name__ == "__main__":
    main()
