"""The `azul` command at a pseudo-terminal: type as a person would, read what the screen gets, never wait for ever."""

import errno
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from pathlib import Path

from azul_processes import AZUL, project_environment, start_python

PATIENCE_SECONDS = 400.0  # a bound, not a measure: compiling may come first, on a busy machine
ROWS, COLUMNS = 24, 80
CONTROL_C, CONTROL_D = "\x03", "\x04"
# Makes it the controlling terminal, so that Ctrl-C becomes a signal.
TAKE_CONTROL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A command that believes to talk to a person; use it in a `with` statement."""

    def __init__(self, *arguments: str | Path, preparation: str = "") -> None:
        """Start the command, after a line of Python if there is something to prepare."""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = project_environment(TERM="xterm-256color")
        self._process = start_python(
            "\n".join((TAKE_CONTROL, preparation, AZUL)),
            *arguments,
            environment={k: v for k, v in environment.items() if k not in ("NO_COLOR", "COLUMNS")},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            starts_session=True,
        )
        os.close(slave)
        self._unread = ""
        self.raw = ""  # all that ever came, escape codes included

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(PATIENCE_SECONDS)
        os.close(self._master)

    def until(self, words: str) -> str:
        """What the screen got up to these words, without colors and escape codes."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            text = ESCAPES.sub("", self._unread).replace("\r", "")
            if words in text:
                self._unread = ""
                return text
            assert self._read(deadline), f"{words!r} never came; the screen says:\n{text}"

    def type(self, line: str) -> None:
        os.write(self._master, f"{line}\r".encode())

    def press(self, key: str) -> None:
        os.write(self._master, key.encode())

    def send(self, number: int) -> None:
        """Send a signal to the command."""
        self._process.send_signal(number)

    def hang_up(self) -> int:
        """Close the terminal, as closing its window does; returns the command's exit code."""
        os.close(self._master)
        self._master = os.open(os.devnull, os.O_RDWR)
        return self._process.wait(PATIENCE_SECONDS)

    def answer(self, line: str, prompt: str) -> str:
        """Type a line, and read up to the next prompt."""
        self.type(line)
        return self.until(prompt)

    def end(self) -> tuple[int, str]:
        """The exit code, and what came before it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._read(deadline):
            pass
        code = self._process.wait(max(1.0, deadline - time.monotonic()))
        return code, ESCAPES.sub("", self._unread).replace("\r", "")

    def _read(self, deadline: float) -> bool:
        """Read what is there, waiting until the deadline for it; false if there is nothing more to come."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            chunk = os.read(self._master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # how Linux says that the other side is closed
                raise
            return False
        text = chunk.decode(errors="replace")
        self._unread += text
        self.raw += text
        return bool(chunk)
