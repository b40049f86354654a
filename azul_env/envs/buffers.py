"""Output arrays of the vector environments, reused once the caller holds no reference to them.

Every step returns arrays that later steps do not overwrite, so callers may store observations. Allocating a megabyte per
step would cost more than filling it, though, because the system zeroes new pages.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from azul_env.envs.kernels import NO_FLOATS
from azul_env.envs.settings import Settings
from azul_env.observation import PADDING

MAX_BUNDLES = 4  # kept for reuse

Bundle = TypeVar("Bundle", bound=Sequence[NDArray[Any]])


class ObservationArrays(NamedTuple):
    """Arrays for the observations of many games, as integers or as floats."""

    features: NDArray[np.uint8]
    floats: NDArray[np.float32]

    @classmethod
    def new(cls, count: int, settings: Settings) -> "ObservationArrays":
        """Arrays for `count` games; NO_FLOATS if observations are integers."""
        features = np.empty((count, settings.size + PADDING), np.uint8)
        if settings.dtype is np.uint8:
            return cls(features, NO_FLOATS)
        return cls(features, np.empty((count, settings.size), np.float32))


def observations_in(features: NDArray[np.uint8], floats: NDArray[np.float32]) -> NDArray[Any]:
    """The observations in the arrays, in the dtype of the environment."""
    return floats if floats.size else features[:, :-PADDING]


def _is_free(bundle: Sequence[NDArray[Any]], free_refcount: int) -> bool:
    """True if no caller still references an array of the bundle."""
    for array in bundle:  # not all(...): a generator costs more than the check
        if sys.getrefcount(array) > free_refcount and array is not NO_FLOATS:
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
