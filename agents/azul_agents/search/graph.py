"""The graph of positions that a Monte-Carlo search has visited within a round. `simulation` lets it grow.

Many orders of moves lead to the same position, so a position is a single node, found by its key and shared by all of
them. Node 0 is the position to be searched. The moves of a node are its edges, the `span[node]` entries from
`first[node]` on.

| array of nodes      | entry                                                                       |
|---------------------|-----------------------------------------------------------------------------|
| `keys`              | hash of the position                                                        |
| `visits`            | simulations that went through the node                                      |
| `mean`              | of their results and of its edges, by view: see `simulation.back_up`        |
| `first`             | its first edge; 0 before its moves are listed                               |
| `span`              | number of its edges                                                         |

| array of edges      | entry                                                                       |
|---------------------|-----------------------------------------------------------------------------|
| `move`              | the packed move                                                             |
| `child`             | the node that it leads to; 0 before it was tried                            |
| `tries`             | simulations that took it                                                    |
| `worth`             | by view: the child's mean when it was last taken; before that, an           |
|                     | assumption in the mover's view, and nothing in the others                   |
| `prior`             | how promising the move looked; those of all edges of a node add up to 1     |
| `exploration_bonus` | prior / (1 + tries), as PUCT adds it; cached                                |

Results are in [-1, 1]. With 2 players they have one view, the searcher's, and the other's are their negatives. With 3 and 4
players every seat has its own.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.moves import MAX_MOVES, action_of
from azul_agents.search.timing import NEVER
from azul_agents.search.transposition import mixed, position_key, round_salt
from azul_env.core.chance import CHANCE, Chances
from azul_env.core.jit import kernel
from azul_env.core.spec import MAX_PLAYERS
from azul_env.core.state import Row, Rows, empty_rows
from azul_env.core.words import as_int64

# What a simulation does at its leaf: ask the evaluator, or play at random to the end of the round or of the game.
VALUE, ROUND, GAME = 0, 1, 2

PATIENCE_WITH_CHANCE: Final = 12
MAX_PATH: Final = 64  # nodes on a path; no round has as many moves
EDGES_PER_NODE: Final = 4  # of the capacity: most nodes are leaves, which have none

# Settings and counters of a search.
CONTROL: Final = np.dtype(
    [
        ("searcher", np.int64),  # seat
        ("views", np.int64),  # of a result
        ("leaf", np.int64),  # VALUE, ROUND or GAME
        ("patience", np.int64),  # visits after which the moves of a node are listed
        ("least_percent", np.int64),  # of an even share of the simulations, for each root move
        ("simulation_limit", np.int64),
        ("clock", np.int64),  # one of CLOCK_NUMBERS
        ("deadline", np.int64),  # in nanoseconds of the clock
        ("stop", np.int64),  # 1: a time limit is reached
        ("simulations", np.int64),
        ("num_nodes", np.int64),
        ("num_edges", np.int64),  # including edge 0, which is unused
    ],
    align=True,
)


class RootMove(NamedTuple):
    """What a search found of a move at the root."""

    action: int
    tries: int
    results: tuple[float, ...]  # means, by view
    result: float  # in the searcher's view; -inf if the move was never tried


class SearchGraph(NamedTuple):
    """All arrays of a search; kernels take them as one."""

    control: NDArray[Any]  # CONTROL, a single record
    rows: Rows  # the position to be searched, and the one that a simulation has reached
    chances: Chances  # a single one, for random playouts
    table: NDArray[np.int32]  # nodes by the lowest bits of their keys
    keys: NDArray[np.int64]  # nodes: see above
    visits: NDArray[np.int32]
    mean: NDArray[np.float32]
    first: NDArray[np.int32]
    span: NDArray[np.int32]
    move: NDArray[np.int32]  # edges: see above
    child: NDArray[np.int32]
    tries: NDArray[np.int32]
    worth: NDArray[np.float32]
    prior: NDArray[np.float32]
    exploration_bonus: NDArray[np.float32]
    path: NDArray[np.int64]  # edges that a simulation took
    nodes: NDArray[np.int64]  # nodes that it went through
    moves: NDArray[np.int64]  # scratch space for the moves of a position
    gains: NDArray[np.float64]
    results: NDArray[np.float32]  # of a simulation, by view

    def begin(
        self, rows: Rows, leaf: int, limit: int, stream: np.uint64, least_percent: int = 0
    ) -> None:
        """Reset to a graph of one node, the position in rows[0]; the deadline is kept.

        With `least_percent` every root move gets at least this share of an even split, for values of all moves.
        """
        self.rows[0] = rows[0]
        self.control["simulations"] = self.control["stop"] = 0
        self.control["simulation_limit"] = limit
        self.control["least_percent"] = least_percent
        self.control["searcher"] = rows["current_player"][0]
        self.control["views"] = 1 if rows["num_players"][0] == 2 else rows["num_players"][0]
        self.control["leaf"] = leaf
        self.control["patience"] = 1 if leaf == VALUE else PATIENCE_WITH_CHANCE
        self.control["num_nodes"] = self.control["num_edges"] = 1
        self.chances[0] = (stream, stream, 0, 1, stream)
        for array in (self.keys, self.visits, self.mean, self.first, self.span):
            array[0] = 0

    def root_moves(self) -> list[RootMove]:
        """What is known of every move at the root."""
        edges = slice(int(self.first[0]), int(self.first[0] + self.span[0]))
        views = int(self.control["views"][0])
        view = int(self.control["searcher"][0]) if views > 1 else 0
        found = zip(
            self.move[edges].tolist(),
            self.tries[edges].tolist(),
            self.worth[:views, edges].T.tolist(),
            strict=True,
        )
        return [
            RootMove(
                int(action_of(move)), tries, tuple(results), results[view] if tries else -math.inf
            )
            for move, tries, results in found
        ]

    def root_lines(self) -> list[tuple[int, ...]]:
        """For every move at the root, the actions from there on along the moves that were tried most."""
        start = int(self.first[0])
        return [self._line_from(edge) for edge in range(start, start + int(self.span[0]))]

    def _line_from(self, edge: int) -> tuple[int, ...]:
        line = [int(action_of(int(self.move[edge])))]
        while self.child[edge] and self.first[self.child[edge]]:
            node = self.child[edge]
            start, span = int(self.first[node]), int(self.span[node])
            edge = start + int(self.tries[start : start + span].argmax())
            if self.tries[edge] == 0:
                break
            line.append(int(action_of(int(self.move[edge]))))
        return tuple(line)


def new_graph(capacity: int) -> SearchGraph:
    """Memory for graphs of up to `capacity` edges; a power of 2."""
    num_nodes = capacity // EDGES_PER_NODE
    control = np.zeros(1, CONTROL)
    control["deadline"] = NEVER
    return SearchGraph(
        control=control,
        rows=empty_rows(2),
        chances=np.zeros(1, CHANCE),
        table=np.zeros(capacity, np.int32),
        keys=np.zeros(num_nodes, np.int64),
        visits=np.zeros(num_nodes, np.int32),
        mean=np.zeros((num_nodes, MAX_PLAYERS), np.float32),
        first=np.zeros(num_nodes, np.int32),
        span=np.zeros(num_nodes, np.int32),
        move=np.zeros(capacity, np.int32),
        child=np.zeros(capacity, np.int32),
        tries=np.zeros(capacity, np.int32),
        worth=np.zeros((MAX_PLAYERS, capacity), np.float32),
        prior=np.zeros(capacity, np.float32),
        exploration_bonus=np.zeros(capacity, np.float32),
        path=np.zeros(MAX_PATH, np.int64),
        nodes=np.zeros(MAX_PATH, np.int64),
        moves=np.zeros(MAX_MOVES, np.int64),
        gains=np.zeros(MAX_MOVES),
        results=np.zeros(MAX_PLAYERS, np.float32),
    )


@kernel
def view_of(graph: SearchGraph, seat: int) -> int:
    """The index of the view by which a seat chooses: its own, or the only one."""
    return seat if graph.control[0]["views"] > 1 else as_int64(0)


@kernel
def node_of(graph: SearchGraph, row: Row, is_over: bool) -> int:
    """The node of a position, which is made if there is none yet. Caller guarantees that there is room for it."""
    control = graph.control[0]
    # Within a round walls and scores stay the same; ends of rounds differ in them.
    salt = round_salt(row, as_int64(0), as_int64(0)) if is_over else as_int64(0)
    key = position_key(row, salt)
    slot = as_int64(mixed(key, as_int64(0))) & (len(graph.table) - 1)
    node = as_int64(graph.table[slot])
    # Stale entries of earlier searches point beyond the last node, or to a node with another key.
    if 0 < node < control["num_nodes"] and graph.keys[node] == key:
        return node
    node = as_int64(control["num_nodes"])
    control["num_nodes"] += 1
    graph.table[slot] = node
    graph.keys[node] = key
    graph.visits[node] = 0
    for view in range(control["views"]):
        graph.mean[node, view] = 0.0
    graph.first[node] = 0
    return node
