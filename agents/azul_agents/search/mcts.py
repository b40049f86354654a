"""The Monte-Carlo search agent: simulations within the round, with an evaluator or random playouts at their ends."""

import time
from collections.abc import Callable, Generator
from functools import cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import VARIANTS, AnalysisLimits, AnalysisStep, MoveValue
from azul_agents.kinds import MCTS_LEAVES, MctsOptions
from azul_agents.search.evaluator import Evaluator
from azul_agents.search.graph import GAME, ROUND, VALUE, RootMove, new_graph
from azul_agents.search.search_agent import SearchAgent
from azul_agents.search.shipped import evaluator_named
from azul_agents.search.simulation import MARGIN_SCALE, SIMULATIONS_PER_LOOK, simulate
from azul_agents.search.timing import NEVER, POLL_SECONDS, Stopwatch, TimeLimit
from azul_env import GameState, encode_action, legal_actions, new_game
from azul_env.core.state import Rows, empty_rows
from azul_env.core.variant import variant_named
from azul_env.state import trusted_state

LEAVES: Final[dict[str, int]] = dict(zip(MCTS_LEAVES, (VALUE, ROUND, GAME), strict=True))
CAPACITY: Final = 1 << 21  # edges; simulations continue in a full graph, without expanding it
NO_LIMIT: Final = 1 << 60
COLORED: Final = VARIANTS[0]
# Of an even share of the simulations: what every move gets in an analysis at least.
ANALYSIS_PERCENT: Final = 25


