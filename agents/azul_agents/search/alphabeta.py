"""The alpha-beta agent: iterative deepening within the round, with an evaluator at the leaves."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import VARIANTS, AnalysisLimits, AnalysisStep, MoveValue
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.search.deepening import (
    begin,
    choose_in_all,
    deepen,
    list_root,
    search_to_depth,
)
from azul_agents.search.evaluator import Evaluator
from azul_agents.search.lookahead import DEFAULT_DEALS, look_ahead, new_lookahead
from azul_agents.search.moves import MAX_MOVES, action_of
from azul_agents.search.network.evaluator import NetworkEvaluator
from azul_agents.search.pvs import MAX_PLIES, new_memory
from azul_agents.search.search_agent import SearchAgent
from azul_agents.search.shipped import evaluator_named
from azul_agents.search.timing import NEVER, POLL_SECONDS, Stopwatch, TimeLimit
from azul_env import GameState, Rows, new_game
from azul_env.core.state import empty_rows
from azul_env.core.variant import variant_named, variant_of

NO_LIMIT: Final = 1 << 60
COLORED: Final = VARIANTS[0]


class AlphaBetaAgent(SearchAgent):
    """Alpha-beta search; without a limit of its own it takes 0.1 seconds per move."""

    variants = VARIANTS

    def __init__(
        self,
        spec: str = "alphabeta",
        options: AlphaBetaOptions | None = None,
        new_evaluator: Callable[..., Evaluator] | None = None,
    ) -> None:
        super().__init__(spec, options, new_evaluator)
        self.spec = spec
        self.options = options or AlphaBetaOptions()
        if self.options.time is None and self.options.nodes is None and self.options.depth is None:
            self.options = replace(self.options, time=0.1)
        if new_evaluator is None:
            new_evaluator = partial(evaluator_named, self.options.evaluation)
        self.nodes = 0  # of the last search
        self.depth = 0  # reached by the last search
        self.deals = 0  # sampled by the last search
        self._new_evaluator = cache(new_evaluator)  # by number of players, then by variant
        self._variant = COLORED
        self._limit = TimeLimit(self.options.time, self.options.clock)
        self._max_depth = min(self.options.depth or MAX_PLIES, MAX_PLIES)
        has_limit = self.options.time is not None or self.options.nodes is not None
        widest = self.options.widest if has_limit else 0
        self._memory = new_memory(self.options.breadth, self.options.nodes or NO_LIMIT, widest)
        # By variant; all arrays but the positions are shared.
        self._memories = {COLORED: self._memory}
        self._lookahead = new_lookahead()
        self._warm_up()

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The best action that the search finds within its limit."""
        return self._search(state, exact_values=False)[0].action

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> Any:
        """The actions that `act` chooses in many games: in one compiled loop, unless it needs a clock or samples deals."""
        if self.options.time is not None or self.options.deals:
            return super().act_batch(rows, legal_masks, rngs)
        return self.judge_batch(rows)[0]

    def judge_batch(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The chosen actions of many games and their values to the players to move, in points.

        Ignores the time limit and samples no deals. Caller guarantees that no game is over and that all have the same
        number of players.
        """
        with self._searching():
            self._turn_to(variant_of(rows).name)
            actions, values = np.zeros(len(rows), np.int64), np.zeros(len(rows))
            self._memory.control["prune"] = 1
            self._memory.control["keeps_table"] = 0
            self._memory.control["node_limit"] = self.options.nodes or NO_LIMIT
            evaluator = self._evaluator(int(rows["num_players"][0]))
            rows = np.ascontiguousarray(rows)
            choose_in_all(rows, self._memory, evaluator, self._max_depth, actions, values)
        return actions, values

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All moves, each with the margin of points it leads to; equal factories are listed once."""
        return self._search(state, exact_values=True)

    @property
    def analysis_limits(self) -> AnalysisLimits:
        """The limits of a move, except the depth, which holds for every analysis."""
        return AnalysisLimits(self.options.time, self.options.nodes)

    def analysis_steps(
        self, state: GameState, limits: AnalysisLimits
    ) -> Generator[AnalysisStep, None, None]:
        """The values of `analyse` after every depth; between depths the last ones again, with the nodes so far."""
        with self._analysing():
            self._turn_to(state.variant)
            self._begin(state, exact_values=True, node_limit=limits.nodes)
            control = self._memory.control
            control["deadline"] = NEVER
            steps: SimpleQueue[AnalysisStep | BaseException | None] = SimpleQueue()
            # A thread of its own, since the search, which runs without the GIL, has to be stopped in the middle.
            arguments = (self._evaluator(state.num_players), steps)
            worker = Thread(target=self._deepen_by_steps, args=arguments, daemon=True)
            worker.start()
            try:
                yield from self._watched(steps, Stopwatch(limits))
            finally:
                control["stop"] = 1
                worker.join()

    def _deepen_by_steps(self, evaluator: Evaluator, steps: SimpleQueue[Any]) -> None:
        """Iterative deepening: queues a step for every completed depth, then None or the exception that ended it."""
        memory, max_depth = self._memory, self._max_depth
        try:
            count = list_root(memory, evaluator)
            for depth in range(1, max_depth + 1):
                if search_to_depth(memory, evaluator, depth, count, True) < count:
                    break
                steps.put(self._step(count, depth, is_last=depth == max_depth))
                if memory.control["has_horizon"][0] == 0:
                    break
            steps.put(None)
        except BaseException as error:
            steps.put(error)

    def _watched(self, steps: SimpleQueue[Any], watch: Stopwatch) -> Iterator[AnalysisStep]:
        """Pass on the steps of a running search, and have it stopped at a limit."""
        control = self._memory.control
        latest: AnalysisStep = _checked(steps.get())  # depth 1 takes no time worth a limit
        while True:
            yield latest
            if latest.is_final:
                return
            watch.note_report()
            step = latest
            while step is latest:
                if watch.is_over():
                    control["stop"] = 1
                with suppress(Empty):
                    step = _checked(steps.get(timeout=POLL_SECONDS))
                if step is latest and watch.is_report_due():
                    step = latest._replace(nodes=int(control["nodes"][0]))
            if step is None:
                step = latest._replace(nodes=int(control["nodes"][0]), is_final=True)
            latest = step

    def _step(self, count: int, depth: int, is_last: bool) -> AnalysisStep:
        """The step of a completed depth."""
        memory = self._memory
        is_solved = memory.control["has_horizon"][0] == 0
        self.nodes, self.depth = int(memory.control["nodes"][0]), depth
        lines = [
            tuple(action_of(move) for move in memory.lines[slot, :length].tolist())
            for slot, length in enumerate(memory.line_lengths[:count].tolist())
        ]
        return AnalysisStep(
            moves=self._ranked(count),
            lines={line[0]: line for line in lines},
            depth=depth,
            nodes=self.nodes,
            is_solved=bool(is_solved),
            is_final=bool(is_last or is_solved),
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
            stack = empty_rows(MAX_PLIES + 1, variant_named(variant).dtype)
            self._memory = self._memories[variant] = self._memory._replace(stack=stack)
            self._warm_up()
        self._memory = self._memories[variant]

    def _warm_up(self) -> None:
        """Compile everything before the first clock runs: a search that is stopped at once."""
        self._memory.stack[0] = new_game(2, rng=0, variant=self._variant).rows[0]
        begin(self._memory, 0)
        self._memory.control["stop"] = 1
        evaluator = self._evaluator(2)
        deepen(self._memory, evaluator, 1, False)
        if self._num_deals(evaluator, 2):
            look_ahead(self._memory, evaluator, self._lookahead, 0, 0)

    def _num_deals(self, evaluator: Evaluator, num_players: int) -> int:
        """How many deals a move may sample; none on gray walls, where lines end before the walls are tiled."""
        if self._variant != COLORED:
            return 0
        if self.options.deals is not None:
            return self.options.deals
        has_network = isinstance(evaluator, NetworkEvaluator)
        return DEFAULT_DEALS[num_players] if self._is_timed and has_network else 0

    @property
    def _is_timed(self) -> bool:
        """True if time, not nodes, limits a move; only then may a move depend on earlier searches."""
        return self.options.time is not None and self.options.nodes is None

    def _begin(self, state: GameState, exact_values: bool, node_limit: int | None) -> None:
        """Prepare a search of a position."""
        control = self._memory.control
        self._memory.stack[0] = state.rows[0]
        control["prune"] = not exact_values
        # An analysis, and a move by a limit on nodes, depend on nothing but the position.
        control["keeps_table"] = self._is_timed and not exact_values
        control["node_limit"] = node_limit or NO_LIMIT
        if exact_values:  # the first depth, a node for each move, is always searched
            control["node_limit"] = max(MAX_MOVES + 1, control["node_limit"][0])
        begin(self._memory, state.current_player)

    def _search(self, state: GameState, exact_values: bool) -> list[MoveValue]:
        """Deepen until the limit; returns the moves, the best first."""
        with self._searching():
            self._turn_to(state.variant)
            memory = self._memory
            with self._limit.running(memory.control):
                self._begin(state, exact_values, self.options.nodes)
                evaluator = self._evaluator(state.num_players)
                count = deepen(memory, evaluator, self._max_depth, exact_values)
                deals = 0 if exact_values else self._num_deals(evaluator, state.num_players)
                self.deals = (
                    look_ahead(memory, evaluator, self._lookahead, count, deals) if deals else 0
                )
                self.nodes = int(memory.control["nodes"][0])
                self.depth = int(memory.control["depth_reached"][0])
                return self._ranked(count)

    def _ranked(self, count: int) -> list[MoveValue]:
        moves, values = self._memory.moves[0, :count], self._memory.root_values[:count]
        ranked = zip(moves.tolist(), values.tolist(), strict=True)
        return [MoveValue(action_of(move), value) for move, value in ranked]


def _checked(step: AnalysisStep | BaseException | None) -> Any:
    """A step of a search; raises the exception that ended it instead."""
    if isinstance(step, BaseException):
        raise step
    return step
