"""Random generators of the games, and the deals drawn from them.

Generators are kept outside the state, so a search that copies states cannot look ahead at the next deal. Each game has a
`CHANCE`: the state of NumPy's PCG64 generator, which yields one raw 64-bit word per deal, and a splitmix64 stream for
all other randomness (random moves, a random starting player). The n-th deal of a seed is therefore the same however the
game is played. `docs/SPEC.md` describes how a seed becomes deals.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import seed_number, shown
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

CHANCE: Final = np.dtype(
    [
        ("state_high", np.uint64),  # PCG64, for deals: 128 bits of state
        ("state_low", np.uint64),
        ("increment_high", np.uint64),  # and 128 bits of increment
        ("increment_low", np.uint64),
        ("moves", np.uint64),  # splitmix64, for everything else
    ]
)
Chances = NDArray[Any]  # array of CHANCE, one per game
NO_CHANCE: Final = np.zeros(0, CHANCE)  # a step that gets this deals nothing

# splitmix64
INCREMENT: Final = np.uint64(0x9E3779B97F4A7C15)
MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
MIX_2: Final = np.uint64(0x94D049BB133111EB)
SHIFT_1: Final = np.uint64(30)
SHIFT_2: Final = np.uint64(27)
SHIFT_3: Final = np.uint64(31)

# PCG64 (XSL-RR), as in NumPy
MULTIPLIER_HIGH: Final = np.uint64(0x2360ED051FC65DA4)
MULTIPLIER_LOW: Final = np.uint64(0x4385DF649FCCF645)
ROTATION_SHIFT: Final = np.uint64(58)
ROTATION_MASK: Final = np.uint64(63)
WORD_BITS: Final = np.uint64(64)

HALF_BITS: Final = np.uint64(32)
LOW_HALF: Final = np.uint64(0xFFFFFFFF)
FRACTION: Final = (1 << 32) - 1
WORDS: Final = 1 << 64


def chances_from(seed: int | None, count: int) -> Chances:
    """Generators for a batch: game i is the game of seed + i. None draws fresh entropy for each game."""
    first = None if seed is None else seed_number(seed)
    seeds = [None] * count if first is None else range(first, first + count)
    return np.concatenate([chance_of(np.random.PCG64(one)) for one in seeds])


def checked_chances(chances: Any) -> Chances:
    """Check a caller's generators. Raises TypeError for anything else, and ValueError for an impossible PCG64 state."""
    if not isinstance(chances, np.ndarray) or chances.dtype != CHANCE or chances.ndim != 1:
        raise TypeError(f"generators must be an array of them, not {shown(chances)}")
    if not (chances["increment_low"] & np.uint64(1)).all():
        raise ValueError("a generator has an even increment, which PCG64 has not")
    return chances


def chance_of(generator: np.random.PCG64) -> Chances:
    """The generators of one game, whose deals continue `generator`, which is left unchanged."""
    state = generator.state["state"]
    high, low = divmod(state["state"], WORDS)
    increment_high, increment_low = divmod(state["inc"], WORDS)
    # Any function of the state will do, as long as the streams of different games differ.
    return np.array([(high, low, increment_high, increment_low, high ^ low)], CHANCE)


@kernel
def mixed(state: np.uint64) -> np.uint64:
    """The output of splitmix64 for a state."""
    word = (state ^ (state >> SHIFT_1)) * MIX_1
    word = (word ^ (word >> SHIFT_2)) * MIX_2
    return word ^ (word >> SHIFT_3)


@kernel
def next_word(chances: Chances, k: int) -> np.uint64:
    """The next 64 random bits of game k, for anything but deals."""
    state = chances[k]["moves"] + INCREMENT
    chances[k]["moves"] = state
    return mixed(state)


@kernel
def next_deal_word(chances: Chances, k: int) -> np.uint64:
    """The next raw PCG64 word of game k, from which a deal is made."""
    chance = chances[k]
    high, low = chance["state_high"], chance["state_low"]
    product_low = low * MULTIPLIER_LOW
    product_high = (
        _high_product(low, MULTIPLIER_LOW) + high * MULTIPLIER_LOW + low * MULTIPLIER_HIGH
    )
    low = product_low + chance["increment_low"]
    carry = np.uint64(1) if low < product_low else np.uint64(0)
    high = product_high + chance["increment_high"] + carry
    chance["state_high"] = high
    chance["state_low"] = low
    word = high ^ low
    rotation = high >> ROTATION_SHIFT
    return (word >> rotation) | (word << ((WORD_BITS - rotation) & ROTATION_MASK))


@kernel
def _high_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of the product of two 64-bit words."""
    a_high, a_low = a >> HALF_BITS, a & LOW_HALF
    b_high, b_low = b >> HALF_BITS, b & LOW_HALF
    middle = a_high * b_low + ((a_low * b_low) >> HALF_BITS)
    other_middle = a_low * b_high + (middle & LOW_HALF)
    return a_high * b_high + (middle >> HALF_BITS) + (other_middle >> HALF_BITS)


@kernel
def high_half(word: np.uint64) -> int:
    """The upper 32 bits, read as a fraction of 2**32."""
    return as_int64(word >> HALF_BITS)


@kernel
def low_half(word: np.uint64) -> int:
    """The lower 32 bits, read as a fraction of 2**32."""
    return as_int64(word & LOW_HALF)


@kernel
def random_below(chances: Chances, k: int, bound: int) -> int:
    """A random number in 0..bound - 1; its bias is below bound / 2**32."""
    return (high_half(next_word(chances, k)) * bound) >> 32


@kernel
def deal(row: Row, chances: Chances, k: int) -> None:
    """Fill the factories with the next deal of game k. Caller guarantees an empty table."""
    fill_factories(row, next_deal_word(chances, k))


@kernel
def fill_factories(row: Row, seed_word: np.uint64) -> None:
    """Fill the factories from the bag with a deal seeded by one word (R2.1-R2.3). Caller guarantees an empty table.

    The word seeds a splitmix64 stream. Each factory uses one word of it, each half of that word two tiles: the half, a
    fraction of 2**32, times the number of tiles in the bag gives the rank of the drawn tile in color order, and the
    fractional part of the product is the next fraction.
    """
    sources = row["sources"]
    sums = running_sums(row["bag"])
    left = lane_total(row["bag"])
    available = 0
    stream = seed_word
    for factory in range(center_of(row)):
        stream += INCREMENT
        word = mixed(stream)
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
