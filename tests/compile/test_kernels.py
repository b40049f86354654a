"""How kernels are compiled: cached, never stale, and with the same results as plain Python."""

import shutil
import subprocess
from pathlib import Path

import pytest

from compile.running import ROOT, digest_of, kernels_of, run_workload


@pytest.fixture(scope="module")
def first_run() -> subprocess.CompletedProcess[str]:
    return run_workload()


@pytest.fixture(scope="module")
def second_run(first_run: object) -> subprocess.CompletedProcess[str]:
    return run_workload()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("numba")


@pytest.fixture(scope="module")
def first_start(cache: Path) -> subprocess.CompletedProcess[str]:
    return run_workload("few", cache=cache)


def test_first_start__says_that_it_compiles_and_where(
    cache: Path, first_start: subprocess.CompletedProcess[str]
) -> None:
    assert first_start.stderr.count("compiling the engine") == 1
    assert str(cache) in first_start.stderr


def test_second_process__compiles_nothing(second_run: subprocess.CompletedProcess[str]) -> None:
    assert "compiling" not in second_run.stderr
    assert sum(misses for _, misses in kernels_of(second_run).values()) == 0


def test_second_process__gets_the_same_results(
    first_run: subprocess.CompletedProcess[str], second_run: subprocess.CompletedProcess[str]
) -> None:
    assert digest_of(first_run) == digest_of(second_run)


def test_jit_off__gives_the_same_results(first_run: subprocess.CompletedProcess[str]) -> None:
    plain = run_workload(NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="error")
    assert kernels_of(plain) == {}
    assert digest_of(plain) == digest_of(first_run)


def test_edited_helper__is_never_served_from_an_old_cache(
    cache: Path, first_start: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "azul_env", tmp_path / "azul_env")
    copied = run_workload("few", cache=cache, root=tmp_path)
    assert "compiling" not in copied.stderr  # the same sources in another place
    assert digest_of(copied) == digest_of(first_start)
    spec = tmp_path / "azul_env" / "core" / "spec.py"
    edited = spec.read_text().replace("(1, 1, 2, 2, 2, 3, 3)", "(2, 1, 2, 2, 2, 3, 3)")
    assert edited != spec.read_text()
    spec.write_text(edited)  # a constant, used by kernels in other files
    after = run_workload("few", cache=cache, root=tmp_path)
    assert digest_of(after) != digest_of(first_start)
