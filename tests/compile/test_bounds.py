"""Compile all kernels with bounds checks: each has one signature, and no index leaves its array."""

import re
import subprocess

import pytest

from compile.running import digest_of, kernels_of, run_workload

# Not optimised, which saves a third of the time and changes no result.
CHECKED = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}


@pytest.fixture(scope="module")
def checked_run(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """One process for all tests: Numba does not cache code with bounds checks."""
    return run_workload("mutated", cache=tmp_path_factory.mktemp("numba"), **CHECKED)


def test_bounds_checks__find_nothing(checked_run: subprocess.CompletedProcess[str]) -> None:
    assert digest_of(checked_run) == digest_of(run_workload())


def test_kernel__has_one_signature(checked_run: subprocess.CompletedProcess[str]) -> None:
    kernels = kernels_of(checked_run)
    assert len(kernels) > 60
    assert {name: counts[0] for name, counts in kernels.items() if counts[0] != 1} == {}


def test_bounds_checks__find_nothing_in_mutated_rows(
    checked_run: subprocess.CompletedProcess[str],
) -> None:
    found = re.search(r"^mutated (\d+) (\d+)$", checked_run.stdout, re.MULTILINE)
    assert found, checked_run.stdout
    assert int(found[1]) > 2 and int(found[2]) > 50  # sound ones were played, others refused
