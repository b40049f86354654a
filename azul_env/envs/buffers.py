"""Arrays for what a step returns, used again once the caller has let go of them.

A vector environment returns arrays of its own in every step, so that nobody's stored observation changes later.
Asking the system for a fresh megabyte each time costs more than filling it, though: new pages are zeroed one by one.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from azul_env.envs.kernels import NO_FLOATS
from azul_env.envs.settings import Settings
from azul_env.observation import PADDING

KEPT = 4  # bundles of one kind that are remembered

Bundle = TypeVar("Bundle", bound=Sequence[NDArray[Any]])


class Vectors(NamedTuple):
    """Arrays that kernels write observations to, as integers and as floats."""

    features: NDArray[np.uint8]
    floats: NDArray[np.float32]

    @classmethod
    def new(cls, count: int, settings: Settings) -> "Vectors":
        """Arrays for so many games; without room for floats where the integers are the observation."""
        features = np.empty((count, settings.size + PADDING), np.uint8)
        if settings.dtype is np.uint8:
            return cls(features, NO_FLOATS)
        return cls(features, np.empty((count, settings.size), np.float32))


def observations_in(features: NDArray[np.uint8], floats: NDArray[np.float32]) -> NDArray[Any]:
    """The observations, in the form that was asked for."""
    return floats if floats.size else features[:, :-PADDING]


def _is_unheld(bundle: Sequence[NDArray[Any]], only_listed: int) -> bool:
    """Whether nobody but the bundle holds any of its arrays, going by Python's count of references."""
    for array in bundle:  # not all(...): a generator costs more than the test
        if sys.getrefcount(array) > only_listed and array is not NO_FLOATS:
            return False
    return True


def _count_of_an_unheld_array() -> int:
    """What that count is for an array which only its bundle holds; it depends on the version of Python."""
    bundle = (np.empty(1),)
    return next(count for count in range(1, 10) if _is_unheld(bundle, count))


ONLY_LISTED = _count_of_an_unheld_array()


class Buffers:
    """Remembers the bundles of arrays it gave out and gives one again when nobody holds any of its arrays."""

    def __init__(self) -> None:
        self._bundles: list[Any] = []

    def take(self, make: Callable[[], Bundle]) -> Bundle:
        """A bundle with arbitrary content, made by `make` if there is none to use again."""
        for bundle in self._bundles:
            if _is_unheld(bundle, ONLY_LISTED):
                return bundle
        fresh = make()
        if len(self._bundles) < KEPT:
            self._bundles.append(fresh)
        return fresh

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()
