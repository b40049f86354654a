"""Stopping compiled searches in time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

HEADROOM_SECONDS = 0.002  # what starting and stopping a search may take


@contextmanager
def stopped_after(seconds: float | None, control: NDArray[np.int64], flag: int) -> Iterator[None]:
    """Set control[flag] when the time is up; a search without the GIL looks at it. None: never."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(max(0.0, seconds - HEADROOM_SECONDS), control.__setitem__, (flag, 1))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
