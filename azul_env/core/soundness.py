"""Checks that rows from callers and files are safe for the other kernels, which check nothing themselves.

A sound row is a position that a game can reach, or one between two rounds, before the next deal. This is the fast
counterpart of `azul_env.validation`, which says what is wrong with a position; tests compare their verdicts.
"""

from typing import Final

from azul_env.core.jit import called_kernel, kernel
from azul_env.core.moves import CAPACITIES, EVERY_COLOR, floor_tokens
from azul_env.core.rounds import ALL_TILES, MAX_ROUNDS, NO_TILES, PLAYING, RESIGNATION, ROW
from azul_env.core.scoring import complete_rows
from azul_env.core.spec import (
    COUNTER_LIMIT,
    FACTORY_CAPACITY,
    FLOOR,
    FLOOR_SLOTS,
    MAX_PLAYERS,
    MAX_SOURCES,
    MIN_PLAYERS,
    NUM_COLORS,
    NUM_DESTINATIONS,
    NUM_LINES,
    TILES_PER_COLOR,
)
from azul_env.core.state import MARKER_TOKEN, NIBBLE, NIBBLE_BITS, Row, Rows, center_of
from azul_env.core.walls import (
    color_tiles_of,
    columns_of,
    extra_words_of,
    has_wall,
    may_be_tiling,
    may_have_tiled,
    open_line_of,
    tiling_actions,
)
from azul_env.core.words import (
    ALL_LANES,
    LANE_BITS,
    LANE_ONES,
    LANE_TOPS,
    as_int64,
    lane_total,
    nonzero_lanes,
)

ALL_SOUND: Final = -1  # in place of the index of the first game that is not
UNSOUND: Final = -1  # in place of the tiles of a board

# Added to a lane of at most 2,047, it sets the top bit if there are more tiles than the game has.
TO_TOP: Final = LANE_ONES * ((1 << (LANE_BITS - 1)) - 1 - TILES_PER_COLOR)
FLOOR_ALWAYS: Final = EVERY_COLOR << FLOOR  # R3.10


@called_kernel
def first_unsound(rows: Rows, first: int, last: int) -> int:
    """The first game whose row is not sound, or ALL_SOUND. Never reads outside the rows, whatever they hold."""
    for i in range(first, last):
        if not is_sound(rows[i]):
            return i
    return ALL_SOUND


@kernel
def is_sound(row: Row) -> bool:
    """True if a row is sound."""
    return _has_sound_counters(row) and _has_sound_tiles(row) and _has_sound_phase(row)


@kernel
def _has_sound_counters(row: Row) -> bool:
    """True if seats, rounds, scores and resignations are in range, and absent seats are empty."""
    players = row["num_players"]
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        return False
    if not 0 <= row["current_player"] < players:
        return False
    if not 0 <= row["starting_player_next_round"] < players:
        return False
    if not 1 <= row["max_rounds"] <= COUNTER_LIMIT or not 0 <= row["round"] <= row["max_rounds"]:
        return False
    if not PLAYING <= row["end_reason"] <= RESIGNATION:
        return False
    if not 0 <= row["marker_in_center"] <= 1:
        return False
    for seat in range(MAX_PLAYERS):
        if not 0 <= row["scores"][seat] <= COUNTER_LIMIT:
            return False
        if seat >= players:
            rest = row["scores"][seat] | row["legal"][seat] | row["walls"][seat]
            rest |= row["line_counts"][seat] | row["line_colors"][seat] | row["floors"][seat]
            rest |= extra_words_of(row, seat)
            if rest:
                return False
    return _has_sound_resignations(row)


@kernel
def _has_sound_resignations(row: Row) -> bool:
    """R8.1, R8.2, R8.5: the orders of resigning are 1, 2, ..., and a game ends when one player is left."""
    players, resignations = row["num_players"], row["resignations"]
    if resignations >> NIBBLE_BITS * players:
        return False
    orders, resigned = 0, 0
    for seat in range(players):
        order = (resignations >> NIBBLE_BITS * seat) & NIBBLE
        orders |= 1 << order
        resigned += 1 if order else 0
    if orders | 1 != (2 << resigned) - 1 or resigned >= players:
        return False
    latest = (resignations >> NIBBLE_BITS * row["current_player"]) & NIBBLE
    if row["end_reason"] == RESIGNATION:
        return resigned == players - 1 and latest == resigned
    # R10.13: a player who resigns instead of choosing may have moved last in the game.
    is_last = tiling_actions(row) > 0 and row["end_reason"] != PLAYING and latest == resigned
    return resigned < players - 1 and (latest == 0 or is_last)


