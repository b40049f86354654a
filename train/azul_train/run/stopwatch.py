"""A stopwatch that splits the time of a run by activity."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Sums seconds by name. Nested measurements count for the inner name only."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = time.perf_counter()

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Count the time of the block for this name."""
        self._close()
        self._running.append(name)
        try:
            yield
        finally:
            self._close()
            self._running.pop()

    def _close(self) -> None:
        """Add the time since the last change to the name that was running."""
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def shares(self) -> dict[str, float]:
        """Percent of the measured time by name."""
        total = sum(self.seconds.values())
        return (
            {name: 100 * seconds / total for name, seconds in self.seconds.items()} if total else {}
        )
