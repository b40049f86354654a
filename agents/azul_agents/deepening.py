"""Searching deeper and deeper, the best turns first, until a limit: the root of alpha-beta and the arrays it needs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_agents.evaluation import MAX_LISTED, Weights, margin_value
from azul_agents.search import (
    ABORTED,
    BREADTH,
    CONTROL_SIZE,
    CUT,
    FRAME,
    GENERATION,
    MAX_PLIES,
    NODE_LIMIT,
    NODES,
    NULL_WINDOW,
    PRUNE,
    REACHED,
    SEARCHER,
    STOP,
    TABLE_SIZE,
    search,
)
from azul_agents.turns import MAX_TURNS, bring_best_forward, list_turns
from azul_env.core.actions import action_parts
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.moves import draft
from azul_env.core.rounds import finish_round
from azul_env.core.state import Rows, empty_rows
from azul_env.core.words import as_bool


@called_kernel
def search_root(
    stack: Rows,
    depth: int,
    count: int,
    exact_values: bool,
    frames: NDArray[Any],
    control: NDArray[np.int64],
    table: NDArray[np.int64],
    values: NDArray[np.float64],
    turns: NDArray[np.int64],
    guesses: NDArray[np.float64],
    root_values: NDArray[np.float64],
    weights: Weights,
    places: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> int:
    """Search the first `count` turns in turns[0] to a depth; root_values[place] is the value of each.

    Turns that are no better than the best so far get an upper bound, unless `exact_values`. The answer is how many turns
    were searched before the search was stopped.
    """
    low = -np.inf
    for place in range(count):
        stack[1] = stack[0]
        source, color, destination = action_parts(turns[0, place])
        if draft(stack[1], source, color, destination):
            finish_round(stack[1])
            control[NODES] += 1
            value = margin_value(stack[1], control[SEARCHER], weights, places, amounts)
        elif place == 0 or exact_values:
            value = search(
                stack,
                depth - 1,
                -np.inf,
                np.inf,
                frames,
                control,
                table,
                values,
                turns,
                guesses,
                weights,
                places,
                amounts,
            )
        else:
            value = search(
                stack,
                depth - 1,
                low,
                low + NULL_WINDOW,
                frames,
                control,
                table,
                values,
                turns,
                guesses,
                weights,
                places,
                amounts,
            )
            if value > low and control[ABORTED] == 0:
                value = search(
                    stack,
                    depth - 1,
                    low,
                    np.inf,
                    frames,
                    control,
                    table,
                    values,
                    turns,
                    guesses,
                    weights,
                    places,
                    amounts,
                )
        if control[ABORTED]:
            return place
        root_values[place] = value
        low = max(low, value)
    return count


@kernel
def rank_turns(turns: NDArray[np.int64], root_values: NDArray[np.float64], count: int) -> None:
    """Sort the first `count` turns by value, the best first; equal ones stay in order."""
    for place in range(1, count):
        turn, value = turns[place], root_values[place]
        before = place
        while before > 0 and root_values[before - 1] < value:
            turns[before], root_values[before] = turns[before - 1], root_values[before - 1]
            before -= 1
        turns[before], root_values[before] = turn, value


@called_kernel
def deepen(
    stack: Rows,
    max_depth: int,
    exact_values: bool,
    frames: NDArray[Any],
    control: NDArray[np.int64],
    table: NDArray[np.int64],
    values: NDArray[np.float64],
    turns: NDArray[np.int64],
    guesses: NDArray[np.float64],
    root_values: NDArray[np.float64],
    weights: Weights,
    places: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> int:
    """Search stack[0] deeper and deeper until a limit; afterwards turns[0] and root_values are ranked, best first.

    The answer is the number of turns. A search that is stopped in the middle still counts, since it has looked at the
    best turn so far before all others; where `exact_values` are asked for, the last whole search does.
    """
    for root in range(1):
        count = list_turns(
            stack[root], turns[root], guesses[root], control[PRUNE] == 1, as_bool(True)
        )
        for place in range(count):
            bring_best_forward(turns[root], guesses[root], place, count)
            root_values[place] = -np.inf
        for depth in range(1, max_depth + 1):
            control[CUT] = 0
            for place in range(count):
                guesses[root, place] = root_values[
                    place
                ]  # not needed any more: room for the values so far
            searched = search_root(
                stack,
                depth,
                count,
                exact_values,
                frames,
                control,
                table,
                values,
                turns,
                guesses,
                root_values,
                weights,
                places,
                amounts,
            )
            if searched < count and exact_values and depth > 1:
                for place in range(count):
                    root_values[place] = guesses[
                        root, place
                    ]  # values of different depths do not compare
                break
            rank_turns(turns[root], root_values, searched)
            if searched < count:
                break
            control[REACHED] = depth
            if control[CUT] == 0 or (count == 1 and not exact_values):
                break  # every line has reached the end of the round, or there is nothing to choose
    return count


@kernel
def prepare(control: NDArray[np.int64], searcher: int) -> None:
    """Set counters and flags back for a new search, in which nothing is remembered from the one before."""
    control[NODES] = 0
    control[STOP] = 0
    control[ABORTED] = 0
    control[REACHED] = 0
    control[SEARCHER] = searcher
    control[GENERATION] += 1


class SearchMemory:
    """All arrays of a search, in the order in which kernels take them."""

    def __init__(self, breadth: int, node_limit: int) -> None:
        self.stack = empty_rows(MAX_PLIES + 1)
        self.frames = np.zeros(MAX_PLIES + 1, FRAME)
        self.control = np.zeros(CONTROL_SIZE, np.int64)
        self.control[BREADTH] = breadth
        self.control[NODE_LIMIT] = node_limit
        self.control[PRUNE] = 1
        self.table = np.zeros((TABLE_SIZE, 4), np.int64)
        self.values = np.zeros(TABLE_SIZE)
        self.turns = np.zeros((MAX_PLIES + 1, MAX_TURNS), np.int64)
        self.guesses = np.zeros((MAX_PLIES + 1, MAX_TURNS))
        self.root_values = np.zeros(MAX_TURNS)
        self.places = np.zeros(MAX_LISTED, np.int64)
        self.amounts = np.zeros(MAX_LISTED)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What kernels need besides the weights, the room for features last."""
        return (
            self.stack,
            self.frames,
            self.control,
            self.table,
            self.values,
            self.turns,
            self.guesses,
            self.root_values,
            self.places,
            self.amounts,
        )

    def run(self, weights: Weights, max_depth: int, exact_values: bool) -> int:
        """Search what is in stack[0]; the number of turns."""
        stack, *between, places, amounts = self.arrays()
        answer: Any = deepen  # so many arrays at once are beyond the checkers
        return int(answer(stack, max_depth, exact_values, *between, weights, places, amounts))
