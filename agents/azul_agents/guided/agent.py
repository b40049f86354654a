"""The guided agent: Monte-Carlo search by policy and value, and alpha-beta once it can solve the rest of a round."""

from collections.abc import Generator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, AnalysisLimits, AnalysisStep, MoveValue
from azul_agents.guided.evaluator import guided_evaluator
from azul_agents.kinds import AlphaBetaOptions, GuidedOptions, MctsOptions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.mcts import MctsAgent
from azul_env import GameState

NODES_PER_SIMULATION: Final = 5  # alpha-beta nodes that take as long as a simulation
# Alpha-beta takes over when at most this many offers are left in a round, by number of players. With more than 2 players
# it would have to assume that all others play against it.
SOLVED_OFFERS: Final = {2: 12, 3: 0, 4: 0}


class GuidedAgent(Agent):
    """Monte-Carlo search that the policy guides; without a limit of its own it takes 0.1 seconds per move."""

    def __init__(self, spec: str = "guided", options: GuidedOptions | None = None) -> None:
        self.spec = spec
        self.options = options = options or GuidedOptions()
        monte_carlo_options = MctsOptions(
            options.time, options.simulations, "value", options.exploration, clock=options.clock
        )
        self._monte_carlo = MctsAgent(spec, monte_carlo_options, guided_evaluator)
        nodes = _nodes_for(options.simulations)
        self._alphabeta = AlphaBetaAgent(
            spec, AlphaBetaOptions(options.time, nodes, clock=options.clock)
        )

    def __reduce__(self) -> tuple[type, tuple[str, GuidedOptions]]:
        return type(self), (self.spec, self.options)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The action that the search for this stage of the round chooses."""
        return self._searcher(state).act(state, legal_mask, rng)

    def analyse(self, state: GameState) -> list[MoveValue]:
        """The moves with the margin of points they lead to, by the search for this stage of the round."""
        return self._searcher(state).analyse(state)

    @property
    def analysis_limits(self) -> AnalysisLimits:
        """The limits of a move."""
        return self._monte_carlo.analysis_limits

    def analysis_steps(
        self, state: GameState, limits: AnalysisLimits
    ) -> Generator[AnalysisStep, None, None]:
        """The values of `analyse` as the search goes on."""
        searcher = self._searcher(state)
        if searcher is self._alphabeta:
            limits = limits._replace(nodes=_nodes_for(limits.nodes))
        return searcher.analysis_steps(state, limits)

    def _searcher(self, state: GameState) -> MctsAgent | AlphaBetaAgent:
        """Alpha-beta where it can solve the round, else the Monte-Carlo search."""
        sources = (*state.factories, state.center)
        offers = sum(tiles > 0 for source in sources for tiles in source)
        solve = self.options.solve
        if solve is None:
            solve = SOLVED_OFFERS[state.num_players]
        return self._alphabeta if offers <= solve else self._monte_carlo


def _nodes_for(simulations: int | None) -> int | None:
    """The nodes that alpha-beta may search in place of simulations."""
    return None if simulations is None else NODES_PER_SIMULATION * simulations
