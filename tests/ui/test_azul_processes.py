"""The processes that tests fork behave as those that an interpreter of their own runs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.processes import wait_until
from azul_processes import (
    COMMANDS,
    FORKS,
    ForkServer,
    Program,
    ServerError,
    project_environment,
    run_python,
)

pytestmark = pytest.mark.skipif(not FORKS, reason="processes are not forked here")
SHOWN = """
import atexit, os, sys
atexit.register(print, "the last words")
print(__name__, sys.argv, os.getcwd(), os.environ["MINE"], sys.path[:5], sys.stdin.read())
print("\udc80", sys.stdout.encoding, sys.stdout.errors, file=sys.stderr)
"""
PROGRAMS = {
    "streams, arguments and environment": SHOWN,
    "exit code": "import sys; print('out'); sys.exit(3)",
    "message": "import sys; sys.exit('goodbye')",
    "error": "print('out')\n1 / 0",
    "interrupt": "print('out', flush=True)\nraise KeyboardInterrupt",
    "signal": "import os; os.kill(os.getpid(), 15)",
    "closed output": "import os; os.close(1)\nprint('out')",
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_forked_process__ends_and_says_what_a_real_one_does(code: str, tmp_path: Path) -> None:
    environment = project_environment(MINE="some value")
    real = subprocess.run(
        [sys.executable, "-c", code, "one", "t w o"],
        env=environment,
        cwd=tmp_path,
        input=b"given",
        capture_output=True,
        timeout=300,
        check=False,
    )
    forked = run_python(
        code, "one", "t w o", environment=environment, folder=tmp_path, given=b"given"
    )
    assert (forked.code, forked.out) == (real.returncode, real.stdout.decode())
    assert forked.err.splitlines()[-1:] == real.stderr.decode().splitlines()[-1:]


def test_server_that_has_died__is_an_error_and_not_a_wait() -> None:
    server = ForkServer(COMMANDS)
    program = Program("import time; time.sleep(600)", [], project_environment(), "/", True)
    with open(os.devnull, "r+b") as null:
        child = server.start(program, [null.fileno()] * 3)
        assert child.poll() is None
        server._process.kill()
        with pytest.raises(ServerError, match="ended before process"):
            child.wait(60)
        os.kill(child.pid, signal.SIGKILL)
        with pytest.raises(ServerError, match="has failed"):
            server.start(program, [null.fileno()] * 3)


def test_end_of_the_tests__ends_the_server_and_its_children() -> None:
    server = ForkServer(COMMANDS)
    program = Program("import time; time.sleep(600)", [], project_environment(), "/", True)
    with open(os.devnull, "r+b") as null:
        child = server.start(program, [null.fileno()] * 3)
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 20 and not server.is_running
    wait_until(lambda: not Path(f"/proc/{child.pid}").exists(), seconds=20)


def test_preparation_that_fails__is_told() -> None:
    server = ForkServer(COMMANDS._replace(code="raise ValueError('a bug of mine')"))
    program = Program("", [], project_environment(), "/", False)
    with open(os.devnull, "r+b") as null, pytest.raises(ServerError, match="a bug of mine"):
        server.start(program, [null.fileno()] * 3)


def test_variable_that_comes_too_late__is_refused() -> None:
    with pytest.raises(ValueError, match="NUMBA_OPT"):
        run_python("pass", environment=project_environment(NUMBA_OPT="1"))
