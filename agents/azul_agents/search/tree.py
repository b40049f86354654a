"""Compiled Monte-Carlo tree search within a round: the tree and its four steps. `mcts` is the agent around it.

The tree is seven arrays with one entry per node; node 0 is the position to be searched. The children of a node are
`span[node]` entries from `first[node]` on, made when the node has been visited once, or PATIENCE_WITH_CHANCE times where
its value is a matter of chance: most of a tree's cost is making nodes that are never visited.

| array               | entry                                                                   |
|---------------------|-------------------------------------------------------------------------|
| `visits`            | simulations that went through the node                                  |
| `mean`              | mean of their results, each in [-1, 1] from the searcher's side         |
| `first`             | its first child; 0 before there are any                                 |
| `span`              | number of its children                                                  |
| `move`              | the packed move that leads to the node                                  |
| `prior`             | how promising that move looked; those of all siblings add up to 1     |
| `exploration_bonus` | prior / (1 + visits), as PUCT adds it; cached                           |

Others are assumed to play against the searcher, as in alpha-beta. A line that reaches the end of the round is scored; the
next deal is sampled by playing on at random (leaf `game`), left to the evaluator (leaf `value`), or left out: then the
points so far count (leaf `round`).
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import Evaluator, prepare, round_end_value, value, write_gains
from azul_agents.search.moves import (
    MAX_MOVES,
    UNITS_PER_POINT,
    action_of,
    list_moves,
    move_parts,
    tie_break,
)
from azul_agents.search.tiling import chooser_of, tiled
from azul_agents.search.timing import NEVER, now_nanoseconds
from azul_env.core.chance import CHANCE, Chances, deal
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.legality import awaits_move, random_move
from azul_env.core.rounds import PLAYING
from azul_env.core.state import Row, Rows, empty_rows
from azul_env.core.step import TURN_PASSED, play_move
from azul_env.core.words import as_bool, as_int64
from azul_env.rewards import margin

# What a simulation does at its leaf: ask the evaluator, or play at random to the end of the round or of the game.
VALUE, ROUND, GAME = 0, 1, 2

SIMULATIONS_PER_LOOK: Final = 64  # at the clock; a power of 2
PATIENCE_WITH_CHANCE: Final = 12
MAX_PATH: Final = 64  # nodes on a path; no round has as many moves
MARGIN_SCALE: Final = 25.0  # a margin of this many points is worth 0.71 of a sure win
PRIOR_SHARPNESS: Final = 0.6  # factor of the gains in the exponent, per point
# How much worse than its parent a move that was never tried is assumed to be.
FIRST_VISIT_PENALTY: Final = 0.1

# Settings and counters of a search.
CONTROL: Final = np.dtype(
    [
        ("searcher", np.int64),  # seat
        ("leaf", np.int64),  # VALUE, ROUND or GAME
        ("patience", np.int64),  # visits after which a node gets children
        ("simulation_limit", np.int64),
        ("deadline", np.int64),  # in nanoseconds of the clock
        ("stop", np.int64),  # 1: a time limit is reached
        ("simulations", np.int64),
        ("num_nodes", np.int64),
    ],
    align=True,
)


class TreeMemory(NamedTuple):
    """All arrays of a tree search; kernels take them as one."""

    control: NDArray[Any]  # CONTROL, a single record
    rows: Rows  # the position to be searched, and the one that a simulation has reached
    chances: Chances  # a single one, for random playouts
    visits: NDArray[np.int32]  # the tree: see above
    mean: NDArray[np.float32]
    first: NDArray[np.int32]
    span: NDArray[np.int32]
    move: NDArray[np.int32]
    prior: NDArray[np.float32]
    exploration_bonus: NDArray[np.float32]
    path: NDArray[np.int64]  # nodes that a simulation went through
    moves: NDArray[np.int64]  # scratch space for the moves of a position
    gains: NDArray[np.float64]

    def begin(self, rows: Rows, leaf: int, limit: int, stream: np.uint64) -> None:
        """Make a tree of one node, the position in rows[0]; a deadline stays."""
        self.rows[0] = rows[0]
        self.control["simulations"] = self.control["stop"] = 0
        self.control["simulation_limit"] = limit
        self.control["searcher"] = rows["current_player"][0]
        self.control["leaf"] = leaf
        self.control["patience"] = 1 if leaf == VALUE else PATIENCE_WITH_CHANCE
        self.control["num_nodes"] = 1
        self.chances[0] = (stream, stream, 0, 1, stream)
        for array in (self.visits, self.mean, self.first, self.span):
            array[0] = 0

    def run(self, evaluator: Evaluator, exploration: float) -> None:
        """Run simulations until a limit."""
        simulate(self, evaluator, exploration)

    def root_moves(self) -> list[tuple[int, int, float]]:
        """Action, visits and mean result of every move at the root; -inf for one that was never tried."""
        children = slice(int(self.first[0]), int(self.first[0] + self.span[0]))
        visits = self.visits[children]
        means = np.where(visits > 0, self.mean[children], -np.inf)
        actions = [action_of(move) for move in self.move[children].tolist()]
        return list(zip(actions, visits.tolist(), means.tolist(), strict=True))

    def root_lines(self) -> list[tuple[int, ...]]:
        """For every move at the root, the actions from there on along the most visited nodes."""
        start = int(self.first[0])
        return [self._line_from(node) for node in range(start, start + int(self.span[0]))]

    def _line_from(self, node: int) -> tuple[int, ...]:
        line = [int(action_of(int(self.move[node])))]
        while self.first[node] and self.visits[node] > 1:
            start, span = int(self.first[node]), int(self.span[node])
            node = start + int(self.visits[start : start + span].argmax())
            if self.visits[node] == 0:
                break
            line.append(int(action_of(int(self.move[node]))))
        return tuple(line)


def new_tree(capacity: int) -> TreeMemory:
    """Memory for trees of up to `capacity` nodes."""
    control = np.zeros(1, CONTROL)
    control["deadline"] = NEVER
    return TreeMemory(
        control=control,
        rows=empty_rows(2),
        chances=np.zeros(1, CHANCE),
        visits=np.zeros(capacity, np.int32),
        mean=np.zeros(capacity, np.float32),
        first=np.zeros(capacity, np.int32),
        span=np.zeros(capacity, np.int32),
        move=np.zeros(capacity, np.int32),
        prior=np.zeros(capacity, np.float32),
        exploration_bonus=np.zeros(capacity, np.float32),
        path=np.zeros(MAX_PATH, np.int64),
        moves=np.zeros(MAX_MOVES, np.int64),
        gains=np.zeros(MAX_MOVES),
    )


@kernel
def result_of(margin: float) -> float:
    """A margin of points as a result in (-1, 1)."""
    return margin / np.sqrt(margin * margin + MARGIN_SCALE * MARGIN_SCALE)


@kernel
def best_child(tree: TreeMemory, node: int, sign: float, exploration: float) -> int:
    """The child to visit next by PUCT; `sign` is 1 if the searcher is to move, else -1."""
    mean, bonus = tree.mean, tree.exploration_bonus
    start = as_int64(tree.first[node])
    factor = np.float32(exploration * np.sqrt(tree.visits[node]))
    side = np.float32(sign)
    best = start
    best_score = np.float32(-np.inf)
    for child in range(start, start + as_int64(tree.span[node])):
        score = side * mean[child] + factor * bonus[child]
        if score > best_score:
            best_score = score
            best = child
    return best


@kernel
def expand(tree: TreeMemory, evaluator: Evaluator, node: int, sign: float) -> bool:
    """Make the children of a node, whose position is in rows[1]; false if the tree is full.

    Each is assumed to be a little worse than the node. Where leaves are played out at random, the prior is uniform.
    """
    control, row, moves, gains = tree.control[0], tree.rows[1], tree.moves, tree.gains
    has_priors = control["leaf"] == VALUE
    found = list_moves(row, moves, as_bool(True))
    start = control["num_nodes"]
    if start + found > len(tree.visits):
        return False
    if has_priors:
        write_gains(evaluator, row, moves, found, gains)
        for slot in range(found):
            gains[slot] += tie_break(row, moves[slot]) / UNITS_PER_POINT
        _softmax(gains, found)
    expected = tree.mean[node] - np.float32(FIRST_VISIT_PENALTY * sign)
    for slot in range(found):
        child = start + slot
        tree.visits[child] = 0
        tree.mean[child] = expected
        tree.first[child] = 0
        tree.move[child] = moves[slot]
        tree.prior[child] = gains[slot] if has_priors else 1.0 / found
        tree.exploration_bonus[child] = tree.prior[child]
    tree.first[node] = start
    tree.span[node] = found
    control["num_nodes"] = start + found
    return True


@kernel
def _softmax(gains: NDArray[np.float64], count: int) -> None:
    """Turn gains into priors, in place."""
    best = -np.inf
    for slot in range(count):
        best = max(best, gains[slot])
    total = 0.0
    for slot in range(count):
        gains[slot] = np.exp(PRIOR_SHARPNESS * (gains[slot] - best))
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
def leaf_result(tree: TreeMemory, evaluator: Evaluator) -> float:
    """The result of the position in rows[1] to the searcher. A round that is over has been scored."""
    row, chances, control = tree.rows[1], tree.chances, tree.control[0]
    searcher = control["searcher"]
    if control["leaf"] == VALUE:
        if awaits_move(row):
            return result_of(value(evaluator, row, searcher))
        return result_of(round_end_value(evaluator, row, searcher))
    k = as_int64(0)
    if awaits_move(row):
        play_round(row, chances, k)
    if control["leaf"] == GAME:
        while row["end_reason"] == PLAYING:
            deal(row, chances, k)
            play_round(row, chances, k)
    return result_of(margin(row, searcher))


@kernel
def back_up(tree: TreeMemory, node: int, result: np.float32) -> None:
    """Add a result to a node on its path; the first one replaces the value that was assumed."""
    tree.visits[node] += 1
    visits = np.float32(tree.visits[node])
    tree.mean[node] += (result - tree.mean[node]) * (np.float32(1) / visits)
    tree.exploration_bonus[node] = tree.prior[node] / (visits + np.float32(1))


@kernel
def is_finished(control: Any) -> bool:
    """True if a limit is reached; never before the first simulation. The clock is read only now and then."""
    done = control["simulations"]
    if done & (SIMULATIONS_PER_LOOK - 1) == 0 and now_nanoseconds() >= control["deadline"]:
        control["stop"] = 1
    return done > 0 and (done >= control["simulation_limit"] or control["stop"] != 0)


@kernel
def select(tree: TreeMemory, evaluator: Evaluator, exploration: float) -> int:
    """Follow the best children from rows[0] to a leaf, whose position is left in rows[1]; returns its depth.

    The nodes on the way are written to `path`. A leaf that has been visited often enough gets children first. A round
    that ends is scored.
    """
    tree.rows[1] = tree.rows[0]
    row, control = tree.rows[1], tree.control[0]
    node = as_int64(0)
    depth = as_int64(0)
    tree.path[0] = 0
    while depth + 1 < MAX_PATH:
        sign = 1.0 if row["current_player"] == control["searcher"] else -1.0
        if tree.first[node] == 0:
            if tree.visits[node] < control["patience"] and node != 0:
                break
            if not expand(tree, evaluator, node, sign):
                break
            # The root has not been visited: its own value is not needed.
            tree.visits[node] = max(1, tree.visits[node])
        node = best_child(tree, node, sign, exploration)
        depth += 1
        tree.path[depth] = node
        source, color, destination = move_parts(as_int64(tree.move[node]))
        outcome = play_move(row, source, color, destination)
        if tiled(row, outcome, chooser_of(tree.rows[0])) != TURN_PASSED:
            break
    return depth


@called_kernel
def simulate(tree: TreeMemory, evaluator: Evaluator, exploration: float) -> None:
    """Run simulations from rows[0] until a limit: select and expand, evaluate, back up."""
    prepare(evaluator, tree.rows[0])
    while not is_finished(tree.control[0]):
        tree.control[0]["simulations"] += 1
        depth = select(tree, evaluator, exploration)
        result = np.float32(leaf_result(tree, evaluator))
        for step in range(depth + 1):
            back_up(tree, tree.path[step], result)
