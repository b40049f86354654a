"""Compiled Monte-Carlo search within a round: simulations through a graph of positions, in four steps. `mcts` is the agent.

A simulation selects moves by PUCT down to a leaf, expands a leaf that was visited before, evaluates the position it has
reached, and backs the result up. Leaves are expanded at the second visit, or after PATIENCE_WITH_CHANCE visits if they
are evaluated by random playouts: most of a search's cost is listing moves that are never tried.

Every player is assumed to maximize its own result. With 2 players that is minimax; with more it is max^n, unlike the
paranoid alpha-beta, and every seat's result is backed up. A line that reaches the end of the round is scored; the next
deal is sampled by playing on at random (leaf `game`), left to the evaluator (leaf `value`), or left out: then the points
so far count (leaf `round`).
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import (
    Evaluator,
    prepare,
    round_end_value,
    value,
    write_gains,
    write_logits,
)
from azul_agents.search.graph import GAME, MAX_PATH, VALUE, SearchGraph, node_of, view_of
from azul_agents.search.moves import UNITS_PER_POINT, list_moves, move_parts, tie_break
from azul_agents.search.tiling import chooser_of, tiled
from azul_agents.search.timing import now_nanoseconds
from azul_env.core.chance import Chances, deal
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.legality import awaits_move, random_move
from azul_env.core.rounds import PLAYING
from azul_env.core.state import Row
from azul_env.core.step import TURN_PASSED, play_move
from azul_env.core.words import as_int64
from azul_env.rewards import margin

SIMULATIONS_PER_LOOK: Final = 64  # between checks of the clock; a power of 2
MARGIN_SCALE: Final = 25.0  # a margin of this many points is worth 0.71 of a sure win
PRIOR_SHARPNESS: Final = 0.6  # factor of the gains in the exponent, per point
# First-play urgency: an untried move is assumed to be this much worse than its node.
FIRST_VISIT_PENALTY: Final = 0.1
# A policy costs as much as dozens of simulations, so only frequently visited nodes get one.
VISITS_BEFORE_POLICY: Final = 200


@kernel
def result_of(margin: float) -> float:
    """A margin of points as a result in (-1, 1)."""
    return margin / np.sqrt(margin * margin + MARGIN_SCALE * MARGIN_SCALE)


@kernel
def sign_for(graph: SearchGraph, seat: int) -> float:
    """1 if high results in a seat's view are good for it; -1 if that view is the searcher's and the seat is not."""
    control = graph.control[0]
    return 1.0 if control["views"] > 1 or seat == control["searcher"] else -1.0


@kernel
def best_edge(graph: SearchGraph, node: int, mover: int, exploration: float) -> int:
    """The edge to take next by PUCT."""
    worth, bonus = graph.worth[view_of(graph, mover)], graph.exploration_bonus
    start = as_int64(graph.first[node])
    factor = np.float32(exploration * np.sqrt(graph.visits[node]))
    side = np.float32(sign_for(graph, mover))
    best = start
    best_score = np.float32(-np.inf)
    for edge in range(start, start + as_int64(graph.span[node])):
        score = side * worth[edge] + factor * bonus[edge]
        if score > best_score:
            best_score = score
            best = edge
    return best


@kernel
def neglected_edge(graph: SearchGraph, chosen: int) -> int:
    """An edge of the root with fewer tries than each is to have; the chosen one if there is none."""
    control = graph.control[0]
    start, span = as_int64(graph.first[0]), as_int64(graph.span[0])
    least = control["simulations"] * control["least_percent"] // (100 * span)
    for edge in range(start, start + span):
        if graph.tries[edge] < least:
            return edge
    return chosen


@kernel
def expand(graph: SearchGraph, evaluator: Evaluator, node: int) -> bool:
    """List the moves of a node, whose position is in rows[1]; false if the graph is full.

    Each is assumed to be a little worse for the mover than the node. With random playouts, the prior is uniform.
    """
    control, row, moves, gains = graph.control[0], graph.rows[1], graph.moves, graph.gains
    has_priors = control["leaf"] == VALUE
    found = list_moves(row, moves, node > 0 or control["least_percent"] == 0)
    start = control["num_edges"]
    if start + found > len(graph.move):
        return False
    if has_priors:
        write_gains(evaluator, row, moves, found, gains)
        for slot in range(found):
            gains[slot] += tie_break(row, moves[slot]) / UNITS_PER_POINT
        _softmax(gains, found, PRIOR_SHARPNESS)
    mover = as_int64(row["current_player"])
    view = view_of(graph, mover)
    expected = graph.mean[node, view] - np.float32(FIRST_VISIT_PENALTY * sign_for(graph, mover))
    for slot in range(found):
        edge = start + slot
        graph.move[edge] = moves[slot]
        graph.child[edge] = 0
        graph.tries[edge] = 0
        graph.worth[view, edge] = expected
        graph.prior[edge] = gains[slot] if has_priors else 1.0 / found
        graph.exploration_bonus[edge] = graph.prior[edge]
    graph.first[node] = start
    graph.span[node] = found
    control["num_edges"] = start + found
    return True


@kernel
def ask_policy(graph: SearchGraph, evaluator: Evaluator, node: int) -> None:
    """Take the priors of a node, whose position is in rows[1], from the evaluator's policy, if it has one."""
    row, moves, logits = graph.rows[1], graph.moves, graph.gains
    start, count = as_int64(graph.first[node]), as_int64(graph.span[node])
    for slot in range(count):
        moves[slot] = graph.move[start + slot]
    if not write_logits(evaluator, row, moves, count, logits):
        return
    _softmax(logits, count, 1.0)
    for slot in range(count):
        edge = start + slot
        graph.prior[edge] = logits[slot]
        graph.exploration_bonus[edge] = graph.prior[edge] / np.float32(1 + graph.tries[edge])


