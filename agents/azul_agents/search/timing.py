"""Answering in time: when a search has to stop so that what comes after it still fits into the limit."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.clock import HAS_CLOCK, NEVER, now_nanoseconds

LEAST_MARGIN: Final = (
    0.005  # shares of the limit between which the time after a search is kept free
)
LARGEST_MARGIN: Final = 0.05
FORGETTING: Final = 0.9  # of what a slow answer has taught, a move later


class TimeLimit:
    """The time for a move. It learns how late answers come after the moment when their search was to stop."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds  # None: no limit
        self.margin_seconds = 0.0  # to be kept free for what comes after a search

    @contextmanager
    def running(self, control: NDArray[np.int64], deadline: int, flag: int) -> Iterator[None]:
        """Write into `control` when the search has to stop; around everything that the limit is for.

        A search without a clock of its own is told by a timer, which sets control[flag].
        """
        control[deadline] = NEVER
        if self.seconds is None:
            yield
            return
        stop = self._stop_after(self.seconds)
        if not HAS_CLOCK:
            with _flag_set_after(stop, control, flag):
                yield
            return
        due = now_nanoseconds() + int(stop * 1e9)
        control[deadline] = due
        yield
        late = (now_nanoseconds() - due) / 1e9
        self.margin_seconds = max(late, FORGETTING * self.margin_seconds)

    def _stop_after(self, seconds: float) -> float:
        """The time that a search may take."""
        margin = max(self.margin_seconds, LEAST_MARGIN * seconds)
        return seconds - min(margin, LARGEST_MARGIN * seconds)


@contextmanager
def _flag_set_after(seconds: float, control: NDArray[np.int64], flag: int) -> Iterator[None]:
    """Set control[flag] when the time is up; a search without the GIL looks at it."""
    timer = threading.Timer(seconds, control.__setitem__, (flag, 1))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
