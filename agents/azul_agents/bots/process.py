"""A child process that exchanges lines with us, with limits on time and output, and that never outlives us.

All three pipes are non-blocking and served by one thread. So a bot cannot block us by not reading, by endless output, or
by leaving a pipe open in a child process. Needs Linux or macOS.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import IO, Final

MAX_BYTES_PER_QUESTION: Final = 1 << 20  # of output, including lines that are not the answer
CHUNK_BYTES: Final = 1 << 16
STDERR_BYTES: Final = 2000  # kept for error messages
STDERR_LINES: Final = 5
STDERR_READS: Final = 4  # more than a pipe holds; a bot may write faster than we read
POLL_SECONDS: Final = 0.1  # between checks for the exit of a bot whose pipe stays open
QUIT_SECONDS: Final = 1.0  # to exit after `quit`
TERMINATE_SECONDS: Final = 0.5  # to exit after SIGTERM
KILL_SECONDS: Final = 5.0  # to exit after SIGKILL

# Survives if we are killed. Its input is closed when our process ends, for whatever reason.
WATCHDOG: Final = 'read -r _; kill -s KILL -- "-$1"'


class BotFailureError(Exception):
    """A bot violated the protocol; the message continues the sentence "the bot ..."."""


class BotEndedError(BotFailureError):
    """A bot exited or closed its output while an answer was due."""


class BotProcess:
    """A running bot in a session of its own; killed with this object, or at the latest when our process ends."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start a program. Raises OSError, or ValueError for an invalid command."""
        self.owner = os.getpid()
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        try:
            watchdog = _watchdog_of(self._child.pid)
        except BaseException:
            _end_group(self._child)
            raise
        self._end = weakref.finalize(self, _end_both, self._child, watchdog, self.owner)
        self._stdin, self._stdout, self._stderr = map(_non_blocking, _pipes(self._child))
        self._selector = selectors.PollSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._is_stdin_open = self._is_stdout_open = True
        self._outgoing = b""  # not yet written to the pipe
        self._lines: deque[bytes] = deque()  # received and not yet read by the caller
        self._unfinished_line = bytearray()
        self._bytes_left = MAX_BYTES_PER_QUESTION
        self._stderr_tail = b""

    @property
    def pid(self) -> int:
        """The ID of the process, and of its group and session."""
        return self._child.pid

    @property
    def has_ended(self) -> bool:
        """True if the process has exited."""
        return self._child.poll() is not None

    def send(self, line: bytes) -> None:
        """Send a line without blocking; what does not fit into the pipe is sent while waiting for the answer."""
        self._outgoing += line
        self._write()

    def discard_output(self) -> None:
        """Drop all output so far, since it cannot answer the next question."""
        self._bytes_left = MAX_BYTES_PER_QUESTION
        while self._is_stdout_open and self._read_stdout():
            pass
        self._lines.clear()

    def next_line(self, deadline: float) -> bytes | None:
        """The next line, or None if there is none before `deadline` (time.monotonic). Raises BotFailureError."""
        while not self._lines:
            seconds_left = deadline - time.monotonic()
            if seconds_left <= 0:
                return None
            # Checked before the pipes, so that the output before an exit is still read.
            had_ended = self.has_ended
            is_quiet = not self._exchange(0.0 if had_ended else min(seconds_left, POLL_SECONDS))
            is_over = not self._is_stdout_open or (had_ended and is_quiet)
            if is_over and not self._lines:
                raise BotEndedError(self._how_it_ended())
        return self._lines.popleft()

    def stderr_tail(self) -> str:
        """The last lines of stderr, in one line."""
        for _ in range(STDERR_READS):
            if not self._read_stderr():
                break
        lines = self._stderr_tail.decode(errors="replace").split("\n")
        shown = [line.strip() for line in lines if line.strip()]
        text = " | ".join(shown[-STDERR_LINES:])
        # No control characters in records and on terminals.
        return "".join(letter if letter.isprintable() else " " for letter in text)

    def close(self, farewell: bytes) -> None:
        """Ask the bot to quit, and kill it after QUIT_SECONDS."""
        if os.getpid() == self.owner and self._end.alive:
            self.send(farewell)
            self._is_stdin_open = False
            _close(self._child.stdin)  # for bots that do not know `quit`
            _wait(self._child, QUIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the process and its children."""
        self._end()

    def _exchange(self, seconds: float) -> bool:
        """Wait until a pipe is ready, then write and read; True if one was ready in time."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if key.fd == self._stdin:
                self._write()
            elif key.fd == self._stdout:
                self._read_stdout()
            else:
                self._read_stderr()
        return bool(ready)

    def _write(self) -> None:
        if not (self._is_stdin_open and self._outgoing):
            return
        had_to_wait = self._stdin in self._selector.get_map()
        try:
            self._outgoing = self._outgoing[os.write(self._stdin, self._outgoing) :]
        except BlockingIOError:
            pass
        except OSError:  # the bot closed its input, but may still answer
            self._is_stdin_open, self._outgoing = False, b""
        if self._outgoing and not had_to_wait:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif had_to_wait and not self._outgoing:
            self._selector.unregister(self._stdin)

    def _read_stdout(self) -> bool:
        """Read from stdout; True if there was anything. Raises BotFailureError if it is too much."""
        data = _read(self._stdout)
        if data == b"":
            self._selector.unregister(self._stdout)
            self._is_stdout_open = False
        if not data:
            return False
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise BotFailureError(f"wrote more than {MAX_BYTES_PER_QUESTION} bytes for one answer")
        *ends, rest = data.split(b"\n")
        if ends:
            self._lines.append(bytes(self._unfinished_line) + ends[0])
            self._lines.extend(ends[1:])
            self._unfinished_line.clear()
        self._unfinished_line += rest
        return True

    def _read_stderr(self) -> bool:
        """Read from stderr; True if there was anything."""
        data = _read(self._stderr)
        if data == b"" and self._stderr in self._selector.get_map():
            self._selector.unregister(self._stderr)
        self._stderr_tail = (self._stderr_tail + (data or b""))[-STDERR_BYTES:]
        return bool(data)

    def _how_it_ended(self) -> str:
        """How the bot ended, for the error message."""
        _wait(self._child, POLL_SECONDS)  # the output closes shortly before the process exits
        code = self._child.poll()
        if code is None:
            return "closed its output"
        if code < 0:
            return f"was killed by signal {-code}"
        return f"ended with exit code {code}"


def _pipes(child: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    return child.stdin, child.stdout, child.stderr


def _non_blocking(pipe: IO[bytes]) -> int:
    """Make a pipe non-blocking; its file descriptor."""
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()


def _read(pipe: int) -> bytes | None:
    """Bytes from a pipe; None if it has none, empty if it is closed."""
    try:
        return os.read(pipe, CHUNK_BYTES)
    except BlockingIOError:
        return None


def _watchdog_of(group: int) -> subprocess.Popen[bytes]:
    """A process that kills a process group when ours ends."""
    return subprocess.Popen(
        ["/bin/sh", "-c", WATCHDOG, "azul-bot-watchdog", str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end_both(
    child: subprocess.Popen[bytes], watchdog: subprocess.Popen[bytes], owner: int
) -> None:
    """End a bot and then its watchdog. Does nothing in a fork of the process that started them."""
    if os.getpid() != owner:
        return
    _end_group(child)
    watchdog.kill()
    _wait(watchdog, KILL_SECONDS)
    _close(watchdog.stdin)


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End a process group by SIGTERM, then SIGKILL."""
    for number, seconds in ((signal.SIGTERM, TERMINATE_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
        # Always signalled, since children may outlive the first process of the group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        _wait(child, seconds)
    for pipe in _pipes(child):
        _close(pipe)


def _wait(child: subprocess.Popen[bytes], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(seconds)


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        with contextlib.suppress(OSError):
            pipe.close()
