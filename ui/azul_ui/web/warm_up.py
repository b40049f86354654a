"""Compiling the engine in the background when the server starts, and telling the tabs if it takes long."""

import asyncio
from collections.abc import Callable
from typing import Final

import numpy as np

from azul_agents import reviewed_move
from azul_agents.base import VARIANTS
from azul_env import MAX_PLAYERS, legal_mask, new_game, verify
from azul_ui.games.session import PERSON, GameSession
from azul_ui.web.agent_pool import AgentPool
from azul_ui.web.messages import NoticeMessage
from azul_ui.web.thinking import Threads
from azul_ui.web.views import happened_message, position_message

TOLD_AFTER_SECONDS: Final = 1.0
PLAYERS: Final = (
    "greedy",
    "ppo",
    "alphabeta:nodes=300",
)  # what most games need, the cheapest first
ANALYSTS: Final = ("alphabeta:nodes=300", "mcts:simulations=300")
COMPILING: Final = NoticeMessage(
    "compiling", "the engine is being compiled, which takes a minute or two the first time"
)
LABELS: Final = ("A", "B", "C", "D")
READY: Final = NoticeMessage("ready", "the engine is compiled")


class WarmUp:
    """Makes one agent of each common kind, so that the first move of a game needs no compiling."""

    def __init__(self, threads: Threads, agents: AgentPool) -> None:
        self._threads = threads
        self._agents = agents
        self.is_compiling = False

    async def run(self, tell: Callable[[NoticeMessage], None]) -> None:
        """Compile, and notify with `tell` if it takes long, except for what only some games need."""
        common, *rest = VARIANTS
        work = asyncio.ensure_future(self._compiled(common))
        await asyncio.wait({work}, timeout=TOLD_AFTER_SECONDS)
        if not work.done():
            self.is_compiling = True
            tell(COMPILING)
        try:
            await work
        finally:
            was_told, self.is_compiling = self.is_compiling, False
        if was_told:
            tell(READY)
        for variant in rest:
            await self._compiled(variant)

    async def _compiled(self, variant: str) -> None:
        await self._threads.run(self._threads.warm_up, lambda: self._compile(variant))

    def _compile(self, variant: str) -> None:
        # The rules first, so that what only needs them need not wait until an agent is compiled.
        rehearse(variant)
        state = new_game(2, rng=0, variant=variant)
        mask = legal_mask(state)
        for spec in PLAYERS:
            if self._agents.plays(spec, variant):
                with self._agents.borrowed(spec, state) as agent:
                    agent.act(state, mask, np.random.default_rng(0))
        for spec in ANALYSTS:
            with self._agents.borrowed(spec, state) as agent:
                reviewed_move(1, state, int(np.flatnonzero(mask)[0]), agent)


def rehearse(variant: str) -> None:
    """Play, show and replay a round, which compiles all of the engine that a game needs besides its agents."""
    session = GameSession([PERSON] * MAX_PLAYERS, 0, variant=variant)
    while session.state.round == 0:
        actions = np.flatnonzero(legal_mask(session.state))
        happening = session.play(int(actions[0]))
        happened_message(len(session.history), happening, LABELS)
    position_message(session, len(session.history), LABELS, can_play=True)
    session.undo()
    session.redo()
    session.resign()
    verify(session.record)
