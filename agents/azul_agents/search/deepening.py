"""Iterative deepening at the root of alpha-beta: ever deeper searches, the best moves first, until a limit."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import Evaluator, Moves, prepare
from azul_agents.search.moves import (
    action_of,
    list_moves,
    list_with_keys,
    move_parts,
    next_best,
)
from azul_agents.search.pvs import (
    MAX_PLIES,
    NULL_WINDOW,
    SearchMemory,
    descend_by,
    search,
    value_of_ended_round,
)
from azul_agents.search.transposition import (
    EXACT,
    NO_MOVE,
    TABLE_SIZE,
    position_key,
    round_salt,
    search_salt,
    slot_of_signature,
)
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.legality import awaits_move
from azul_env.core.state import Rows
from azul_env.core.step import play_move
from azul_env.core.words import as_bool, as_int64

WIDENING_PERCENT: Final = 150  # the next breadth, in percent of the last
BREADTH_OF_MOST: Final = 40  # few positions have more moves: beyond it, all are searched


@kernel
def begin(memory: SearchMemory, searcher: int) -> None:
    """Reset counters and flags for a new search of stack[0].

    It ignores what earlier searches have stored, unless it `keeps_table` and they searched the same round.
    """
    control = memory.control[0]
    control["nodes"] = 0
    control["next_look"] = 0
    control["stop"] = 0
    control["is_aborted"] = 0
    control["depth_reached"] = 0
    control["searcher"] = searcher
    control["breadth"] = control["first_breadth"]
    control["generation"] += 1
    control["salt"] = search_salt(control["generation"])
    if control["keeps_table"]:
        control["salt"] = round_salt(memory.stack[0], searcher, control["prune"])


@called_kernel
def deepen(memory: SearchMemory, evaluator: Evaluator, max_depth: int, exact_values: bool) -> int:
    """Search stack[0] ever deeper until a limit; moves[0] and root_values are then ranked, best first.

    Returns the number of moves. An interrupted iteration still counts, since it searches the best move so far first;
    with `exact_values`, only completed iterations do.
    """
    control = memory.control[0]
    count = list_root(memory, evaluator)
    depth = as_int64(1)
    while depth <= max_depth:
        searched = search_to_depth(memory, evaluator, depth, count, exact_values)
        if searched < count or (count == 1 and not exact_values):
            break  # a limit is reached, or there is nothing to choose
        if control["has_horizon"]:
            depth += 1
        elif exact_values or not _widen(control):
            break  # an analysis has one breadth, so that its steps are comparable
    return count


@kernel
def _widen(control: Any) -> bool:
    """Widen a search whose lines all reach the end of the round; false if it has its full breadth."""
    if control["breadth"] >= control["widest"]:
        return False
    breadth = control["breadth"]
    wider = max(breadth + 1, breadth * WIDENING_PERCENT // 100)
    control["breadth"] = (
        control["widest"] if wider > BREADTH_OF_MOST else min(wider, control["widest"])
    )
    return True


@called_kernel
def search_to_depth(
    memory: SearchMemory, evaluator: Evaluator, depth: int, count: int, exact_values: bool
) -> int:
    """One iteration of deepening: search the root's moves and rank them; returns how many were searched."""
    control, root_values, previous = memory.control[0], memory.root_values, memory.previous_values
    control["has_horizon"] = 0
    for slot in range(count):
        previous[slot] = root_values[slot]
    searched = _search_root(memory, evaluator, depth, count, exact_values)
    if searched < count and exact_values and depth > 1:
        for slot in range(count):
            root_values[slot] = previous[slot]  # values of different depths are not comparable
        return searched
    rank(memory.moves[0], root_values, searched)
    if searched == count:
        control["depth_reached"] = depth
    return searched


@called_kernel
def list_root(memory: SearchMemory, evaluator: Evaluator) -> int:
    """Prepare a search of stack[0]: list its moves in search order, without values; returns their number."""
    prepare(evaluator, memory.stack[0])
    # The arrays of ply 1 are free before the search.
    unordered, keys = memory.moves[1], memory.sort_keys[1]
    prune = memory.control[0]["prune"] == 1
    count = list_with_keys(evaluator, memory.stack[0], unordered, memory.gains, keys, prune)
    for slot in range(count):
        memory.moves[0, slot] = unordered[next_best(keys, count)]
        memory.root_values[slot] = -np.inf
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
        if exact_values:
            note_line(memory, slot, found)
        low = max(low, found)
    return count


@kernel
def note_line(memory: SearchMemory, slot: int, found: float) -> None:
    """Write the line that a root move's exact value comes from: the move, then the table's best ones.

    The line ends where the round does, at the horizon, or where the position is no longer in the table.
    """
    line, salt = memory.lines[slot], memory.control[0]["salt"]
    line[0] = memory.moves[0, slot]
    length = as_int64(1)
    while length < MAX_PLIES and awaits_move(memory.stack[length]):
        row, moves = memory.stack[length], memory.moves[length]
        key = position_key(row, salt)
        entry = memory.table[key & (TABLE_SIZE - 1)]
        if entry["key"] != key or entry["bound"] != EXACT or entry["value"] != found:
            break
        count = list_moves(row, moves, as_bool(False))
        chosen = slot_of_signature(row, entry["best_move"], moves, count)
        if chosen == NO_MOVE:
            break
        line[length] = moves[chosen]
        memory.stack[length + 1] = row
        source, color, destination = move_parts(moves[chosen])
        play_move(memory.stack[length + 1], source, color, destination)
        length += 1
    memory.line_lengths[slot] = length


@kernel
def rank(moves: Moves, values: NDArray[np.float64], count: int) -> None:
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
    values: NDArray[np.float64],
) -> None:
    """Write the best action of every game and its value to the player to move, in points.

    Caller guarantees that all games are on and that there is no time limit.
    """
    for i in range(len(rows)):
        actions[i] = choose(rows, i, memory, evaluator, max_depth)
        values[i] = memory.root_values[0]
