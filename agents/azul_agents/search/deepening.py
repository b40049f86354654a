"""Iterative deepening, the root of alpha-beta: the best moves first, deeper and deeper until a limit."""

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import Evaluator, Moves, prepare
from azul_agents.search.moves import action_of, list_with_keys, next_best
from azul_agents.search.pvs import (
    NULL_WINDOW,
    SearchMemory,
    descend_by,
    search,
    value_of_ended_round,
)
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.state import Rows
from azul_env.core.words import as_bool, as_int64


@kernel
def begin(memory: SearchMemory, searcher: int) -> None:
    """Reset counters and flags for a new search, which uses nothing that the last one stored."""
    control = memory.control[0]
    control["nodes"] = 0
    control["next_look"] = 0
    control["stop"] = 0
    control["is_aborted"] = 0
    control["depth_reached"] = 0
    control["searcher"] = searcher
    control["generation"] += 1


@called_kernel
def deepen(memory: SearchMemory, evaluator: Evaluator, max_depth: int, exact_values: bool) -> int:
    """Search stack[0] deeper and deeper until a limit; moves[0] and root_values are then ranked, best first.

    Returns the number of moves. A search that is stopped in the middle still counts, since it has looked at the best
    move so far before all others; where `exact_values` are asked for, the last whole search does.
    """
    control, root_values, previous = memory.control[0], memory.root_values, memory.previous_values
    prepare(evaluator, memory.stack[0])
    count = _list_root(memory, evaluator)
    for slot in range(count):
        root_values[slot] = -np.inf
    for depth in range(1, max_depth + 1):
        control["has_horizon"] = 0
        for slot in range(count):
            previous[slot] = root_values[slot]
        searched = _search_root(memory, evaluator, depth, count, exact_values)
        if searched < count and exact_values and depth > 1:
            for slot in range(count):
                root_values[slot] = previous[slot]  # values of different depths do not compare
            break
        _rank(memory.moves[0], root_values, searched)
        if searched < count:
            break
        control["depth_reached"] = depth
        if control["has_horizon"] == 0 or (count == 1 and not exact_values):
            break  # every line has reached the end of the round, or there is nothing to choose
    return count


@kernel
def _list_root(memory: SearchMemory, evaluator: Evaluator) -> int:
    """List the moves of the root in their order of search; returns their number."""
    # The arrays of ply 1 are free before the search.
    unordered, keys = memory.moves[1], memory.sort_keys[1]
    prune = memory.control[0]["prune"] == 1
    count = list_with_keys(evaluator, memory.stack[0], unordered, memory.gains, keys, prune)
    for slot in range(count):
        memory.moves[0, slot] = unordered[next_best(keys, count)]
    return count


@kernel
def _search_root(
    memory: SearchMemory, evaluator: Evaluator, depth: int, count: int, exact_values: bool
) -> int:
    """Search the moves of the root to a depth; returns how many were searched before the search was stopped.

    Moves that are no better than the best so far get an upper bound as their value, unless `exact_values`.
    """
    root = as_int64(0)
    control = memory.control[0]
    low = -np.inf
    for slot in range(count):
        if descend_by(memory, root, memory.moves[root, slot]):
            found = value_of_ended_round(memory, evaluator, root + 1)
        elif slot == 0 or exact_values:
            found = search(memory, evaluator, depth - 1, -np.inf, np.inf)
        else:
            found = search(memory, evaluator, depth - 1, low, low + NULL_WINDOW)
            if found > low and control["is_aborted"] == 0:
                found = search(memory, evaluator, depth - 1, low, np.inf)
        if control["is_aborted"]:
            return slot
        memory.root_values[slot] = found
        low = max(low, found)
    return count


@kernel
def _rank(moves: Moves, values: NDArray[np.float64], count: int) -> None:
    """Sort the first `count` moves by value, the best first; equal ones keep their order."""
    for slot in range(1, count):
        move, value = moves[slot], values[slot]
        before = slot
        while before > 0 and values[before - 1] < value:
            moves[before], values[before] = moves[before - 1], values[before - 1]
            before -= 1
        moves[before], values[before] = move, value


@kernel
def choose(rows: Rows, i: int, memory: SearchMemory, evaluator: Evaluator, max_depth: int) -> int:
    """The best action of game i. Caller guarantees that the game is on and that there is no time limit."""
    memory.stack[0] = rows[i]
    begin(memory, as_int64(rows[i]["current_player"]))
    deepen(memory, evaluator, max_depth, as_bool(False))
    return action_of(memory.moves[0, 0])


@called_kernel
def choose_in_all(
    rows: Rows,
    memory: SearchMemory,
    evaluator: Evaluator,
    max_depth: int,
    actions: NDArray[np.int64],
) -> None:
    """The best action of every game. Caller guarantees that all games are on and that there is no time limit."""
    for i in range(len(rows)):
        actions[i] = choose(rows, i, memory, evaluator, max_depth)
