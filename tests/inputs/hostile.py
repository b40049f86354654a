"""Running the `azul` command on hostile input: under a limit of memory and time, with its peak of memory."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from azul_processes import AZUL, project_environment, start_python

MEMORY_BYTES = 3 << 30  # of address space, so that a failing test leaves the machine alone
PEAK_BYTES = 700 << 20  # the engine and its compiler take 250 MB
PROCESSOR_SECONDS = 100
SECONDS = 400  # a bound, not a measure: the machine may be busy
# The peak of the process itself: what wait4 reports includes the size of the process that it was forked from.
SCRIPT = f"""
import atexit, os, resource

def tell_peak():
    with open("/proc/self/status") as status:
        (peak,) = (line.split()[1] for line in status if line.startswith("VmHWM"))
    with open(os.environ["PEAK_FILE"], "w") as told:
        told.write(peak)

resource.setrlimit(resource.RLIMIT_AS, ({MEMORY_BYTES}, {MEMORY_BYTES}))
resource.setrlimit(resource.RLIMIT_CPU, ({PROCESSOR_SECONDS}, {PROCESSOR_SECONDS}))
atexit.register(tell_peak)
{AZUL}
"""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    err: str
    peak_bytes: int


def azul(*arguments: str | Path, stdin: str = os.devnull) -> Ended:
    """Run the command in a process of its own; the test fails if it does not end."""
    with (
        open(stdin, "rb") as source,
        tempfile.NamedTemporaryFile() as peak,
        tempfile.TemporaryFile() as errors,
    ):
        child = start_python(
            SCRIPT,
            *arguments,
            environment=project_environment(NO_COLOR="1", PEAK_FILE=peak.name),
            stdin=source,
            stderr=errors,
        )
        try:
            code = child.wait(SECONDS)
        finally:
            child.kill()
        errors.seek(0)
        return Ended(code, errors.read().decode(), 1024 * int(peak.read() or 0))


def assert_refused(ended: Ended, *words: str) -> None:
    """One line of error, exit code 2, and no more memory than any command takes."""
    lines = [line for line in ended.err.splitlines() if "compiling the engine" not in line]
    assert ended.code == 2, ended
    assert len(lines) == 1 and lines[0].startswith("azul: error: "), ended.err[:2000]
    assert len(lines[0]) < 1100
    for word in words:
        assert word in lines[0]
    assert 0 < ended.peak_bytes < PEAK_BYTES, f"{ended.peak_bytes:,} bytes"
