"""Compiled alpha-beta to the end of the round: the search itself. `alphabeta` is the agent around it.

One player, the searcher, maximises its expected margin; all others minimise it (the paranoid assumption, which with 2
players is plain minimax). Inside a round nothing is hidden and nothing is random; a line ends where the round ends, is
scored, and is valued by the learned evaluation, since what is dealt next is chance.

Positions are kept in a table whose key adds up the displays, so that their order does not matter; a remembered turn names
the tiles it takes, not the number of the display.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.clock import NEVER, now_nanoseconds
from azul_agents.search.evaluation import MAX_LISTED, Weights, margin_value
from azul_agents.search.turns import MAX_TURNS, bring_best_forward, list_turns
from azul_env.core.actions import action_parts
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.spec import NUM_COLORS, NUM_DESTINATIONS
from azul_env.core.state import Row, Rows, center_of, empty_rows
from azul_env.core.step import TURN_PASSED, play_move
from azul_env.core.words import as_bool, as_int64

MAX_PLIES: Final = 48  # more turns than a round of 4 players can have is not needed: deeper lines are valued as they are
TABLE_BITS: Final = 18
TABLE_SIZE: Final = 1 << TABLE_BITS

# What `control` holds: settings of a search, and what it counts.
NODES, NODE_LIMIT, STOP, SEARCHER, BREADTH, GENERATION, ABORTED, PRUNE, CUT, REACHED = range(10)
DEADLINE, NEXT_LOOK = 10, 11  # on the clock; and at which number of nodes to look at it
CONTROL_SIZE: Final = 12
NODES_PER_LOOK: Final = 64

# Columns of the table; values are in an array of their own.
KEY, DEPTH, KIND, TURN = range(4)
EXACT, AT_LEAST, AT_MOST = 0, 1, 2  # what a remembered value says
WHOLE_ROUND: Final = 1_000  # depth of a value whose every line reached the end of the round

NO_TURN: Final = -1
NULL_WINDOW: Final = 1e-6

# What the search knows of a position on its way; one a ply.
FRAME: Final = np.dtype(
    [
        ("alpha", np.float64),  # the window that was asked for
        ("beta", np.float64),
        ("low", np.float64),  # the window as the turns so far have narrowed it
        ("high", np.float64),
        ("best", np.float64),  # value of the best turn so far
        ("best_turn", np.int64),
        ("depth", np.int64),  # turns still to look ahead
        ("count", np.int64),  # turns that were listed
        ("place", np.int64),  # the turn that is being searched
        ("key", np.int64),
        ("is_null", np.int64),  # whether that turn is searched with a null window
        ("was_cut", np.int64),  # CUT before this position
    ],
    align=True,
)

# Odd numbers for hashing, and shifts of its rounds.
MIX_1: Final = np.uint64(0xFF51AFD7ED558CCD)
MIX_2: Final = np.uint64(0xC4CEB9FE1A85EC53)
SHIFT: Final = np.uint64(32)


class SearchMemory(NamedTuple):
    """All arrays of a search; kernels take them as one."""

    stack: Rows  # the positions on the way, by ply
    frames: NDArray[Any]  # FRAME, by ply
    control: NDArray[np.int64]
    table: NDArray[np.int64]  # by slot and column
    values: NDArray[np.float64]  # of the table, by slot
    turns: NDArray[np.int64]  # by ply
    guesses: NDArray[np.float64]  # of the turns, by ply
    root_values: NDArray[np.float64]  # of the turns at the root
    places: NDArray[np.int64]  # room for the features of a board
    amounts: NDArray[np.float64]


def new_memory(breadth: int, node_limit: int) -> SearchMemory:
    """Memory for searches with these limits."""
    control = np.zeros(CONTROL_SIZE, np.int64)
    control[BREADTH], control[NODE_LIMIT], control[PRUNE] = breadth, node_limit, 1
    control[DEADLINE] = NEVER
    return SearchMemory(
        stack=empty_rows(MAX_PLIES + 1),
        frames=np.zeros(MAX_PLIES + 1, FRAME),
        control=control,
        table=np.zeros((TABLE_SIZE, 4), np.int64),
        values=np.zeros(TABLE_SIZE),
        turns=np.zeros((MAX_PLIES + 1, MAX_TURNS), np.int64),
        guesses=np.zeros((MAX_PLIES + 1, MAX_TURNS)),
        root_values=np.zeros(MAX_TURNS),
        places=np.zeros(MAX_LISTED, np.int64),
        amounts=np.zeros(MAX_LISTED),
    )


@kernel
def value_at(memory: SearchMemory, weights: Weights, ply: int) -> float:
    """What the position at a ply is worth to the searcher."""
    searcher = memory.control[SEARCHER]
    return margin_value(memory.stack[ply], searcher, weights, memory.places, memory.amounts)


@kernel
def play_turn(memory: SearchMemory, ply: int, place: int) -> bool:
    """Play a listed turn of the position at a ply into the next; true if the round is over, which is scored then."""
    memory.stack[ply + 1] = memory.stack[ply]
    source, color, destination = action_parts(memory.turns[ply, place])
    if play_move(memory.stack[ply + 1], source, color, destination) == TURN_PASSED:
        return False
    memory.control[NODES] += 1
    return True


@kernel
def mixed(word: int, salt: int) -> np.uint64:
    """A word turned into bits that look random; different for every salt."""
    bits = np.uint64(word) + np.uint64(salt) * MIX_2
    bits = (bits ^ (bits >> SHIFT)) * MIX_1
    bits = (bits ^ (bits >> SHIFT)) * MIX_2
    return bits ^ (bits >> SHIFT)


@kernel
def position_key(row: Row, control: NDArray[np.int64]) -> int:
    """The key of a position, the same for all orders of the displays; another one in every search."""
    center = center_of(row)
    key = mixed(row["sources"][center] * 2 + row["marker_in_center"], as_int64(1))
    for source in range(center):
        key += mixed(row["sources"][source], as_int64(2))
    for seat in range(row["num_players"]):
        lines = row["line_counts"][seat] | (row["line_colors"][seat] << 20)
        key += mixed(lines, 3 + 4 * seat)
        key += mixed(row["floors"][seat], 4 + 4 * seat)
    place = row["current_player"] + 4 * row["starting_player_next_round"]
    key += mixed(place + 16 * control[GENERATION], as_int64(20))
    return as_int64(key)


@kernel
def remembered_turn(row: Row, action: int) -> int:
    """A turn by what it takes: hash of the source's tiles, color and destination in one number."""
    source, color, destination = action_parts(action)
    is_center = 1 if source == center_of(row) else 0
    bits = as_int64(mixed(row["sources"][source] * 2 + is_center, as_int64(7)) >> np.uint64(8))
    return (bits * NUM_COLORS + color) * NUM_DESTINATIONS + destination


