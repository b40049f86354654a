"""The inputs of a network: features of each board and of the table, as lists of those that are present.

A board is seen as if the round ended now: full lines are on the wall, the floor is paid. Features of one group exclude each
other; the order of a group's features follows from the functions that list them.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.features import (
    NUM_SUPPLIES,
    dead_tiles,
    expected_deal,
    supply_of,
    tiles_to_come,
)
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.moves import floor_tokens
from azul_env.core.scoring import PENALTY_OF_TOKENS, column_cells, row_cells
from azul_env.core.spec import FLOOR_SLOTS, MAX_PLAYERS, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows, center_of
from azul_env.core.variant import placement, wall_of
from azul_env.core.words import as_int64, lane, lane_total

NUM_ROUNDS: Final = 6  # layers differ by round; the last ones are for all later rounds
PATTERNS: Final = 1 << NUM_LINES  # of five cells
TERNARY: Final = 3**NUM_LINES  # the same, where a cell may also wait for its line to be filled
MAX_POINTS: Final = 10  # of a tile
UNKNOWN, STARTS, FOLLOWS = 0, 1, 2  # who takes the marker

# Groups of a board's features.
ROW_LINE: Final = 0  # by row, its cells and the tiles in its line
ROW: Final = ROW_LINE + NUM_LINES * PATTERNS * NUM_LINES
COLUMN: Final = ROW + NUM_LINES * PATTERNS
COLUMN_WAITING: Final = COLUMN + NUM_LINES * PATTERNS
COLOR: Final = COLUMN_WAITING + NUM_LINES * TERNARY  # by cells and expected supply, for all colors
COLOR_WAITING: Final = COLOR + PATTERNS * NUM_SUPPLIES
LINE: Final = COLOR_WAITING + TERNARY  # unfinished lines: by color, tiles and supply
POINTS: Final = LINE + NUM_LINES * NUM_COLORS * NUM_LINES * NUM_SUPPLIES
FLOOR: Final = POINTS + NUM_LINES * NUM_LINES * (MAX_POINTS + 1)  # by tokens
DEAD: Final = FLOOR + FLOOR_SLOTS + 1  # by tiles on the table that fit in no line
STARTER: Final = DEAD + FLOOR_SLOTS + 1
TURN: Final = STARTER + 3  # turns until the player moves; with 2 players always 0
NUM_BOARD_FEATURES: Final = TURN + MAX_PLAYERS
MAX_LISTED: Final = 6 * NUM_LINES + 2 * NUM_LINES + 4

# Groups of the table's features.
COLOR_TILES: Final = 0  # by number of tiles to come, for all colors
MAX_TILES: Final = 15
# By tiles in the center and whether the marker is there.
CENTER: Final = COLOR_TILES + MAX_TILES + 1
MAX_CENTER: Final = 7
LEFT: Final = CENTER + 2 * (MAX_CENTER + 1)  # by tiles that are left
MAX_LEFT: Final = 39
FACTORIES: Final = LEFT + MAX_LEFT + 1  # by factories that are left
NUM_TABLE_FEATURES: Final = FACTORIES + 10
TABLE_LISTED: Final = NUM_COLORS + 3

Indices = NDArray[np.int64]

POWERS: Final = 3 ** np.arange(NUM_LINES)


def _twice_ternary() -> NDArray[np.int64]:
    """Every pattern of cells as a number in base 3 with the digit 2 for every cell."""
    bits = np.arange(PATTERNS)[:, None] >> np.arange(NUM_LINES) & 1
    return (2 * bits * POWERS).sum(axis=1)


TILED: Final = _twice_ternary()


@kernel
def round_of(row: Row) -> int:
    """The index of the layers for a position's round."""
    return min(row["round"], NUM_ROUNDS - 1)


@kernel
def turns_until(row: Row, seat: int) -> int:
    """Turns until a player moves; 0 with 2 players, where the side of the board implies it."""
    num_players = row["num_players"]
    if num_players == 2:
        return 0
    return (seat - row["current_player"] + num_players) % num_players


@kernel
def starter_state(row: Row, seat: int) -> int:
    """UNKNOWN while the marker is in the center or between rounds, else STARTS or FOLLOWS."""
    if row["marker_in_center"] or row["available"] == 0:
        return UNKNOWN
    return STARTS if row["starting_player_next_round"] == seat else FOLLOWS


@kernel
def finished_lines(row: Row, seat: int) -> tuple[int, int]:
    """The wall with full lines on it, and the points as if the round ended now."""
    counts, colors = row["line_counts"][seat], row["line_colors"][seat]
    wall = wall_of(row, seat)
    points = row["scores"][seat] - PENALTY_OF_TOKENS[floor_tokens(row["floors"][seat])]
    for line in range(NUM_LINES):
        if (counts >> NIBBLE_BITS * line) & NIBBLE == line + 1:
            color = (colors >> NIBBLE_BITS * line) & NIBBLE
            wall, _, gained = placement(wall, line, color)
            points += gained
    return wall, max(0, points)