@kernel
def _softmax(gains: NDArray[np.float64], count: int, sharpness: float) -> None:
    """Turn gains into priors, in place."""
    best = -np.inf
    for slot in range(count):
        best = max(best, gains[slot])
    total = 0.0
    for slot in range(count):
        gains[slot] = np.exp(sharpness * (gains[slot] - best))
        total += gains[slot]
    for slot in range(count):
        gains[slot] /= total


@kernel
def play_round(row: Row, chances: Chances, k: int) -> None:
    """Play random moves to the end of the round, which is scored. Caller guarantees that the round is on."""
    source, color, destination = random_move(row, chances, k)
    while play_move(row, source, color, destination) == TURN_PASSED:
        source, color, destination = random_move(row, chances, k)


@kernel
def write_results(graph: SearchGraph, evaluator: Evaluator) -> None:
    """Write the results of the position in rows[1]. A round that is over has been scored."""
    row, chances, control = graph.rows[1], graph.chances, graph.control[0]
    has_value = control["leaf"] == VALUE
    if not has_value:
        k = as_int64(0)
        if awaits_move(row):
            play_round(row, chances, k)
        if control["leaf"] == GAME:
            while row["end_reason"] == PLAYING:
                deal(row, chances, k)
                play_round(row, chances, k)
    for view in range(control["views"]):
        seat = view if control["views"] > 1 else control["searcher"]
        if not has_value:
            points = float(margin(row, seat))
        elif awaits_move(row):
            points = value(evaluator, row, seat)
        else:
            points = round_end_value(evaluator, row, seat)
        graph.results[view] = result_of(points)


