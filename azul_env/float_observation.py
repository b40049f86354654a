"""The float32 observation written straight from the words of a row, without its integers in between.

Every number of the observation is a field of some word, so a table of masks and factors, made from the layout, says how
each is read; see `azul_env.core.fields`. What is written equals the integers times their scales, bit by bit.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.fields import (
    EIGHT,
    SHIFT_IN_HALF,
    store_fields,
    store_lanes,
    store_matching,
)
from azul_env.core.jit import kernel
from azul_env.core.spec import FLOOR_SLOTS, MAX_PLAYERS, MIN_PLAYERS, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.observation import (
    BOARD_SIZE,
    CELLS,
    DIGIT_BITS,
    FLOOR,
    LINES,
    NUM_END_REASONS,
    SCORE,
    SCORE_KNEE,
    WALL,
    observation_scales,
    observation_size,
)

SMALL_BITS: Final = 7  # of any number of tiles in a lane
RESIGNED_SHIFT: Final = 3 * DIGIT_BITS  # behind the score in its word
COUNTERS: Final = 4  # digits of both counters of rounds
WIDTH: Final = observation_size(MAX_PLAYERS)  # of a table for one number of players


class _Table:
    """Which bits of its word each number is, for one number of players."""

    def __init__(self, num_players: int) -> None:
        self.shifts = np.zeros(WIDTH, np.int64)
        self.masks = np.zeros(WIDTH, np.int32)
        self.matches = np.zeros(WIDTH, np.int32)
        self.place = 0
        for _ in range(num_players):
            self._add_board()
        for _ in range(2 * num_players + 2):
            self._add_lanes()
        self._add(0, 1)  # the marker
        self._add_lanes()
        self._add_lanes()
        for digit in (1, 0, 3, 2):
            self._add(DIGIT_BITS * digit, DIGIT_BITS)
        for bit in range(2 * num_players + NUM_END_REASONS):
            self._add(bit, 1)
        self.factors = np.zeros(WIDTH, np.float32)
        scales = observation_scales(num_players)
        self.factors[: self.place] = scales * 2.0 ** -self.shifts[: self.place]

    def _add(self, shift: int, bits: int, match: int = 0) -> None:
        self.shifts[self.place] = shift
        self.masks[self.place] = (1 << bits) - 1 << shift
        self.matches[self.place] = match << shift
        self.place += 1

    def _add_lanes(self) -> None:
        for shift in SHIFT_IN_HALF:
            self._add(shift, SMALL_BITS)

    def _add_board(self) -> None:
        for cell in range(CELLS):
            self._add(cell, 1)
        for line in range(NUM_LINES):
            for color in range(NUM_COLORS):
                self._add(NIBBLE_BITS * line, NIBBLE_BITS, match=color)
        for slot in range(FLOOR_SLOTS):
            self._add(NIBBLE_BITS * slot, NIBBLE_BITS)
        for digit in (0, 2, 1):
            self._add(DIGIT_BITS * digit, DIGIT_BITS)
        self._add(RESIGNED_SHIFT, NIBBLE_BITS)


_TABLES: Final = [_Table(players) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)]
MASKS: Final = np.concatenate([table.masks for table in _TABLES])
MATCHES: Final = np.concatenate([table.matches for table in _TABLES])
FACTORS: Final = np.concatenate([table.factors for table in _TABLES])


@kernel
def write_floats(row: Row, player: int, out: NDArray[np.float32]) -> None:
    """Write the float32 observation that a player has, and nothing beyond it.

    Parts are stored eight floats at a time from left to right; what a store writes too far, a later one overwrites.
    """
    players = row["num_players"]
    table = WIDTH * (players - MIN_PLAYERS)
    seat = player
    for place in range(players):
        _write_board(row, seat, out, BOARD_SIZE * place, table)
        seat = seat + 1 if seat + 1 < players else 0
    place = BOARD_SIZE * players
    for source in range(center_of(row) + 1):
        store_lanes(out, place, row["sources"][source], MASKS, FACTORS, table + place)
        place += NUM_COLORS
    store_fields(out, place, row["marker_in_center"], MASKS, FACTORS, table + place)
    place += 1
    store_lanes(out, place, row["bag"], MASKS, FACTORS, table + place)
    place += NUM_COLORS
    store_lanes(out, place, row["lid"], MASKS, FACTORS, table + place)
    place += NUM_COLORS
    counters = row["round"] | (row["max_rounds"] << 2 * DIGIT_BITS)
    store_fields(out, place, counters, MASKS, FACTORS, table + place)
    place += COUNTERS
    turn = row["current_player"] - player
    starter = row["starting_player_next_round"] - player
    turn = turn + players if turn < 0 else turn
    starter = starter + players if starter < 0 else starter
    reason = ((1 << row["end_reason"]) >> 1) << 2 * players
    bits = (1 << turn) | (1 << (players + starter)) | reason
    store_fields(out, place, bits, MASKS, FACTORS, table + place)
    place += 2 * players + NUM_END_REASONS - EIGHT  # the last eight, which may be the same again
    store_fields(out, place, bits, MASKS, FACTORS, table + place)


@kernel
def _write_board(row: Row, seat: int, out: NDArray[np.float32], start: int, table: int) -> None:
    """Write the part of one player."""
    wall = row["walls"][seat]
    counts = row["line_counts"][seat]
    colors = row["line_colors"][seat]
    for place in range(start + WALL, start + WALL + CELLS, EIGHT):
        store_fields(out, place, wall, MASKS, FACTORS, table + place)
    for place in range(start + LINES, start + LINES + CELLS, EIGHT):
        store_matching(out, place, counts, colors, MASKS, MATCHES, FACTORS, table + place)
    place = start + FLOOR
    store_fields(out, place, row["floors"][seat], MASKS, FACTORS, table + place)
    score = row["scores"][seat]
    shown = min(score, SCORE_KNEE)
    resigned = (row["resignations"] >> NIBBLE_BITS * seat) & NIBBLE
    word = shown | ((score - shown) << DIGIT_BITS) | (resigned << RESIGNED_SHIFT)
    place = start + SCORE
    store_fields(out, place, word, MASKS, FACTORS, table + place)
