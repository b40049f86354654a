"""How well the offers on the table fit the lines of the players: features of positions inside rounds.

An offer is what one move takes: the tiles of a color on a factory or in the center. A board's own features only count the
tiles of a color; these tell whether a single move fills a line exactly, whether it takes several, or has tiles to spare.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.features import tiles_to_come
from azul_agents.search.network.features import turns_until
from azul_env.core.intrinsics import lowest_bit, popcount
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.spec import MAX_PLAYERS, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows, center_of
from azul_env.core.variant import placement, wall_of
from azul_env.core.words import as_int64, lane

# Sets of sizes, a byte for each color: bit n is set if there is an offer of n tiles.
SIZE_BITS: Final = 8
LARGEST: Final = SIZE_BITS - 1  # also stands for all larger ones
ONE_SIZE: Final = sum(1 << SIZE_BITS * color for color in range(NUM_COLORS))  # in every byte
SOME_SIZES: Final = ((1 << SIZE_BITS) - 2) * ONE_SIZE  # all sizes but 0
BYTE: Final = (1 << SIZE_BITS) - 1

# How the offers of its color fit a line that has some tiles.
NONE, TOO_FEW, IN_PARTS, TO_SPARE, EXACT, EXACT_TWICE = range(6)
NUM_FITS: Final = 6

# Groups of features of the table: by tiles of a color in the center, for all colors, and by the number of offers.
CENTER: Final = 0
LEFT: Final = CENTER + LARGEST + 1
MAX_LEFT: Final = 20
SIDES: Final = LEFT + MAX_LEFT + 1  # features of each board, by its side: see `side_of`
NUM_SIDES: Final = 2 * MAX_PLAYERS
# For each line: an empty one by the largest offer that fits, and whether there are several of that size; a begun one by
# missing tiles and fit.
EMPTY: Final = 0
BEGUN: Final = EMPTY + 2 * (NUM_LINES + 1)
FULL: Final = BEGUN + NUM_LINES * NUM_FITS
NUM_LINE_FEATURES: Final = FULL + 1
# For each color: by its smallest and its largest offer, and by the most tiles of it that one line can take.
ROOMS: Final = NUM_LINES * NUM_LINE_FEATURES
SMALL: Final = 5  # sizes of the smallest offer that are told apart, from 0
LARGE: Final = 6
NUM_SIDE_FEATURES: Final = ROOMS + SMALL * LARGE * (NUM_LINES + 1)
NUM_OFFER_FEATURES: Final = SIDES + NUM_SIDES * NUM_SIDE_FEATURES
LISTED_OF_TABLE: Final = NUM_COLORS + 1
LISTED_OF_BOARD: Final = NUM_LINES + NUM_COLORS

# What these features need of a board, packed into a word: for each line the colors it can take, the missing tiles and
# whether it is begun; then the room for each color.
MISSING_SHIFT: Final = NUM_COLORS
BEGUN_SHIFT: Final = MISSING_SHIFT + 3
LINE_BITS: Final = BEGUN_SHIFT + 1
ROOM_SHIFT: Final = NUM_LINES * LINE_BITS
ROOM_BITS: Final = 3
ALL_ROOM: Final = (1 << ROOM_BITS) - 1

Indices = NDArray[np.int64]


def _sizes_in(byte: int) -> list[int]:
    return [size for size in range(1, SIZE_BITS) if byte >> size & 1]


def _feature_of_line(is_begun: int, missing: int, byte: int) -> int:
    """A line's feature by the sizes that are on offer, apart from repeated ones; IN_PARTS also stands for TOO_FEW."""
    sizes = _sizes_in(byte)
    if missing == 0:
        return FULL
    if not is_begun:
        return EMPTY + 2 * max((size for size in sizes if size <= missing), default=0)
    fit = EXACT if missing in sizes else NONE if not sizes else IN_PARTS
    if fit == IN_PARTS and sizes[-1] > missing:
        fit = TO_SPARE
    return BEGUN + NUM_FITS * (missing - 1) + fit


def _table_of_ends() -> NDArray[np.int64]:
    """For every set of sizes, its smallest and its largest in one number: a part of a feature's index."""
    ends = [(_sizes_in(byte) or [0]) for byte in range(BYTE + 1)]
    return np.array(
        [LARGE * min(sizes[0], SMALL - 1) + min(sizes[-1], LARGE - 1) for sizes in ends]
    )


FEATURES_OF_LINES: Final = np.array(
    [
        _feature_of_line(is_begun, missing, byte)
        for is_begun in range(2)
        for missing in range(NUM_LINES + 1)
        for byte in range(BYTE + 1)
    ]
)
ENDS_OF_SETS: Final = _table_of_ends()
# For every set of colors, their bytes.
BYTES_OF: Final = np.array(
    [
        sum(BYTE << SIZE_BITS * color for color in range(NUM_COLORS) if colors >> color & 1)
        for colors in range(1 << NUM_COLORS)
    ]
)


def offers_listed(num_players: int) -> int:
    """How many features of a position are listed."""
    return LISTED_OF_TABLE + num_players * LISTED_OF_BOARD


