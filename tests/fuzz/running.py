"""The program `rows.py` in a process of its own, which a mistake may crash."""

import json
import os
import subprocess
import sys
from pathlib import Path

from azul_processes import LAYERS

SCRIPT = Path(__file__).with_name("rows.py")
SECONDS = 1500  # an empty cache and a busy machine


def play_mutated_rows(mutations: int) -> None:
    """Mutate rows, and play those that are sound to the end; there are some of them, and more that are refused."""
    paths = os.pathsep.join([*LAYERS, str(SCRIPT.parents[1])])
    outcome = subprocess.run(
        [sys.executable, str(SCRIPT), str(mutations), "1"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr[-3000:]
    counts = json.loads(outcome.stdout)
    assert counts["sound"] > mutations // 50 and counts["refused"] > mutations // 2
