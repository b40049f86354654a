"""Monte-Carlo tree search inside the round, with the learned evaluation or random play at its leaves."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, MoveValue
from azul_agents.kinds import MCTS_LEAVES, MctsOptions
from azul_agents.search.evaluation import Weights, load_weights
from azul_agents.search.timing import TimeLimit
from azul_agents.search.tree import (
    DEADLINE,
    GAME,
    MARGIN_SCALE,
    ROUND,
    SIMULATIONS,
    STOP,
    VALUE,
    new_tree,
)
from azul_env import GameState, new_game

LEAVES: Final = dict(zip(MCTS_LEAVES, (VALUE, ROUND, GAME), strict=True))
CAPACITY: Final = 1 << 21  # nodes; a tree that is full goes on with what it has
NO_LIMIT: Final = 1 << 60


class MctsAgent(Agent):
    """Tree search; without a limit of its own it takes 0.1 seconds a move."""

    def __init__(
        self,
        spec: str = "mcts",
        options: MctsOptions | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.spec = spec
        self.options = options or MctsOptions()
        is_unlimited = self.options.time is None and self.options.simulations is None
        self._limit = TimeLimit(0.1 if is_unlimited else self.options.time)
        self.simulations = 0  # of the last search
        self._weights = weights  # None: those of the package, by number of players
        self._memory = new_tree(CAPACITY)
        self._warm_up()

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The turn that was tried most."""
        return self._search(state, np.uint64(rng.bit_generator.random_raw()))[0][0]

    def analyse(self, state: GameState) -> list[MoveValue]:
        """The turns by how often they were tried, with the margin of points that their mean result stands for."""
        return [
            MoveValue(action, margin_of(mean))
            for action, _, mean in self._search(state, np.uint64(0))
        ]

    def _warm_up(self) -> None:
        """Have everything compiled before the first clock runs: a single simulation."""
        self._memory.begin(new_game(2, rng=0).rows, VALUE, 1, np.uint64(0))
        self._memory.run(load_weights(2) if self._weights is None else self._weights, 1.0)

    def _search(self, state: GameState, stream: np.uint64) -> list[tuple[int, int, float]]:
        """Action, visits and mean result of every turn, the most tried first."""
        if state.is_terminal:
            raise ValueError("the game is over: there is no move to search")
        memory = self._memory
        with self._limit.running(memory.control, DEADLINE, STOP):
            weights = load_weights(state.num_players) if self._weights is None else self._weights
            limit = self.options.simulations or NO_LIMIT
            memory.begin(state.rows, LEAVES[self.options.leaf], limit, stream)
            memory.run(weights, self.options.exploration)
            self.simulations = int(memory.control[SIMULATIONS])
            return sorted(memory.root_turns(), key=lambda turn: (-turn[1], -turn[2]))


def margin_of(result: float) -> float:
    """The margin of points that a mean result stands for; -inf for a turn that was never tried."""
    if result <= -1.0:
        return float("-inf")
    return MARGIN_SCALE * result / float(np.sqrt(max(1e-9, 1.0 - result * result)))
