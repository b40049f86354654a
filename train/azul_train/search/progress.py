"""How a run reports what it is doing."""

from collections.abc import Callable

Report = Callable[[str, int, int], None]  # what is being done, how much is done, of how much


def ignore(what: str, done: int, total: int) -> None:
    """No-op callback."""
