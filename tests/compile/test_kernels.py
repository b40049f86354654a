"""How kernels are compiled: once each, cached, never stale, and with the same results in every mode."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKLOAD = Path(__file__).parent / "workload.py"


def run_workload(
    cache: Path, *parts: str, root: Path = ROOT, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run the workload in a process of its own."""
    path = os.pathsep.join(
        map(str, (root, *(ROOT / name for name in ("agents", "train", "tests"))))
    )
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(cache)} | settings
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


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("numba")


@pytest.fixture(scope="module")
def first_run(cache: Path) -> subprocess.CompletedProcess[str]:
    return run_workload(cache)


@pytest.fixture(scope="module")
def second_run(cache: Path, first_run: object) -> subprocess.CompletedProcess[str]:
    return run_workload(cache)


def test_kernel__has_one_signature(first_run: subprocess.CompletedProcess[str]) -> None:
    kernels = kernels_of(first_run)
    assert len(kernels) > 60
    assert {name: counts[0] for name, counts in kernels.items() if counts[0] != 1} == {}


def test_first_start__says_that_it_compiles_and_where(
    cache: Path, first_run: subprocess.CompletedProcess[str]
) -> None:
    assert first_run.stderr.count("compiling the engine") == 1
    assert str(cache) in first_run.stderr


def test_second_process__compiles_nothing(second_run: subprocess.CompletedProcess[str]) -> None:
    assert "compiling" not in second_run.stderr
    assert sum(misses for _, misses in kernels_of(second_run).values()) == 0


def test_second_process__gets_the_same_results(
    first_run: subprocess.CompletedProcess[str], second_run: subprocess.CompletedProcess[str]
) -> None:
    assert digest_of(first_run) == digest_of(second_run)


def test_jit_off__gives_the_same_results(
    cache: Path, first_run: subprocess.CompletedProcess[str]
) -> None:
    plain = run_workload(cache, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="error")
    assert kernels_of(plain) == {}
    assert digest_of(plain) == digest_of(first_run)


def test_bounds_checks__find_nothing(
    cache: Path, first_run: subprocess.CompletedProcess[str]
) -> None:
    checked = run_workload(cache, NUMBA_BOUNDSCHECK="1")
    assert "compiling" in checked.stderr  # other code than without the checks
    assert digest_of(checked) == digest_of(first_run)


def test_edited_helper__is_never_served_from_an_old_cache(cache: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "azul_env", tmp_path / "azul_env")
    before = digest_of(run_workload(cache, "core", root=tmp_path))
    assert digest_of(run_workload(cache, "core", root=tmp_path)) == before
    spec = tmp_path / "azul_env" / "core" / "spec.py"
    edited = spec.read_text().replace("(1, 1, 2, 2, 2, 3, 3)", "(2, 1, 2, 2, 2, 3, 3)")
    assert edited != spec.read_text()
    spec.write_text(edited)  # a constant, used by kernels in other files
    assert digest_of(run_workload(cache, "core", root=tmp_path)) != before


def test_cache_folder__that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    run = run_workload(blocked, "core")
    assert "set NUMBA_CACHE_DIR" in run.stderr
