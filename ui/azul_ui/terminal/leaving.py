"""Ctrl-C, SIGTERM and a closed terminal as one exception, also while `input` waits."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

REPEAT_SECONDS: Final = 0.1
HANGUP_CODE: Final = 128 + 1  # exit code after SIGHUP, which Windows does not have


class LeaveError(KeyboardInterrupt):
    """A signal asks the program to leave."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.number = number

    @property
    def exit_code(self) -> int:
        """0 for Ctrl-C, with which a person leaves; else as shells number signals."""
        return 0 if self.number == signal.SIGINT else 128 + self.number


def is_hangup(error: OSError) -> bool:
    """True if reading or writing failed because the terminal is closed, which may happen before SIGHUP comes."""
    return error.errno == errno.EIO


def print_nowhere() -> None:
    """Discard what is printed from here on: the terminal is gone, and a failing flush would change the exit code."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(null, stream.fileno())
    os.close(null)


@contextmanager
def leaving_by_signal() -> Iterator[None]:
    """Raise LeaveError in this block on the first SIGINT, SIGTERM or SIGHUP that is not ignored.

    Waiting for input can miss a signal: one that comes after the prompt is printed but before the wait begins interrupts
    nothing, and Python handles it at the next key. So a thread, woken by the signal, repeats it until it is handled.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    is_handled = threading.Event()

    def leave(number: int, _: FrameType | None) -> None:
        if not is_handled.is_set():
            is_handled.set()
            raise LeaveError(number)

    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    handlers = {number: signal.getsignal(number) for number in numbers}
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    main_thread = threading.get_ident()
    thread = threading.Thread(
        target=_repeat_signals, args=(read_end, is_handled, main_thread), daemon=True
    )
    thread.start()
    try:
        for number, handler in handlers.items():
            if handler != signal.SIG_IGN:
                signal.signal(number, leave)
        yield
    finally:
        is_handled.set()
        signal.set_wakeup_fd(before)
        os.close(write_end)  # ends the thread
        thread.join()
        os.close(read_end)
        for number, handler in handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _repeat_signals(pipe: int, is_handled: threading.Event, main_thread: int) -> None:
    """Send each signal that the pipe tells of to the main thread until it is handled."""
    while numbers := os.read(pipe, 1):
        while not is_handled.wait(REPEAT_SECONDS):
            signal.pthread_kill(main_thread, numbers[0])
