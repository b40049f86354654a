"""What the documents show works as pasted, and what is generated from the code equals it."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from azul_env import azul_v0, parse_state

ROOT = Path(__file__).parents[2]
LAYERS = [str(ROOT / layer) for layer in ("", "agents", "train", "ui")]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON_BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def load_make_spec():
    spec = importlib.util.spec_from_file_location("make_spec", ROOT / "docs" / "make_spec.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("place", range(len(PYTHON_BLOCKS)))
def test_readme__code_runs_as_pasted(place: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PYTHON_BLOCKS[place]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)},
    )
    assert run.returncode == 0, run.stderr


def test_readme__first_game_has_ten_lines() -> None:
    lines = [line for line in PYTHON_BLOCKS[0].splitlines() if line]
    assert len(lines) == 10


def test_documents__link_only_to_files_that_exist() -> None:
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
        assert [link for link in links if not (document.parent / link).exists()] == []


def test_data_sheet__tables_equal_the_code() -> None:
    make_spec = load_make_spec()
    assert make_spec.DATA_SHEET.read_text(encoding="utf-8") == make_spec.fresh_data_sheet()


def test_spec__equals_the_code_and_carries_the_data_sheet() -> None:
    make_spec = load_make_spec()
    text = make_spec.SPEC.read_text(encoding="utf-8")
    assert text == make_spec.fresh_spec()
    assert azul_v0.__doc__ is not None
    assert azul_v0.__doc__.partition("\n\n")[2].strip() in text


def test_spec__example_position_can_be_read() -> None:
    text = (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8")
    example = re.search(r"^    (azul 2p .+)$", text, re.MULTILINE)
    assert example is not None
    assert repr(parse_state(example[1])) == example[1]


def test_rules__are_numbered_and_cited() -> None:
    rules = (ROOT / "docs" / "RULES.md").read_text(encoding="utf-8")
    numbered = set(re.findall(r"\*\*(R\d+\.\d+)\*\*", rules))
    sources = [*(ROOT / "azul_env").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    cited = {
        number
        for source in sources
        for number in re.findall(r"\bR\d+\.\d+\b", source.read_text(encoding="utf-8"))
    }
    assert cited - numbered == set()  # nobody cites a rule that is not there
    uncited = numbered - cited
    assert uncited == set(), "every rule is played or tested somewhere"
