"""Running the `azul` command in tests: in a process of its own, or quicker in this one."""

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

from azul_ui.cli import main

ROOT = Path(__file__).parents[2]
LAYERS = [str(ROOT / layer) for layer in ("", "agents", "train", "ui")]


class Outcome(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


def in_process_of_its_own(*arguments: str | Path) -> Outcome:
    """Run the command as a shell would; for exit codes, warnings and what is on which stream."""
    run = subprocess.run(
        [sys.executable, "-c", "from azul_ui.cli import main; main()", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Outcome(run.returncode, run.stdout, run.stderr)


def here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> Outcome:
    """Run the command in this process, which has compiled and imported everything already."""
    monkeypatch.setattr(sys, "argv", ["azul", *map(str, arguments)])
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # the command replaces it
    monkeypatch.setenv("NO_COLOR", "1")
    code = 0
    try:
        main()
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    return Outcome(code, *capsys.readouterr())
