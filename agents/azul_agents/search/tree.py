"""Compiled Monte-Carlo tree search inside a round: the tree and its four steps. `mcts` is the agent around it.

The tree is seven arrays, one entry a node; node 0 is the position to be searched. The children of a node are
`span[node]` entries from `first[node]` on, made when the node has been visited once, or PATIENCE_WITH_CHANCE times where
its value is a matter of chance: most of a tree's cost is making nodes that nobody visits.

| array    | entry                                                                             |
|----------|-----------------------------------------------------------------------------------|
| `visits` | simulations that went through the node                                             |
| `mean`   | mean of their results, each in [-1, 1] from the searcher's side                    |
| `first`  | its first child; 0 before there are any                                            |
| `span`   | number of its children                                                             |
| `action` | the turn that leads to the node                                                    |
| `prior`  | how promising that turn looked, all of a parent's children adding up to 1          |
| `lure`   | prior / (1 + visits): what PUCT adds, kept so that choosing a child divides nothing |

Others are taken to play against the searcher, as in alpha-beta. A line that reaches the end of the round is scored; what
the next deal brings is sampled by playing on at random (leaf `game`), left to the evaluation (leaf `value`), or left out:
then the points so far count (leaf `round`).
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.clock import NEVER, now_nanoseconds
from azul_agents.search.evaluation import MAX_LISTED, Weights, margin_value
from azul_agents.search.turns import MAX_TURNS, list_turns
from azul_env.core.actions import action_parts
from azul_env.core.chance import CHANCE, Chances, deal
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.legality import random_move
from azul_env.core.rounds import PLAYING
from azul_env.core.state import Row, Rows, empty_rows
from azul_env.core.step import TURN_PASSED, play_move
from azul_env.core.words import as_bool, as_int64
from azul_env.rewards import margin

# What a simulation does at its leaf.
VALUE, ROUND, GAME = (
    0,
    1,
    2,
)  # ask the evaluation; random turns to the end of the round; of the game

# What `control` holds.
SIMULATIONS, SIMULATION_LIMIT, STOP, SEARCHER, LEAF, NUM_NODES, PATIENCE, DEADLINE = range(8)
CONTROL_SIZE: Final = 8
SIMULATIONS_PER_LOOK: Final = 64  # at the clock; a power of 2

PATIENCE_WITH_CHANCE: Final = 12
MAX_PATH: Final = 64  # nodes on a path: no round has so many turns
MARGIN_SCALE: Final = 25.0  # a margin of so many points is worth 0.71 of a sure win
PRIOR_SHARPNESS: Final = 0.6  # of the guesses, in the exponent, per point
FIRST_VISIT_PENALTY: Final = (
    0.1  # what a turn that was never tried is taken to be worse than its parent
)


class TreeMemory(NamedTuple):
    """All arrays of a tree search; kernels take them as one."""

    rows: Rows  # the position to be searched, and room for those that follow
    control: NDArray[np.int64]
    chances: Chances  # of the random turns, one
    visits: NDArray[np.int32]  # the tree: see above
    mean: NDArray[np.float32]
    first: NDArray[np.int32]
    span: NDArray[np.int32]
    action: NDArray[np.int32]
    prior: NDArray[np.float32]
    lure: NDArray[np.float32]
    path: NDArray[np.int64]  # nodes that a simulation went through
    turns: NDArray[np.int64]  # room for the turns of a position
    guesses: NDArray[np.float64]
    places: NDArray[np.int64]  # room for the features of a board
    amounts: NDArray[np.float64]

    def begin(self, rows: Rows, leaf: int, limit: int, stream: np.uint64) -> None:
        """Make a tree of one node, the position in rows[0]; a deadline stays."""
        self.rows[0] = rows[0]
        self.control[SIMULATIONS] = self.control[STOP] = 0
        self.control[SIMULATION_LIMIT] = limit
        self.control[SEARCHER] = rows["current_player"][0]
        self.control[LEAF] = leaf
        self.control[PATIENCE] = 1 if leaf == VALUE else PATIENCE_WITH_CHANCE
        self.control[NUM_NODES] = 1
        self.chances[0] = (stream, stream, 0, 1, stream)
        for array in (self.visits, self.mean, self.first, self.span):
            array[0] = 0

    def run(self, weights: Weights, exploration: float) -> None:
        """Run simulations until a limit."""
        simulate(self, weights, exploration)

    def root_turns(self) -> list[tuple[int, int, float]]:
        """Action, visits and mean result of every turn at the root; -inf for one that was never tried."""
        children = slice(int(self.first[0]), int(self.first[0] + self.span[0]))
        visits = self.visits[children]
        means = np.where(visits > 0, self.mean[children], -np.inf)
        return list(
            zip(self.action[children].tolist(), visits.tolist(), means.tolist(), strict=True)
        )


def new_tree(capacity: int) -> TreeMemory:
    """Memory for trees of so many nodes."""
    control = np.zeros(CONTROL_SIZE, np.int64)
    control[DEADLINE] = NEVER
    return TreeMemory(
        rows=empty_rows(2),
        control=control,
        chances=np.zeros(1, CHANCE),
        visits=np.zeros(capacity, np.int32),
        mean=np.zeros(capacity, np.float32),
        first=np.zeros(capacity, np.int32),
        span=np.zeros(capacity, np.int32),
        action=np.zeros(capacity, np.int32),
        prior=np.zeros(capacity, np.float32),
        lure=np.zeros(capacity, np.float32),
        path=np.zeros(MAX_PATH, np.int64),
        turns=np.zeros(MAX_TURNS, np.int64),
        guesses=np.zeros(MAX_TURNS),
        places=np.zeros(MAX_LISTED, np.int64),
        amounts=np.zeros(MAX_LISTED),
    )


@kernel
def result_of(margin: float) -> float:
    """A margin of points as a result in (-1, 1)."""
    return margin / np.sqrt(margin * margin + MARGIN_SCALE * MARGIN_SCALE)


@kernel
def best_child(tree: TreeMemory, node: int, sign: float, exploration: float) -> int:
    """The child to visit next: good for the player to move (`sign`), promising, or little tried (PUCT)."""
    mean, lure = tree.mean, tree.lure
    start = as_int64(tree.first[node])
    drive = np.float32(exploration * np.sqrt(tree.visits[node]))
    side = np.float32(sign)
    best = start
    best_score = np.float32(-np.inf)
    for child in range(start, start + as_int64(tree.span[node])):
        score = side * mean[child] + drive * lure[child]
        if score > best_score:
            best_score = score
            best = child
    return best


@kernel
def expand(tree: TreeMemory, node: int, sign: float) -> bool:
    """Make the children of a node, whose position is in rows[1]; false if the tree is full.

    Each is taken to be a little worse than the node. Where leaves are played out at random, all are equally promising.
    """
    control, guesses = tree.control, tree.guesses
    is_guessed = control[LEAF] == VALUE
    found = list_turns(tree.rows[1], tree.turns, guesses, as_bool(True), is_guessed)
    start = control[NUM_NODES]
    if start + found > len(tree.visits):
        return False
    if is_guessed:
        _turn_into_priors(guesses, found)
    expected = tree.mean[node] - np.float32(FIRST_VISIT_PENALTY * sign)
    for place in range(found):
        child = start + place
        tree.visits[child] = 0
        tree.mean[child] = expected
        tree.first[child] = 0
        tree.action[child] = tree.turns[place]
        tree.prior[child] = guesses[place] if is_guessed else 1.0 / found
        tree.lure[child] = tree.prior[child]
    tree.first[node] = start
    tree.span[node] = found
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
def play_round(row: Row, chances: Chances, k: int) -> None:
    """Play random moves to the end of the round, which is scored. Caller guarantees that it is on."""
    source, color, destination = random_move(row, chances, k)
    while play_move(row, source, color, destination) == TURN_PASSED:
        source, color, destination = random_move(row, chances, k)


@kernel
def leaf_result(tree: TreeMemory, weights: Weights) -> float:
    """What the position in rows[1] is worth to the searcher. A round that is over is scored already."""
    row, chances, control = tree.rows[1], tree.chances, tree.control
    k = as_int64(0)
    if control[LEAF] != VALUE and row["end_reason"] == PLAYING and row["available"] != 0:
        play_round(row, chances, k)
    if control[LEAF] == GAME:
        while row["end_reason"] == PLAYING:
            if row["available"] == 0:
                deal(row, chances, k)
            play_round(row, chances, k)
    if control[LEAF] == VALUE:
        value = margin_value(row, control[SEARCHER], weights, tree.places, tree.amounts)
        return result_of(value)
    return result_of(margin(row, control[SEARCHER]))


@kernel
def back_up(tree: TreeMemory, node: int, result: np.float32) -> None:
    """Let a result count in a node that it went through; the first replaces what the node was taken to be worth."""
    tree.visits[node] += 1
    visits = np.float32(tree.visits[node])
    tree.mean[node] += (result - tree.mean[node]) * (np.float32(1) / visits)
    tree.lure[node] = tree.prior[node] / (visits + np.float32(1))


@kernel
def is_finished(control: NDArray[np.int64]) -> bool:
    """Whether a limit is reached; never before the first simulation. The clock is read now and then only."""
    done = control[SIMULATIONS]
    if done & (SIMULATIONS_PER_LOOK - 1) == 0 and now_nanoseconds() >= control[DEADLINE]:
        control[STOP] = 1
    return done > 0 and (done >= control[SIMULATION_LIMIT] or control[STOP] != 0)


@kernel
def select(tree: TreeMemory, exploration: float) -> int:
    """Follow the best children from rows[0] to a leaf, whose position is in rows[1] then; the last place in `path`.

    A leaf that has been visited often enough gets children first. A round that ends is scored.
    """
    tree.rows[1] = tree.rows[0]
    row, control = tree.rows[1], tree.control
    node = as_int64(0)
    length = as_int64(0)
    tree.path[0] = 0
    while length + 1 < MAX_PATH:
        sign = 1.0 if row["current_player"] == control[SEARCHER] else -1.0
        if tree.first[node] == 0:
            if tree.visits[node] < control[PATIENCE] and node != 0:
                break
            if not expand(tree, node, sign):
                break
            # The root, whose own value is not asked for.
            tree.visits[node] = max(1, tree.visits[node])
        node = best_child(tree, node, sign, exploration)
        length += 1
        tree.path[length] = node
        source, color, destination = action_parts(as_int64(tree.action[node]))
        if play_move(row, source, color, destination) != TURN_PASSED:
            break
    return length


@called_kernel
def simulate(tree: TreeMemory, weights: Weights, exploration: float) -> None:
    """Run simulations from rows[0] until a limit: select and expand, value, back up."""
    while not is_finished(tree.control):
        tree.control[SIMULATIONS] += 1
        length = select(tree, exploration)
        result = np.float32(leaf_result(tree, weights))
        for place in range(length + 1):
            back_up(tree, tree.path[place], result)
