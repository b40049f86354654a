"""The `azul` command in a process group of its own, to be stopped like one in a terminal."""

import os
import signal
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from arena.processes import wait_until, wait_until_gone
from azul_processes import AZUL, Outcome, project_environment, start_python


class Running:
    """A running command; its output goes to files, so that it never waits for a reader."""

    def __init__(self, folder: Path, *arguments: str | Path) -> None:
        self._out, self._err = folder / "stdout.txt", folder / "stderr.txt"
        with open(self._out, "w") as out, open(self._err, "w") as err:
            self.process = start_python(
                AZUL,
                *arguments,
                environment=project_environment(NO_COLOR="1"),
                folder=folder,
                stdout=out,
                stderr=err,
                starts_session=True,
            )

    @property
    def err(self) -> str:
        return self._err.read_text()

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait for something that happens before the command ends."""

        def is_so_or_over() -> bool:
            return is_so() or self.process.poll() is not None

        wait_until(is_so_or_over)
        assert self.process.poll() is None, self.err

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def end(self) -> Outcome:
        """Wait until the command and all processes of its group are gone."""
        code = self.process.wait(timeout=400)
        wait_until_gone(self.process.pid)
        return Outcome(code, self._out.read_text(), self.err)


@contextmanager
def running(folder: Path, *arguments: str | Path):
    """A command that is killed in the end if it still runs."""
    command = Running(folder, *arguments)
    try:
        yield command
    finally:
        if command.process.poll() is None:
            os.killpg(command.process.pid, signal.SIGKILL)
            command.process.wait()
