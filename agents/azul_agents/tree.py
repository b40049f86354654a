"""Compiled Monte-Carlo tree search inside a round: the tree and its four steps. `mcts` is the agent around it.

The tree is seven arrays, one entry a node; node 0 is the position to be searched. The children of a node are
`count[node]` entries from `first[node]` on, made when the node has been visited once, or PATIENCE_WITH_CHANCE times where
its value is a matter of chance: most of a tree's cost is making nodes that nobody visits.

| array    | entry                                                                             |
|----------|-----------------------------------------------------------------------------------|
| `visits` | simulations that went through the node                                             |
| `mean`   | mean of their results, each in [-1, 1] from the searcher's side                    |
| `first`  | its first child; 0 before there are any                                            |
| `count`  | number of its children                                                             |
| `action` | the turn that leads to the node                                                    |
| `prior`  | how promising that turn looked, all of a parent's children adding up to 1          |
| `lure`   | prior / (1 + visits): what PUCT adds, kept so that choosing a child divides nothing |

Others are taken to play against the searcher, as in alpha-beta. A line that reaches the end of the round is scored; what
the next deal brings is sampled by playing on at random (leaf `game`), left to the evaluation (leaf `value`), or left out:
then the points so far count (leaf `round`).
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.evaluation import MAX_LISTED, Weights, margin_value
from azul_agents.turns import MAX_TURNS, list_turns
from azul_env.core.actions import action_parts
from azul_env.core.batch import play_round
from azul_env.core.draw import Streams, deal
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.moves import draft
from azul_env.core.rounds import PLAYING, finish_round
from azul_env.core.state import Row, Rows, empty_rows
from azul_env.core.words import as_bool, as_int64
from azul_env.rewards import margin

# What a simulation does at its leaf.
VALUE, ROUND, GAME = (
    0,
    1,
    2,
)  # ask the evaluation; random turns to the end of the round; of the game

# What `control` holds.
SIMULATIONS, SIMULATION_LIMIT, STOP, SEARCHER, LEAF, NUM_NODES, PATIENCE = range(7)
CONTROL_SIZE: Final = 7

PATIENCE_WITH_CHANCE: Final = 12
MAX_PATH: Final = 64  # nodes on a path: no round has so many turns
MARGIN_SCALE: Final = 25.0  # a margin of so many points is worth 0.71 of a sure win
PRIOR_SHARPNESS: Final = 0.6  # of the guesses, in the exponent, per point
FIRST_VISIT_PENALTY: Final = (
    0.1  # what a turn that was never tried is taken to be worse than its parent
)


@kernel
def result_of(margin: float) -> float:
    """A margin of points as a result in (-1, 1)."""
    return margin / np.sqrt(margin * margin + MARGIN_SCALE * MARGIN_SCALE)


@kernel
def best_child(
    node: int,
    sign: float,
    exploration: float,
    visits: NDArray[np.int32],
    mean: NDArray[np.float32],
    first: NDArray[np.int32],
    count: NDArray[np.int32],
    lure: NDArray[np.float32],
) -> int:
    """The child to visit next: good for the player to move (`sign`), promising, or little tried (PUCT)."""
    start = as_int64(first[node])
    drive = np.float32(exploration * np.sqrt(visits[node]))
    side = np.float32(sign)
    best = start
    best_score = np.float32(-np.inf)
    for child in range(start, start + as_int64(count[node])):
        score = side * mean[child] + drive * lure[child]
        if score > best_score:
            best_score = score
            best = child
    return best


@kernel
def expand(
    row: Row,
    node: int,
    sign: float,
    control: NDArray[np.int64],
    visits: NDArray[np.int32],
    mean: NDArray[np.float32],
    first: NDArray[np.int32],
    count: NDArray[np.int32],
    action: NDArray[np.int32],
    prior: NDArray[np.float32],
    lure: NDArray[np.float32],
    turns: NDArray[np.int64],
    guesses: NDArray[np.float64],
) -> bool:
    """Make the children of a node, each taken to be a little worse than the node; false if the tree is full.

    Where leaves are played out at random, all children are equally promising.
    """
    is_guessed = control[LEAF] == VALUE
    found = list_turns(row, turns, guesses, as_bool(True), is_guessed)
    start = control[NUM_NODES]
    if start + found > len(visits):
        return False
    if is_guessed:
        _turn_into_priors(guesses, found)
    for place in range(found):
        child = start + place
        visits[child] = 0
        mean[child] = mean[node] - np.float32(FIRST_VISIT_PENALTY * sign)
        first[child] = 0
        action[child] = turns[place]
        prior[child] = guesses[place] if is_guessed else 1.0 / found
        lure[child] = prior[child]
    first[node] = start
    count[node] = found
    control[NUM_NODES] = start + found
    return True


@kernel
def _turn_into_priors(guesses: NDArray[np.float64], count: int) -> None:
    """Make numbers out of guesses that add up to 1, larger for better ones."""
    best = -np.inf
    for place in range(count):
        best = max(best, guesses[place])
    total = 0.0
    for place in range(count):
        guesses[place] = np.exp(PRIOR_SHARPNESS * (guesses[place] - best))
        total += guesses[place]
    for place in range(count):
        guesses[place] /= total


@kernel
def leaf_result(
    rows: Rows,
    control: NDArray[np.int64],
    streams: Streams,
    weights: Weights,
    places: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> float:
    """What the position in rows[1] is worth to the searcher. A round that is over is scored already."""
    row = rows[1]
    k = as_int64(0)
    if control[LEAF] != VALUE and row["end_reason"] == PLAYING and row["available"] != 0:
        play_round(row, streams, k)
        finish_round(row)
    if control[LEAF] == GAME:
        while row["end_reason"] == PLAYING:
            if row["available"] == 0:
                deal(row, streams, k)
            play_round(row, streams, k)
            finish_round(row)
    if control[LEAF] == VALUE:
        return result_of(margin_value(row, control[SEARCHER], weights, places, amounts))
    return result_of(margin(row, control[SEARCHER]))


@kernel
def back_up(
    node: int,
    result: np.float32,
    visits: NDArray[np.int32],
    mean: NDArray[np.float32],
    prior: NDArray[np.float32],
    lure: NDArray[np.float32],
) -> None:
    """Let a result count in a node that it went through; the first replaces what the node was taken to be worth."""
    visits[node] += 1
    share = np.float32(1) / np.float32(visits[node])
    mean[node] += (result - mean[node]) * share
    lure[node] = prior[node] / np.float32(visits[node] + 1)


@called_kernel
def simulate(
    rows: Rows,
    control: NDArray[np.int64],
    exploration: float,
    streams: Streams,
    visits: NDArray[np.int32],
    mean: NDArray[np.float32],
    first: NDArray[np.int32],
    count: NDArray[np.int32],
    action: NDArray[np.int32],
    prior: NDArray[np.float32],
    lure: NDArray[np.float32],
    path: NDArray[np.int64],
    turns: NDArray[np.int64],
    guesses: NDArray[np.float64],
    weights: Weights,
    places: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> None:
    """Run simulations from rows[0] until a limit: select, expand, value, back up. rows[1] is room."""
    while control[SIMULATIONS] == 0 or (
        control[SIMULATIONS] < control[SIMULATION_LIMIT] and not control[STOP]
    ):
        control[SIMULATIONS] += 1
        rows[1] = rows[0]
        row = rows[1]
        node = as_int64(0)
        length = 0
        path[0] = 0
        is_over = False
        while not is_over and length + 1 < MAX_PATH:
            sign = 1.0 if row["current_player"] == control[SEARCHER] else -1.0
            if first[node] == 0:
                if visits[node] < control[PATIENCE] and node != 0:
                    break
                if not expand(
                    row,
                    node,
                    sign,
                    control,
                    visits,
                    mean,
                    first,
                    count,
                    action,
                    prior,
                    lure,
                    turns,
                    guesses,
                ):
                    break
                visits[node] = max(1, visits[node])  # the root, whose own value is not asked for
            node = best_child(node, sign, exploration, visits, mean, first, count, lure)
            length += 1
            path[length] = node
            source, color, destination = action_parts(as_int64(action[node]))
            is_over = draft(row, source, color, destination)
        if is_over:
            finish_round(row)
        result = np.float32(leaf_result(rows, control, streams, weights, places, amounts))
        for place in range(length + 1):
            back_up(path[place], result, visits, mean, prior, lure)


class TreeMemory:
    """All arrays of a tree search."""

    def __init__(self, capacity: int) -> None:
        self.rows = empty_rows(2)
        self.control = np.zeros(CONTROL_SIZE, np.int64)
        self.streams = np.zeros(1, np.uint64)
        self.visits = np.zeros(capacity, np.int32)
        self.mean = np.zeros(capacity, np.float32)
        self.first = np.zeros(capacity, np.int32)
        self.count = np.zeros(capacity, np.int32)
        self.action = np.zeros(capacity, np.int32)
        self.prior = np.zeros(capacity, np.float32)
        self.lure = np.zeros(capacity, np.float32)
        self.path = np.zeros(MAX_PATH, np.int64)
        self.turns = np.zeros(MAX_TURNS, np.int64)
        self.guesses = np.zeros(MAX_TURNS)
        self.places = np.zeros(MAX_LISTED, np.int64)
        self.amounts = np.zeros(MAX_LISTED)

    def begin(self, rows: Rows, leaf: int, limit: int, stream: np.uint64) -> None:
        """Make a tree of one node, the position in rows[0]."""
        self.rows[0] = rows[0]
        self.control[:] = 0
        self.control[SIMULATION_LIMIT] = limit
        self.control[SEARCHER] = rows["current_player"][0]
        self.control[LEAF] = leaf
        self.control[PATIENCE] = 1 if leaf == VALUE else PATIENCE_WITH_CHANCE
        self.control[NUM_NODES] = 1
        self.streams[0] = stream
        for array in (self.visits, self.mean, self.first, self.count):
            array[0] = 0

    def run(self, weights: Weights, exploration: float) -> None:
        """Run simulations until a limit."""
        simulate(
            self.rows,
            self.control,
            exploration,
            self.streams,
            self.visits,
            self.mean,
            self.first,
            self.count,
            self.action,
            self.prior,
            self.lure,
            self.path,
            self.turns,
            self.guesses,
            weights,
            self.places,
            self.amounts,
        )

    def children(self) -> list[tuple[int, int, float]]:
        """Action, visits and mean result of every turn at the root."""
        start = int(self.first[0])
        found: list[tuple[int, int, Any]] = []
        for child in range(start, start + int(self.count[0])):
            tried = int(self.visits[child])
            mean = float(self.mean[child]) if tried else float("-inf")
            found.append((int(self.action[child]), tried, mean))
        return found
