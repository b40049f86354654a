"""The cache of compiled code in processes of their own: full, read-only, shared, cut off, and beside other people's files."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from azul_env.core.cache_folder import PARENT_NAME, SUFFIX, UNFINISHED
from azul_processes import COMPILER, ROOT, Outcome, project_environment, run_python

SCRIPT = Path(__file__).parent / "tiny_kernels.py"
ALIKE = Path(__file__).parent / "alike_kernels.py"
COMPILED = "40 2\n"  # the result, and how many kernels were compiled
LOADED = "40 0\n"
MONTH_SECONDS = 31 * 24 * 3600
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def start(cache: Path, *arguments: str, script: Path = SCRIPT) -> subprocess.Popen[str]:
    """A process with an interpreter of its own that calls a small kernel."""
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        env=project_environment(NUMBA_CACHE_DIR=str(cache)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(cache: Path, *arguments: str, script: Path = SCRIPT) -> Outcome:
    """How a process that calls a small kernel has ended."""
    return run_python(
        f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')",
        *arguments,
        environment=project_environment(NUMBA_CACHE_DIR=str(cache)),
        preparation=COMPILER,
    )


def run(cache: Path, *arguments: str) -> tuple[str, str]:
    """Output and messages of such a process."""
    code, out, err = ended(cache, *arguments)
    assert code == 0, err
    return out, err


def files_in(cache: Path, suffix: str = SUFFIX) -> list[Path]:
    return list(cache.rglob(f"*{suffix}"))


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Path]:
    """A folder that other users can reach, unlike tmp_path."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)
        for folder in (Path(name), *Path(name).rglob("*/")):
            folder.chmod(0o755)


def made_read_only(cache: Path) -> tuple[str, ...]:
    """Take away the permission to write; returns the arguments that run a process which that binds."""
    for folder in (*cache.rglob("*/"), cache):
        folder.chmod(0o555)
    return ("as_nobody",) if IS_ROOT else ()


def test_second_process__loads_what_the_first_compiled_and_neither_says_anything(
    tmp_path: Path,
) -> None:
    for expected in (COMPILED, LOADED):
        process = start(tmp_path)
        assert process.communicate(timeout=400) == (expected, "") and process.returncode == 0


def test_checkout_of_the_same_name__is_left_alone(tmp_path: Path) -> None:
    checkout = tmp_path / "azul_env"
    for name in (".git", "runs", "0" * 20):
        (checkout / name).mkdir(parents=True)
        (checkout / name / "work").write_text("mine")
        then = time.time() - MONTH_SECONDS
        os.utime(checkout / name, (then, then))
    assert run(tmp_path)[0] == COMPILED
    assert sorted(os.listdir(tmp_path)) == ["azul_env", PARENT_NAME]
    assert len(list(checkout.glob("*/work"))) == 3


def test_read_only_cache__is_read(public: Path) -> None:
    run(public)
    assert run(public, *made_read_only(public)) == (LOADED, "")


def test_read_only_empty_cache__costs_one_line(public: Path) -> None:
    out, err = run(public, *made_read_only(public))
    assert out == COMPILED
    assert err.count("\n") == 1 and "cannot be written (Permission denied)" in err


@pytest.mark.parametrize("limit", [60, 1000], ids=["at the tag", "at a kernel"])
def test_full_disk__costs_one_line(limit: int, tmp_path: Path) -> None:
    process = start(tmp_path, "file_limit", str(limit))  # with pipes, which have no limit
    out, err = process.communicate(timeout=400)
    assert (process.returncode, out) == (0, COMPILED)
    assert err.count("\n") == 1 and "cannot be written (File too large)" in err
    assert files_in(tmp_path) == files_in(tmp_path, UNFINISHED) == []
    assert run(tmp_path) == (COMPILED, "")
    assert run(tmp_path) == (LOADED, "")


def test_process_killed_while_it_writes__leaves_no_broken_kernel(tmp_path: Path) -> None:
    assert ended(tmp_path, "file_limit", "killed_at_limit", "1000").code == -signal.SIGXFSZ
    assert files_in(tmp_path) == []
    assert len(files_in(tmp_path, UNFINISHED)) == 1
    assert run(tmp_path) == (COMPILED, "")


def test_four_processes_at_once__all_work_and_fill_the_cache(tmp_path: Path) -> None:
    processes = [start(tmp_path) for _ in range(4)]
    for process in processes:
        out, err = process.communicate(timeout=400)
        assert out.startswith("40 ") and err == ""
    assert len(files_in(tmp_path)) == 2 and files_in(tmp_path, UNFINISHED) == []
    assert run(tmp_path) == (LOADED, "")


def test_file_instead_of_a_cache__only_costs_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    out, err = run(blocked)
    assert out == COMPILED and "set NUMBA_CACHE_DIR" in err


def test_messages_without_stderr__stay_out_of_stdout(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    closed = subprocess.run(
        ["sh", "-c", '"$@" 2>&-', "sh", sys.executable, str(SCRIPT)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(blocked)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=400,
        check=True,
    )
    assert closed.stdout == COMPILED


@pytest.mark.parametrize("is_forked", [False, True], ids=["started", "forked"])
def test_closures_of_one_name__from_other_processes_are_not_mixed_up(
    is_forked: bool, tmp_path: Path
) -> None:
    def result(kernel: str) -> str:
        if is_forked:
            return ended(tmp_path, kernel, script=ALIKE).out
        return start(tmp_path, kernel, script=ALIKE).communicate(timeout=300)[0]

    # The last kernel is linked from what the others have left in the cache.
    assert [result(kernel) for kernel in ("two", "three", "both")] == ["2\n", "3\n", "23\n"]
