"""A live game: its session, the tabs that look at it, and the turns of its agents.

The event loop never touches the session while a thread changes it: every change and every view runs in a thread, one at a
time, under the room's lock. A change is saved before any tab is told of it.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from azul_agents import strongest_kind
from azul_env import GameState, IllegalActionError, decode_action, legal_mask
from azul_ui.games.session import GameSession, Happening
from azul_ui.games.store import KeptGame
from azul_ui.games.words import why_illegal
from azul_ui.web.agent_turns import AgentTurns, Table
from azul_ui.web.messages import (
    PROTOCOL,
    Data,
    GameMessage,
    Message,
    NoticeMessage,
    PositionMessage,
    RefusedError,
    WelcomeMessage,
    encoded,
)
from azul_ui.web.review import review_path
from azul_ui.web.room_review import RoomReview
from azul_ui.web.services import Services
from azul_ui.web.tab import Tab
from azul_ui.web.views import (
    happened_message,
    position_message,
    record_text,
    result_data,
    seat_labels,
    seats_data,
    state_at,
    turn_data,
)
from azul_ui.web.warm_up import COMPILING

T = TypeVar("T")

MAX_TABS: Final = 20  # that look at one game
MAX_CACHED_POSITIONS: Final = 4


class Opened(NamedTuple):
    """A game to live in a room."""

    id: str
    folder: Path  # of the store
    session: GameSession
    kept: KeptGame | None  # None: it is read-only
    reason: str | None = None  # why it is read-only
    is_elsewhere: bool = False  # another process has it open
    is_paused: bool = False
    has_seed: bool = True


class Room:
    """One game, and the tabs that show it."""

    def __init__(self, opened: Opened, services: Services) -> None:
        self.id = opened.id
        self.services = services
        self.tabs: set[Tab] = set()
        self.idle_since = time.monotonic()
        self._opened = opened
        self._warning: str | None = None
        self._turns: list[tuple[Happening, Data]] = []
        self._positions: dict[tuple[int, int], PositionMessage] = {}
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.labels = seat_labels(self.session.seats, self.session.names)
        path = review_path(opened.folder, self.id)
        self.review = RoomReview(services, path, self.history, self.tell)
        table = Table(lambda: self.session, self._is_open, self._change, self.tell, self._tell_game)
        self.agents = AgentTurns(table, services, opened.is_paused)
        self.start(self.agents.run())
        self.start(self.review.restore())

    @property
    def session(self) -> GameSession:
        """The game."""
        return self._opened.session

    @property
    def default_engine(self) -> str:
        """The engine of hints, and of analyses and reviews for which none is named."""
        return strongest_kind(self.session.num_players, self.session.state.variant)

    @property
    def number(self) -> int:
        """Turns played."""
        return len(self.session.history)

    @property
    def is_idle(self) -> bool:
        """True if no tab is open and nothing runs."""
        is_busy = self.agents.thinking is not None or self._lock.locked() or self.review.is_running
        return not self.tabs and not is_busy

    @property
    def is_elsewhere(self) -> bool:
        """True if another process has the game open."""
        return self._opened.is_elsewhere

    async def replace(self, opened: Opened) -> None:
        """Go on with the game as it is now in the store."""
        async with self._lock:
            self._opened = opened
            self._positions.clear()
            self.tell(await self._run(self._game))
        self.agents.wake()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something for the room, until it ends or the room is closed."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def join(self, tab: Tab) -> None:
        """Greet a tab and subscribe it to the game. Raises RefusedError."""
        if len(self.tabs) >= MAX_TABS:
            raise RefusedError("busy", f"{MAX_TABS} tabs look at this game already")
        self.tabs.add(tab)
        tab.send(WelcomeMessage(PROTOCOL, self.id))
        if self._opened.reason is not None and self._opened.is_elsewhere:
            tab.send(NoticeMessage("elsewhere", self._opened.reason))
        if self.services.warm_up.is_compiling:
            tab.send(COMPILING)
        game, position = await self._reading(lambda: (self._game(), self._position(self.number)))
        tab.send(game)
        tab.send(position)
        self.agents.wake()

    def leave(self, tab: Tab) -> None:
        """A tab is closed."""
        self.tabs.discard(tab)
        self.idle_since = time.monotonic()

    def tell(self, message: Message) -> None:
        """Send a message to all tabs."""
        text = encoded(message)
        for tab in self.tabs:
            tab.send_text(text, type(message))

    async def position(self, number: int | None) -> PositionMessage:
        """The position after a turn, by default the last one. Raises RefusedError."""
        return await self._reading(lambda: self._position(self._checked_number(number)))

    async def state(self, number: int) -> GameState:
        """The state after a turn. Raises RefusedError."""
        return await self._reading(lambda: state_at(self.session, self._checked_number(number)))

    async def turns(self, number: int | None) -> tuple[list[Happening], int]:
        """The turns so far, and a number of a position, by default the last one. Raises RefusedError."""
        return await self._reading(lambda: (self.session.history, self._checked_number(number)))

    async def record(self) -> str:
        """The game as a line of JSON; that of a game from a set-up position has the key `position` as well."""
        return await self._reading(lambda: record_text(self.session) + "\n")

    async def history(self) -> list[Happening]:
        """The turns so far."""
        return await self._reading(lambda: self.session.history)

    async def play(self, position_number: int, action: int) -> None:
        """A person's move. Raises RefusedError."""
        await self._change(lambda: self._played(position_number, action))

    async def undo(self) -> None:
        """Back to the last decision of a person. Raises RefusedError."""
        await self._change(self.session.undo)

    async def redo(self) -> None:
        """Forward again. Raises RefusedError."""
        await self._change(self.session.redo)

    async def resign(self, seat: int | None) -> None:
        """A person resigns. Raises RefusedError."""
        await self._change(lambda: self.session.resign(seat))

    async def close(self) -> None:
        """Unload the game: agents are dismissed, the lock is released."""
        self.tell(NoticeMessage("closing", "the game is put away"))
        await self.review.close()
        for task in [*self._tasks]:
            task.cancel()
        async with self._lock:
            await self._run(self._put_away)

    def _put_away(self) -> None:
        self.session.close()
        if self._opened.kept is not None:
            self._opened.kept.store.release(self.id)

    async def _reading(self, read: Callable[[], T]) -> T:
        """Read the session in a thread while nothing changes it."""
        async with self._lock:
            return await self._run(read)

    async def _run(self, function: Callable[[], T]) -> T:
        # A thread cannot be cancelled: the lock is held until it is done, even if the tab that asked is gone.
        return await _finished(self.services.threads.run(self.services.threads.tables, function))

    async def _change(self, change: Callable[[], Happening | None]) -> Happening | None:
        """Change the game, save it, and tell all tabs. Raises RefusedError."""
        self.require_changeable()
        return await _finished(self.start(self._changed(change)))

    async def _changed(self, change: Callable[[], Happening | None]) -> Happening | None:
        async with self._lock:
            before, number = self.session.position_number, self.number
            happening, messages = await self._run(lambda: self._applied(change))
            if self.session.position_number != before:
                for message in messages:
                    self.tell(message)
                for tab in self.tabs:
                    tab.drop_analysis(min(number, self.number))
        self.agents.wake()
        return happening

    def _applied(
        self, change: Callable[[], Happening | None]
    ) -> tuple[Happening | None, list[Message]]:
        """Change the session and save it, in a thread; returns what the tabs are told."""
        try:
            happening = change()
        except IllegalActionError as error:
            raise RefusedError("illegal_action", str(error)) from None
        except ValueError as error:
            raise RefusedError("not_allowed", str(error)) from None
        assert self._opened.kept is not None
        self._warning = self._opened.kept.keep() or self._warning
        if self._opened.kept.is_kept:
            self._warning = None
        messages: list[Message] = []
        if happening is not None:
            told = happened_message(self.number, happening, self.labels)
            messages.append(told)
            self._turns[self.number - 1 :] = [(happening, told.turn)]
        return happening, [*messages, self._game()]

    def _played(self, position_number: int, action: int) -> Happening:
        session = self.session
        if position_number != session.position_number:
            raise RefusedError("stale", "the position has changed")
        if session.is_over:
            raise RefusedError("not_allowed", "the game is over")
        state = session.state
        if session.to_move_is_person and not (
            0 <= action < len(legal_mask(state)) and legal_mask(state)[action]
        ):
            raise RefusedError("illegal_action", _why_not(state, action))
        return session.play(action)

    def _is_open(self) -> bool:
        return bool(self.tabs) and self._opened.kept is not None

    def require_changeable(self) -> None:
        """Raise RefusedError if the game is read-only."""
        if self._opened.kept is None:
            raise RefusedError("not_allowed", self._opened.reason or "this game is only looked at")

    def _checked_number(self, number: int | None) -> int:
        if number is None:
            return self.number
        if not 0 <= number <= self.number:
            raise RefusedError(
                "not_found", f"the game has positions 0 to {self.number}, not {number}"
            )
        return number

    def _game(self) -> GameMessage:
        session, kept = self.session, self._opened.kept
        state = session.state
        to_move: Data | None = None
        if not session.is_over:
            to_move = {"seat": state.current_player, "is_person": session.to_move_is_person}
        return GameMessage(
            id=self.id,
            position_number=session.position_number,
            seats=seats_data(session, self.labels, self.services.catalog),
            turns=self._turn_list(),
            number=self.number,
            is_over=session.is_over,
            result=result_data(state, self.labels),
            to_move=to_move,
            can_undo=kept is not None and session.can_undo,
            can_redo=kept is not None and session.can_redo,
            thinking=self.agents.thinking,
            pace={"is_paused": self.agents.is_paused, "seconds": self.agents.seconds},
            is_kept=kept is None or kept.is_kept,
            can_change=kept is not None,
            can_rematch=all(map(self.services.catalog.is_trusted, session.seats)),
            # Nobody would play on in a finished game.
            warning=self._warning or (None if session.is_over else self._opened.reason),
            has_position=session.position is not None,
            seed=session.seed if self._opened.has_seed else None,
            engine=self.default_engine,
        )

    def _turn_list(self) -> list[Data]:
        """The turns as data; words are made once for each."""
        history = self.session.history
        known = 0
        for (happening, _), now in zip(self._turns, history, strict=False):
            if happening is not now:
                break
            known += 1
        del self._turns[known:]
        for number, happening in enumerate(history[known:], known + 1):
            self._turns.append((happening, turn_data(number, happening)))
        return [data for _, data in self._turns]

    def _position(self, number: int) -> PositionMessage:
        """A position; those that several tabs may ask for are drawn once."""
        key = self.session.position_number, number
        if key not in self._positions:
            is_last = number == self.number
            can_play = is_last and self._opened.kept is not None and self.session.to_move_is_person
            message = position_message(self.session, number, self.labels, can_play)
            while len(self._positions) >= MAX_CACHED_POSITIONS:
                del self._positions[next(iter(self._positions))]
            self._positions[key] = message
        return self._positions[key]

    def _tell_game(self) -> None:
        """Tell all tabs of the game as it is now, unless it is changing, which tells them anyway."""
        if self.tabs and not self._lock.locked():
            self.tell(self._game())


async def _finished(work: "Coroutine[Any, Any, T] | asyncio.Task[T]") -> T:
    """Await work that is shielded from cancellation of this task; the cancellation is raised once the work is done."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            with suppress(BaseException):
                await asyncio.wait({task})
        raise


def _why_not(state: GameState, action: int) -> str:
    if not 0 <= action < len(legal_mask(state)):
        return f"{action} is not the number of a move"
    return (
        why_illegal(state, decode_action(action, state.num_players, state.variant))
        or "it is not legal"
    )
