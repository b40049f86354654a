"""What the documents show works as pasted, and what is generated from the code equals it."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from azul_env import azul_v0, parse_state
from azul_processes import LEARNING, run_python
from doc_blocks import DOCUMENTS, NOTEBOOKS, ROOT, missing_libraries, python_blocks


def load_script(name: str):
    """A script of the folder docs as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "document",
    [document for document in DOCUMENTS + NOTEBOOKS if python_blocks(document)],
    ids=lambda document: document.name,
)
def test_document__code_runs_as_pasted(document: Path, tmp_path: Path) -> None:
    blocks = python_blocks(document)
    if missing := missing_libraries(blocks):
        pytest.skip(f"{', '.join(missing)} is not installed here")
    # Blocks read data in docs; what they write stays in the folder of the test.
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    run = run_python(
        f"for block in {blocks!r}: exec(block, {{}})", folder=tmp_path, preparation=LEARNING
    )
    assert run.code == 0, run.err


def test_first_game__has_ten_lines() -> None:
    block, *_ = python_blocks(ROOT / "docs" / "guide" / "quick_start.md")
    assert len([line for line in block.splitlines() if line]) == 10


def test_notebooks__are_three_and_hold_no_outputs() -> None:
    assert [notebook.stem for notebook in NOTEBOOKS] == ["analyse", "hello", "train"]
    for notebook in NOTEBOOKS:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []


def test_documents__link_only_to_files_that_exist() -> None:
    for document in DOCUMENTS:
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
        assert [link for link in links if not (document.parent / link).exists()] == []


def test_data_sheet__tables_equal_the_code() -> None:
    make_spec = load_script("make_spec")
    assert make_spec.DATA_SHEET.read_text(encoding="utf-8") == make_spec.fresh_data_sheet()


def test_pages__equal_the_code() -> None:
    for path, text in load_script("make_pages").fresh_pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make pages"


def test_model_cards__equal_the_json_cards() -> None:
    script = load_script("make_model_cards")
    cards = script.fresh_cards()
    assert set(script.CARDS.glob("*.md")) == set(cards)
    for path, text in cards.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make pages"


def test_spec__equals_the_code_and_carries_the_data_sheet() -> None:
    make_spec = load_script("make_spec")
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
