"""Commands that install optional dependencies, printed so that they work as pasted."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

# The constraints files of a source tree: the first, except for these extras.
CONSTRAINTS: Final = "constraints.txt"
OTHER_CONSTRAINTS: Final = {"ray": "constraints-ray.txt", "rllib": "constraints-ray.txt"}


def install_command(extra: str) -> str:
    """The command that installs an extra for this interpreter, with the tested versions if their file is here."""
    file = Path(__file__).parents[1] / OTHER_CONSTRAINTS.get(extra, CONSTRAINTS)
    constraints = ["-c", path_from_here(file)] if file.is_file() else []
    return shlex.join([*_pip(), "install", *constraints, f"azul-env[{extra}]"])


def path_from_here(path: Path) -> str:
    """A path as it can be typed: relative if it is below the current folder, else absolute."""
    here = os.path.relpath(path)
    return str(path) if here.startswith(os.pardir) else here


def _pip() -> list[str]:
    """`pip` if that belongs to this interpreter, else `python -m pip`."""
    found, python = shutil.which("pip"), Path(sys.executable)
    if found and Path(found).parent.absolute() == python.parent.absolute():
        return ["pip"]
    return [path_from_here(python), "-m", "pip"]
