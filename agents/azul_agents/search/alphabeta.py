"""The alpha-beta agent: iterative deepening within the round, with an evaluator at the leaves."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, MoveValue
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.search.deepening import begin, choose_in_all, deepen
from azul_agents.search.evaluator import Evaluator
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.moves import action_of
from azul_agents.search.pvs import MAX_PLIES, new_memory
from azul_agents.search.timing import TimeLimit
from azul_env import GameState, Rows, new_game

NO_LIMIT: Final = 1 << 60


class AlphaBetaAgent(Agent):
    """The strongest player here. Without a limit of its own it takes 0.1 seconds per move."""

    def __init__(
        self,
        spec: str = "alphabeta",
        options: AlphaBetaOptions | None = None,
        new_evaluator: Callable[[int], Evaluator] = linear_evaluator,
    ) -> None:
        self.spec = spec
        self.options = options or AlphaBetaOptions()
        if self.options.time is None and self.options.nodes is None and self.options.depth is None:
            self.options = AlphaBetaOptions(time=0.1, breadth=self.options.breadth)
        self.nodes = 0  # of the last search
        self.depth = 0  # reached by the last search
        self._evaluator = cache(new_evaluator)  # by number of players
        self._limit = TimeLimit(self.options.time)
        self._memory = new_memory(self.options.breadth, self.options.nodes or NO_LIMIT)
        self._warm_up()

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The best action that the search finds within its limit."""
        return self._search(state, exact_values=False)[0].action

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> Any:
        """The actions that `act` chooses in many games: in one compiled loop, unless there is a time limit."""
        if self.options.time is not None:
            return super().act_batch(rows, legal_masks, rngs)
        if not legal_masks.any(axis=1).all():
            raise ValueError("the game is over: there is no move to search")
        actions = np.zeros(len(rows), np.int64)
        self._memory.control["prune"] = 1
        evaluator = self._evaluator(int(rows["num_players"][0]))
        depth = self.options.depth or MAX_PLIES
        choose_in_all(np.ascontiguousarray(rows), self._memory, evaluator, depth, actions)
        return actions

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All moves, each with the margin of points it leads to; equal factories are listed once."""
        return self._search(state, exact_values=True)

    def _warm_up(self) -> None:
        """Compile everything before the first clock runs: a search that is stopped at once."""
        self._memory.stack[0] = new_game(2, rng=0).rows[0]
        begin(self._memory, 0)
        self._memory.control["stop"] = 1
        deepen(self._memory, self._evaluator(2), 1, False)

    def _search(self, state: GameState, exact_values: bool) -> list[MoveValue]:
        """Deepen until the limit; returns the moves, the best first."""
        if state.is_terminal:
            raise ValueError("the game is over: there is no move to search")
        memory = self._memory
        with self._limit.running(memory.control):
            memory.stack[0] = state.rows[0]
            memory.control["prune"] = not exact_values
            begin(memory, state.current_player)
            evaluator = self._evaluator(state.num_players)
            count = deepen(memory, evaluator, self.options.depth or MAX_PLIES, exact_values)
            self.nodes = int(memory.control["nodes"][0])
            self.depth = int(memory.control["depth_reached"][0])
            moves, values = memory.moves[0, :count], memory.root_values[:count]
            ranked = zip(moves.tolist(), values.tolist(), strict=True)
            return [MoveValue(action_of(move), value) for move, value in ranked]
