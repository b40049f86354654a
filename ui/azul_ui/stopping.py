"""Stopping a long command: Ctrl-C and SIGTERM let it print what there is; a second signal ends it at once."""

import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
EXIT_INTERRUPTED: Final = 128 + signal.SIGINT
EXIT_TERMINATED: Final = 128 + signal.SIGTERM
REPEAT_SECONDS: Final = 0.05


class Terminated(KeyboardInterrupt):  # an exit, as its base is
    """SIGTERM, handled like Ctrl-C."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block on Ctrl-C and SIGTERM, and exit with the code of the signal after it.

    Python cannot raise an exception in a destructor or a callback of C code: it is reported to `sys.unraisablehook` and
    the program goes on. A stop that ends there is repeated until it is raised where the block can see it.
    """
    if threading.current_thread() is not threading.main_thread():  # which may not handle signals
        yield
        return
    before = [signal.signal(number, _stop) for number in SIGNALS]
    report, sys.unraisablehook = sys.unraisablehook, _repeat_stop
    try:
        yield
    except KeyboardInterrupt as stop:
        raise SystemExit(_exit_code(stop)) from None
    finally:
        sys.unraisablehook = report
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)


def this_command() -> str:
    """The command line, to be typed again."""
    return shlex.join(["azul", *sys.argv[1:]])


def _exit_code(stop: KeyboardInterrupt) -> int:
    return EXIT_TERMINATED if isinstance(stop, Terminated) else EXIT_INTERRUPTED


def _stop(number: int, frame: FrameType | None) -> None:
    for again in SIGNALS:
        signal.signal(again, signal.SIG_DFL)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _repeat_stop(lost: "UnraisableHookArgs") -> None:
    """Send the signal of a lost exception again, a moment later: here it would be lost, too."""
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    for again in SIGNALS:
        signal.signal(again, _stop)
    number = _exit_code(lost.exc_value) - 128
    threading.Timer(REPEAT_SECONDS, os.kill, (os.getpid(), number)).start()
