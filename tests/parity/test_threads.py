"""Any number of threads plays the same games, and threads come to a good end."""

import copy
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

from azul_env import GameBatch
from azul_env.core import threads as threads_module
from azul_env.core.intrinsics import compare_exchange, load_acquire, pause, store_release
from azul_env.core.jit import kernel
from azul_env.core.threads import Workers

ROOT = Path(__file__).parents[2]
SCRIPT = """
from azul_env import GameBatch
from azul_env.core import threads
threads.usable_cores, threads.LEAST_GAMES = lambda: 4, 1
batch = GameBatch(20, seed=1, threads=3)
assert batch.play_to_end().min() > 0
"""

Counts = NDArray[np.int64]

pytestmark = pytest.mark.usefixtures("many_threads")


@kernel
def count_games(counts: Counts, first: int, last: int) -> None:
    for i in range(first, last):
        counts[i] += 1


@kernel
def fail_at(counts: Counts, failing: int, first: int, last: int) -> None:
    for i in range(first, last):
        if i == failing:
            raise ValueError("the failing game")
        for _ in range(20_000):
            pause()  # so that other threads are still busy when one has failed
        counts[i] += 1


@kernel
def use_words(words: Counts, first: int, last: int) -> None:
    """Both results of `compare_exchange`, and what the other two do."""
    store_release(words, 0, 7)
    words[1] = load_acquire(words, 0)
    words[2] = compare_exchange(words, 0, 6, 8)
    words[3] = compare_exchange(words, 0, 7, 9)


def helpers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "azul_env helper"}


def wait_until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def run_script(script: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("num_games", [1, 2, 3, 50, 1000])
def test_run__covers_every_game_once(num_games: int, threads: int) -> None:
    workers = Workers(num_games, threads)
    counts = np.zeros(num_games, np.int64)
    for run in range(200):
        workers.run(count_games, counts)
        assert (counts == run + 1).all()


def test_run__wakes_helpers_that_sleep() -> None:
    workers = Workers(1000, 3)
    counts = np.zeros(1000, np.int64)
    for run in range(20):
        time.sleep(0.005 * (run % 3))
        workers.run(count_games, counts)
    assert (counts == 20).all()


def test_helpers__are_not_started_where_they_cannot_help(monkeypatch: pytest.MonkeyPatch) -> None:
    before = helpers()
    counts = np.zeros(8, np.int64)
    Workers(8, 1).run(count_games, counts)
    Workers(1, 4).run(count_games, counts)
    monkeypatch.setattr(threads_module, "LEAST_GAMES", 5)
    Workers(8, 4).run(count_games, counts)
    monkeypatch.setattr(threads_module, "LEAST_GAMES", 1)
    monkeypatch.setattr(threads_module, "usable_cores", lambda: 1)
    Workers(8, 4).run(count_games, counts)
    assert helpers() <= before
    assert counts.tolist() == [4] + [3] * 7


@pytest.mark.parametrize("failing", [0, 5, 15, 19])
def test_exception__is_raised_when_all_threads_have_stopped(failing: int) -> None:
    workers = Workers(20, 3)
    counts = np.zeros(20, np.int64)
    for _ in range(3):
        with pytest.raises(ValueError, match="the failing game"):
            workers.run(fail_at, counts, failing)
        after = counts.copy()
        time.sleep(0.02)
        assert np.array_equal(counts, after)
    counts[:] = 0
    workers.run(count_games, counts)
    assert (counts == 1).all()


def test_exception_before_the_start__leaves_the_threads_usable() -> None:
    workers = Workers(20, 3)
    counts = np.zeros(20, np.int64)
    for _ in range(2):
        with pytest.raises(TypingError):
            workers.run(count_games, "no array")
        workers.run(count_games, counts)
    assert (counts == 2).all()


def test_arguments__are_released_by_idle_helpers() -> None:
    workers = Workers(20, 3)
    counts = np.zeros(20, np.int64)
    before = sys.getrefcount(counts)
    workers.run(count_games, counts)
    assert wait_until(lambda: sys.getrefcount(counts) == before)


def test_idle_helpers__use_no_processor_time() -> None:
    workers = Workers(20, 4)
    workers.run(count_games, np.zeros(20, np.int64))
    time.sleep(0.1)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.1


def test_helpers__end_with_their_workers_after_an_exception() -> None:
    before = helpers()
    workers = Workers(20, 2)
    with pytest.raises(ValueError, match="the failing game"):
        workers.run(fail_at, np.zeros(20, np.int64), 19)
    own = helpers() - before
    assert len(own) == 1
    del workers
    assert wait_until(lambda: not own & helpers())


def test_helpers__end_with_their_workers() -> None:
    before = helpers()
    batch = GameBatch(20, threads=3)
    batch.play_to_end()
    own = helpers() - before
    assert len(own) == 2
    del batch
    assert wait_until(lambda: not own & helpers())


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))]
)
def test_copy__has_threads_of_its_own(copied: Callable[[Workers], Workers]) -> None:
    workers = Workers(20, 3)
    counts = np.zeros(20, np.int64)
    workers.run(count_games, counts)
    other = copied(workers)
    assert (other.num_games, other.threads) == (20, 3)
    del workers
    other.run(count_games, counts)
    assert (counts == 2).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fork__starts_new_threads_in_the_child() -> None:
    workers = Workers(20, 3)
    counts = np.zeros(20, np.int64)
    workers.run(count_games, counts)
    child = os.fork()
    if child == 0:
        workers.run(count_games, counts)
        os._exit(0 if (counts == 2).all() and len(helpers()) == 2 else 1)
    status: list[int] = []

    def has_ended() -> bool:
        if not status:
            pid, code = os.waitpid(child, os.WNOHANG)
            status.extend([code] * (pid == child))
        return bool(status)

    if not wait_until(has_ended):
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert status == [0]
    workers.run(count_games, counts)  # the parent's threads go on
    assert (counts == 2).all()


@pytest.mark.parametrize(
    ("end", "code"), [("", 0), ("raise SystemExit(3)", 3), ("batch.ring = [batch]", 0)]
)
def test_exit__does_not_wait_for_helpers(end: str, code: int) -> None:
    run = run_script(SCRIPT + end)
    assert (run.returncode, run.stdout) == (code, ""), run.stderr


def test_jit_off__runs_on_the_calling_thread() -> None:
    run = run_script(
        SCRIPT + "import threading; assert threading.active_count() == 1", NUMBA_DISABLE_JIT="1"
    )
    assert run.returncode == 0, run.stderr


def test_words_of_threads__are_the_same_compiled_and_in_python() -> None:
    for function in (use_words, use_words.py_func):  # type: ignore[attr-defined]
        words = np.zeros(4, np.int64)
        function(words, 0, 1)
        assert words.tolist() == [9, 7, 0, 1]
