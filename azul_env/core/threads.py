"""Sharing the games of a batch out over threads: compiled kernels release the GIL.

Each thread has a slice of the games and claims it in small portions; when nothing of it is left, it claims from the
slices of others. The caller is one of the threads, so a run never waits for a helper that has not woken up.

A step of a thousand games lasts a tenth of a millisecond, and waking a thread a fifth of that. So threads wait for each
other in compiled code, spinning without the GIL, and go to sleep only if that takes long.
"""

import os
import time
import weakref
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue
from threading import Thread
from types import FunctionType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.intrinsics import compare_exchange, load_acquire, pause, store_release
from azul_env.core.jit import called_kernel, config, kernel

LEAST_GAMES: Final = 256  # in a slice: fewer are not worth a thread
PORTIONS: Final = 16  # of a slice
SPINS: Final = 4000  # polls before a waiting thread goes to sleep: about 100 microseconds
NAP_SECONDS: Final = 50e-6  # between polls of a caller that has spun in vain

# The board is an array through which threads talk: the number of the run that has started last, then two words for each
# thread, all in cache lines of their own.
CALLER: Final = 0  # thread
STARTED: Final = 0  # index of the word
CACHE_LINE: Final = 8  # words
CLAIMED: Final = CACHE_LINE  # first game of the slice that is still to be claimed, plus the run's number << RUN_SHIFT
IS_BUSY: Final = 2 * CACHE_LINE  # 1 while a helper may hold a portion
STRIDE: Final = 2 * CACHE_LINE
RUN_SHIFT: Final = 32
NOTHING: Final = -1  # to claim

Board = NDArray[np.int64]
Bounds = NDArray[np.int64]  # of the slices, one more than there are threads


