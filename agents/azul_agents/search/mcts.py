"""The Monte-Carlo tree search agent: search within the round, with an evaluator or random playouts at the leaves."""

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, MoveValue
from azul_agents.kinds import MCTS_LEAVES, MctsOptions
from azul_agents.search.evaluator import Evaluator
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.timing import TimeLimit
from azul_agents.search.tree import GAME, MARGIN_SCALE, ROUND, VALUE, new_tree
from azul_env import GameState, new_game

LEAVES: Final[dict[str, int]] = dict(zip(MCTS_LEAVES, (VALUE, ROUND, GAME), strict=True))
CAPACITY: Final = 1 << 21  # nodes; a tree that is full goes on with what it has
NO_LIMIT: Final = 1 << 60


class MctsAgent(Agent):
    """Tree search; without a limit of its own it takes 0.1 seconds per move."""

    def __init__(
        self,
        spec: str = "mcts",
        options: MctsOptions | None = None,
        new_evaluator: Callable[[int], Evaluator] = linear_evaluator,
    ) -> None:
        self.spec = spec
        self.options = options or MctsOptions()
        is_unlimited = self.options.time is None and self.options.simulations is None
        self._limit = TimeLimit(0.1 if is_unlimited else self.options.time)
        self.simulations = 0  # of the last search
        self._evaluator = cache(new_evaluator)  # by number of players
        self._memory = new_tree(CAPACITY)
        self._warm_up()

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The most visited action."""
        return self._search(state, np.uint64(rng.bit_generator.random_raw()))[0][0]

    def analyse(self, state: GameState) -> list[MoveValue]:
        """The moves, most visited first, with the margin of points that their mean result stands for."""
        return [
            MoveValue(action, margin_of(mean))
            for action, _, mean in self._search(state, np.uint64(0))
        ]

    def _warm_up(self) -> None:
        """Compile everything before the first clock runs: a single simulation."""
        self._memory.begin(new_game(2, rng=0).rows, VALUE, 1, np.uint64(0))
        self._memory.run(self._evaluator(2), 1.0)

    def _search(self, state: GameState, stream: np.uint64) -> list[tuple[int, int, float]]:
        """Action, visits and mean result of every move, most visited first."""
        if state.is_terminal:
            raise ValueError("the game is over: there is no move to search")
        memory = self._memory
        with self._limit.running(memory.control):
            limit = self.options.simulations or NO_LIMIT
            memory.begin(state.rows, LEAVES[self.options.leaf], limit, stream)
            memory.run(self._evaluator(state.num_players), self.options.exploration)
            self.simulations = int(memory.control["simulations"][0])
            return sorted(memory.root_moves(), key=lambda move: (-move[1], -move[2]))


def margin_of(result: float) -> float:
    """The margin of points that a mean result stands for; -inf for a move that was never tried."""
    if result <= -1.0:
        return float("-inf")
    return MARGIN_SCALE * result / float(np.sqrt(max(1e-9, 1.0 - result * result)))
