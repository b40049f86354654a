"""A program that is talked to in lines: never waited for beyond a limit, never read beyond a limit, always ended.

One thread serves all three pipes, none of which ever blocks. So neither a bot that does not read, nor one that writes
without end, nor one that leaves a pipe open in a child of its own can hold us up. Needs Linux or macOS.
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

MAX_BYTES_PER_QUESTION: Final = 1 << 20  # of output, all lines that are not the answer included
CHUNK_BYTES: Final = 1 << 16
LAST_WORDS_BYTES: Final = 2000  # of stderr, kept for the message that says what went wrong
LAST_WORDS_LINES: Final = 5
LAST_WORDS_READS: Final = 4  # more than a pipe holds; a bot may write faster than we read
LOOK_SECONDS: Final = 0.1  # how often to look whether a bot has ended whose pipe stays open
QUIT_SECONDS: Final = 1.0  # for a bot to end when asked to
TERMINATE_SECONDS: Final = 0.5  # for a bot to end when told to
KILL_SECONDS: Final = 5.0  # for the system to carry out what no process can refuse

# Outlives us if we are killed: the end of its input is the end of our process, whatever ended it.
WATCHDOG: Final = 'read -r _; kill -s KILL -- "-$1"'


class BotFailureError(Exception):
    """A bot did not do its part: the message says what happened, as what follows "the bot"."""


class BotEndedError(BotFailureError):
    """A bot ended, or closed its output, while something was expected from it."""


class BotProcess:
    """A running bot in a session of its own, which ends with this object, at the latest with our process."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start a program. Raises OSError, or ValueError for a command that cannot be one."""
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
        self._outgoing = b""  # what the bot has not taken yet
        self._lines: deque[bytes] = deque()  # what it has said and nobody has looked at
        self._unfinished_line = bytearray()
        self._bytes_left = MAX_BYTES_PER_QUESTION
        self._last_words = b""

    @property
    def pid(self) -> int:
        """The number of the process, and of its group and session."""
        return self._child.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._child.poll() is not None

    def send(self, line: bytes) -> None:
        """Hand over a line without waiting: what does not fit into the pipe follows while the bot is waited for."""
        self._outgoing += line
        self._write()

    def drop_unasked_lines(self) -> None:
        """Forget what the bot has said so far: it cannot be the answer to a question that comes now."""
        self._bytes_left = MAX_BYTES_PER_QUESTION
        while self._is_stdout_open and self._read_stdout():
            pass
        self._lines.clear()

    def next_line(self, deadline: float) -> bytes | None:
        """The next line, or None if there was none until `deadline` (of time.monotonic). Raises BotFailureError."""
        while not self._lines:
            seconds_left = deadline - time.monotonic()
            if seconds_left <= 0:
                return None
            # Asked before the pipes are looked at, so that what a bot wrote before its end is read first.
            had_ended = self.has_ended
            is_quiet = not self._exchange(0.0 if had_ended else min(seconds_left, LOOK_SECONDS))
            is_over = not self._is_stdout_open or (had_ended and is_quiet)
            if is_over and not self._lines:
                raise BotEndedError(self._how_it_ended())
        return self._lines.popleft()

    def last_words(self) -> str:
        """The last lines of stderr, in one line."""
        for _ in range(LAST_WORDS_READS):
            if not self._read_stderr():
                break
        lines = self._last_words.decode(errors="replace").split("\n")
        shown = [line.strip() for line in lines if line.strip()]
        text = " | ".join(shown[-LAST_WORDS_LINES:])
        # It ends up in records and on terminals, which control characters would confuse.
        return "".join(letter if letter.isprintable() else " " for letter in text)

    def close(self, farewell: bytes) -> None:
        """Ask the bot to end, and end it anyway soon after."""
        if os.getpid() == self.owner and self._end.alive:
            self.send(farewell)
            self._is_stdin_open = False
            _close(self._child.stdin)  # some bots understand only this
            _wait(self._child, QUIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the process and its children."""
        self._end()

    def _exchange(self, seconds: float) -> bool:
        """Write and read what can be, after waiting so long at most; whether there was anything."""
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
        except OSError:  # nobody reads any more; what the bot still says counts nevertheless
            self._is_stdin_open, self._outgoing = False, b""
        if self._outgoing and not had_to_wait:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif had_to_wait and not self._outgoing:
            self._selector.unregister(self._stdin)

    def _read_stdout(self) -> bool:
        """Take what stdout holds; whether that was anything. Raises BotFailureError if it is too much."""
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
        """Take what stderr holds; whether that was anything."""
        data = _read(self._stderr)
        if data == b"" and self._stderr in self._selector.get_map():
            self._selector.unregister(self._stderr)
        self._last_words = (self._last_words + (data or b""))[-LAST_WORDS_BYTES:]
        return bool(data)

    def _how_it_ended(self) -> str:
        """What is known about a bot that can say no more."""
        _wait(self._child, LOOK_SECONDS)  # output closes a moment before the process is gone
        code = self._child.poll()
        if code is None:
            return "closed its output"
        if code < 0:
            return f"was ended by signal {-code}"
        return f"ended with exit code {code}"


def _pipes(child: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    return child.stdin, child.stdout, child.stderr


def _non_blocking(pipe: IO[bytes]) -> int:
    """The number of a pipe, made never to wait."""
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()


def _read(pipe: int) -> bytes | None:
    """What a pipe holds: nothing (None), some bytes, or its end (empty)."""
    try:
        return os.read(pipe, CHUNK_BYTES)
    except BlockingIOError:
        return None


def _watchdog_of(group: int) -> subprocess.Popen[bytes]:
    """A process that kills a group as soon as ours is gone."""
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
    """End a bot and then its watchdog. In a process forked from ours, do nothing: the bot is not its own."""
    if os.getpid() != owner:
        return
    _end_group(child)
    watchdog.kill()
    _wait(watchdog, KILL_SECONDS)
    _close(watchdog.stdin)


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End a process and all of its group, politely first."""
    for number, seconds in ((signal.SIGTERM, TERMINATE_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
        # The group outlives its first process as long as any child does, so it is always signalled.
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