@kernel
def list_board(row: Row, seat: int, wall: int, tiles: int, indices: Indices) -> int:
    """List the features of a board; returns their number.

    `wall` has the full lines on it; `tiles` are those on the table or, between rounds, those expected.
    """
    counts, colors = row["line_counts"][seat], row["line_colors"][seat]
    expected = expected_deal(row)
    # Fixed places for the ten numbers in base 3, to which lines that wait are added.
    for color in range(NUM_COLORS):
        cells = _cells_of_color(wall, color)
        indices[color] = COLOR_WAITING + TILED[cells]
        supply = _expected_supply(row, lane(expected, color))
        indices[2 * NUM_COLORS + color] = COLOR + NUM_SUPPLIES * cells + supply
    for column in range(NUM_LINES):
        cells = column_cells(wall, column)
        indices[NUM_COLORS + column] = COLUMN_WAITING + TERNARY * column + TILED[cells]
        indices[3 * NUM_COLORS + column] = COLUMN + PATTERNS * column + cells
    listed = as_int64(4 * NUM_COLORS)
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        count = 0 if count == line + 1 else count
        cells = row_cells(wall, line)
        indices[listed] = ROW + PATTERNS * line + cells
        indices[listed + 1] = ROW_LINE + NUM_LINES * (PATTERNS * line + cells) + count
        listed += 2
        if count == 0:
            continue
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        _, column, points = placement(wall, line, color)
        indices[color] += POWERS[line]
        indices[NUM_COLORS + column] += POWERS[line]
        supply = supply_of(row, tiles, color, line + 1 - count)
        kind = NUM_LINES * (NUM_COLORS * line + color) + count
        indices[listed] = LINE + NUM_SUPPLIES * kind + supply
        indices[listed + 1] = POINTS + (MAX_POINTS + 1) * (NUM_LINES * line + count) + points
        listed += 2
    indices[listed] = FLOOR + floor_tokens(row["floors"][seat])
    indices[listed + 1] = DEAD + dead_tiles(row, seat, tiles)
    indices[listed + 2] = STARTER + starter_state(row, seat)
    indices[listed + 3] = TURN + turns_until(row, seat)
    return listed + 4


@kernel
def _cells_of_color(wall: int, color: int) -> int:
    """The rows in which a wall has a tile of a color; bit 0 is row 0."""
    cells = as_int64(0)
    for line in range(NUM_LINES):
        tiled, _, _ = placement(wall, line, color)
        cells |= (1 if tiled == wall else 0) << line
    return cells


@kernel
def _expected_supply(row: Row, expected: int) -> int:
    """The supply of a color that the next deal can be expected to bring, as an index in SUPPLIES."""
    share = center_of(row)  # factories; a color's mean share of a deal is 4 / 5 of this
    return 0 if 10 * expected < 6 * share else (1 if 10 * expected <= 10 * share else 2)


@kernel
def list_table(row: Row, tiles: int, indices: Indices) -> None:
    """List the TABLE_LISTED features of the table; `tiles` are those on it or, between rounds, those expected."""
    for color in range(NUM_COLORS):
        indices[color] = COLOR_TILES + min(lane(tiles, color), MAX_TILES)
    center = center_of(row)
    in_center = lane_total(row["sources"][center])
    marker = row["marker_in_center"] if row["available"] != 0 else 0
    indices[NUM_COLORS] = CENTER + 2 * min(in_center, MAX_CENTER) + marker
    indices[NUM_COLORS + 1] = LEFT + min(lane_total(tiles), MAX_LEFT)
    factories = as_int64(0)
    for source in range(center):
        factories += 1 if row["sources"][source] != 0 else 0
    indices[NUM_COLORS + 2] = FACTORIES + factories


@called_kernel
def write_features(
    rows: Rows,
    boards: NDArray[Any],
    tables: NDArray[Any],
    points: NDArray[Any],
    indices: Indices,
) -> None:
    """Write the features of many positions: boards (position, seat, MAX_LISTED), tables and points by seat.

    Unused entries are padded with NUM_BOARD_FEATURES. `indices` is scratch space.
    """
    for i in range(len(rows)):
        row = rows[i]
        tiles = tiles_to_come(row)
        for seat in range(row["num_players"]):
            wall, score = finished_lines(row, seat)
            points[i, seat] = score
            count = list_board(row, seat, wall, tiles, indices)
            for listed in range(MAX_LISTED):
                boards[i, seat, listed] = indices[listed] if listed < count else NUM_BOARD_FEATURES
        list_table(row, tiles, indices)
        for listed in range(TABLE_LISTED):
            tables[i, listed] = indices[listed]
