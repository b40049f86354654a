"""The last line of a run that ends early: the command that resumes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from azul_agents.command_line import azul_command
from azul_ui.terminal.bars import say


@contextmanager
def says_how_to_go_on(command: str, run: Path) -> Iterator[None]:
    """Print the command that resumes a run whenever the block ends early, by a signal or on a full disk.

    Except for a ValueError: a file of the run is broken, its message says what to do, and resuming would not help.
    """
    try:
        yield
    except ValueError:
        raise
    except BaseException:
        say(f"resume with: {azul_command(command, '--resume', run)}")
        raise
