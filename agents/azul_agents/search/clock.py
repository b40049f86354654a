"""The time, read inside compiled code, so that a search stops itself: no other thread has to wake up for that."""

import time
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils as numba_cgutils
from numba.extending import intrinsic, overload

HAS_CLOCK: Final = hasattr(time, "clock_gettime")  # every system but Windows
cgutils: Any = numba_cgutils  # it has no types
NEVER: Final = (1 << 63) - 1  # a deadline that does not come


@intrinsic
def _clock_gettime(typing_context: Any) -> Any:
    word, number = ir.IntType(64), ir.IntType(32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        moment = ir.LiteralStructType([word, word])  # C's timespec: seconds, nanoseconds
        kind = ir.FunctionType(number, [number, moment.as_pointer()])
        read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        slot = cgutils.alloca_once(builder, moment)
        builder.call(read, [number(time.CLOCK_MONOTONIC), slot])
        seconds = builder.load(cgutils.gep_inbounds(builder, slot, 0, 0))
        rest = builder.load(cgutils.gep_inbounds(builder, slot, 0, 1))
        return builder.add(builder.mul(seconds, word(10**9)), rest)

    return types.int64(), generate


def now_nanoseconds() -> int:
    """Nanoseconds of a clock that never goes back; 0 in compiled code where there is no such clock."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) if HAS_CLOCK else 0


@overload(now_nanoseconds)
def _compiled_now() -> Any:
    if HAS_CLOCK:
        return lambda: _clock_gettime()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    return lambda: 0