class Workers:
    """Runs kernels whose last two arguments are the first game and one past the last.

    `threads` is the most that are used: there are never more than cores, nor for slices too small to be worth it.
    """

    def __init__(self, num_games: int, threads: int = 1) -> None:
        if num_games < 1 or threads < 1:
            raise ValueError(f"num_games={num_games} and threads={threads} must be at least 1")
        self.num_games = num_games
        self.threads = threads
        # With the JIT off, threads would only take turns.
        cores = 1 if config.DISABLE_JIT else usable_cores()
        self._used = max(1, min(threads, cores, num_games // LEAST_GAMES))
        self._team: Team | None = None

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> None:
        """Run a kernel over all games."""
        if self._used == 1:
            kernel(*arguments, 0, self.num_games)
            return
        if self._team is None or self._team.pid != os.getpid():  # threads do not survive a fork
            self._team = Team(self.num_games, self._used)
            weakref.finalize(self, self._team.close)
        self._team.run(kernel, arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.num_games, self.threads)


def usable_cores() -> int:
    """Number of cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Team:
    """Helper threads and what they share with the caller."""

    def __init__(self, num_games: int, threads: int) -> None:
        self.pid = os.getpid()
        self._bounds = np.arange(threads + 1) * num_games // threads
        self._board = np.zeros(CACHE_LINE + threads * STRIDE, np.int64)
        self._run = 0  # number of the run that has started or is about to
        self._task: tuple[int, Callable[..., bool], tuple[Any, ...]] | None = None
        self._errors: list[BaseException] = []  # of helpers
        self._is_closed = False
        self._is_asleep = [False] * threads
        self._wake_ups: list[SimpleQueue[None]] = [SimpleQueue() for _ in range(threads)]
        for thread in range(1, threads):
            Thread(target=self._help, args=(thread,), name="azul_env helper", daemon=True).start()

    def run(self, kernel: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Run a kernel over all games; an exception in any thread is raised when all have stopped."""
        if self._task is not None:
            self._stop()  # an exception came while the caller waited
        is_finished = False
        try:
            self._run += 1
            self._task = self._run, on_team(kernel), arguments
            for thread in range(1, len(self._is_asleep)):
                if self._is_asleep[thread]:
                    self._wake_ups[thread].put(None)
            is_finished = self._take_part(CALLER, *self._task)
        finally:
            if not is_finished:
                self._stop()
            self._task = None
            errors, self._errors = self._errors, []
        if errors:
            raise errors.pop()

    def close(self) -> None:
        """Let the helpers end, some time later."""
        self._is_closed = True
        for queue in self._wake_ups:
            queue.put(None)

    def _stop(self) -> None:
        """Let nothing more be claimed, and wait until no helper is busy."""
        while not stop(self._board):
            time.sleep(NAP_SECONDS)
        self._run = int(self._board[STARTED])  # which may be the one before

    def _take_part(
        self, thread: int, run: int, take_part: Callable[..., bool], arguments: tuple[Any, ...]
    ) -> bool:
        return take_part(self._board, self._bounds, thread, run, *arguments)

    def _help(self, thread: int) -> None:
        """What a helper thread does."""
        run, has_started = 0, False
        while True:
            while not has_started:
                # In this order: either the caller sees that the helper sleeps, or the helper sees the new run.
                self._is_asleep[thread] = True
                if self._run == run:
                    self._wake_ups[thread].get()
                self._is_asleep[thread] = False
                if self._is_closed:
                    return
                has_started = wait_for_start(self._board, run)
            task = self._task
            if task is None:  # too late
                run, has_started = self._run, False
                continue
            run = task[0]
            try:
                has_started = self._take_part(thread, *task)
            except BaseException as error:
                self._errors.append(error)
                self._board[IS_BUSY + thread * STRIDE] = 0
                has_started = False
            del task  # its arrays may be somebody's for whom it matters that nobody else holds them


@kernel
def wait_for_start(board: Board, run: int) -> bool:
    """Spin until a run other than this one has started; false if that takes too long."""
    for _ in range(SPINS):
        if load_acquire(board, STARTED) != run:
            return True
        pause()
    return False


@kernel
def stop(board: Board) -> bool:
    """Leave nothing to claim and spin until no helper is busy; false if that takes too long."""
    for place in range(CACHE_LINE, len(board), STRIDE):
        store_release(board, place, NOTHING)
    spins = 0
    for place in range(IS_BUSY, len(board), STRIDE):
        while load_acquire(board, place) != 0:
            spins += 1
            if spins == SPINS:
                return False
            pause()
    return True


@kernel
def claim(board: Board, owner: int, run: int, last: int, portion: int) -> int:
    """Claim a portion of a thread's slice, which ends before `last`: its first game, or NOTHING."""
    place = CLAIMED + owner * STRIDE
    while True:
        word = load_acquire(board, place)
        game = word - (run << RUN_SHIFT)
        if not 0 <= game < last:  # all claimed, or another run
            return NOTHING
        if compare_exchange(board, place, word, word + portion):
            return game


def _take_part(board: Board, bounds: Bounds, thread: int, run: int, *arguments: Any) -> bool:
    """Run `KERNEL` over portions while there are any; then wait for helpers or, as a helper, for the next run.

    The waiting is in here because it must not need the GIL, which the other threads need to start and to go on.
    """
    threads = len(bounds) - 1
    portion = 1 + bounds[1] // PORTIONS
    if thread == CALLER:
        for owner in range(threads):
            store_release(board, CLAIMED + owner * STRIDE, (run << RUN_SHIFT) + bounds[owner])
        store_release(board, STARTED, run)
    else:
        store_release(board, IS_BUSY + thread * STRIDE, 1)
    for turn in range(threads):
        owner = (thread + turn) % threads
        last = bounds[owner + 1]
        first = claim(board, owner, run, last, portion)
        while first != NOTHING:
            KERNEL(*arguments, first, min(first + portion, last))  # noqa: F821
            first = claim(board, owner, run, last, portion)
    if thread == CALLER:
        return stop(board)
    store_release(board, IS_BUSY + thread * STRIDE, 0)
    return wait_for_start(board, run)


@cache
def on_team(kernel: Any) -> Callable[..., bool]:
    """`_take_part` compiled around a kernel.

    The kernel is a global, and part of the name: Numba's cache finds no function that has a kernel as an argument or in
    its closure.
    """
    function = kernel.py_func
    code = _take_part.__code__.replace(co_filename=function.__code__.co_filename)
    around = FunctionType(code, globals() | {"KERNEL": kernel}, f"{function.__name__}_on_team")
    around.__qualname__ = f"{function.__qualname__}_on_team"
    around.__module__ = function.__module__
    return called_kernel(around)
