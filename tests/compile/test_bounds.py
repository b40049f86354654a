"""All kernels compiled anew, with bounds checks: each once, and no index is ever outside of its array."""

import subprocess
from pathlib import Path

import pytest

from compile.running import digest_of, kernels_of, run_workload


@pytest.fixture(scope="module")
def checked_run(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    cache: Path = tmp_path_factory.mktemp("numba")
    # Not optimised, which saves a third of the time and changes no result.
    return run_workload(cache=cache, NUMBA_BOUNDSCHECK="1", NUMBA_OPT="0")


def test_bounds_checks__find_nothing(checked_run: subprocess.CompletedProcess[str]) -> None:
    assert digest_of(checked_run) == digest_of(run_workload())


def test_kernel__has_one_signature(checked_run: subprocess.CompletedProcess[str]) -> None:
    kernels = kernels_of(checked_run)
    assert len(kernels) > 60
    assert {name: counts[0] for name, counts in kernels.items() if counts[0] != 1} == {}
