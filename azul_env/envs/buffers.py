"""Arrays for what a step returns, used again once the caller has let go of them.

A vector environment returns arrays of its own in every step, so that nobody's stored observation changes later.
Asking the system for a fresh megabyte each time costs more than filling it, though: new pages are zeroed one by one.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 4  # arrays of one kind that are remembered
ONLY_OURS = (
    3  # references to a remembered array that nobody else holds: list, loop variable, argument
)


def _references(arrays: list[NDArray[Any]]) -> list[int]:
    """How many references Python counts for every array of a list."""
    return [sys.getrefcount(array) for array in arrays]


# What that is for an array which only a list holds; it depends on the version of Python.
ONLY_LISTED = _references([np.empty(1)])[0]


class Buffers:
    """Remembers the arrays it gave out and gives one again when nobody else holds it."""

    def __init__(self) -> None:
        self._arrays: dict[str, list[NDArray[Any]]] = {}

    def take(self, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """An array with arbitrary content; a name always goes with one shape and type."""
        arrays = self._arrays.setdefault(name, [])
        for place, references in enumerate(_references(arrays)):
            if references == ONLY_LISTED:
                return arrays[place]
        fresh = np.empty(shape, dtype)
        if len(arrays) < KEPT:
            arrays.append(fresh)
        return fresh

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()
