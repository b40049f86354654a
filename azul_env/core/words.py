"""Small sets and counts packed into one 64-bit word, and the few operations on them.

Two packings serve the whole state. *Lanes*: five numbers, one a color, 12 bits each, for tile counts and for sets of
sources. *Nibbles*: up to seven numbers of 4 bits each, for pattern lines and floors. Words are int64 throughout: Numba
turns a mix of signed and unsigned into something else without a word.
"""

from typing import Any, Final

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from azul_env.core.jit import kernel
from azul_env.core.spec import NUM_COLORS

LANE_BITS: Final = 12
LANE: Final = (1 << LANE_BITS) - 1
LANE_ONES: Final = sum(1 << LANE_BITS * color for color in range(NUM_COLORS))  # 1 in every lane
LANE_TOPS: Final = LANE_ONES << (LANE_BITS - 1)  # the highest bit of every lane
ALL_LANES: Final = (1 << LANE_BITS * NUM_COLORS) - 1
TOP_LANE: Final = LANE_BITS * (NUM_COLORS - 1)


def _nth_bit_table() -> np.ndarray[Any, np.dtype[np.int8]]:
    """Position of the n-th set bit of every word of ten bits, at 16 * word + n; 0 where there is none."""
    table = np.zeros(1024 * 16, np.int8)
    for word in range(1024):
        bits = [bit for bit in range(10) if word >> bit & 1]
        table[16 * word : 16 * word + len(bits)] = bits
    return table


NTH_BIT: Final = _nth_bit_table()


# A cast that checkers accept where an int is promised. Around a literal it also keeps Numba from compiling a variant
# of the called kernel for that very number.
as_int64: Any = np.int64


@intrinsic
def _ctpop(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _cttz(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


@intrinsic
def _ctlz(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate


def popcount(word: int) -> int:
    """Number of set bits."""
    return int(word).bit_count()


@overload(popcount)
def _compiled_popcount(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return _ctpop(word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled


def lowest_bit(word: int) -> int:
    """Position of the lowest set bit of a word that is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@overload(lowest_bit)
def _compiled_lowest_bit(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return _cttz(word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled


def bit_length(word: int) -> int:
    """Number of bits up to the highest set one; 0 for 0."""
    return int(word).bit_length()


@overload(bit_length)
def _compiled_bit_length(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return 64 - _ctlz(word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled


@kernel
def lane(word: int, color: int) -> int:
    """The number in one lane."""
    return (word >> LANE_BITS * color) & LANE


@kernel
def running_sums(word: int) -> int:
    """Lane by lane, the sum of all lanes up to it; sums must stay below 2048."""
    return (word * LANE_ONES) & ALL_LANES


@kernel
def lane_total(word: int) -> int:
    """Sum of all lanes."""
    return running_sums(word) >> TOP_LANE


@kernel
def nonzero_lanes(word: int) -> int:
    """The top bit of every lane that holds anything; numbers must be below 2048."""
    return (word + (LANE_TOPS - LANE_ONES)) & LANE_TOPS


@kernel
def lane_tops_beyond(sums: int, rank: int) -> int:
    """The top bit of every lane whose running sum exceeds the rank; the lowest is the lane the rank falls into."""
    return ((sums | LANE_TOPS) - (rank + 1) * LANE_ONES) & LANE_TOPS


@kernel
def nth_bit(word: int, n: int) -> int:
    """Position of the n-th set bit, counted from 0, of a word of at most ten bits."""
    return as_int64(NTH_BIT[16 * word + n])


def pack_lanes(counts: Any) -> int:
    """One word of five counts."""
    return sum(int(count) << LANE_BITS * color for color, count in enumerate(counts))


def unpack_lanes(word: int) -> tuple[int, ...]:
    """The five counts of a word."""
    return tuple(int(word) >> LANE_BITS * color & LANE for color in range(NUM_COLORS))
