"""A teacher: copies of an agent that judge positions on several threads, with values if it is a search."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from azul_agents.registry import make_agent
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.mcts import MctsAgent
from azul_env import Rows
from azul_env.envs.opponents import Player, answers_of

Judgement = tuple[NDArray[np.int64], NDArray[np.float64]]  # actions, and values in points or NaN


class Teacher:
    """Labels positions with the move that an agent would play, and its value of the position."""

    def __init__(self, *copies: Player) -> None:
        """One copy of the agent for every thread: compiled searches release the GIL."""
        self._copies = copies
        self._pool = ThreadPoolExecutor(len(copies))

    @classmethod
    def of_spec(cls, spec: str, threads: int) -> "Teacher":
        """The teacher with this spec."""
        return cls(*(make_agent(spec) for _ in range(threads)))

    def judge(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> Judgement:
        """Actions and values for all games, split evenly between the copies."""
        parts = np.array_split(np.arange(len(rows)), min(len(self._copies), len(rows)))

        def ask(agent: Player, games: NDArray[np.int64]) -> Judgement:
            return _judged(agent, rows[games], legal_masks[games], [rngs[g] for g in games])

        judged = list(self._pool.map(ask, self._copies, parts))
        actions, values = zip(*judged, strict=True)
        return np.concatenate(actions), np.concatenate(values)


def _judged(
    agent: Player, rows: Rows, masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
) -> Judgement:
    if isinstance(agent, AlphaBetaAgent | MctsAgent) and agent.options.time is None:
        return agent.judge_batch(rows)
    return answers_of(agent, rows, masks, rngs), np.full(len(rows), np.nan)
