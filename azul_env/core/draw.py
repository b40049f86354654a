"""Chance: the random stream of a game, and the filling of the displays.

A stream is one uint64 that stands outside the state, so that no search can look into the next deal. It is a splitmix64
generator: the state advances by a constant, and a mixed copy of it is the random word. `docs/SPEC.md` tells how a seed
becomes deals.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.spec import FACTORY_CAPACITY
from azul_env.core.state import Row, center_of
from azul_env.core.words import (
    ALL_LANES,
    LANE_BITS,
    LANE_ONES,
    as_int64,
    lane_tops_beyond,
    lane_total,
    nonzero_lanes,
    running_sums,
)

Streams = NDArray[np.uint64]

INCREMENT: Final = np.uint64(0x9E3779B97F4A7C15)
MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
MIX_2: Final = np.uint64(0x94D049BB133111EB)
SHIFT_1: Final = np.uint64(30)
SHIFT_2: Final = np.uint64(27)
SHIFT_3: Final = np.uint64(31)
HALF_BITS: Final = np.uint64(32)
LOW_HALF: Final = np.uint64(0xFFFFFFFF)
FRACTION: Final = (1 << 32) - 1


@kernel
def next_word(streams: Streams, k: int) -> np.uint64:
    """The next 64 random bits of stream k, which advances."""
    word = streams[k] + INCREMENT
    streams[k] = word
    word = (word ^ (word >> SHIFT_1)) * MIX_1
    word = (word ^ (word >> SHIFT_2)) * MIX_2
    return word ^ (word >> SHIFT_3)


@kernel
def high_half(word: np.uint64) -> int:
    """The upper 32 bits, read as a fraction of 2**32."""
    return as_int64(word >> HALF_BITS)


@kernel
def low_half(word: np.uint64) -> int:
    """The lower 32 bits, read as a fraction of 2**32."""
    return as_int64(word & LOW_HALF)


@kernel
def random_below(streams: Streams, k: int, bound: int) -> int:
    """A random number from 0 to bound - 1; its bias is below bound / 2**32."""
    return (high_half(next_word(streams, k)) * bound) >> 32


@kernel
def deal(row: Row, streams: Streams, k: int) -> None:
    """Fill the displays from the bag (R2.1-R2.3). Caller guarantees an empty table.

    A random word serves one display, each half of it two tiles: the half, a fraction of 2**32, times the number of
    tiles in the bag gives the rank of the tile in color order, and what is left of the product is the next fraction.
    """
    sources = row["sources"]
    sums = running_sums(row["bag"])
    left = lane_total(row["bag"])
    available = 0
    for factory in range(center_of(row)):
        word = next_word(streams, k)
        fraction = high_half(word)
        tiles = as_int64(0)
        for slot in range(FACTORY_CAPACITY):
            if left == 0:
                sums = running_sums(row["lid"])  # R2.2
                left = lane_total(row["lid"])
                row["lid"] = 0
                if left == 0:
                    break  # R2.3
            if slot == 2:
                fraction = low_half(word)
            product = fraction * left
            beyond = lane_tops_beyond(sums, product >> 32)
            unit = (beyond & -beyond) >> (LANE_BITS - 1)
            fraction = product & FRACTION
            tiles += unit
            sums -= LANE_ONES & -unit  # one tile fewer in this color's sum and all later ones
            left -= 1
        sources[factory] = tiles
        available |= nonzero_lanes(tiles) >> (LANE_BITS - 1 - factory)
    row["bag"] = (sums - (sums << LANE_BITS)) & ALL_LANES
    row["available"] = available