class MctsAgent(SearchAgent):
    """Monte-Carlo search; without a limit of its own it takes 0.1 seconds per move."""

    variants = VARIANTS

    def __init__(
        self,
        spec: str = "mcts",
        options: MctsOptions | None = None,
        new_evaluator: Callable[..., Evaluator] | None = None,
    ) -> None:
        super().__init__(spec, options, new_evaluator)
        self.spec = spec
        self.options = options or MctsOptions()
        is_unlimited = self.options.time is None and self.options.simulations is None
        self._limit = TimeLimit(0.1 if is_unlimited else self.options.time, self.options.clock)
        if new_evaluator is None:
            new_evaluator = partial(evaluator_named, self.options.evaluation)
        self.simulations = 0  # of the last search
        self._new_evaluator = cache(new_evaluator)  # by number of players, then by variant
        self._variant = COLORED
        self._memory = new_graph(CAPACITY)
        self._memories = {
            COLORED: self._memory
        }  # by variant; all arrays but the positions are shared
        self._warm_up()

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The most visited action."""
        return self._search(state, np.uint64(rng.bit_generator.random_raw()))[0].action

    def judge_batch(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The most visited actions of many games and their values to the players to move, in points.

        Caller guarantees that no game is over.
        """
        actions, values = np.zeros(len(rows), np.int64), np.zeros(len(rows))
        for game in range(len(rows)):
            state = trusted_state(rows[game : game + 1].copy())
            best = self._search(state, np.uint64(0))[0]
            actions[game], values[game] = best.action, margin_of(best.result)
        return actions, values

    def analyse(self, state: GameState) -> list[MoveValue]:
        """The moves, most visited first, with the margin of points that their mean result stands for.

        All moves are tried, unless the limit is too low: then one that was not has the lowest value of those that were.
        """
        found = self._search(state, np.uint64(0), ANALYSIS_PERCENT)
        return [MoveValue(action, margin_of(move.result)) for action, move in _listed(state, found)]

    @property
    def analysis_limits(self) -> AnalysisLimits:
        """The limits of a move."""
        return AnalysisLimits(self._limit.seconds, self.options.simulations)

    def analysis_steps(
        self, state: GameState, limits: AnalysisLimits
    ) -> Generator[AnalysisStep, None, None]:
        """The values of `analyse` as the graph grows."""
        with self._analysing():
            self._turn_to(state.variant)
            memory, evaluator = self._memory, self._evaluator(state.num_players)
            memory.control["deadline"] = NEVER
            memory.begin(state.rows, LEAVES[self.options.leaf], 0, np.uint64(0), ANALYSIS_PERCENT)
            watch = Stopwatch(limits)
            self.simulations = 0
            total, chunk = limits.nodes or NO_LIMIT, SIMULATIONS_PER_LOOK
            while True:
                began = time.monotonic()
                memory.control["simulation_limit"] = min(total, self.simulations + chunk)
                simulate(memory, evaluator, self.options.exploration)
                self.simulations = int(memory.control["simulations"][0])
                if time.monotonic() - began < POLL_SECONDS / 2:
                    chunk *= 2
                is_final = self.simulations >= total or watch.is_over()
                if is_final or watch.is_report_due():
                    yield self._step(state, is_final)
                if is_final:
                    return

    def _step(self, state: GameState, is_final: bool) -> AnalysisStep:
        found = _listed(state, self._ranked())
        moves = [MoveValue(action, margin_of(move.result)) for action, move in found]
        searched = {line[0]: line for line in self._memory.root_lines()}
        margins: dict[int, tuple[float, ...]] = {}
        if state.num_players > 2:
            margins = {action: tuple(map(margin_of, move.results)) for action, move in found}
        return AnalysisStep(
            moves=moves,
            lines={move.action: searched.get(move.action, (move.action,)) for move in moves},
            depth=None,
            nodes=self.simulations,
            is_solved=False,
            is_final=is_final,
            margins=margins,
        )

    def _evaluator(self, num_players: int) -> Evaluator:
        """The evaluator for this number of players and the current variant."""
        if self._variant == COLORED:
            return self._new_evaluator(num_players)
        return self._new_evaluator(num_players, variant=self._variant)

    def _turn_to(self, variant: str) -> None:
        """Switch to games of this variant."""
        self._variant = variant
        if variant not in self._memories:
            rows = empty_rows(2, variant_named(variant).dtype)
            self._memory = self._memories[variant] = self._memory._replace(rows=rows)
            self._warm_up()
        self._memory = self._memories[variant]

    def _warm_up(self) -> None:
        """Compile everything before the first clock runs: a single simulation."""
        rows = new_game(2, rng=0, variant=self._variant).rows
        self._memory.begin(rows, VALUE, 1, np.uint64(0))
        simulate(self._memory, self._evaluator(2), 1.0)

    def _search(
        self, state: GameState, stream: np.uint64, least_percent: int = 0
    ) -> list[RootMove]:
        """The moves, most visited first."""
        with self._searching():
            self._turn_to(state.variant)
            memory = self._memory
            with self._limit.running(memory.control):
                limit = self.options.simulations or NO_LIMIT
                memory.begin(state.rows, LEAVES[self.options.leaf], limit, stream, least_percent)
                simulate(memory, self._evaluator(state.num_players), self.options.exploration)
                self.simulations = int(memory.control["simulations"][0])
                return self._ranked()

    def _ranked(self) -> list[RootMove]:
        return sorted(self._memory.root_moves(), key=lambda move: (-move.tries, -move.result))


def _listed(state: GameState, ranked: list[RootMove]) -> list[tuple[int, RootMove]]:
    """All actions with what was found; of those never tried, or left out by the search, as much as of the worst."""
    worst = min((move for move in ranked if move.tries), key=lambda move: move.result)
    found = {move.action: move if move.tries else worst for move in ranked}
    firsts = {*map(state.factories.index, state.factories), len(state.factories)}
    for move in legal_actions(state):
        if move.source in firsts:  # of equal factories only the first is listed
            found.setdefault(encode_action(move, state.num_players, state.variant), worst)
    return list(found.items())


def margin_of(result: float) -> float:
    """The margin of points that a mean result stands for; -inf for a move that was never tried."""
    if result <= -1.0:
        return float("-inf")
    return MARGIN_SCALE * result / float(np.sqrt(max(1e-9, 1.0 - result * result)))
