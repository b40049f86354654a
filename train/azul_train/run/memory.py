"""Tuning of the C allocator for memory that torch frees."""

import ctypes
import sys
from contextlib import suppress
from typing import Final

# Parameters of glibc's mallopt.
M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
LARGEST_KEPT: Final = 32 << 20  # bytes of one array; the most that mallopt admits
MOST_KEPT: Final = 1 << 30  # bytes in all


def keep_freed_memory() -> None:
    """Make glibc reuse freed arrays instead of returning them to the system; does nothing elsewhere.

    Every minibatch needs arrays of the same sizes. By default their pages are returned to the system, then mapped and
    zeroed again, which takes a tenth of the training time.
    """
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT)
        mallopt(M_TRIM_THRESHOLD, MOST_KEPT)
