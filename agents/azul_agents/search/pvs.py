"""Principal variation search: compiled alpha-beta with null windows, to the end of the round.

One player, the searcher, maximizes its value; all others minimize it (the paranoid assumption, which with 2 players is
plain minimax). With more players the others choose among few moves, the best for themselves by expected gain. Inside a
round there is no hidden information and no chance; a line ends where the round ends and is scored, and the evaluator
values it, since the next deal is chance. `deepening` searches the root, `alphabeta` is the agent.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import Evaluator, Gains, round_end_value, value
from azul_agents.search.moves import MAX_MOVES, list_with_keys, move_parts, next_best
from azul_agents.search.tiling import chooser_of, tiled
from azul_agents.search.timing import NEVER, now_nanoseconds
from azul_agents.search.transposition import (
    AT_LEAST,
    AT_MOST,
    ENTRY,
    EXACT,
    NO_MOVE,
    TABLE_SIZE,
    WHOLE_ROUND,
    Table,
    is_sufficient,
    move_signature,
    position_key,
    prefetch,
    put_best_move_first,
)
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.state import Rows, empty_rows
from azul_env.core.step import TURN_PASSED, play_move
from azul_env.core.words import as_bool, as_int64

MAX_PLIES: Final = 48  # lines that are longer, which a round of 4 players may have, are cut here
NODES_PER_LOOK: Final = 64  # between checks of the clock
NULL_WINDOW: Final = 1e-6
# By number of players: the part of the breadth that is searched where an opponent moves. The more opponents, the less
# likely it is that all of them play against the searcher at any cost to themselves.
OTHERS_PERCENT: Final = np.array([0, 0, 100, 50, 30])

# Settings and counters of a search.
CONTROL: Final = np.dtype(
    [
        ("searcher", np.int64),  # seat
        ("first_breadth", np.int64),  # moves searched in a position below the root, initially
        ("widest", np.int64),  # the largest breadth, once all lines reach the end of the round
        ("breadth", np.int64),  # the current one
        ("prune", np.int64),  # 1: big throws on the floor are left out
        ("node_limit", np.int64),
        ("clock", np.int64),  # one of CLOCK_NUMBERS
        ("deadline", np.int64),  # in nanoseconds of the clock
        ("next_look", np.int64),  # number of nodes at which to check the clock again
        ("stop", np.int64),  # 1: a time limit is reached
        ("is_aborted", np.int64),  # 1: the search returned early, its value is meaningless
        ("nodes", np.int64),  # positions visited below the root
        ("keeps_table", np.int64),  # 1: searches of one round use what earlier ones have stored
        ("generation", np.int64),  # number of the search
        ("salt", np.int64),  # part of the table's keys
        ("has_horizon", np.int64),  # 1: a line was cut before the end of the round
        ("depth_reached", np.int64),
    ],
    align=True,
)

# The state of the search at a position on the current line.
FRAME: Final = np.dtype(
    [
        ("alpha", np.float64),  # the window that was asked for
        ("beta", np.float64),
        ("low", np.float64),  # the window as narrowed by the moves so far
        ("high", np.float64),
        ("best", np.float64),  # value of the best move so far
        ("best_move", np.int64),
        ("depth", np.int64),  # plies still to look ahead
        ("count", np.int64),  # listed moves
        ("searched", np.int64),  # moves whose value is known
        ("move", np.int64),  # the move being searched
        ("key", np.int64),
        ("is_null", np.int64),  # 1: that move is searched with a null window
        ("had_horizon", np.int64),  # `has_horizon` before this position
    ],
    align=True,
)


class SearchMemory(NamedTuple):
    """All arrays of a search; kernels take them as one."""

    control: NDArray[Any]  # CONTROL, a single record
    stack: Rows  # the positions of the current line, by ply
    frames: NDArray[Any]  # FRAME, by ply
    table: Table
    moves: NDArray[np.int64]  # packed, as listed, by ply
    sort_keys: NDArray[np.int64]  # of these moves, by ply
    gains: Gains  # scratch space
    root_values: NDArray[np.float64]  # of the moves at the root
    previous_values: NDArray[np.float64]  # the same, one iteration before
    lines: NDArray[np.int64]  # packed moves that the exact values come from, by slot at the root
    line_lengths: NDArray[np.int64]


def new_memory(breadth: int, node_limit: int, widest: int = 0) -> SearchMemory:
    """Memory for searches with these limits; by default their breadth is constant."""
    control = np.zeros(1, CONTROL)
    control["first_breadth"] = min(breadth, MAX_MOVES)
    control["widest"] = min(max(breadth, widest), MAX_MOVES)
    control["node_limit"] = node_limit
    control["prune"], control["deadline"] = 1, NEVER
    return SearchMemory(
        control=control,
        stack=empty_rows(MAX_PLIES + 1),
        frames=np.zeros(MAX_PLIES + 1, FRAME),
        table=np.zeros(TABLE_SIZE, ENTRY),
        moves=np.zeros((MAX_PLIES + 1, MAX_MOVES), np.int64),
        sort_keys=np.zeros((MAX_PLIES + 1, MAX_MOVES), np.int64),
        gains=np.zeros(MAX_MOVES),
        root_values=np.zeros(MAX_MOVES),
        previous_values=np.zeros(MAX_MOVES),
        lines=np.zeros((MAX_MOVES, MAX_PLIES), np.int64),
        line_lengths=np.zeros(MAX_MOVES, np.int64),
    )


@kernel
def descend_by(memory: SearchMemory, ply: int, move: int) -> bool:
    """Play a move of the position at a ply into the next; true if that ends the round, which is then scored.

    Gray walls are tiled at once, unless the search is about the columns of the searcher.
    """
    memory.stack[ply + 1] = memory.stack[ply]
    source, color, destination = move_parts(move)
    outcome = play_move(memory.stack[ply + 1], source, color, destination)
    chooser = chooser_of(memory.stack[0])
    if tiled(memory.stack[ply + 1], outcome, chooser) == TURN_PASSED:
        return False
    memory.control[0]["nodes"] += 1
    return True


@kernel
def value_of_ended_round(memory: SearchMemory, evaluator: Evaluator, ply: int) -> float:
    """Value to the searcher of the position at a ply, whose round has been scored."""
    return round_end_value(evaluator, memory.stack[ply], memory.control[0]["searcher"])


@kernel
def open_node(memory: SearchMemory, evaluator: Evaluator, ply: int) -> bool:
    """Open a position whose frame has depth, alpha and beta; true if its value is already known, as `best`.

    That is so at the horizon, and where the table's entry suffices.
    """
    row, frame, control = memory.stack[ply], memory.frames[ply], memory.control[0]
    moves, keys = memory.moves[ply], memory.sort_keys[ply]
    searcher = control["searcher"]
    if frame["depth"] == 0 or ply + 1 >= MAX_PLIES:
        control["has_horizon"] = 1
        frame["best"] = value(evaluator, row, searcher)
        return True
    key = position_key(row, control["salt"])
    slot = key & (TABLE_SIZE - 1)
    # Listing the moves hides the latency of the load, and entries rarely suffice.
    prefetch(memory.table, slot)
    count = list_with_keys(evaluator, row, moves, memory.gains, keys, control["prune"] == 1)
    entry = memory.table[slot]
    if entry["key"] == key:
        breadth = control["breadth"]
        if is_sufficient(entry, frame["depth"], breadth, frame["alpha"], frame["beta"]):
            if entry["depth"] != WHOLE_ROUND:
                control["has_horizon"] = 1
            frame["best"] = entry["value"]
            return True
        put_best_move_first(row, entry["best_move"], moves, keys, count)
    frame["key"] = key
    frame["count"] = count
    frame["searched"] = 0
    frame["best_move"] = NO_MOVE
    frame["low"] = frame["alpha"]
    frame["high"] = frame["beta"]
    frame["best"] = -np.inf if row["current_player"] == searcher else np.inf
    frame["had_horizon"] = control["has_horizon"]
    control["has_horizon"] = 0
    return False


@kernel
def close_node(memory: SearchMemory, ply: int) -> None:
    """Store the value of a position whose moves have been searched as far as they matter."""
    frame, control = memory.frames[ply], memory.control[0]
    entry = memory.table[frame["key"] & (TABLE_SIZE - 1)]
    bound = EXACT
    if frame["best"] <= frame["alpha"]:
        bound = AT_MOST
    elif frame["best"] >= frame["beta"]:
        bound = AT_LEAST
    entry["key"] = frame["key"]
    entry["value"] = frame["best"]
    entry["best_move"] = move_signature(memory.stack[ply], frame["best_move"])
    entry["depth"] = frame["depth"] if control["has_horizon"] else WHOLE_ROUND
    entry["breadth"] = control["breadth"]
    entry["bound"] = bound
    control["has_horizon"] |= frame["had_horizon"]


@kernel
def take_value(frame: Any, maximizing: bool, found: float) -> None:
    """Update a position with the value of its current move."""
    if maximizing and found > frame["best"]:
        frame["best"] = found
        frame["best_move"] = frame["move"]
        frame["low"] = max(frame["low"], found)
    elif not maximizing and found < frame["best"]:
        frame["best"] = found
        frame["best_move"] = frame["move"]
        frame["high"] = min(frame["high"], found)
    frame["searched"] += 1


@kernel
def descend(frames: NDArray[Any], ply: int, maximizing: bool, is_null: bool) -> None:
    """Set the window and depth of the position after the current move.

    Once a best move is known, a null window only tests whether the move is better: most are not.
    """
    frame, child = frames[ply], frames[ply + 1]
    frame["is_null"] = is_null
    child["depth"] = frame["depth"] - 1
    child["alpha"] = frame["low"]
    child["beta"] = frame["high"]
    if is_null and maximizing:
        child["beta"] = frame["low"] + NULL_WINDOW
    elif is_null:
        child["alpha"] = frame["high"] - NULL_WINDOW


@kernel
def is_time_up(control: Any) -> bool:
    """True if a limit is reached; the clock is read only now and then."""
    if control["nodes"] >= control["next_look"]:
        control["next_look"] = control["nodes"] + NODES_PER_LOOK
        if now_nanoseconds(control["clock"]) >= control["deadline"]:
            control["stop"] = 1
    return control["nodes"] >= control["node_limit"] or control["stop"] != 0


@kernel
def breadth_at(memory: SearchMemory, ply: int) -> int:
    """How many moves of the position at a ply are searched."""
    control = memory.control[0]
    breadth, row = control["breadth"], memory.stack[ply]
    if row["current_player"] == control["searcher"] or breadth == MAX_MOVES:
        return breadth
    return max(1, breadth * OTHERS_PERCENT[row["num_players"]] // 100)


@kernel
def search_next_move(memory: SearchMemory, evaluator: Evaluator, ply: int) -> bool:
    """Play the best move not searched yet; true if the position after it, at the next ply, has to be opened."""
    frames: Any = memory.frames  # type checkers take its records for arrays
    frame = frames[ply]
    maximizing = memory.stack[ply]["current_player"] == memory.control[0]["searcher"]
    slot = next_best(memory.sort_keys[ply], frame["count"])
    frame["move"] = memory.moves[ply, slot]
    if descend_by(memory, ply, frame["move"]):
        take_value(frame, maximizing, value_of_ended_round(memory, evaluator, ply + 1))
        return False
    descend(frames, ply, maximizing, frame["searched"] > 0)
    return True


@kernel
def return_value(memory: SearchMemory, ply: int) -> bool:
    """Pass the value found at the next ply up to this one; true if the move has to be re-searched.

    That is so where a null window has shown the move to be better: its value is then searched with the full window.
    """
    frames: Any = memory.frames
    frame, found = frames[ply], frames[ply + 1]["best"]
    maximizing = memory.stack[ply]["current_player"] == memory.control[0]["searcher"]
    if frame["is_null"] == 1 and frame["low"] < found < frame["high"]:
        descend(frames, ply, maximizing, as_bool(False))
        return True
    take_value(frame, maximizing, found)
    return False


@called_kernel
def search(
    memory: SearchMemory, evaluator: Evaluator, depth: int, alpha: float, beta: float
) -> float:
    """The value of stack[1] to the searcher, as far as it lies between alpha and beta.

    Caller guarantees that the round is not over. A stopped search sets `is_aborted`, and its value is meaningless.
    Written as a loop over frames, since Numba cannot cache recursive functions.
    """
    frames: Any = memory.frames
    control = memory.control[0]
    frames[1]["depth"], frames[1]["alpha"], frames[1]["beta"] = depth, alpha, beta
    ply = as_int64(1)
    is_new = True  # the position at this ply has not been opened
    while True:
        frame = frames[ply]
        is_settled = False
        if is_new:
            control["nodes"] += 1
            if is_time_up(control):
                control["is_aborted"] = 1
                return 0.0
            is_settled = open_node(memory, evaluator, ply)
            is_new = False
        if not is_settled:
            breadth = min(frame["count"], breadth_at(memory, ply))
            if frame["searched"] < breadth and frame["low"] < frame["high"]:
                is_new = search_next_move(memory, evaluator, ply)
                ply += 1 if is_new else 0
                continue
            close_node(memory, ply)
        if ply == 1:
            return frame["best"]
        is_new = return_value(memory, ply - 1)
        ply -= 0 if is_new else 1
