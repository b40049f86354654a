"""Sharing the games of a batch out over threads: kernels release the GIL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any


class Workers:
    """Runs kernels whose last two arguments are the first game and one past the last."""

    def __init__(self, num_games: int, threads: int = 1) -> None:
        if num_games < 1 or threads < 1:
            raise ValueError(f"num_games={num_games} and threads={threads} must be at least 1")
        self.num_games = num_games
        self.threads = threads
        bounds = [num_games * part // threads for part in range(threads + 1)]
        self._slices = list(pairwise(bounds))
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> None:
        """Run a kernel over all games, a slice on each thread."""
        if self._pool is None:
            kernel(*arguments, 0, self.num_games)
            return
        tasks = [self._pool.submit(kernel, *arguments, *bounds) for bounds in self._slices]
        for task in tasks:
            task.result()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.num_games, self.threads)
