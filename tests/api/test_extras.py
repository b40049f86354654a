"""The printed command that installs an extra works as it stands."""

import sys
from pathlib import Path

import pytest

from azul_env import extras
from azul_env.extras import install_command

ROOT = Path(__file__).parents[2]


@pytest.fixture
def python(tmp_path, monkeypatch) -> Path:
    """An interpreter in .venv/bin of the current folder, with its pip, not on the PATH."""
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("python", "pip"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder / "python"


def test_interpreter_off_the_path__is_named_by_its_path(python):
    assert install_command("web") == (
        f".venv/bin/python -m pip install -c {ROOT / 'constraints.txt'} 'azul-env[web]'"
    )


def test_interpreter_on_the_path__has_a_pip_of_its_own(python, monkeypatch):
    monkeypatch.setenv("PATH", str(python.parent))
    monkeypatch.chdir(ROOT)
    assert install_command("train") == "pip install -c constraints.txt 'azul-env[train]'"
    assert install_command("rllib") == "pip install -c constraints-ray.txt 'azul-env[rllib]'"


def test_installed_package__has_no_constraints_to_name(python, monkeypatch, tmp_path):
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "site-packages" / "azul_env" / "x.py"))
    assert install_command("onnx") == ".venv/bin/python -m pip install 'azul-env[onnx]'"


def test_other_pip_on_the_path__is_not_taken(python, monkeypatch, tmp_path):
    other = tmp_path / "pip"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_command("web").startswith(".venv/bin/python -m pip install ")
