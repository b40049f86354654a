"""Lookahead beyond the round: sampled deals of the next round correct the values of a solved position's best moves.

Once all lines of a search reach the end of the round, only the evaluator's error is left, and much of the time. So the
next round is dealt several times at the end of each good move's expected line, and each deal is searched a few plies. All
moves get the same deals (common random numbers), so most of the luck cancels in their differences, which are averaged
over the deals and blended with those of the search.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.deepening import note_line, rank
from azul_agents.search.evaluator import Evaluator, prepare
from azul_agents.search.pvs import (
    MAX_PLIES,
    SearchMemory,
    descend_by,
    search,
    value_of_ended_round,
)
from azul_agents.search.transposition import position_key, round_salt, search_salt
from azul_env.core.chance import INCREMENT, fill_factories, mixed
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.legality import awaits_move
from azul_env.core.rounds import PLAYING
from azul_env.core.state import Rows, empty_rows
from azul_env.core.words import as_int64

# Per move, by number of players: with 4 they did harm in measurements (docs/results/search).
DEFAULT_DEALS: Final = (0, 0, 40, 40, 0)
MAX_CANDIDATES: Final = 6
CLOSE: Final = 5.0  # points: moves further below the best are not candidates
PLIES: Final = 6  # searched after a deal
BREADTH: Final = 5  # moves per position in these searches, at most
# The weight of the deals in a difference, in the limit of many; the search has the rest. Like the bias below, it comes
# from regressions of final margins (docs/results/search). The last round is searched nearly to its end, so its deals
# weigh more.
WEIGHT: Final = 0.6
WEIGHT_BEFORE_LAST: Final = 0.8
ROUNDS_BEFORE_LAST: Final = 3  # completed: most games end with the fifth round
# Variances in points squared: of the search's error in a difference, and a floor for the variance between deals.
ERROR_VARIANCE: Final = 3.0
LEAST_VARIANCE: Final = 0.5
LEAST_DEALS: Final = 2  # with fewer, their variance is unknown
# By number of players and the searcher's turn: by how many points a search of a few plies overrates a new round.
BIAS: Final = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [0.1, -0.1, 0.0, 0.0],
        [0.7, -0.3, -1.2, 0.0],
        [1.6, 1.5, 0.3, -1.0],
    ]
)


class Lookahead(NamedTuple):
    """Statistics of the candidates, the moves that are compared; the first is the best by search."""

    ends: Rows  # of their expected lines: scored, not dealt
    slots: NDArray[np.int64]  # at the root
    values: NDArray[np.float64]  # by search
    sampled: NDArray[np.float64]  # after the current deal
    sums: NDArray[np.float64]  # over deals, of the differences to the first candidate
    squares: NDArray[np.float64]  # the same, of these differences squared


def new_lookahead() -> Lookahead:
    """Memory for a lookahead."""
    return Lookahead(
        ends=empty_rows(MAX_CANDIDATES),
        slots=np.zeros(MAX_CANDIDATES, np.int64),
        values=np.zeros(MAX_CANDIDATES),
        sampled=np.zeros(MAX_CANDIDATES),
        sums=np.zeros(MAX_CANDIDATES),
        squares=np.zeros(MAX_CANDIDATES),
    )


@called_kernel
def look_ahead(
    memory: SearchMemory, evaluator: Evaluator, lookahead: Lookahead, count: int, max_deals: int
) -> int:
    """Re-rank the moves of a search by sampled deals, within its limits; returns the number of deals.

    Caller guarantees that `deepen` has just returned `count`. Nothing changes unless it solved the round.
    """
    control = memory.control[0]
    if count < 2 or control["has_horizon"] or control["is_aborted"]:
        return as_int64(0)
    control["breadth"] = control["first_breadth"]
    candidates = _list_candidates(memory, evaluator, lookahead, count)
    if candidates < 2:
        return as_int64(0)
    row = memory.stack[0]
    searcher = control["searcher"]
    # The same position has the same deals.
    stream = np.uint64(position_key(row, round_salt(row, searcher, control["prune"])))
    control["breadth"] = min(BREADTH, control["breadth"])
    deals = as_int64(0)
    while deals < max_deals:
        stream += INCREMENT
        if not _sample(memory, evaluator, lookahead, candidates, mixed(stream)):
            break
        deals += 1
    if deals >= LEAST_DEALS:
        _mix(memory, lookahead, candidates, deals)
        rank(memory.moves[0], memory.root_values, count)
    return deals


@kernel
def _list_candidates(
    memory: SearchMemory, evaluator: Evaluator, lookahead: Lookahead, count: int
) -> int:
    """Find the best moves with their values and the ends of their lines; returns how many.

    A move with exactly the value of another is taken to lead to the same end, and left out. So is a move whose line is no
    longer in the table.
    """
    root, candidates = as_int64(0), as_int64(0)
    least = memory.root_values[0] - CLOSE
    for slot in range(count):
        bound = memory.root_values[slot]
        if candidates == MAX_CANDIDATES or bound <= least:
            break
        end = as_int64(1)
        if descend_by(memory, root, memory.moves[root, slot]):
            found = value_of_ended_round(memory, evaluator, end)
        else:
            found = _search_line(memory, evaluator, slot, least)
            if memory.control[0]["is_aborted"]:
                break
            end = memory.line_lengths[slot]
        # The bound may come from a wider search.
        is_known = found > least and not awaits_move(memory.stack[end])
        if is_known and not _has_value(lookahead, candidates, min(found, bound)):
            lookahead.ends[candidates] = memory.stack[end]
            lookahead.slots[candidates] = slot
            lookahead.values[candidates] = min(found, bound)
            lookahead.sums[candidates] = 0.0
            lookahead.squares[candidates] = 0.0
            candidates += 1
        elif slot == 0:
            break
    return candidates


@kernel
def _search_line(memory: SearchMemory, evaluator: Evaluator, slot: int, least: float) -> float:
    """Find the value of stack[1], after a root move, and the line that it comes from, if it is above `least`.

    If the value comes from an earlier search whose line is no longer in the table, it is searched again without the
    entries of earlier searches.
    """
    depth = as_int64(MAX_PLIES)
    found = search(memory, evaluator, depth, least, np.inf)
    note_line(memory, slot, found)
    if found > least and awaits_move(memory.stack[memory.line_lengths[slot]]):
        _forget(memory)
        found = search(memory, evaluator, depth, least, np.inf)
        note_line(memory, slot, found)
    return found


@kernel
def _forget(memory: SearchMemory) -> None:
    """Ignore all table entries stored so far."""
    control = memory.control[0]
    control["generation"] += 1
    control["salt"] = search_salt(control["generation"])


@kernel
def _has_value(lookahead: Lookahead, candidates: int, found: float) -> bool:
    equals = 0
    for candidate in range(candidates):
        equals += 1 if lookahead.values[candidate] == found else 0
    return equals > 0


@kernel
def _sample(
    memory: SearchMemory,
    evaluator: Evaluator,
    lookahead: Lookahead,
    candidates: int,
    word: np.uint64,
) -> bool:
    """Add a deal to the sums of all candidates; false if a limit is reached first, or all games are over."""
    sampled, games_on = lookahead.sampled, 0
    for candidate in range(candidates):
        sampled[candidate] = lookahead.values[candidate]
        if lookahead.ends[candidate]["end_reason"] == PLAYING:
            games_on += 1
            memory.stack[1] = lookahead.ends[candidate]
            fill_factories(memory.stack[1], word)
            sampled[candidate] = _value_of_deal(memory, evaluator)
        if memory.control[0]["is_aborted"]:
            return False
    for candidate in range(candidates):
        difference = sampled[candidate] - sampled[0]
        lookahead.sums[candidate] += difference
        lookahead.squares[candidate] += difference * difference
    return games_on > 0


@kernel
def _value_of_deal(memory: SearchMemory, evaluator: Evaluator) -> float:
    """The value of stack[1], at the start of a round, to the searcher."""
    control, row = memory.control[0], memory.stack[1]
    _forget(memory)
    prepare(evaluator, row)
    found = 0.0
    for depth in range(1, PLIES + 1):
        found = search(memory, evaluator, as_int64(depth), -np.inf, np.inf)
        if control["is_aborted"]:
            break
    turn = (control["searcher"] - row["current_player"]) % row["num_players"]
    return found - float(BIAS[row["num_players"], turn])


@kernel
def _mix(memory: SearchMemory, lookahead: Lookahead, candidates: int, deals: int) -> None:
    """Set the candidates' values from search and deals; the first one keeps its own."""
    is_late = memory.stack[0]["round"] >= ROUNDS_BEFORE_LAST
    most = WEIGHT_BEFORE_LAST if is_late else WEIGHT
    for candidate in range(1, candidates):
        mean = lookahead.sums[candidate] / deals
        spread = lookahead.squares[candidate] / deals - mean * mean
        variance = max(LEAST_VARIANCE, spread) / (deals - 1)
        weight = most * ERROR_VARIANCE / (ERROR_VARIANCE + variance)
        by_search = lookahead.values[candidate] - lookahead.values[0]
        difference = (1.0 - weight) * by_search + weight * mean
        memory.root_values[lookahead.slots[candidate]] = memory.root_values[0] + difference