@kernel
def _has_sound_tiles(row: Row) -> bool:
    """R1.2: 20 tiles of each color, no place overfull, and `available` and `legal` that follow from them."""
    bag, lid = row["bag"], row["lid"]
    if not _are_counts(bag) or not _are_counts(lid):
        return False
    tiles = bag + lid
    available = as_int64(0)
    center = center_of(row)
    for source in range(MAX_SOURCES):
        held = row["sources"][source]
        if not _are_counts(held) or (source > center and held):
            return False
        if source < center and lane_total(held) > FACTORY_CAPACITY:
            return False
        tiles += held
        available |= nonzero_lanes(held) >> (LANE_BITS - 1 - source)
    if row["end_reason"] != PLAYING:
        available = as_int64(0)
    if row["available"] != available:
        return False
    for seat in range(row["num_players"]):
        on_board = _tiles_on_board(row, seat)
        if on_board == UNSOUND:
            return False
        tiles += on_board
    return tiles == ALL_TILES


@kernel
def _are_counts(word: int) -> bool:
    """True if a word has at most 20 tiles of each color in its lanes, and nothing else."""
    return 0 <= word <= ALL_LANES and (word | ((word & ~LANE_TOPS) + TO_TOP)) & LANE_TOPS == 0


@kernel
def _tiles_on_board(row: Row, seat: int) -> int:
    """Tiles of a board by color, in lanes; UNSOUND if a part of it is out of range or its legal bits are wrong."""
    counts, colors = row["line_counts"][seat], row["line_colors"][seat]
    if not has_wall(row, seat) or (counts | colors) >> NIBBLE_BITS * NUM_LINES:
        return UNSOUND
    tiles = _tiles_on_floor(row["floors"][seat])
    if tiles == UNSOUND:
        return UNSOUND
    for color in range(NUM_COLORS):
        tiles += color_tiles_of(row, seat, color) << LANE_BITS * color
    legal = as_int64(FLOOR_ALWAYS)
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        accepted = open_line_of(row, seat, line)
        if count:
            own = (1 << (NUM_DESTINATIONS * color + line)) & accepted
            if count > line + 1 or color >= NUM_COLORS or own == 0:  # R3.5, R3.7
                return UNSOUND
            accepted = own if count <= line else as_int64(0)  # R3.6
            tiles += count << LANE_BITS * color
        elif color:
            return UNSOUND
        legal |= accepted
    return tiles if row["legal"][seat] == legal else UNSOUND


@kernel
def _tiles_on_floor(floor: int) -> int:
    """Tiles of a floor by color, in lanes; UNSOUND if a token is unknown or has a free slot to its left."""
    if floor >> NIBBLE_BITS * FLOOR_SLOTS:
        return UNSOUND
    tiles = as_int64(0)
    while floor:
        token = floor & NIBBLE
        if not 1 <= token <= MARKER_TOKEN:
            return UNSOUND
        if token != MARKER_TOKEN:
            tiles += 1 << LANE_BITS * (token - 1)
        floor >>= NIBBLE_BITS
    return tiles


@kernel
def _has_sound_phase(row: Row) -> bool:
    """R1.6, R3.9, R4, R6: marker, phase and end of the game fit the boards. Caller guarantees sound counters and tiles."""
    reason, starter = row["end_reason"], row["starting_player_next_round"]
    rows_complete, full_lines, tokens, markers = 0, 0, 0, row["marker_in_center"]
    for seat in range(row["num_players"]):
        rows_complete += complete_rows(row["walls"][seat])
        counts, floor = row["line_counts"][seat], row["floors"][seat]
        for line in range(NUM_LINES):
            spaces = ((CAPACITIES - counts) >> NIBBLE_BITS * line) & NIBBLE
            full_lines += 1 if spaces == 0 else 0
        tokens += floor_tokens(floor)
        while floor:
            if floor & NIBBLE == MARKER_TOKEN:
                markers += 1
                if seat != starter:
                    return False
            floor >>= NIBBLE_BITS
    if markers > 1:
        return False
    has_table = False
    for source in range(center_of(row) + 1):
        has_table |= row["sources"][source] != 0
    has_supply = row["bag"] | row["lid"] != 0
    is_open = reason in (PLAYING, RESIGNATION)
    if is_open:
        if row["round"] == row["max_rounds"]:
            return False
        is_tiling = not has_table and full_lines > 0 and may_be_tiling(row)
        is_marker_gone = is_tiling and may_have_tiled(row, starter)
        has_room = floor_tokens(row["floors"][starter]) < FLOOR_SLOTS
        if markers == 0 and has_room and not is_marker_gone:
            return False
        if is_tiling:
            return True
        if not has_table and not (row["marker_in_center"] and has_supply):
            return False  # not even between two rounds
    if columns_of(row) or (rows_complete > 0) != (reason == ROW):
        return False
    if (not is_open or not has_table) and (has_table or tokens or full_lines):
        return False
    if reason == MAX_ROUNDS:
        return has_supply and row["round"] == row["max_rounds"]
    return reason != NO_TILES or not has_supply
