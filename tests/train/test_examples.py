"""The examples run, learn, and need what they say they need."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run_example(name: str, folder: Path, *arguments: str, paths: tuple[Path, ...] = (ROOT,)) -> str:
    """What an example prints, run in a folder with no more of the project than these paths."""
    settings = {"PYTHONPATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        env=os.environ | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def win_rates(printed: str) -> tuple[int, int]:
    """The percentages before and after learning."""
    found = re.findall(r"^(?:before|after): wins (\d+)%", printed, re.MULTILINE)
    assert len(found) == 2, printed
    return int(found[0]), int(found[1])


def test_train_sb3__learns_to_beat_random(tmp_path: Path) -> None:
    printed = run_example("train_sb3.py", tmp_path, "--steps", "16384", "--games", "40")
    before, after = win_rates(printed)
    assert after >= 70 and after > before
    assert (tmp_path / "azul_maskable_ppo.zip").stat().st_size > 0


def test_train_sb3__is_short_and_has_nothing_of_ours_but_the_environment() -> None:
    text = (EXAMPLES / "train_sb3.py").read_text()
    assert len(text.splitlines()) < 60
    assert re.findall(r"azul_(?:env|agents|train|ui)", text) == ["azul_env"]


def test_selfplay_pettingzoo__learns_to_beat_random(tmp_path: Path) -> None:
    printed = run_example(
        "selfplay_pettingzoo.py", tmp_path, "--games", "500", "--evaluation", "100"
    )
    _, after = win_rates(printed)
    assert after >= 60
