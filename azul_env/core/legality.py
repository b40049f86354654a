"""Which turns are legal: the mask, the test of one action, and a uniformly random choice."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.chance import FRACTION, Chances, high_half, low_half, next_word
from azul_env.core.intrinsics import lowest_bit, popcount, store_bytes, store_masked
from azul_env.core.jit import kernel
from azul_env.core.spec import ACTIONS_PER_SOURCE, NUM_COLORS, NUM_DESTINATIONS
from azul_env.core.state import Row, center_of
from azul_env.core.words import (
    LANE,
    LANE_BITS,
    TOP_LANE,
    as_int64,
    bits_to_bytes,
    lane_tops_beyond,
    lowest_of_lanes,
    nth_bit,
    running_sums,
)

DESTINATIONS: Final = (1 << NUM_DESTINATIONS) - 1


def _held_table() -> NDArray[np.int64]:
    """All ones in the bytes of the actions whose color is in a set, 32 bytes as four words for every set of colors."""
    table = np.zeros((1 << NUM_COLORS, 32), np.uint8)
    for colors in range(1 << NUM_COLORS):
        for color in range(NUM_COLORS):
            first = NUM_DESTINATIONS * color
            table[colors, first : first + NUM_DESTINATIONS] = 0xFF * (colors >> color & 1)
    return table.ravel().view("<i8").astype(np.int64)


HELD: Final = _held_table()


@kernel
def is_legal(row: Row, source: int, color: int, destination: int) -> bool:
    """Whether the player to move may make this turn; numbers must be in range. False once the game is over."""
    holds = (row["available"] >> (LANE_BITS * color + source)) & 1
    goes = (row["legal"][row["current_player"]] >> (NUM_DESTINATIONS * color + destination)) & 1
    return holds & goes == 1


@kernel
def write_mask(row: Row, mask: NDArray[Any]) -> None:
    """Set mask[action] to whether the player to move may play it, for every action.

    The 30 actions of a source are written as four words: what is legal for the player, where the source has the color.
    """
    available = row["available"]
    legal = row["legal"][row["current_player"]]
    goes = (
        bits_to_bytes(legal),
        bits_to_bytes(legal >> 8),
        bits_to_bytes(legal >> 16),
        bits_to_bytes(legal >> 24),
    )
    center = center_of(row)
    for source in range(center):
        held = 4 * lowest_of_lanes(available >> source)
        # Two bytes too many, which the next store puts right.
        store_masked(mask, ACTIONS_PER_SOURCE * source, goes, HELD, held)
    held = 4 * lowest_of_lanes(available >> center)
    first = ACTIONS_PER_SOURCE * center
    third = goes[2] & HELD[held + 2]
    fourth = goes[3] & HELD[held + 3]
    store_bytes(mask, first, goes[0] & HELD[held])
    store_bytes(mask, first + 8, goes[1] & HELD[held + 1])
    store_bytes(mask, first + 16, third)
    # The mask ends here: the last two bytes of the third word again, so as not to write beyond.
    store_bytes(mask, first + 22, ((third >> 48) & 0xFFFF) | (fourth << 16))


@kernel
def random_move(row: Row, chances: Chances, k: int) -> tuple[int, int, int]:
    """Source, color and destination of a legal turn, all equally likely. Caller guarantees that the game is on.

    The high half of a random word picks a color, weighted by its number of turns; the low half picks the source, and
    what is left of that fraction the destination. No branch depends on chance, which is what makes it fast.
    """
    available = row["available"]
    legal = row["legal"][row["current_player"]]
    counts = as_int64(0)
    for color in range(NUM_COLORS):
        sources = (available >> LANE_BITS * color) & LANE
        destinations = (legal >> NUM_DESTINATIONS * color) & DESTINATIONS
        counts |= popcount(sources) * popcount(destinations) << LANE_BITS * color
    sums = running_sums(counts)
    word = next_word(chances, k)
    rank = (high_half(word) * (sums >> TOP_LANE)) >> 32
    shift = lowest_bit(lane_tops_beyond(sums, rank)) - (LANE_BITS - 1)  # LANE_BITS * color
    color = shift // LANE_BITS
    sources = (available >> shift) & LANE
    destinations = (legal >> NUM_DESTINATIONS * color) & DESTINATIONS
    product = low_half(word) * popcount(sources)
    source = nth_bit(sources, product >> 32)
    product = (product & FRACTION) * popcount(destinations)
    return source, color, nth_bit(destinations, product >> 32)
