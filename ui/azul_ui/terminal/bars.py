"""Progress bars on stderr, shown only on a terminal, and lines beside them."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)


def bar_console() -> Console:
    """A console on stderr that is quiet unless it is a terminal: some versions of rich end every bar with a newline."""
    console = Console(stderr=True, highlight=False)
    console.quiet = not console.is_terminal
    return console


def games_bar() -> Progress:
    """A bar that counts games and disappears in the end."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=bar_console(),
        transient=True,
    )


class Bars:
    """One bar for each kind of work, which starts again with every improvement."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[tuple[str, int], TaskID] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how much is done."""
        key = (what, total)
        if key not in self._tasks:
            self._tasks[key] = self._progress.add_task(what, total=total)
        self._progress.update(self._tasks[key], completed=done)


def say(text: str) -> None:
    """Print a line on stderr."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)
