"""Looks ahead to the end of the round with alpha-beta, deeper and deeper until its limit, and a learned evaluation."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, MoveValue
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.search.deepening import choose_in_all, deepen, prepare
from azul_agents.search.evaluation import Weights, load_weights
from azul_agents.search.principal_variation import (
    DEADLINE,
    MAX_PLIES,
    NODES,
    PRUNE,
    REACHED,
    STOP,
    new_memory,
)
from azul_agents.search.timing import TimeLimit
from azul_env import GameState, new_game
from azul_env.core.state import Rows

NO_LIMIT: Final = 1 << 60


class AlphaBetaAgent(Agent):
    """The strongest player here. Without a limit of its own it takes 0.1 seconds a move."""

    def __init__(
        self,
        spec: str = "alphabeta",
        options: AlphaBetaOptions | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.spec = spec
        self.options = options or AlphaBetaOptions()
        if self.options.time is None and self.options.nodes is None and self.options.depth is None:
            self.options = AlphaBetaOptions(time=0.1, breadth=self.options.breadth)
        self.nodes = 0  # of the last search
        self.depth = 0  # to which the last search got
        self._weights = weights  # None: those of the package, by number of players
        self._limit = TimeLimit(self.options.time)
        self._memory = new_memory(self.options.breadth, self.options.nodes or NO_LIMIT)
        self._warm_up()

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The best action that the search finds within its limit."""
        return self._search(state, exact_values=False)[0].action

    def act_in_all(self, rows: Rows) -> NDArray[np.int64]:
        """The actions of a batch of games, the same that `act` chooses one by one; not for limits of time."""
        if self.options.time is not None:
            raise ValueError(f"{self.spec}: a limit of time is for one game at a time")
        actions = np.zeros(len(rows), np.int64)
        self._memory.control[PRUNE] = 1
        weights = self._weights_for(int(rows["num_players"][0]))
        choose_in_all(rows, self._memory, weights, self.options.depth or MAX_PLIES, actions)
        return actions

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All moves, each with the margin of points it leads to; equal displays are listed once."""
        return self._search(state, exact_values=True)

    def _warm_up(self) -> None:
        """Have everything compiled before the first clock runs: a search that is stopped at once."""
        self._memory.stack[0] = new_game(2, rng=0).rows[0]
        prepare(self._memory, 0)
        self._memory.control[STOP] = 1
        deepen(self._memory, self._weights_for(2), 1, False)

    def _weights_for(self, num_players: int) -> Weights:
        return load_weights(num_players) if self._weights is None else self._weights

    def _search(self, state: GameState, exact_values: bool) -> list[MoveValue]:
        """Deepen until the limit; the moves, the best first."""
        if state.is_terminal:
            raise ValueError("the game is over: there is no move to search")
        memory = self._memory
        with self._limit.running(memory.control, DEADLINE, STOP):
            memory.stack[0] = state.rows[0]
            memory.control[PRUNE] = not exact_values
            prepare(memory, state.current_player)
            weights = self._weights_for(state.num_players)
            count = deepen(memory, weights, self.options.depth or MAX_PLIES, exact_values)
            self.nodes, self.depth = int(memory.control[NODES]), int(memory.control[REACHED])
            turns, values = memory.turns[0, :count].tolist(), memory.root_values[:count].tolist()
            return [MoveValue(*move) for move in zip(turns, values, strict=True)]
