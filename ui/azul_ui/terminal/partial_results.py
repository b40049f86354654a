"""Messages about matches and tournaments that end before all games are played."""

import sys
import traceback
from typing import Final

from azul_agents.arena.workers import is_raised_by_agent

EXIT_AGENT_FAILED: Final = 1


def stopped_after(done: int, total: int) -> str:
    """The progress of games that were stopped."""
    return f"stopped after {done} of {total} games"


def fail_of_agent(error: BaseException) -> None:
    """Print the traceback of a bug in an agent and exit; other exceptions are left alone.

    A bug is not a forfeit: its author needs the traceback, and further games would only measure the bug.
    """
    if is_raised_by_agent(error):
        traceback.print_exception(error)
        sys.exit(EXIT_AGENT_FAILED)