@kernel
def side_of(row: Row, player: int, viewer: int) -> int:
    """The side of a board: the viewer's or another's, and the turns until its player moves."""
    return 2 * turns_until(row, player) + (0 if player == viewer else 1)


@kernel
def needs_of_board(row: Row, player: int) -> int:
    """What the features need of a board, in one word.

    Computed from wall and lines alone: where lines are changed to value the change, the row's `legal` is stale.
    """
    counts, colors = row["line_counts"][player], row["line_colors"][player]
    wall, needs, rooms = wall_of(row, player), as_int64(0), as_int64(0)
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        held = (colors >> NIBBLE_BITS * line) & NIBBLE
        missing = line + 1 - count
        need = missing << MISSING_SHIFT | (1 if count else 0) << BEGUN_SHIFT
        for color in range(NUM_COLORS):
            tiled, _, _ = placement(wall, line, color)
            if missing and tiled != wall and (count == 0 or held == color):
                need |= 1 << color
                room = (rooms >> ROOM_BITS * color) & ALL_ROOM
                rooms += (max(room, missing) - room) << ROOM_BITS * color
        needs |= need << LINE_BITS * line
    return needs | rooms << ROOM_SHIFT


@kernel
def sizes_of_offers(row: Row) -> tuple[int, int]:
    """The sizes of all offers, and those that more than one offer of a color has."""
    once, twice = as_int64(0), as_int64(0)
    for source in range(center_of(row) + 1):
        tiles = row["sources"][source]
        if tiles == 0:
            continue
        sizes = as_int64(0)
        for color in range(NUM_COLORS):
            sizes |= as_int64(1) << (SIZE_BITS * color + min(lane(tiles, color), LARGEST))
        twice |= once & sizes
        once |= sizes
    return once & SOME_SIZES, twice & SOME_SIZES


@kernel
def list_offers_of_table(row: Row, indices: Indices) -> None:
    """List the LISTED_OF_TABLE features of the offers alone."""
    center = row["sources"][center_of(row)]
    for color in range(NUM_COLORS):
        indices[color] = CENTER + min(lane(center, color), LARGEST)
    indices[NUM_COLORS] = LEFT + min(popcount(row["available"]), MAX_LEFT)


@kernel
def list_offers_of_board(
    needs: int, side: int, once: int, twice: int, tiles: int, indices: Indices, start: int
) -> None:
    """List the LISTED_OF_BOARD features of a board from `start` on; `tiles` are those on the table."""
    first = SIDES + NUM_SIDE_FEATURES * side
    for line in range(NUM_LINES):
        need = needs >> LINE_BITS * line
        colors, missing = need & ((1 << NUM_COLORS) - 1), (need >> MISSING_SHIFT) & 7
        is_begun = (need >> BEGUN_SHIFT) & 1
        known = once & BYTES_OF[colors]
        sizes = known | known >> 4 * SIZE_BITS
        sizes |= sizes >> 2 * SIZE_BITS
        sizes = (sizes | sizes >> SIZE_BITS) & BYTE
        feature = FEATURES_OF_LINES[((NUM_LINES + 1) * is_begun + missing) << SIZE_BITS | sizes]
        # A line with tiles has one color.
        held = lane(tiles, lowest_bit(colors | 1 << NUM_COLORS))
        feature -= is_begun & (1 if held < missing else 0) & (1 if sizes else 0)
        size = missing if is_begun else (feature - EMPTY) >> 1
        equals = (known >> size) & ONE_SIZE
        more = ((twice & BYTES_OF[colors]) >> size) & ONE_SIZE
        repeated = (equals & (equals - 1)) | more
        feature += 1 if repeated and missing else 0
        indices[start + line] = first + NUM_LINE_FEATURES * line + feature
    for color in range(NUM_COLORS):
        ends = ENDS_OF_SETS[(once >> SIZE_BITS * color) & BYTE]
        room = (needs >> (ROOM_SHIFT + ROOM_BITS * color)) & ALL_ROOM
        indices[start + NUM_LINES + color] = first + ROOMS + (NUM_LINES + 1) * ends + room


@called_kernel
def write_offers(rows: Rows, offers: NDArray[Any], indices: Indices) -> None:
    """Write the features of many positions as all seats see them: (position, seat, listed).

    Those between rounds stay as they are. `indices` is scratch space.
    """
    for i in range(len(rows)):
        row = rows[i]
        if row["available"] == 0:
            continue
        once, twice = sizes_of_offers(row)
        tiles = tiles_to_come(row)
        for viewer in range(row["num_players"]):
            list_offers_of_table(row, indices)
            start = as_int64(LISTED_OF_TABLE)
            for seat in range(row["num_players"]):
                side, needs = side_of(row, seat, viewer), needs_of_board(row, seat)
                list_offers_of_board(needs, side, once, twice, tiles, indices, start)
                start += LISTED_OF_BOARD
            for listed in range(start):
                offers[i, viewer, listed] = indices[listed]
