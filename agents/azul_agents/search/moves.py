"""The moves that a search considers: listed once for equal factories, and chosen by expected gain, the best first."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import Evaluator, Gains, Moves, write_gains
from azul_env.core.actions import action_index
from azul_env.core.by_variant import by_variant
from azul_env.core.intrinsics import lowest_bit
from azul_env.core.jit import kernel
from azul_env.core.spec import FLOOR, NUM_COLORS, NUM_DESTINATIONS
from azul_env.core.state import Row, center_of
from azul_env.core.walls import columns_of
from azul_env.core.words import as_int64, lane

MAX_MOVES: Final = 300  # no position has more
# With pruning, this many tiles or more are not thrown on the floor where a line takes them.
BIG_THROW: Final = 3
ALL_DESTINATIONS: Final = (1 << NUM_DESTINATIONS) - 1
ONLY_FLOOR: Final = 1 << FLOOR

# Shifts of a packed move: from the lowest bit up, destination, color, source and number of tiles taken.
COLOR_SHIFT, SOURCE_SHIFT, TAKEN_SHIFT = 3, 6, 10

# Sort keys: the gain in units of 1e-12 points above the slot, so that the largest key names the move itself.
SLOT_BITS: Final = 9
SLOTS: Final = (1 << SLOT_BITS) - 1
UNITS_PER_POINT: Final = 1e12
BEFORE_ALL: Final = ((1 << 63) - 1) & ~SLOTS
CHOSEN: Final = -(1 << 63)

SortKeys = NDArray[np.int64]


@kernel
def move_parts(move: int) -> tuple[int, int, int]:
    """Source, color and destination of a packed move."""
    return (move >> SOURCE_SHIFT) & 15, (move >> COLOR_SHIFT) & 7, move & 7


@kernel
def tiles_taken(move: int) -> int:
    """The number of tiles that a packed move takes."""
    return move >> TAKEN_SHIFT


@kernel
def action_of(move: int) -> int:
    """The action number of a packed move."""
    source, color, destination = move_parts(move)
    return action_index(source, color, destination)


@kernel
def list_moves(row: Row, moves: Moves, prune: bool) -> int:
    """Write the packed moves of the player to move; returns their number.

    Of factories that hold the same tiles only the first is listed. With `prune`, big throws on the floor are left out
    where a line would take the tiles. Where a gray wall is tiled, the columns are listed.
    """
    center = center_of(row)
    columns = columns_of(row)
    if columns:
        return _list_columns(columns, center + 1, moves)
    legal = row["legal"][row["current_player"]]
    count = as_int64(0)
    for source in range(center + 1):
        tiles = row["sources"][source]
        if tiles == 0 or _is_repeated(row, source, center):
            continue
        for color in range(NUM_COLORS):
            taken = lane(tiles, color)
            if taken == 0:
                continue
            destinations = (legal >> NUM_DESTINATIONS * color) & ALL_DESTINATIONS
            if prune and taken >= BIG_THROW and destinations != ONLY_FLOOR:
                destinations &= ~ONLY_FLOOR
            shared = (taken << TAKEN_SHIFT) | (source << SOURCE_SHIFT) | (color << COLOR_SHIFT)
            while destinations:
                moves[count] = shared | lowest_bit(destinations)
                destinations &= destinations - 1
                count += 1
    return count


@kernel
def _list_columns(columns: int, source: int, moves: Moves) -> int:
    count = as_int64(0)
    while columns:
        moves[count] = (source << SOURCE_SHIFT) | lowest_bit(columns)
        columns &= columns - 1
        count += 1
    return count


@kernel
def _tiles_on(row: Row, source: int) -> int:
    return row["sources"][source]


@kernel
def _tiles_on_or_none(row: Row, source: int) -> int:
    return row["sources"][source] if source <= center_of(row) else as_int64(0)


# The tiles on a source; none on the one that stands for tiling.
tiles_on: Final = by_variant(_tiles_on, _tiles_on_or_none)


@kernel
def _is_repeated(row: Row, source: int, center: int) -> bool:
    """True if an earlier factory holds the same tiles."""
    repeats = 0
    for earlier in range(source if source < center else 0):
        repeats += 1 if row["sources"][earlier] == row["sources"][source] else 0
    return repeats > 0


@kernel
def tie_break(row: Row, move: int) -> int:
    """A number below 2**28 made from the tiles of a move's source and what becomes of them.

    In units of 1e-12 points it orders moves of equal gain by what they do, whatever the number of the factory.
    """
    source, color, destination = move_parts(move)
    use = NUM_DESTINATIONS * color + destination + 1
    mark = tiles_on(row, source) | (use << 5)  # counts of tiles have 5 bits, so these are free
    return ((mark * 0x1E3779B97F4A7C15) >> 32) & 0xFFFFFFF


@kernel
def list_with_keys(
    evaluator: Evaluator, row: Row, moves: Moves, gains: Gains, keys: SortKeys, prune: bool
) -> int:
    """List the moves with their sort keys; returns their number. `gains` is scratch space."""
    count = list_moves(row, moves, prune)
    write_gains(evaluator, row, moves, count, gains)
    for slot in range(count):
        units = as_int64(gains[slot] * UNITS_PER_POINT) + tie_break(row, moves[slot])
        keys[slot] = (units << SLOT_BITS) | (SLOTS - slot)
    return count


@kernel
def next_best(keys: SortKeys, count: int) -> int:
    """Take the best move not chosen yet; returns its slot."""
    best = as_int64(CHOSEN)
    for slot in range(count):
        best = max(best, keys[slot])
    slot = SLOTS - (best & SLOTS)
    keys[slot] = CHOSEN
    return slot


@kernel
def put_first(keys: SortKeys, slot: int) -> None:
    """Have a move chosen before all others."""
    keys[slot] = BEFORE_ALL | (SLOTS - slot)
