"""The moves that a search considers: listed once for equal factories, and chosen by expected gain, the best first."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import Actions, Evaluator, Gains, write_gains
from azul_env.core.actions import action_index
from azul_env.core.intrinsics import lowest_bit
from azul_env.core.jit import kernel
from azul_env.core.spec import ACTIONS_PER_SOURCE, FLOOR, NUM_COLORS, NUM_DESTINATIONS
from azul_env.core.state import Row, center_of
from azul_env.core.words import as_int64, lane

MAX_MOVES: Final = 300  # no position has more
BIG_THROW: Final = 3  # this many tiles are not thrown on the floor where a line takes them
ALL_DESTINATIONS: Final = (1 << NUM_DESTINATIONS) - 1
ONLY_FLOOR: Final = 1 << FLOOR

# Sort keys: the gain in units of 2**-40 points above the slot, so that the largest key names the move itself.
SLOT_BITS: Final = 9
SLOTS: Final = (1 << SLOT_BITS) - 1
GAIN_SCALE: Final = float(1 << 40)
BEFORE_ALL: Final = ((1 << 63) - 1) & ~SLOTS
CHOSEN: Final = -(1 << 63)

SortKeys = NDArray[np.int64]


@kernel
def list_moves(row: Row, actions: Actions, prune: bool) -> int:
    """Write the actions of the player to move; returns their number.

    Of factories that hold the same tiles only the first is listed. With `prune`, big throws on the floor are left out
    where a line would take the tiles.
    """
    center = center_of(row)
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
            while destinations:
                actions[count] = action_index(source, color, lowest_bit(destinations))
                destinations &= destinations - 1
                count += 1
    return count


@kernel
def _is_repeated(row: Row, source: int, center: int) -> bool:
    """True if an earlier factory holds the same tiles."""
    repeats = 0
    for earlier in range(source if source < center else 0):
        repeats += 1 if row["sources"][earlier] == row["sources"][source] else 0
    return repeats > 0


@kernel
def write_priorities(
    evaluator: Evaluator, row: Row, actions: Actions, count: int, priorities: Gains
) -> None:
    """The expected gain of each action, with ties broken by what a move takes, whatever the factory's number."""
    write_gains(evaluator, row, actions, count, priorities)
    for slot in range(count):
        source = actions[slot] // ACTIONS_PER_SOURCE
        use = actions[slot] - ACTIONS_PER_SOURCE * source
        priorities[slot] += _tie_break(row["sources"][source], use)


@kernel
def _tie_break(tiles: int, use: int) -> float:
    """A tiny number made from the tiles of a source and what becomes of them."""
    mark = tiles | ((use + 1) << 5)  # counts of tiles have 5 bits, so these are free
    return (((mark * 0x1E3779B97F4A7C15) >> 32) & 0xFFFFFFF) * 1e-12


@kernel
def list_with_keys(
    evaluator: Evaluator, row: Row, actions: Actions, gains: Gains, keys: SortKeys, prune: bool
) -> int:
    """List the moves with their sort keys; returns their number. `gains` is scratch space."""
    count = list_moves(row, actions, prune)
    write_priorities(evaluator, row, actions, count, gains)
    for slot in range(count):
        keys[slot] = (as_int64(gains[slot] * GAIN_SCALE) << SLOT_BITS) | (SLOTS - slot)
    return count


@kernel
def next_best(keys: SortKeys, count: int) -> int:
    """The slot of the best move not chosen yet, which counts as chosen now."""
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
