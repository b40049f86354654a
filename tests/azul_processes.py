"""Processes that tests start: `python -c` with the project on its path, forked where that saves the imports.

A start of the interpreter with Numba and the engine takes over a second of processor time, with torch three. So on Linux a
server imports them once (tests/fork_server.py), and the processes of the tests are its children. AZUL_REAL_PROCESSES=1 starts
real interpreters instead, as other systems do. A test whose subject is the start itself uses `subprocess`.
"""

import atexit
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, NamedTuple

from fork_server import HEADER_BYTES, Program

TESTS = Path(__file__).parent
ROOT = TESTS.parent
LAYERS = [str(ROOT / layer) for layer in ("", "agents", "train", "ui")]
AZUL = "from azul_ui.cli import main; main()"
FORKS = sys.platform == "linux" and "AZUL_REAL_PROCESSES" not in os.environ
# Bounds, not measures: the machine may be busy, and a server may have to compile first.
START_SECONDS = 1500.0
RUN_SECONDS = 600.0
# Given to every child, or read whenever it is needed; Ray sets the second.
READ_LATE = {"PYTHONPATH", "PYTHONBREAKPOINT"}


class Preparation(NamedTuple):
    """What a server runs before it forks."""

    code: str
    # The beginnings of variables that it has read, so that children cannot have their own.
    variables: tuple[str, ...] = ("NUMBA_", "PYTHON")


# The library of commands and nothing of ours: for tests of what is imported.
COMMANDS = Preparation(
    """
from contextlib import suppress
import typer
app = typer.Typer()
app.command("a")(lambda number: None)
for word in ("--help", "b", "a"):
    with suppress(SystemExit):
        app([word])
""",
    ("PYTHON",),
)
# The compiler and nothing compiled: for tests of the cache.
COMPILER = Preparation(
    "import numba, azul_env.core.jit; numba.njit(lambda number: number + 1)(1)",
    ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "PYTHON"),
)
# All commands, and what a match and a message need.
ENGINE = Preparation(
    """
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules
import azul_env.azul_v0, azul_ui.cli, azul_ui.commands
for module in iter_modules(azul_ui.commands.__path__):
    with suppress(ImportError):
        import_module(f"azul_ui.commands.{module.name}")
for arguments in ("match greedy random --games 2 --jobs 1", "no_such_command"):
    with suppress(SystemExit):
        azul_ui.cli.app(arguments.split())
"""
)
LEARNING = Preparation(f"{ENGINE.code}\nimport azul_train.engine, stable_baselines3, sb3_contrib")


class Outcome(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


class ServerError(RuntimeError):
    """The fork server has failed."""


class ForkServer:
    """A process that has run a preparation and forks on demand."""

    def __init__(self, preparation: Preparation) -> None:
        self._connection, theirs = socket.socketpair()
        self._connection.settimeout(START_SECONDS)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._variables = preparation.variables
        # One thread: a process of several cannot be forked safely.
        self._environment = project_environment(OMP_NUM_THREADS="1")
        path = os.pathsep.join([self._environment["PYTHONPATH"], str(TESTS)])
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    "import fork_server; fork_server.main()",
                    str(theirs.fileno()),
                    preparation.code,
                ],
                env=self._environment | {"PYTHONPATH": path},
                cwd=ROOT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
        self._owner = os.getpid()
        atexit.register(self.close)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def start(self, program: Program, streams: list[int]) -> "ForkedProcess":
        """Start a program with these descriptors as its streams."""
        self._check(program.environment)
        report, theirs = os.pipe()
        message = pickle.dumps(program)
        try:
            header = len(message).to_bytes(HEADER_BYTES, "little")
            socket.send_fds(self._connection, [header], [*streams, theirs])
            self._connection.sendall(message)
            answer = self._connection.recv(HEADER_BYTES)
        except OSError as error:
            answer, why = b"", f": {error}"
        else:
            why = ""
        finally:
            os.close(theirs)
        if len(answer) < HEADER_BYTES:
            os.close(report)
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace")
            self.close()
            raise ServerError(f"the fork server has failed{why}\n{said}")
        return ForkedProcess(int.from_bytes(answer, "little"), report)

    def _check(self, wanted: dict[str, str]) -> None:
        """Raise ValueError if a variable comes too late."""
        names = (wanted.keys() | self._environment.keys()) - READ_LATE
        differing = {name for name in names if wanted.get(name) != self._environment.get(name)}
        late = sorted(name for name in differing if name.startswith(self._variables))
        if late:
            raise ValueError(f"{', '.join(late)}: the fork server has other settings")

    def close(self) -> None:
        """End the server, which kills children that still run."""
        if os.getpid() != self._owner:  # a process that a test has forked
            return
        self._connection.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(20)


class ForkedProcess:
    """A child of a server; what tests use of `subprocess.Popen`."""

    def __init__(self, pid: int, report: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._report = open(report, "rb", buffering=0)  # noqa: SIM115

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal."""
        if self.returncode is None:
            if not select.select([self._report], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
            told = self._report.read()
            self._report.close()
            if not told:
                raise ServerError(f"the fork server ended before process {self.pid}")
            self.returncode = int(told)
        return self.returncode

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it unless it has ended."""
        self.send_signal(signal.SIGKILL)


Process = subprocess.Popen[bytes] | ForkedProcess


def project_environment(**changes: str) -> dict[str, str]:
    """The environment of this process, with the project on Python's path."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)} | changes


def start_python(
    code: str,
    *arguments: str | Path,
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
    stdin: IO[Any] | int = subprocess.DEVNULL,
    stdout: IO[Any] | int = subprocess.DEVNULL,
    stderr: IO[Any] | int = subprocess.DEVNULL,
    starts_session: bool = False,
    preparation: Preparation = ENGINE,
) -> Process:
    """Start `python -c code arguments` with files, descriptors or DEVNULL as its streams."""
    environment = project_environment() if environment is None else environment
    words = [str(argument) for argument in arguments]
    if not FORKS:
        return subprocess.Popen(
            [sys.executable, "-c", code, *words],
            env=environment,
            cwd=folder,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=starts_session,
        )
    server = _server(preparation)
    program = Program(code, words, environment, str(folder or Path.cwd()), starts_session)
    with open(os.devnull, "r+b") as null:
        streams = [null if s == subprocess.DEVNULL else s for s in (stdin, stdout, stderr)]
        return server.start(program, [s if isinstance(s, int) else s.fileno() for s in streams])


def run_python(
    code: str,
    *arguments: str | Path,
    given: bytes = b"",
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
    preparation: Preparation = ENGINE,
) -> Outcome:
    """Run `python -c code arguments` on some input to its end."""
    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        process = start_python(
            code,
            *arguments,
            environment=environment,
            folder=folder,
            stdin=_filled(stdin, given),
            stdout=out,
            stderr=err,
            preparation=preparation,
        )
        try:
            returned = process.wait(RUN_SECONDS)
        finally:
            process.kill()
        for file in (out, err):
            file.seek(0)
        return Outcome(returned, out.read().decode(), err.read().decode())


def _filled(file: IO[bytes], content: bytes) -> IO[bytes]:
    file.write(content)
    file.seek(0)
    return file


_servers: dict[Preparation, ForkServer] = {}


def _server(preparation: Preparation) -> ForkServer:
    """The server with this preparation; a new one if it has died."""
    if preparation not in _servers or not _servers[preparation].is_running:
        _servers[preparation] = ForkServer(preparation)
    return _servers[preparation]
