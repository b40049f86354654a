"""The `azul` command line for messages, so that printed commands work as pasted."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

NAME: Final = "azul"


def azul_command(*arguments: object) -> str:
    """A command line of `azul`, quoted for the shell; with the path of the program where the shell does not find it."""
    return shlex.join([_program(), *map(str, arguments)])


def _program() -> str:
    """`azul` if that is the program of this installation, else its path; `azul` as well if there is none."""
    script = _script()
    found = shutil.which(NAME)
    if script is None or (found and os.path.samefile(found, script)):
        return NAME
    here = os.path.relpath(script)
    if here.startswith(os.pardir):
        return str(script)
    return here if os.sep in here else os.path.join(os.curdir, here)


def _script() -> Path | None:
    """The program that was called, else the one beside the interpreter."""
    for script in (Path(sys.argv[0]), Path(sys.executable).with_name(NAME)):
        if script.name == NAME and script.is_file():
            return script.absolute()
    return None
