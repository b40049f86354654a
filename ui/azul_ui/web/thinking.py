"""Thread pools for everything that takes time, so that the event loop never blocks."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeVar

T = TypeVar("T")

NICENESS: Final = 10  # of analyses and reviews: moves come first
# They change games, save and draw: most of the time they wait for the disk.
TABLE_THREADS: Final = 6
SEARCH_THREADS: Final = 8  # of agents that search; the system shares the processors among them


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """Bounded pools, one for each kind of work, so that none has to wait for another."""

    def __init__(self) -> None:
        self.tables = ThreadPoolExecutor(TABLE_THREADS, "table")
        self.instant = ThreadPoolExecutor(max(2, cores()), "instant-move")
        self.searches = ThreadPoolExecutor(SEARCH_THREADS, "search-move")
        self.analysis_slots = max(1, cores() - 1)
        self.analyses = ThreadPoolExecutor(self.analysis_slots, "analysis", _give_way)
        self.reviews = ThreadPoolExecutor(1, "review", _give_way)
        self.warm_up = ThreadPoolExecutor(1, "warm-up", _give_way)

    async def run(self, pool: ThreadPoolExecutor, function: Callable[[], T]) -> T:
        """Call a function in a pool."""
        return await asyncio.get_running_loop().run_in_executor(pool, function)

    def close(self) -> None:
        """End the threads that are idle, and the others when they are done."""
        for pool in (self.tables, self.instant, self.searches, self.analyses, self.reviews):
            pool.shutdown(wait=False, cancel_futures=True)
        self.warm_up.shutdown(wait=False, cancel_futures=True)


def _give_way() -> None:
    """Lower the priority of the thread; threads that it starts inherit it. Only Linux has priorities of threads."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
