"""The layers of a network, and where they lie in a flat array.

    board     = bias_r + the rows of its features                                           WIDTH, for each board
    hidden    = bias_r + own_r relu(own board) + other_r mean of relu(other boards)
                + the rows of the table's features + scores_r points                        HIDDEN
    margin    = own points - mean of the others' + output 0 of relu(hidden)
    spread    = 1 + x + sqrt(1 + x * x), where x is output 1
    win logit = margin / spread + output 2

Layers with an r differ by round. All that depends on one board only is cached by the evaluator.
"""

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.network.features import (
    NUM_BOARD_FEATURES,
    NUM_ROUNDS,
    NUM_TABLE_FEATURES,
)

WIDTH: Final = 32  # of a board
HIDDEN: Final = 16
MARGIN, SPREAD, SHIFT = OUTPUTS = 0, 1, 2
NUM_OUTPUTS: Final = len(OUTPUTS)
OVER_MEAN, OVER_BEST = SCORES = 0, 1  # own points over the others' mean, and over the best of them
NUM_SCORES: Final = len(SCORES)
POINTS_SCALE: Final = 0.1  # of points as inputs

Floats = NDArray[np.float32]
Layers = dict[str, Floats]

SHAPES: Final[dict[str, tuple[int, ...]]] = {
    "board": (NUM_BOARD_FEATURES, WIDTH),
    "board_bias": (NUM_ROUNDS, WIDTH),
    "own": (NUM_ROUNDS, WIDTH, HIDDEN),
    "other": (NUM_ROUNDS, WIDTH, HIDDEN),
    "table": (NUM_TABLE_FEATURES, HIDDEN),
    "hidden_bias": (NUM_ROUNDS, HIDDEN),
    "scores": (NUM_ROUNDS, NUM_SCORES, HIDDEN),
    "output": (NUM_ROUNDS, NUM_OUTPUTS, HIDDEN),
    "output_bias": (NUM_ROUNDS, NUM_OUTPUTS),
}
_STARTS: Final = [0, *np.cumsum([int(np.prod(shape)) for shape in SHAPES.values()]).tolist()]
BOARD, BOARD_BIAS, OWN, OTHER, TABLE, HIDDEN_BIAS, POINTS, OUTPUT, OUTPUT_BIAS, NETWORK_SIZE = (
    _STARTS
)


def flat(inner: Layers, ends: Layers) -> Floats:
    """The networks inside rounds and for their ends, one behind the other."""
    parts = [network[name] for network in (inner, ends) for name in SHAPES]
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def unflattened(weights: Floats) -> tuple[Layers, Layers]:
    """The inverse of `flat`."""
    networks = []
    for first in (0, NETWORK_SIZE):
        parts = [weights[first + start : first + stop] for start, stop in pairwise(_STARTS)]
        networks.append(
            {
                name: part.reshape(shape)
                for (name, shape), part in zip(SHAPES.items(), parts, strict=True)
            }
        )
    return networks[0], networks[1]
