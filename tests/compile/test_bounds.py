"""Compile all kernels with bounds checks: each has one signature, and no index leaves its array."""

import subprocess
from pathlib import Path

import pytest

from compile.running import digest_of, kernels_of, run_workload
from fuzz.running import play_mutated_rows

# Not optimised, which saves a third of the time and changes no result.
CHECKED = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("numba")


@pytest.fixture(scope="module")
def checked_run(cache: Path) -> subprocess.CompletedProcess[str]:
    return run_workload(cache=cache, **CHECKED)


def test_bounds_checks__find_nothing(checked_run: subprocess.CompletedProcess[str]) -> None:
    assert digest_of(checked_run) == digest_of(run_workload())


def test_kernel__has_one_signature(checked_run: subprocess.CompletedProcess[str]) -> None:
    kernels = kernels_of(checked_run)
    assert len(kernels) > 60
    assert {name: counts[0] for name, counts in kernels.items() if counts[0] != 1} == {}


def test_bounds_checks__find_nothing_in_mutated_rows(cache: Path, checked_run: object) -> None:
    play_mutated_rows(100, NUMBA_CACHE_DIR=str(cache), **CHECKED)
