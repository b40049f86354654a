"""How to install what only some uses need: printed commands work as they stand."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

# The files of tried versions in a source tree, by extra; all others are in the first.
CONSTRAINTS: Final = "constraints.txt"
OTHER_CONSTRAINTS: Final = {"ray": "constraints-ray.txt", "rllib": "constraints-ray.txt"}


def install_command(extra: str) -> str:
    """The command that installs an extra for this interpreter, in the versions that were tried if their file is here."""
    file = Path(__file__).parents[1] / OTHER_CONSTRAINTS.get(extra, CONSTRAINTS)
    constraints = ["-c", path_from_here(file)] if file.is_file() else []
    return shlex.join([*_pip(), "install", *constraints, f"azul-env[{extra}]"])


def path_from_here(path: Path) -> str:
    """A path as it can be typed: relative if it is below the current folder, else absolute."""
    here = os.path.relpath(path)
    return str(path) if here.startswith(os.pardir) else here


def _pip() -> list[str]:
    """`pip` if that is the one of this interpreter."""
    found, python = shutil.which("pip"), Path(sys.executable)
    if found and Path(found).parent.absolute() == python.parent.absolute():
        return ["pip"]
    return [path_from_here(python), "-m", "pip"]
