"""Kernels dispatched on the variant of a row.

Numba dispatches at compile time, on the type of the row, so one variant does not slow down the others.
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from numba.extending import overload

from azul_env.core.state import Row

P = ParamSpec("P")
R = TypeVar("R")

GRAY_FIELD = "columns"  # only rows of gray games have it


def by_variant(
    colored: Callable[Concatenate[Row, P], R], gray: Callable[Concatenate[Row, P], R]
) -> Callable[Concatenate[Row, P], R]:
    """A function for kernels that calls one of two kernels, by the variant of its first argument."""

    def function(row: Row, *arguments: Any) -> Any:
        chosen: Any = gray if GRAY_FIELD in row.dtype.names else colored
        return chosen(row, *arguments)

    def compiled(row: Any, *arguments: Any) -> Any:
        chosen: Any = gray if GRAY_FIELD in row.fields else colored
        return lambda row, *arguments: chosen(row, *arguments)

    options: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False}  # as for kernels
    overload(function, jit_options=options, strict=False)(compiled)
    return cast(Callable[Concatenate[Row, P], R], function)
