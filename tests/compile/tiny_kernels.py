"""Calls a small kernel in a process of its own and prints the result and how many kernels were compiled."""

import math
import os
import signal
import sys

import numba

from azul_env.core import jit
from azul_env.core.jit import KERNELS, kernel

NOBODY = 65534


@kernel
def tripled(number: int) -> int:
    return 3 * number


@kernel
def shifted(number: int) -> int:
    return tripled(number) + 1


def main() -> None:
    jit.REPORT_AFTER_SECONDS = math.inf  # a busy machine may need longer than a second
    numba.njit(lambda number: number + 1)(1)  # has Numba import all it needs
    if "as_nobody" in sys.argv:
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    if "file_limit" in sys.argv:
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[-1]),) * 2)
    if "killed_at_limit" in sys.argv:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it otherwise
    result = shifted(13)
    print(result, sum(sum(each.stats.cache_misses.values()) for each in KERNELS))


if __name__ == "__main__":
    main()
