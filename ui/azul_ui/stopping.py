"""Stopping a long command: Ctrl-C and SIGTERM let it print what there is; a second signal ends it at once."""

import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

EXIT_INTERRUPTED: Final = 128 + signal.SIGINT
EXIT_TERMINATED: Final = 128 + signal.SIGTERM


class Terminated(KeyboardInterrupt):  # an exit, as its base is
    """SIGTERM, handled like Ctrl-C."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block on Ctrl-C and SIGTERM, and exit with the code of the signal after it."""
    if threading.current_thread() is not threading.main_thread():  # which may not handle signals
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, _stop) for number in numbers]
    try:
        yield
    except KeyboardInterrupt as stop:
        code = EXIT_TERMINATED if isinstance(stop, Terminated) else EXIT_INTERRUPTED
        raise SystemExit(code) from None
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def this_command() -> str:
    """The command line, to be typed again."""
    return shlex.join(["azul", *sys.argv[1:]])


def _stop(number: int, frame: FrameType | None) -> None:
    for again in (signal.SIGINT, signal.SIGTERM):
        signal.signal(again, signal.SIG_DFL)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
