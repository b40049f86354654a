"""Dispatch of a tab's requests: each becomes a call of its room."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from azul_agents import Analysis
from azul_env import GameState, brief, legal_mask
from azul_ui.web import messages
from azul_ui.web.analysis_queue import FINAL, Job
from azul_ui.web.messages import PongMessage, Ref, RefusedError
from azul_ui.web.review import judged, tried_message
from azul_ui.web.room import Room
from azul_ui.web.tab import Tab
from azul_ui.web.views import NamedMoves, analysis_message, hint_message

HINT_SECONDS: Final = 0.5
MAX_TASKS: Final = 4  # hints and tries of a tab that are under way


class Desk:
    """Answers the requests of one tab. The caller closes it in the end."""

    def __init__(self, room: Room, tab: Tab) -> None:
        self._room = room
        self._tab = tab
        self._tasks: set[asyncio.Task[None]] = set()
        self._hints: set[Job] = set()

    async def answer(self, request: messages.Request, ref: Ref) -> None:
        """Do what a request asks for. Raises RefusedError."""
        room = self._room
        match request:
            case messages.PlayRequest(position_number, action):
                await room.play(position_number, action)
            case messages.UndoRequest():
                await room.undo()
            case messages.RedoRequest():
                await room.redo()
            case messages.ResignRequest(seat):
                await room.resign(seat)
            case messages.PaceRequest(is_paused, seconds):
                room.agents.set_pace(is_paused, seconds)
            case messages.StepRequest():
                room.require_changeable()
                room.agents.step()
            case messages.ViewRequest(number):
                self._tab.send(await room.position(number), ref)
            case messages.PingRequest():
                self._tab.send(PongMessage(), ref)
            case _:
                await self._think(request, ref)

    def close(self) -> None:
        """Stop all thinking on behalf of this tab; the game and its review go on."""
        self._tab.take_analysis(None)
        for job in self._hints:
            job.cancel()
        for task in self._tasks:
            task.cancel()

    async def _think(self, request: messages.Request, ref: Ref) -> None:
        review = self._room.review
        match request:
            case messages.HintRequest():
                await self._hint(ref)
            case messages.AnalyseRequest(number, engine, seconds):
                await self._analyse(number, engine, seconds, ref)
            case messages.StopRequest():
                self._tab.take_analysis(None)
            case messages.ReviewRequest(engine):
                await review.start(engine)
                self._tab.send(await review.message(), ref)
            case messages.StopReviewRequest():
                await review.stop()
            case messages.GetReviewRequest():
                self._tab.send(await review.message(), ref)
            case messages.TryRequest(number, action):
                self._start(self._try(number, action, ref), ref)
            case _:
                raise AssertionError(request)

    async def _analyse(
        self, number: int, engine_name: str, seconds: float | None, ref: Ref
    ) -> None:
        """Stream analyses of a position, in place of those that the tab was getting."""
        engine = self._room.services.catalog.engine(engine_name)
        if seconds is not None and seconds <= 0:
            raise RefusedError("malformed", "analyse: seconds must be above 0")
        state, moves = await self._movable(number)

        def report(status: str, analysis: Analysis | None) -> None:
            self._tab.send(analysis_message(number, engine.name, status, analysis, moves), ref)

        def fail(error: RefusedError) -> None:
            self._tab.refuse(error.code, str(error), ref)

        job = Job(state, engine.spec, seconds, report, fail)
        self._tab.take_analysis(job, number)
        self._room.services.analyses.submit(job)

    async def _hint(self, ref: Ref) -> None:
        if len(self._hints) >= MAX_TASKS:
            raise RefusedError("busy", "hints are under way already")
        number = self._room.number
        state, moves = await self._movable(number)

        def report(status: str, analysis: Analysis | None) -> None:
            if status == FINAL and analysis is not None:
                self._hints.discard(job)
                self._tab.send(hint_message(number, analysis, moves), ref)

        def fail(error: RefusedError) -> None:
            self._hints.discard(job)
            self._tab.refuse(error.code, str(error), ref)

        engine = self._room.services.catalog.engine(self._room.default_engine)
        job = Job(state, engine.spec, HINT_SECONDS, report, fail)
        self._hints.add(job)
        self._room.services.analyses.submit(job)

    async def _try(self, number: int, action: int, ref: Ref) -> None:
        state, _ = await self._movable(number)
        if not 0 <= action < len(legal_mask(state)) or not legal_mask(state)[action]:
            raise RefusedError("illegal_action", f"{action} is not a legal move there")
        services = self._room.services
        engine = self._room.review.engine or self._room.default_engine
        spec = services.catalog.engine(engine).review_spec
        move = await services.threads.run(
            services.threads.reviews,
            lambda: judged(services.agents, spec, number + 1, state, action),
        )
        self._tab.send(tried_message(number, move), ref)

    async def _movable(self, number: int) -> tuple[GameState, NamedMoves]:
        """A position in which there is a move to choose. Raises RefusedError."""
        state = await self._room.state(number)
        if state.is_terminal:
            raise RefusedError("not_allowed", "the game is over there: there is no move to choose")
        threads = self._room.services.threads
        return state, await threads.run(threads.tables, lambda: NamedMoves(state))

    def _start(self, work: Coroutine[Any, Any, None], ref: Ref) -> None:
        """Run something concurrently with the requests that follow."""
        if len(self._tasks) >= MAX_TASKS:
            work.close()
            raise RefusedError("busy", "this tab has asked for much already")
        task = asyncio.create_task(self._guarded(work, ref))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None], ref: Ref) -> None:
        try:
            await work
        except RefusedError as error:
            self._tab.refuse(error.code, str(error), ref)
        except Exception as error:  # an agent that cannot judge, or a bug in it
            self._tab.refuse("failed", brief(str(error), 200), ref)
