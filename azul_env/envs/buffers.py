"""Output arrays of the vector environments, reused once the caller holds no reference to them.

Every step returns arrays that later steps do not overwrite, so callers may store observations. Allocating a megabyte per
step would cost more than filling it, though, because the system zeroes new pages.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

# Bundles kept for reuse.
MAX_BUNDLES = 4

Bundle = TypeVar("Bundle", bound=Sequence[NDArray[Any]])


def _is_free(bundle: Sequence[NDArray[Any]], free_refcount: int) -> bool:
    """True if no caller still references an array of the bundle."""
    for array in bundle:  # noqa: SIM110 (a generator costs more than the check)
        if sys.getrefcount(array) > free_refcount:
            return False
    return True


def _free_refcount() -> int:
    """The reference count that `_is_free` sees for a free array, which depends on the version of Python."""
    bundle = (np.empty(1),)
    return next(count for count in range(1, 10) if _is_free(bundle, count))


FREE_REFCOUNT = _free_refcount()


class Buffers:
    """A pool of bundles of arrays; a bundle is reused once no caller references any of its arrays."""

    def __init__(self) -> None:
        self._bundles: list[Any] = []

    def take(self, make: Callable[[], Bundle]) -> Bundle:
        """A free bundle with arbitrary content, created with `make` if there is none."""
        for bundle in self._bundles:
            if _is_free(bundle, FREE_REFCOUNT):
                return bundle
        fresh = make()
        if len(self._bundles) < MAX_BUNDLES:
            self._bundles.append(fresh)
        return fresh

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()
