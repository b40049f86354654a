"""Run the workload and parse what it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKLOAD = Path(__file__).parent / "workload.py"


def run_workload(
    *parts: str, cache: Path | None = None, root: Path = ROOT, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run the workload in a process of its own, with the usual cache or another."""
    path = os.pathsep.join(
        map(str, (root, *(ROOT / name for name in ("agents", "train", "tests"))))
    )
    environment = os.environ | {"PYTHONPATH": path} | settings
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    return subprocess.run(
        [sys.executable, str(WORKLOAD), *parts],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )


def digest_of(run: subprocess.CompletedProcess[str]) -> str:
    found = re.search(r"^digest (\w+)$", run.stdout, re.MULTILINE)
    assert found, run.stdout + run.stderr
    return found[1]


def kernels_of(run: subprocess.CompletedProcess[str]) -> dict[str, tuple[int, int]]:
    """Signatures and cache misses of every kernel."""
    lines = re.findall(r"^kernel (\S+) (\d+) (\d+)$", run.stdout, re.MULTILINE)
    return {name: (int(signatures), int(misses)) for name, signatures, misses in lines}