@kernel
def put_first(
    row: Row, turns: NDArray[np.int64], guesses: NDArray[np.float64], count: int, wanted: int
) -> None:
    """Give the remembered turn, if it is among those listed, the best guess of all."""
    if wanted == NO_TURN:
        return
    for place in range(count):
        if remembered_turn(row, turns[place]) == wanted:
            guesses[place] = np.inf
            return


@kernel
def open_node(memory: SearchMemory, weights: Weights, ply: int) -> bool:
    """Begin with a position whose frame has depth, alpha and beta; true if `best` is its value already.

    That is so at the horizon, and where the table knows enough.
    """
    row, frame = memory.stack[ply], memory.frames[ply]
    control, table = memory.control, memory.table
    turns, guesses = memory.turns[ply], memory.guesses[ply]
    if frame["depth"] == 0 or ply + 1 >= MAX_PLIES:
        control[CUT] = 1
        frame["best"] = value_at(memory, weights, ply)
        return True
    key = position_key(row, control)
    slot = key & (TABLE_SIZE - 1)
    wanted = as_int64(NO_TURN)
    if table[slot, KEY] == key:
        wanted = table[slot, TURN]
        kind, value = table[slot, KIND], memory.values[slot]
        is_enough = (
            kind == EXACT
            or (kind == AT_LEAST and value >= frame["beta"])
            or (kind == AT_MOST and value <= frame["alpha"])
        )
        if is_enough and table[slot, DEPTH] >= frame["depth"]:
            if table[slot, DEPTH] != WHOLE_ROUND:
                control[CUT] = 1
            frame["best"] = value
            return True
    count = list_turns(row, turns, guesses, control[PRUNE] == 1, as_bool(True))
    put_first(row, turns, guesses, count, wanted)
    frame["key"] = key
    frame["count"] = count
    frame["place"] = 0
    frame["best_turn"] = NO_TURN
    frame["low"] = frame["alpha"]
    frame["high"] = frame["beta"]
    frame["best"] = -np.inf if row["current_player"] == control[SEARCHER] else np.inf
    frame["was_cut"] = control[CUT]
    control[CUT] = 0
    return False


