"""The program behind tests/azul_processes.py: imports libraries once, then forks a process for each program it is sent.

A child leaves the loop and runs its program as the main module of an ordinary interpreter, with arguments, environment, folder,
streams and session of its own. It ends as any interpreter does, with its exit handlers, its traceback or its signal; only the
modules are not taken down one by one, which would take half a second.
"""

import atexit
import os
import pickle
import select
import signal
import socket
import sys
import types
from contextlib import suppress
from importlib import invalidate_caches
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple, TextIO

THREADS = Path("/proc/self/task")
HEADER_BYTES = 8


class Program(NamedTuple):
    """What a child runs, as `python -c code arguments` would."""

    code: str
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    starts_session: bool


class Received(NamedTuple):
    """A program with the descriptors of its three streams, and one to report its exit code to."""

    program: Program
    streams: list[int]
    report: int


def receive(connection: socket.socket) -> Received | None:
    """The next program; None once the tests are gone."""
    header, descriptors, _, _ = socket.recv_fds(connection, HEADER_BYTES, 4)
    if len(header) < HEADER_BYTES:
        return None
    missing, parts = int.from_bytes(header, "little"), []
    while missing:
        parts.append(connection.recv(min(missing, 1 << 16)))
        if not parts[-1]:
            return None
        missing -= len(parts[-1])
    return Received(pickle.loads(b"".join(parts)), descriptors[:3], descriptors[3])


def bury(reports: dict[int, int]) -> None:
    """Report the exit codes of children that have ended."""
    for child in list(reports):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            report = reports.pop(child)
            with suppress(BrokenPipeError):  # the test has gone on
                os.write(report, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(report)


def serve(connection: socket.socket) -> Received:
    """Fork a child for each program; returns only in the children. Ends with the tests, and kills what they have left."""
    bell, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.set_wakeup_fd(ring)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    reports: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([connection, bell], [], [])
        if bell in ready:
            os.read(bell, 1 << 16)
            bury(reports)
        if connection not in ready:
            continue
        received = receive(connection)
        if received is None:
            for child in reports:
                with suppress(ProcessLookupError):
                    is_leader = os.getpgid(child) == child
                    os.kill(-child if is_leader else child, signal.SIGKILL)  # its group with it
            os._exit(0)
        threads = len(list(THREADS.iterdir()))
        if threads != 1:
            raise RuntimeError(f"a process of {threads} threads cannot be forked")
        child = os.fork()
        if child == 0:
            for unneeded in (bell, ring, received.report, *reports.values()):
                os.close(unneeded)
            connection.close()
            return received
        reports[child] = received.report
        for stream in received.streams:
            os.close(stream)
        connection.sendall(child.to_bytes(HEADER_BYTES, "little"))


def opened(number: int, mode: str, like: TextIO) -> TextIO:
    """A standard stream with the encoding of another, buffered as the interpreter does it."""
    is_unbuffered = mode == "wb" and bool(os.environ.get("PYTHONUNBUFFERED"))
    return TextIOWrapper(
        open(number, mode, 0 if is_unbuffered else -1, closefd=False),
        like.encoding,
        like.errors,
        newline="\n" if mode == "wb" else None,
        line_buffering=number == 2 or os.isatty(number),
        write_through=is_unbuffered,
    )


def settle(received: Received, library_paths: list[str]) -> None:
    """Give the child what an interpreter is started with."""
    program = received.program
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if program.starts_session:
        os.setsid()
    for number, stream in enumerate(received.streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = sys.__stdin__ = opened(0, "rb", sys.stdin)
    sys.stdout = sys.__stdout__ = opened(1, "wb", sys.stdout)
    sys.stderr = sys.__stderr__ = opened(2, "wb", sys.stderr)
    os.chdir(program.folder)
    os.environ.clear()
    os.environ.update(program.environment)
    sys.argv[:] = ["-c", *program.arguments]
    paths = program.environment.get("PYTHONPATH", "")
    sys.path[:] = ["", *filter(None, paths.split(os.pathsep)), *library_paths]
    invalidate_caches()


class Leaving:
    """Ends a child after all other exit handlers, before the interpreter takes down its modules."""

    code: int | None = None  # None: as the interpreter decides

    def __call__(self) -> None:
        """Leave at once, unless the last output fails: the interpreter then says so."""
        if self.code is None:
            return
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.code)

    def run(self, code: str) -> None:
        """Run a program as the main module, and note its exit code."""
        sys.modules["__main__"] = module = types.ModuleType("__main__")
        try:
            exec(compile(code, "<string>", "exec"), vars(module))
            self.code = 0
        except SystemExit as exit_:
            self.code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
            raise
        except Exception:
            self.code = 1
            raise


def main() -> None:
    """Run the preparation, then serve; the arguments are the descriptor of the connection and the preparation."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which end this
    own_paths = ["", *os.environ["PYTHONPATH"].split(os.pathsep)]
    library_paths = [path for path in sys.path if path not in own_paths]
    leaving = Leaving()
    atexit.register(leaving)  # as the first, so that it is called last
    exec(sys.argv[2], {})
    received = serve(connection)
    settle(received, library_paths)
    leaving.run(received.program.code)
