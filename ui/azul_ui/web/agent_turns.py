"""Scheduling of the agents' moves in a game: pace, pauses, single steps, and forfeits by agents that fail."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from azul_agents import AgentFailureError
from azul_env import brief
from azul_ui.games.session import GameSession, Happening
from azul_ui.web.catalog import is_instant
from azul_ui.web.messages import Message, RefusedError
from azul_ui.web.services import Services
from azul_ui.web.warm_up import COMPILING, READY

MAX_PACE_SECONDS: Final = 60.0
WATCHING_SECONDS: Final = 1.0  # before a move, in a game of agents only
SHOWN_AFTER_SECONDS: Final = 0.15  # of thinking
MAX_FORFEIT_LETTERS: Final = 200

Change = Callable[[], Happening | None]


@dataclass(frozen=True)
class Table:
    """The room's interface for the turns of its agents."""

    session: Callable[[], GameSession]
    is_open: Callable[[], bool]  # true if a tab is open and the game may be changed
    change: Callable[[Change], Awaitable[Happening | None]]
    tell: Callable[[Message], None]
    tell_game: Callable[[], None]


class AgentTurns:
    """Lets the agents of one game play."""

    def __init__(self, table: Table, services: Services, is_paused: bool) -> None:
        self._table = table
        self._services = services
        self._steps = 0  # asked for in a paused game
        self._wake = asyncio.Event()
        self.is_paused = is_paused
        self.seconds = 0.0 if table.session().persons else WATCHING_SECONDS
        self.thinking: int | None = None  # the seat whose agent has been thinking for a while

    def set_pace(self, is_paused: bool, seconds: float) -> None:
        """Pause or go on, and wait this long before each move. Raises RefusedError."""
        if not 0 <= seconds <= MAX_PACE_SECONDS:
            raise RefusedError("malformed", f"pace: seconds are from 0 to {MAX_PACE_SECONDS:g}")
        self.is_paused, self.seconds = is_paused, seconds
        self._steps = 0
        self._table.tell_game()
        self.wake()

    def step(self) -> None:
        """Let the agent to move play, in a paused game. Raises RefusedError."""
        session = self._table.session()
        if not self.is_paused or session.is_over or session.to_move_is_person:
            raise RefusedError("not_allowed", "step is for paused games with an agent to move")
        self._steps = 1
        self.wake()

    def wake(self) -> None:
        """Check again whose turn it is."""
        self._wake.set()

    async def run(self) -> None:
        """Let agents play whenever it is their turn."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._may_play():
                if self.seconds and not self._steps:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._wake.wait(), self.seconds)
                        self._wake.clear()
                        continue  # something has changed, perhaps the pace
                await self._turn()
                self._steps = 0

    def _may_play(self) -> bool:
        session = self._table.session()
        is_agents_turn = not session.is_over and not session.to_move_is_person
        return is_agents_turn and (not self.is_paused or self._steps > 0) and self._table.is_open()

    async def _turn(self) -> None:
        session, threads = self._table.session(), self._services.threads
        number, seat = session.position_number, session.state.current_player
        spec = session.seats[seat]
        is_warm = self._services.agents.is_warm(spec, session.state.variant)
        pool = threads.instant if is_warm and is_instant(spec) else threads.searches
        choice = asyncio.ensure_future(threads.run(pool, session.agent_choice))
        await asyncio.wait({choice}, timeout=SHOWN_AFTER_SECONDS)
        was_shown = not choice.done()
        if was_shown:
            self.thinking = seat
            self._table.tell_game()
            if not is_warm:
                self._table.tell(COMPILING)
        try:
            change: Change = partial(session.apply_choice, number, await choice)
        except AgentFailureError as error:
            change = partial(session.forfeit, number, brief(str(error), MAX_FORFEIT_LETTERS))
        except Exception as error:  # a bug in an agent must not stop the server
            reason = brief(f"{type(error).__name__}: {error}", MAX_FORFEIT_LETTERS)
            change = partial(session.forfeit, number, reason)
        finally:
            self.thinking = None
        if was_shown and not is_warm:
            self._table.tell(READY)
        if await self._table.change(change) is None:  # too late: the position has changed
            self._table.tell_game()
