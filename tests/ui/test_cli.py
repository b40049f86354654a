"""The `azul` command itself: quick help and version, commands imported only when they are called."""

import importlib
import itertools
import re

import pytest

import azul_env
from azul_processes import COMMANDS as LIBRARY_OF_COMMANDS
from azul_processes import project_environment, run_python
from azul_ui.cli import COMMANDS
from ui.command import here, in_process_of_its_own

WATCHED = ("numba", "numpy", "torch", "azul_env", "azul_agents", "azul_train", "azul_ui.commands")
SCRIPT = f"""
import atexit, sys
atexit.register(lambda: print([n for n in {WATCHED} if n in sys.modules], file=sys.stderr))
from azul_ui.cli import main
main()
"""


def imported_by(*arguments: str, **environment: str) -> tuple[str, str]:
    """The output of the command, and its errors with the watched modules it imported."""
    plain = project_environment(NO_COLOR="1", **environment)
    code, out, err = run_python(
        SCRIPT, *arguments, environment=plain, preparation=LIBRARY_OF_COMMANDS
    )
    assert code == 0, err
    return out, err.strip()


def test_help__lists_all_commands_and_imports_none():
    out, imported = imported_by("--help")
    assert imported == "[]"
    for name in COMMANDS:
        assert f" {name} " in out


def test_version__is_printed_without_loading_the_engine():
    out, imported = imported_by("--version")
    assert out == f"azul-env {azul_env.__version__}\n"
    assert "numba" not in imported


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command__compiles_nothing_and_is_shown_whole(name, tmp_path):
    out, errors = imported_by(name, "-h", NUMBA_CACHE_DIR=str(tmp_path), COLUMNS="80")
    assert "…" not in out
    assert f"azul {name}" in out or f"-c {name}" in out
    assert "compiling" not in errors and "torch" not in errors
    assert not list(tmp_path.rglob("*.kernel"))  # compiled code


@pytest.mark.parametrize(
    "name", ["agents", "bench", "fit-evaluation", "match", "play", "train", "tournament"]
)
def test_help_of_a_command__needs_no_engine_where_it_has_no_defaults_of_it(name):
    assert "numba" not in imported_by(name, "--help")[1]


def test_agents__are_listed_without_loading_the_engine():
    out, imported = imported_by("agents")
    assert "numba" not in imported and "python:TARGET" in re.sub(r"\s", "", out)


@pytest.mark.parametrize("name", ["play", "match", "tournament", "analyse"])
def test_help_of_a_command__breaks_lines_only_at_the_width_of_the_terminal(
    name, monkeypatch, capsys
):
    monkeypatch.setenv("COLUMNS", "80")
    text = here(monkeypatch, capsys, name, "--help").out.partition("╭")[0]
    lines = [line.strip() for line in text.splitlines()]
    for line, following in itertools.pairwise(lines):
        if line and following:
            assert len(f"{line} {following.partition(' ')[0]}") > 77, (line, following)


@pytest.mark.parametrize("name", COMMANDS)
def test_summary_of_a_command__is_the_first_line_of_its_help(name):
    target, summary = COMMANDS[name]
    module, _, function = target.partition(":")
    command = getattr(importlib.import_module(f"azul_ui.commands.{module}"), function)
    assert command.__doc__.partition("\n")[0] == summary


def test_unknown_command__suggests_one():
    code, out, err = in_process_of_its_own("tournment")
    assert (code, out) == (2, "")
    assert "tournament" in err and "Traceback" not in err
