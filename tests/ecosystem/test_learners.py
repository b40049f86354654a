"""The examples of other libraries learn to beat random players."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from doc_blocks import ELSEWHERE
from example_runs import run_example, win_rates


@pytest.mark.parametrize(
    ("name", "budget"), [("train_torchrl.py", "6"), ("train_tianshou.py", "20480")]
)
def test_learner__beats_random(name: str, budget: str, tmp_path: Path) -> None:
    before, after = win_rates(run_example(name, tmp_path, budget))
    assert after >= 65 and after >= before + 10


def test_documents__need_nothing_that_is_missing_here() -> None:
    """So every block of the documents runs in one of the environments."""
    assert [name for name in ELSEWHERE if find_spec(name) is None] == []
