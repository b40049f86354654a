"""The layers of a network, and where they lie in a flat array.

    board     = bias_r + the rows of its features                                           WIDTH, for each board
    hidden    = bias_r + own_r relu(own board) + other_r mean of relu(other boards)
                + the rows of the table's features + scores_r points                        HIDDEN
                + the rows of the offers' features, inside rounds
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
from azul_agents.search.network.offers import NUM_OFFER_FEATURES

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
OFFERS: Final = "offers"  # a layer that the network inside rounds may have
OFFERS_SHAPE: Final = (NUM_OFFER_FEATURES, HIDDEN)
_STARTS: Final = [0, *np.cumsum([int(np.prod(shape)) for shape in SHAPES.values()]).tolist()]
BOARD, BOARD_BIAS, OWN, OTHER, TABLE, HIDDEN_BIAS, POINTS, OUTPUT, OUTPUT_BIAS, NETWORK_SIZE = (
    _STARTS
)


# The flat array: the networks inside rounds and for their ends, then the layer of offers.
FIRST_OFFER: Final = 2 * NETWORK_SIZE
NUM_WEIGHTS: Final = FIRST_OFFER + NUM_OFFER_FEATURES * HIDDEN


def flat(inner: Layers, ends: Layers) -> Floats:
    """Both networks in one array."""
    parts = [network[name].ravel() for network in (inner, ends) for name in SHAPES]
    if OFFERS in inner:
        parts.append(inner[OFFERS].ravel())
    return with_offers(np.concatenate(parts).astype(np.float32))


def with_offers(weights: Floats) -> Floats:
    """Pad a flat array that may lack the layer of offers with zeros."""
    return np.pad(weights, (0, NUM_WEIGHTS - len(weights)))


def unflattened(weights: Floats) -> tuple[Layers, Layers]:
    """The inverse of `flat`."""
    inner, ends = (
        {
            name: weights[first + start : first + stop].reshape(shape)
            for (name, shape), (start, stop) in zip(SHAPES.items(), pairwise(_STARTS), strict=True)
        }
        for first in (0, NETWORK_SIZE)
    )
    return inner | {OFFERS: weights[FIRST_OFFER:].reshape(OFFERS_SHAPE)}, ends