@kernel
def close_node(memory: SearchMemory, ply: int) -> None:
    """Remember the value of a position whose turns have been searched as far as they matter."""
    frame, table = memory.frames[ply], memory.table
    slot = frame["key"] & (TABLE_SIZE - 1)
    kind = EXACT
    if frame["best"] <= frame["alpha"]:
        kind = AT_MOST
    elif frame["best"] >= frame["beta"]:
        kind = AT_LEAST
    table[slot, KEY] = frame["key"]
    table[slot, DEPTH] = frame["depth"] if memory.control[CUT] else WHOLE_ROUND
    table[slot, KIND] = kind
    table[slot, TURN] = remembered_turn(memory.stack[ply], frame["best_turn"])
    memory.values[slot] = frame["best"]
    memory.control[CUT] |= frame["was_cut"]


@kernel
def take_value(frame: Any, maximising: bool, action: int, value: float) -> None:
    """Let a turn's value count in its position, and go on to the next turn."""
    if maximising and value > frame["best"]:
        frame["best"] = value
        frame["best_turn"] = action
        frame["low"] = max(frame["low"], value)
    elif not maximising and value < frame["best"]:
        frame["best"] = value
        frame["best_turn"] = action
        frame["high"] = min(frame["high"], value)
    frame["place"] += 1


@kernel
def descend(frames: NDArray[Any], ply: int, maximising: bool, is_null: bool) -> None:
    """Give the position after the current turn its window and depth.

    A null window, once a best turn is known, only asks whether the turn is better: most are not.
    """
    frame, child = frames[ply], frames[ply + 1]
    frame["is_null"] = is_null
    child["depth"] = frame["depth"] - 1
    child["alpha"] = frame["low"]
    child["beta"] = frame["high"]
    if is_null and maximising:
        child["beta"] = frame["low"] + NULL_WINDOW
    elif is_null:
        child["alpha"] = frame["high"] - NULL_WINDOW


@kernel
def is_time_up(control: NDArray[np.int64]) -> bool:
    """Whether a limit is reached; the clock is read now and then only."""
    if control[NODES] >= control[NEXT_LOOK]:
        control[NEXT_LOOK] = control[NODES] + NODES_PER_LOOK
        if now_nanoseconds() >= control[DEADLINE]:
            control[STOP] = 1
    return control[NODES] >= control[NODE_LIMIT] or control[STOP] != 0


@called_kernel
def search(memory: SearchMemory, weights: Weights, depth: int, alpha: float, beta: float) -> float:
    """The value of stack[1] to the searcher, as far as it lies between alpha and beta.

    Caller guarantees that the round is on. When the search is stopped, the answer means nothing and ABORTED is set.
    Written as a loop over frames, one a ply: Numba cannot keep code that calls itself in its cache.
    """
    # Checkers take the numbers in these arrays for arrays.
    frames: Any = memory.frames
    turns: Any = memory.turns
    stack, control = memory.stack, memory.control
    searcher = control[SEARCHER]
    ply = as_int64(1)
    frames[1]["depth"] = depth
    frames[1]["alpha"] = alpha
    frames[1]["beta"] = beta
    opening = True
    while True:
        if opening:
            control[NODES] += 1
            if is_time_up(control):
                control[ABORTED] = 1
                return 0.0
            opening = open_node(memory, weights, ply)
        frame = frames[ply]
        if not opening:
            place = frame["place"]
            breadth = min(frame["count"], control[BREADTH])
            if place < breadth and frame["low"] < frame["high"]:
                maximising = stack[ply]["current_player"] == searcher
                bring_best_forward(turns[ply], memory.guesses[ply], place, frame["count"])
                if play_turn(memory, ply, place):
                    value = value_at(memory, weights, ply + 1)
                    take_value(frame, maximising, turns[ply, place], value)
                else:
                    descend(frames, ply, maximising, place > 0)
                    ply += 1
                    opening = True
                continue
            close_node(memory, ply)
        # The position at this ply has its value: hand it to the one above.
        value = frame["best"]
        if ply == 1:
            return value
        ply -= 1
        above = frames[ply]
        maximising = stack[ply]["current_player"] == searcher
        opening = above["is_null"] == 1 and above["low"] < value < above["high"]
        if opening:
            descend(frames, ply, maximising, as_bool(False))
            ply += 1
        else:
            take_value(above, maximising, turns[ply, above["place"]], value)
