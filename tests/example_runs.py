"""Runs the examples as users do, and reads what they print."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
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
        timeout=1200,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def win_rates(printed: str) -> tuple[int, int]:
    """The percentages before and after learning."""
    found = re.findall(r"^(?:before|after): wins (\d+)%", printed, re.MULTILINE)
    assert len(found) == 2, printed
    return int(found[0]), int(found[1])
