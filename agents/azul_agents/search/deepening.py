"""Searching deeper and deeper, the best turns first, until a limit: the root of alpha-beta."""

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluation import Weights
from azul_agents.search.principal_variation import (
    ABORTED,
    CUT,
    GENERATION,
    NEXT_LOOK,
    NODES,
    NULL_WINDOW,
    PRUNE,
    REACHED,
    SEARCHER,
    STOP,
    SearchMemory,
    play_turn,
    search,
    value_at,
)
from azul_agents.search.turns import bring_best_forward, list_turns
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.state import Rows
from azul_env.core.words import as_bool, as_int64


@kernel
def prepare(memory: SearchMemory, searcher: int) -> None:
    """Set counters and flags back for a new search, in which nothing is remembered from the one before."""
    control = memory.control
    control[NODES] = 0
    control[NEXT_LOOK] = 0
    control[STOP] = 0
    control[ABORTED] = 0
    control[REACHED] = 0
    control[SEARCHER] = searcher
    control[GENERATION] += 1


@called_kernel
def deepen(memory: SearchMemory, weights: Weights, max_depth: int, exact_values: bool) -> int:
    """Search stack[0] deeper and deeper until a limit; afterwards turns[0] and root_values are ranked, best first.

    The answer is the number of turns. A search that is stopped in the middle still counts, since it has looked at the
    best turn so far before all others; where `exact_values` are asked for, the last whole search does.
    """
    root = as_int64(0)
    control, root_values = memory.control, memory.root_values
    turns, guesses = memory.turns[root], memory.guesses[root]
    count = list_turns(memory.stack[root], turns, guesses, control[PRUNE] == 1, as_bool(True))
    for place in range(count):
        bring_best_forward(turns, guesses, place, count)
        root_values[place] = -np.inf
    for depth in range(1, max_depth + 1):
        control[CUT] = 0
        for place in range(count):
            guesses[place] = root_values[place]  # not needed any more: room for the values so far
        searched = _search_root(memory, weights, depth, count, exact_values)
        if searched < count and exact_values and depth > 1:
            for place in range(count):
                root_values[place] = guesses[place]  # values of different depths do not compare
            break
        _rank(turns, root_values, searched)
        if searched < count:
            break
        control[REACHED] = depth
        if control[CUT] == 0 or (count == 1 and not exact_values):
            break  # every line has reached the end of the round, or there is nothing to choose
    return count


@kernel
def _search_root(
    memory: SearchMemory, weights: Weights, depth: int, count: int, exact_values: bool
) -> int:
    """Search the turns of the root to a depth; how many were searched before the search was stopped.

    Turns that are no better than the best so far get an upper bound as their value, unless `exact_values`.
    """
    root = as_int64(0)
    low = -np.inf
    for place in range(count):
        if play_turn(memory, root, place):
            value = value_at(memory, weights, root + 1)
        elif place == 0 or exact_values:
            value = search(memory, weights, depth - 1, -np.inf, np.inf)
        else:
            value = search(memory, weights, depth - 1, low, low + NULL_WINDOW)
            if value > low and memory.control[ABORTED] == 0:
                value = search(memory, weights, depth - 1, low, np.inf)
        if memory.control[ABORTED]:
            return place
        memory.root_values[place] = value
        low = max(low, value)
    return count


@kernel
def _rank(turns: NDArray[np.int64], values: NDArray[np.float64], count: int) -> None:
    """Sort the first `count` turns by value, the best first; equal ones stay in order."""
    for place in range(1, count):
        turn, value = turns[place], values[place]
        before = place
        while before > 0 and values[before - 1] < value:
            turns[before], values[before] = turns[before - 1], values[before - 1]
            before -= 1
        turns[before], values[before] = turn, value


@called_kernel
def choose_in_all(
    rows: Rows,
    memory: SearchMemory,
    weights: Weights,
    max_depth: int,
    actions: NDArray[np.int64],
) -> None:
    """The best turn of every game. Caller guarantees that all games are on and that nothing but nodes or depth is limited."""
    for i in range(len(rows)):
        memory.stack[0] = rows[i]
        prepare(memory, as_int64(rows[i]["current_player"]))
        deepen(memory, weights, max_depth, as_bool(False))
        actions[i] = memory.turns[0, 0]
