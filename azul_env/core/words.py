"""Counts and sets packed into 64-bit words, and the operations on them.

The state uses two packings. *Lanes*: five 12-bit numbers, one per color, for tile counts and sets of sources. *Nibbles*:
up to seven 4-bit numbers, for pattern lines and floors. All words are int64: Numba silently converts a mix of signed and
unsigned integers to float64.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.spec import NUM_COLORS

LANE_BITS: Final = 12
LANE: Final = (1 << LANE_BITS) - 1
LANE_ONES: Final = sum(1 << LANE_BITS * color for color in range(NUM_COLORS))  # 1 in every lane
LANE_TOPS: Final = LANE_ONES << (LANE_BITS - 1)  # the highest bit of every lane
ALL_LANES: Final = (1 << LANE_BITS * NUM_COLORS) - 1
TOP_LANE: Final = LANE_BITS * (NUM_COLORS - 1)
# Multiplying by GATHER moves bits that are LANE_BITS apart next to each other, from bit GATHERED up, without carries.
GATHERED: Final = (LANE_BITS - 1) * (NUM_COLORS - 1)
GATHER: Final = sum(1 << (GATHERED - (LANE_BITS - 1) * color) for color in range(NUM_COLORS))
COLORS: Final = (1 << NUM_COLORS) - 1


def _nth_bit_table() -> np.ndarray[Any, np.dtype[np.int8]]:
    """Position of the n-th set bit of every 10-bit word, at index 16 * word + n; 0 if there is none."""
    table = np.zeros(1024 * 16, np.int8)
    for word in range(1024):
        bits = [bit for bit in range(10) if word >> bit & 1]
        table[16 * word : 16 * word + len(bits)] = bits
    return table


def _spread_table() -> NDArray[np.int64]:
    """Every 8-bit word with each bit expanded to a byte."""
    words = [sum((word >> bit & 1) << 8 * bit for bit in range(8)) for word in range(256)]
    return np.array(words, np.int64)


NTH_BIT: Final = _nth_bit_table()
SPREAD: Final = _spread_table()


# Casts that type checkers accept as int and bool. Around a literal argument they also keep Numba from compiling the
# called kernel for that literal.
as_int64: Any = np.int64
as_bool: Any = np.bool_


@kernel
def lane(word: int, color: int) -> int:
    """The number in one lane."""
    return (word >> LANE_BITS * color) & LANE


@kernel
def running_sums(word: int) -> int:
    """Prefix sums of the lanes, each in its lane; sums must stay below 2048."""
    return (word * LANE_ONES) & ALL_LANES


@kernel
def lane_total(word: int) -> int:
    """Sum of all lanes."""
    return running_sums(word) >> TOP_LANE


@kernel
def nonzero_lanes(word: int) -> int:
    """The top bit of every lane that is not 0; numbers must be below 2048."""
    return (word + (LANE_TOPS - LANE_ONES)) & LANE_TOPS


@kernel
def lowest_of_lanes(word: int) -> int:
    """The lowest bits of the five lanes, as a 5-bit word."""
    return (((word & LANE_ONES) * GATHER) >> GATHERED) & COLORS


@kernel
def lane_tops_beyond(sums: int, rank: int) -> int:
    """The top bit of every lane whose running sum exceeds the rank; the lowest set bit marks the lane of that rank."""
    return ((sums | LANE_TOPS) - (rank + 1) * LANE_ONES) & LANE_TOPS


@kernel
def nth_bit(word: int, n: int) -> int:
    """Position of the n-th set bit, counted from 0, of a 10-bit word."""
    return as_int64(NTH_BIT[16 * word + n])


def pack_lanes(counts: Any) -> int:
    """Pack five counts into the lanes of a word."""
    return sum(int(count) << LANE_BITS * color for color, count in enumerate(counts))


def unpack_lanes(word: int) -> tuple[int, ...]:
    """The five counts in the lanes of a word."""
    plain = int(word)  # Python's ints are quicker than NumPy's
    return tuple(plain >> LANE_BITS * color & LANE for color in range(NUM_COLORS))


@kernel
def bits_to_bytes(word: int) -> int:
    """The eight lowest bits of a word as eight bytes, each 0 or 1."""
    return SPREAD[word & 255]
