"""A pool of the arrays that steps return: they are reused once the caller has dropped them.

A vector environment returns other arrays in every step, so that an observation which a caller keeps never changes.
Allocating a fresh megabyte each time costs more than filling it, though: the system zeroes new pages one by one.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

KEPT = 4  # bundles in a pool

Bundle = TypeVar("Bundle", bound=Sequence[NDArray[Any]])


def _is_unheld(bundle: Sequence[NDArray[Any]], only_listed: int) -> bool:
    """True if no caller still references an array of the bundle."""
    for array in bundle:  # noqa: SIM110 (a generator costs more than the test)
        if sys.getrefcount(array) > only_listed:
            return False
    return True


def _count_of_an_unheld_array() -> int:
    """The reference count of an array that only its bundle holds; it depends on the version of Python."""
    bundle = (np.empty(1),)
    return next(count for count in range(1, 10) if _is_unheld(bundle, count))


ONLY_LISTED = _count_of_an_unheld_array()


class Buffers:
    """Pool of bundles of arrays: a bundle is reused once no caller references its arrays."""

    def __init__(self) -> None:
        self._bundles: list[Any] = []

    def take(self, make: Callable[[], Bundle]) -> Bundle:
        """A bundle with arbitrary content, made by `make` if none can be reused."""
        for bundle in self._bundles:
            if _is_unheld(bundle, ONLY_LISTED):
                return bundle
        fresh = make()
        if len(self._bundles) < KEPT:
            self._bundles.append(fresh)
        return fresh

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()
