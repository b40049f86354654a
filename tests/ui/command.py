"""Running the `azul` command in tests: in a process of its own, or quicker in this one."""

import sys
import warnings
from pathlib import Path

import pytest

from azul_processes import AZUL, ENGINE, Outcome, Preparation, project_environment, run_python
from azul_ui.cli import main


def in_process_of_its_own(
    *arguments: str | Path, given: bytes = b"", preparation: Preparation = ENGINE
) -> Outcome:
    """Run the command as a shell would; for exit codes, warnings and what is on which stream."""
    plain = project_environment(NO_COLOR="1")
    return run_python(AZUL, *arguments, given=given, environment=plain, preparation=preparation)


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
