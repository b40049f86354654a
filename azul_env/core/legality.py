"""Legal actions: the mask, the check of a single action, and a uniformly random choice."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import action_parts
from azul_env.core.by_variant import by_variant
from azul_env.core.chance import FRACTION, Chances, high_half, low_half, next_word
from azul_env.core.intrinsics import lowest_bit, popcount, store_bytes, store_masked
from azul_env.core.jit import kernel
from azul_env.core.spec import ACTIONS_PER_SOURCE, NUM_COLORS, NUM_DESTINATIONS, NUM_LINES
from azul_env.core.state import Row, center_of
from azul_env.core.walls import columns_of, may_place, tiling_actions
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
    """Byte masks over a source's actions for every set of colors: 0xFF where the action's color is in the set.

    Each set takes four words (32 bytes), of which the first 30 bytes are actions.
    """
    table = np.zeros((1 << NUM_COLORS, 32), np.uint8)
    for colors in range(1 << NUM_COLORS):
        for color in range(NUM_COLORS):
            first = NUM_DESTINATIONS * color
            table[colors, first : first + NUM_DESTINATIONS] = 0xFF * (colors >> color & 1)
    return table.ravel().view("<i8").astype(np.int64)


HELD: Final = _held_table()


@kernel
def _write_no_columns(row: Row, mask: NDArray[Any]) -> None:
    pass


@kernel
def _write_gray_columns(row: Row, mask: NDArray[Any]) -> None:
    first = ACTIONS_PER_SOURCE * (center_of(row) + 1)
    for column in range(NUM_LINES):
        mask[first + column] = (row["columns"] >> column) & 1


# Write the part of the legal mask that follows drafting (R10.16).
write_columns: Final = by_variant(_write_no_columns, _write_gray_columns)


@kernel
def awaits_move(row: Row) -> bool:
    """True if a player is to move: the game is on, and no deal is due."""
    return row["available"] | columns_of(row) != 0


@kernel
def is_legal(row: Row, source: int, color: int, destination: int) -> bool:
    """True if the player to move may play this action, whose parts must be in range. False once the game is over."""
    is_held = (row["available"] >> (LANE_BITS * color + source)) & 1
    fits = (row["legal"][row["current_player"]] >> (NUM_DESTINATIONS * color + destination)) & 1
    return is_held & fits == 1 or may_place(row, source, destination)


@kernel
def is_legal_number(row: Row, action: int) -> bool:
    """True if a number, which may be out of range, is a legal action."""
    if not 0 <= action < ACTIONS_PER_SOURCE * (center_of(row) + 1) + tiling_actions(row):
        return False
    source, color, destination = action_parts(action)
    return is_legal(row, source, color, destination)


@kernel
def write_mask(row: Row, mask: NDArray[Any]) -> None:
    """Write the legal mask of the player to move.

    The 30 actions of a source are written as four words: the destinations legal for the player, masked by the colors
    that the source holds.
    """
    available = row["available"]
    legal = row["legal"][row["current_player"]]
    fits = (
        bits_to_bytes(legal),
        bits_to_bytes(legal >> 8),
        bits_to_bytes(legal >> 16),
        bits_to_bytes(legal >> 24),
    )
    center = center_of(row)
    for source in range(center):
        held = 4 * lowest_of_lanes(available >> source)
        # Writes 32 bytes: the two beyond the source's actions are overwritten by the next store.
        store_masked(mask, ACTIONS_PER_SOURCE * source, fits, HELD, held)
    held = 4 * lowest_of_lanes(available >> center)
    first = ACTIONS_PER_SOURCE * center
    third = fits[2] & HELD[held + 2]
    fourth = fits[3] & HELD[held + 3]
    store_bytes(mask, first, fits[0] & HELD[held])
    store_bytes(mask, first + 8, fits[1] & HELD[held + 1])
    store_bytes(mask, first + 16, third)
    # The last store starts two bytes early and repeats them, to stay inside the mask.
    store_bytes(mask, first + 22, ((third >> 48) & 0xFFFF) | (fourth << 16))
    write_columns(row, mask)


@kernel
def random_move(row: Row, chances: Chances, k: int) -> tuple[int, int, int]:
    """Source, color and destination of a uniformly random legal action. Caller guarantees that there is one.

    The high half of a random word picks the color, weighted by its number of legal actions; the low half picks the
    source, and the remaining fraction the destination. No branch depends on the random word, so none is mispredicted.
    """
    columns = columns_of(row)
    if columns:
        choice = (high_half(next_word(chances, k)) * popcount(columns)) >> 32
        return center_of(row) + 1, as_int64(0), nth_bit(columns, choice)
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