@kernel
def back_up(graph: SearchGraph, depth: int) -> None:
    """Add `results` to the leaf of the path, then update the mean of every node up to the root from its child's.

    A node's mean is over its own results and the `worth` of its edges, each weighted by its number of tries. So a
    simulation that passes through a known position also brings in what others found there.
    """
    one = np.float32(1)
    views = graph.control[0]["views"]
    node = graph.nodes[depth]
    graph.visits[node] += 1
    visits = np.float32(graph.visits[node])
    for view in range(views):
        graph.mean[node, view] += (graph.results[view] - graph.mean[node, view]) / visits
    for step in range(depth, 0, -1):
        edge, node, child = graph.path[step], graph.nodes[step - 1], graph.nodes[step]
        tries = np.float32(graph.tries[edge])
        graph.tries[edge] += 1
        graph.exploration_bonus[edge] = graph.prior[edge] / (tries + one + one)
        graph.visits[node] += 1
        visits = np.float32(graph.visits[node])
        for view in range(views):
            found = graph.mean[child, view]
            known = graph.worth[view, edge] if tries else found
            graph.worth[view, edge] = found
            change = found - graph.mean[node, view] + tries * (found - known)
            graph.mean[node, view] += change / visits


@kernel
def is_finished(control: Any) -> bool:
    """True if a limit is reached; never before the first simulation. The clock is read only now and then."""
    done = control["simulations"]
    is_look_due = done & (SIMULATIONS_PER_LOOK - 1) == 0
    if is_look_due and now_nanoseconds(control["clock"]) >= control["deadline"]:
        control["stop"] = 1
    return done > 0 and (done >= control["simulation_limit"] or control["stop"] != 0)


@kernel
def select(graph: SearchGraph, evaluator: Evaluator, exploration: float) -> int:
    """Take the best edges from rows[0] to a leaf, whose position is left in rows[1]; returns its depth.

    Nodes and edges on the way are written to `nodes` and `path`. The moves of a leaf that has been visited often enough are
    listed first. A round that ends is scored.
    """
    graph.rows[1] = graph.rows[0]
    row, control = graph.rows[1], graph.control[0]
    node = as_int64(0)
    depth = as_int64(0)
    graph.nodes[0] = 0
    while depth + 1 < MAX_PATH:
        if graph.first[node] == 0:
            if graph.visits[node] < control["patience"]:
                break
            if not expand(graph, evaluator, node):
                break
        if graph.visits[node] == VISITS_BEFORE_POLICY and control["leaf"] == VALUE:
            ask_policy(graph, evaluator, node)
        edge = best_edge(graph, node, as_int64(row["current_player"]), exploration)
        if node == 0 and control["least_percent"]:
            edge = neglected_edge(graph, edge)
        if graph.child[edge] == 0 and control["num_nodes"] == len(graph.keys):
            break
        source, color, destination = move_parts(as_int64(graph.move[edge]))
        outcome = play_move(row, source, color, destination)
        is_over = tiled(row, outcome, chooser_of(graph.rows[0])) != TURN_PASSED
        if graph.child[edge] == 0:
            graph.child[edge] = node_of(graph, row, is_over)
        node = as_int64(graph.child[edge])
        depth += 1
        graph.path[depth] = edge
        graph.nodes[depth] = node
        if is_over:
            break
    return depth


@kernel
def begin_at_root(graph: SearchGraph, evaluator: Evaluator) -> None:
    """Give the root a value and list its moves."""
    graph.rows[1] = graph.rows[0]
    write_results(graph, evaluator)
    for view in range(graph.control[0]["views"]):
        graph.mean[0, view] = graph.results[view]
    graph.rows[1] = graph.rows[0]
    graph.visits[0] = 1
    expand(graph, evaluator, as_int64(0))
    ask_policy(graph, evaluator, as_int64(0))


@called_kernel
def simulate(graph: SearchGraph, evaluator: Evaluator, exploration: float) -> None:
    """Run simulations from rows[0] until a limit: select and expand, evaluate, back up."""
    prepare(evaluator, graph.rows[0])
    if graph.first[0] == 0:
        begin_at_root(graph, evaluator)
    while not is_finished(graph.control[0]):
        graph.control[0]["simulations"] += 1
        depth = select(graph, evaluator, exploration)
        write_results(graph, evaluator)
        back_up(graph, depth)
