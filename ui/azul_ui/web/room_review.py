"""The review of one room: it runs in the background, tells the tabs, and goes on after a restart."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from azul_agents import ReviewedMove
from azul_env import brief
from azul_ui.games.session import Happening
from azul_ui.web.catalog import Engine
from azul_ui.web.messages import ErrorMessage, Message, RefusedError, ReviewMessage
from azul_ui.web.review import (
    FINAL,
    NONE,
    RUNNING,
    STOPPED,
    Judgement,
    ReviewFile,
    held,
    judged,
    judgement_data,
    move_numbers,
    read_review,
    review_message,
    write_review,
)
from azul_ui.web.services import Services

T = TypeVar("T")

SAVED_EVERY_SECONDS: Final = 2.0


class RoomReview:
    """The judgements of a game's moves; `history` reads its turns, `tell` sends to its tabs."""

    def __init__(
        self,
        services: Services,
        path: Path,
        history: Callable[[], Awaitable[list[Happening]]],
        tell: Callable[[Message], None],
    ) -> None:
        self._services = services
        self._path = path
        self._history = history
        self._tell = tell
        self._engine: str | None = None
        self._status = NONE
        self._judgements: list[Judgement] = []
        self._task: asyncio.Task[None] | None = None
        self._saved_at = 0.0
        self._is_restored = asyncio.Event()

    @property
    def is_running(self) -> bool:
        """True while moves are judged."""
        return self._task is not None and not self._task.done()

    @property
    def engine(self) -> str | None:
        """The engine of the review; None if there is none."""
        return self._engine

    async def restore(self) -> None:
        """Read the saved review; one that was running continues. Everything else waits for it."""
        try:
            await self._restore()
        finally:
            self._is_restored.set()

    async def _restore(self) -> None:
        kept = await self._in_tables(lambda: read_review(self._path))
        if kept is None:
            return
        with suppress(RefusedError):  # its engine may not be on this command line
            engine = self._services.catalog.engine(kept.engine)
            self._engine, self._status = kept.engine, kept.status
            await self._take(kept.moves)
            if kept.status == RUNNING:
                self._task = asyncio.create_task(self._run(engine))

    async def start(self, engine_name: str) -> None:
        """Judge all moves that are not judged yet. Raises RefusedError for an unknown engine."""
        engine = self._services.catalog.engine(engine_name)
        await self._is_restored.wait()
        if self.is_running and engine_name == self._engine:
            return
        await self._cancel()
        if engine_name != self._engine:
            self._judgements = []
        self._engine, self._status = engine_name, RUNNING
        self._task = asyncio.create_task(self._run(engine))

    async def stop(self) -> None:
        """Stop judging moves; the judgements so far are kept."""
        if self.is_running:
            await self._cancel()
            self._status = STOPPED
            await self._save(await self._history())
            self._tell(await self.message())

    async def close(self) -> None:
        """Stop the work; a running review continues when the game is opened again."""
        await self._cancel()

    async def message(self) -> ReviewMessage:
        """All that is known."""
        await self._is_restored.wait()
        history = await self._history()
        await self._take([each.move for each in self._judgements], history)
        return self._message(0, history)

    def _message(self, first: int, history: Sequence[Happening]) -> ReviewMessage:
        total = len(move_numbers(history))
        status = self._status
        if status == FINAL and len(self._judgements) < total:
            status = STOPPED  # the game went on since
        players = len(history[0].before.players) if history else 0
        return review_message(self._engine, status, self._judgements, first, total, players)

    async def _take(
        self, moves: Sequence[ReviewedMove], history: list[Happening] | None = None
    ) -> None:
        """Keep the judgements that hold for the game as it is now."""
        turns = await self._history() if history is None else history
        known = {id(each.move): each for each in self._judgements}

        def judgements() -> list[Judgement]:
            found = []
            for move in held(moves, turns):
                judgement = known.get(id(move))
                if judgement is None:
                    with suppress(ValueError):  # a damaged file may name impossible moves
                        before = turns[move.number - 1].before
                        judgement = Judgement(move, judgement_data(move, before))
                if judgement is None:
                    break
                found.append(judgement)
            return found

        self._judgements = await self._in_tables(judgements)

    async def _run(self, engine: Engine) -> None:
        try:
            await self._judge_all(engine)
        except Exception as error:  # an agent that cannot judge, or a bug in it
            self._status = STOPPED
            self._tell(ErrorMessage("failed", brief(f"the review stopped: {error}", 200)))
            self._tell(await self.message())

    async def _judge_all(self, engine: Engine) -> None:
        threads = self._services.threads
        while True:
            history = await self._history()
            await self._take([each.move for each in self._judgements], history)
            numbers = move_numbers(history)
            done = len(self._judgements)
            if done == len(numbers):
                break
            number = numbers[done]
            judge = partial(self._judgement, engine.review_spec, number, history[number - 1])
            self._judgements.append(await threads.run(threads.reviews, judge))
            self._tell(self._message(done, history))
            if time.monotonic() - self._saved_at > SAVED_EVERY_SECONDS:
                await self._save(history)
        self._status = FINAL
        await self._save(history)
        self._tell(self._message(len(self._judgements), history))

    def _judgement(self, spec: str, number: int, turn: Happening) -> Judgement:
        assert turn.action is not None, "resignations are not judged"
        move = judged(self._services.agents, spec, number, turn.before, turn.action)
        return Judgement(move, judgement_data(move, turn.before))

    async def _save(self, history: Sequence[Happening]) -> None:
        if not history or self._engine is None:
            return
        moves = [each.move for each in self._judgements]
        review = ReviewFile(self._engine, self._status, moves)
        with suppress(OSError):  # the review goes on in memory
            await self._in_tables(lambda: write_review(self._path, review))
        self._saved_at = time.monotonic()

    async def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _in_tables(self, function: Callable[[], T]) -> T:
        return await self._services.threads.run(self._services.threads.tables, function)
