"""What is said of games that end before all are played."""

import sys
import traceback
from typing import Final

from azul_agents.arena.workers import is_raised_by_agent

EXIT_AGENT_FAILED: Final = 1


def stopped_after(done: int, total: int) -> str:
    """How far the games came."""
    return f"stopped after {done} of {total} games"


def fail_of_agent(error: BaseException) -> None:
    """Print the traceback of a bug in an agent and exit; other exceptions are left alone.

    A bug is no forfeit: the author needs the line, and games after it would measure the bug.
    """
    if is_raised_by_agent(error):
        traceback.print_exception(error)
        sys.exit(EXIT_AGENT_FAILED)
