"""Printed commands work as they stand: with the path of `azul` where the shell does not find it."""

import sys
from pathlib import Path

import pytest

from azul_agents.command_line import azul_command


@pytest.fixture
def program(tmp_path, monkeypatch) -> Path:
    """An installed `azul` in .venv/bin of the current folder, not on the PATH."""
    script = tmp_path / ".venv" / "bin" / "azul"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [str(script)])
    return script


def test_program_off_the_path__is_named_by_its_path(program):
    assert azul_command("play", "--vs", "neural:path=a b.npz") == (
        ".venv/bin/azul play --vs 'neural:path=a b.npz'"
    )


def test_program_from_another_folder__is_named_by_its_whole_path(program, monkeypatch):
    monkeypatch.chdir(program.parents[1])
    assert azul_command("agents") == "bin/azul agents"
    monkeypatch.chdir("/")
    assert azul_command("agents").endswith("/.venv/bin/azul agents")


def test_program_on_the_path__is_azul(program, monkeypatch):
    monkeypatch.setenv("PATH", str(program.parent))
    assert azul_command("agents") == "azul agents"


def test_another_azul_on_the_path__is_not_taken_for_this_one(program, monkeypatch, tmp_path):
    other = tmp_path / "azul"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert azul_command("agents") == ".venv/bin/azul agents"


def test_no_program__is_called_azul(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["-c"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert azul_command("play", 3) == "azul play 3"
