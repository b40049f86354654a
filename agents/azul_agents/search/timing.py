"""Time limits: a clock that compiled code reads, and when a search has to stop so that its answer is in time."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils as numba_cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from azul_agents.base import AnalysisLimits

HAS_CLOCK: Final = hasattr(time, "clock_gettime")  # every system but Windows
# The clocks that can time a move: wall-clock time, or the CPU time of the searching thread.
CLOCK_NUMBERS: Final[dict[str, int]] = {
    "wall": getattr(time, "CLOCK_MONOTONIC", 0),
    "cpu": getattr(time, "CLOCK_THREAD_CPUTIME_ID", 0),
}
NEVER: Final = (1 << 63) - 1  # a deadline that never comes
cgutils: Any = numba_cgutils  # it has no types

# Time reserved for what follows a search: at least and at most these shares of the limit.
LEAST_MARGIN: Final = 0.005
LARGEST_MARGIN: Final = 0.05
OVERHEAD_DECAY: Final = 0.9  # of the longest overhead seen, per move

POLL_SECONDS: Final = 0.02  # between checks of the limits of an analysis
REPORT_SECONDS: Final = 0.3  # between steps of an analysis where no depth is completed


@intrinsic
def _clock_gettime(typing_context: Any, clock: Any) -> Any:
    word, number = ir.IntType(64), ir.IntType(32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        timespec = ir.LiteralStructType([word, word])  # seconds, nanoseconds
        function_type = ir.FunctionType(number, [number, timespec.as_pointer()])
        read = cgutils.get_or_insert_function(builder.module, function_type, "clock_gettime")
        slot = cgutils.alloca_once(builder, timespec)
        builder.call(read, [builder.trunc(arguments[0], number), slot])
        seconds = builder.load(cgutils.gep_inbounds(builder, slot, 0, 0))
        rest = builder.load(cgutils.gep_inbounds(builder, slot, 0, 1))
        return builder.add(builder.mul(seconds, word(10**9)), rest)

    return types.int64(types.int64), generate


def now_nanoseconds(clock: int) -> int:
    """Nanoseconds of one of the CLOCK_NUMBERS; 0 where there are none."""
    return time.clock_gettime_ns(clock) if HAS_CLOCK else 0


@overload(now_nanoseconds, strict=False)
def _compiled_now(clock: Any) -> Any:
    if HAS_CLOCK:
        return lambda clock: _clock_gettime(clock)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    return lambda clock: 0


class Stopwatch:
    """Says when an analysis is over and when its next step is due; the first is due at once."""

    def __init__(self, limits: AnalysisLimits) -> None:
        self._limits = limits
        self._began = time.monotonic()
        self._next_report = 0.0

    def is_over(self) -> bool:
        """True if the time is up or the analysis was stopped."""
        seconds = self._limits.seconds
        is_late = seconds is not None and time.monotonic() - self._began >= seconds
        return is_late or self._limits.is_stopped()

    def is_report_due(self) -> bool:
        """True if the last report was REPORT_SECONDS ago; then the next one is due as much later."""
        if time.monotonic() < self._next_report:
            return False
        self.note_report()
        return True

    def note_report(self) -> None:
        """A report is made now."""
        self._next_report = time.monotonic() + REPORT_SECONDS


class TimeLimit:
    """The time for a move. It learns how long answers take after the deadline of their search."""

    def __init__(self, seconds: float | None, clock: str = "wall") -> None:
        self.seconds = seconds  # None: no limit
        self._clock = CLOCK_NUMBERS[clock]
        self.overhead_seconds = 0.0  # reserved for what follows a search

    @contextmanager
    def running(self, control: NDArray[Any]) -> Iterator[None]:
        """Set `clock` and `deadline` in the control record of a search; wraps everything that the limit covers.

        Where compiled code has no clock, a timer sets `stop` instead.
        """
        control["deadline"] = NEVER
        if self.seconds is None:
            yield
            return
        stop = self._stop_after(self.seconds)
        if not HAS_CLOCK:
            with _stopped_after(stop, control):
                yield
            return
        deadline = now_nanoseconds(self._clock) + int(stop * 1e9)
        control["clock"], control["deadline"] = self._clock, deadline
        yield
        overhead = (now_nanoseconds(self._clock) - deadline) / 1e9
        self.overhead_seconds = max(overhead, OVERHEAD_DECAY * self.overhead_seconds)

    def _stop_after(self, seconds: float) -> float:
        """The time that a search may take."""
        margin = max(self.overhead_seconds, LEAST_MARGIN * seconds)
        return seconds - min(margin, LARGEST_MARGIN * seconds)


@contextmanager
def _stopped_after(seconds: float, control: NDArray[Any]) -> Iterator[None]:
    """Set `stop` when the time is up; the search, which runs without the GIL, polls it."""
    timer = threading.Timer(seconds, control.__setitem__, ("stop", 1))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
