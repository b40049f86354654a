"""The turns that are worth a search: listed once for equal displays, with a guess of their worth, the best first."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.intrinsics import popcount
from azul_env.core.jit import kernel
from azul_env.core.moves import CAPACITIES, floor_tokens
from azul_env.core.scoring import PENALTY_OF_TOKENS, column_cells, row_cells
from azul_env.core.spec import FLOOR, FLOOR_SLOTS, NUM_COLORS, NUM_DESTINATIONS
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.variant import color_tiles, placement, wall_of
from azul_env.core.words import as_int64, lane

MAX_TURNS: Final = 300  # no position has more
BIG_THROW: Final = 3  # so many tiles are not thrown on the floor where a line takes them

Turns = NDArray[np.int64]  # numbers of actions
Guesses = NDArray[np.float64]


@kernel
def list_turns(row: Row, turns: Turns, guesses: Guesses, prune: bool, is_guessed: bool) -> int:
    """Write the turns of the player to move, unordered, if `is_guessed` with their guesses; how many there are.

    Displays that hold the same tiles are listed once. With `prune`, big throws on the floor are left out where a line
    would take the tiles.
    """
    center = center_of(row)
    player = row["current_player"]
    legal = row["legal"][player]
    count = 0
    for source in range(center + 1):
        tiles = row["sources"][source]
        if tiles == 0 or _is_repeated(row, source, center):
            continue
        marker = row["marker_in_center"] if source == center else as_int64(0)
        for color in range(NUM_COLORS):
            taken = lane(tiles, color)
            if taken == 0:
                continue
            goes = (legal >> NUM_DESTINATIONS * color) & 63
            for destination in range(NUM_DESTINATIONS):
                if not (goes >> destination) & 1:
                    continue
                if prune and destination == FLOOR and taken >= BIG_THROW and goes != 1 << FLOOR:
                    continue
                turns[count] = (source * NUM_COLORS + color) * NUM_DESTINATIONS + destination
                if is_guessed:
                    worth = guess(row, player, taken, color, destination, marker)
                    guesses[count] = worth + _nudge(tiles, NUM_DESTINATIONS * color + destination)
                count += 1
    return count


@kernel
def _is_repeated(row: Row, source: int, center: int) -> bool:
    """Whether an earlier display holds the very same tiles."""
    repeats = 0
    for earlier in range(source if source < center else 0):
        repeats += 1 if row["sources"][earlier] == row["sources"][source] else 0
    return repeats > 0


@kernel
def _nudge(tiles: int, use: int) -> float:
    """A tiny number made from what a turn takes and does: turns of equal guess are ordered by it, not by display."""
    mark = tiles | ((use + 1) << 5)  # counts of tiles have 5 bits, so these are free
    return (((mark * 0x1E3779B97F4A7C15) >> 32) & 0xFFFFFFF) * 1e-12


@kernel
def guess(row: Row, player: int, taken: int, color: int, destination: int, marker: int) -> float:
    """A quick guess of what a turn brings to the own board, in points; the order of search, not a value."""
    tokens = floor_tokens(row["floors"][player])
    fallen = taken
    value = 0.0
    if destination != FLOOR:
        capacity = (CAPACITIES >> NIBBLE_BITS * destination) & NIBBLE
        count = (row["line_counts"][player] >> NIBBLE_BITS * destination) & NIBBLE
        placed = min(taken, capacity - count)
        fallen = taken - placed
        wall = wall_of(row, player)
        _, column, tile_points = placement(wall, destination, color)
        points = tile_points + _set_progress(wall, destination, column, color)
        before = 0.6 * (count / capacity) * (count / capacity)
        after = (count + placed) / capacity
        after = 1.0 if count + placed == capacity else 0.6 * after * after
        value = points * (after - before)
    lost = min(FLOOR_SLOTS, tokens + fallen + marker)
    return value - (PENALTY_OF_TOKENS[lost] - PENALTY_OF_TOKENS[tokens]) + 1.5 * marker


@kernel
def _set_progress(wall: int, row: int, column: int, color: int) -> float:
    """What one more tile does for its row, column and color: more, the more of them are there."""
    in_row = popcount(row_cells(wall, row))
    in_column = popcount(column_cells(wall, column))
    of_color = color_tiles(wall, color)
    return 0.05 * in_row + 0.28 * (2 * in_column + 1) + 0.4 * (2 * of_color + 1)


@kernel
def bring_best_forward(turns: Turns, guesses: Guesses, place: int, count: int) -> None:
    """Swap the turn with the best guess among those from `place` on to `place`."""
    best = place
    for other in range(place + 1, count):
        if guesses[other] > guesses[best]:
            best = other
    turn, value = turns[place], guesses[place]
    turns[place], guesses[place] = turns[best], guesses[best]
    turns[best], guesses[best] = turn, value
