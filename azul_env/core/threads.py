"""Distributes the games of a batch over threads: kernels release the GIL."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from azul_env.core.arguments import MAX_THREADS, game_count, number_between


class Workers:
    """Runs kernels whose last two arguments are the first game and one past the last."""

    def __init__(self, num_games: int, threads: int = 1) -> None:
        self.num_games = game_count(num_games, "num_games")
        self.threads = number_between(threads, 1, MAX_THREADS, "threads")
        bounds = [self.num_games * part // self.threads for part in range(self.threads + 1)]
        self._slices = list(pairwise(bounds))
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # ID of the process that created the pool

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> None:
        """Run a kernel over all games, a slice on each thread."""
        if self.threads == 1:
            kernel(*arguments, 0, self.num_games)
            return
        pool = self._own_pool()
        tasks = [pool.submit(kernel, *arguments, *bounds) for bounds in self._slices]
        for task in tasks:
            task.result()

    def _own_pool(self) -> ThreadPoolExecutor:
        """The pool of this process: a fork copies the object, but not its threads."""
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads), os.getpid()
        return self._pool

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.num_games, self.threads)
