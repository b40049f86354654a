"""Kernels that call closures of the same name; prints the result of the kernel that it is told to call."""

import math
import sys
from collections.abc import Callable

from numba.extending import overload

from azul_env.core import jit
from azul_env.core.jit import kernel


def times(factor: int) -> Callable[[int], int]:
    """A function to be called in kernels, which is compiled from a closure."""

    def product(number: int) -> int:
        return factor * number

    overload(product, strict=False)(lambda number: lambda number: factor * number)
    return product


doubled, tripled = times(2), times(3)


@kernel
def two(number: int) -> int:
    return doubled(number)


@kernel
def three(number: int) -> int:
    return tripled(number)


@kernel
def only_two(number: int) -> int:
    return two(number)


@kernel
def only_three(number: int) -> int:
    return three(number)


@kernel
def both(number: int) -> int:
    return 10 * two(number) + three(number)


if __name__ == "__main__":
    jit.REPORT_AFTER_SECONDS = math.inf
    print({"two": only_two, "three": only_three, "both": both}[sys.argv[1]](1))
