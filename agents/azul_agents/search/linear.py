"""The linear evaluator: a weighted sum of each board's features, learned from self-play.

A position is worth the searcher's sum minus the mean of the others', which predicts the final margin of points. The sum
of a board is cached by everything that it depends on, since a search meets the same boards again and again.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import EvaluatorKernels, Gains, Moves
from azul_agents.search.features import (
    FEATURE_NAMES,
    MAX_LISTED,
    Amounts,
    Indices,
    board_word,
    bucket_of,
    list_features,
    starts_next,
    tiles_to_come,
)
from azul_agents.search.gray_features import (
    GRAY_FEATURE_NAMES,
    MAX_LISTED_GRAY,
    list_gray_features,
)
from azul_agents.search.gray_linear import (
    gray_scored_word,
    note_gray_walls,
    write_column_gains,
)
from azul_agents.search.moves import move_parts, tiles_taken
from azul_env import GameState
from azul_env.core.by_variant import by_variant
from azul_env.core.intrinsics import popcount
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.moves import floor_tokens
from azul_env.core.scoring import (
    PENALTY_OF_TOKENS,
    column_cells,
    row_cells,
)
from azul_env.core.spec import FLOOR, FLOOR_SLOTS, MAX_PLAYERS, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows, center_of
from azul_env.core.variant import color_tiles, placement, wall_of
from azul_env.core.words import as_int64

Weights = NDArray[np.float64]  # by bucket and feature

NAMES_OF_FEATURES: Final = {"colored": FEATURE_NAMES, "gray": GRAY_FEATURE_NAMES}
MOST_LISTED: Final = max(MAX_LISTED, MAX_LISTED_GRAY)  # features of one board that are not 0

# The cache of boards.
CACHE_BITS: Final = 13  # 128 kB: a larger cache hits more often, but answers more slowly
CACHED_BOARD: Final = np.dtype([("key", np.int64), ("value", np.float64)], align=True)
WALL_BITS: Final = 25
# Odd multipliers, which turn the two words of a board into a key.
MIX_BOARD: Final = 0x1E3779B97F4A7C15
MIX_SCORED: Final = 0x42B2AE3D27D4EB4F


def _fill_table() -> NDArray[np.float64]:
    """The share of its points that a line is expected to score, at 8 * line + tiles in it."""
    table = np.zeros(8 * NUM_LINES)
    for line in range(NUM_LINES):
        for count in range(line + 1):
            share = count / (line + 1)
            table[8 * line + count] = 0.6 * share * share
        table[8 * line + line + 1] = 1.0
    return table


FILL: Final = _fill_table()
PENALTY: Final = PENALTY_OF_TOKENS.astype(np.float64)
MARKER_WORTH: Final = np.array([0.0, 1.5])  # of starting the next round


class LinearEvaluator(NamedTuple):
    """Weights, and the arrays that the kernels work with."""

    weights: Weights
    boards: NDArray[Any]  # CACHED_BOARD by hash
    # Of a tile on the wall: (seat, 5 * line + color).
    cell_worth: NDArray[np.float64]
    indices: Indices  # scratch space for the features of a board
    amounts: Amounts

    @staticmethod
    def kernels() -> EvaluatorKernels:
        """The kernels below."""
        return EvaluatorKernels(note_walls, margin, margin, write_gains)


def linear_evaluator(
    num_players: int, weights: Weights | None = None, variant: str = "colored"
) -> LinearEvaluator:
    """An evaluator with these weights, or with those that come with the package."""
    return LinearEvaluator(
        weights=load_weights(num_players, variant) if weights is None else weights,
        boards=np.zeros(1 << CACHE_BITS, CACHED_BOARD),
        cell_worth=np.zeros((MAX_PLAYERS, NUM_LINES * NUM_COLORS)),
        indices=np.zeros(MOST_LISTED, np.int64),
        amounts=np.zeros(MOST_LISTED),
    )


@kernel
def margin(evaluator: LinearEvaluator, row: Row, player: int) -> float:
    """The margin that a player can expect at the end of the game."""
    num_players = row["num_players"]
    tiles = tiles_to_come(row)
    bucket = bucket_of(row, tiles)
    value = 0.0
    for seat in range(num_players):
        share = 1.0 if seat == player else -1.0 / (num_players - 1)
        value += share * board_value(evaluator, row, seat, tiles, bucket)
    return value


@kernel
def board_value(evaluator: LinearEvaluator, row: Row, seat: int, tiles: int, bucket: int) -> float:
    """The weighted sum of a board's features, from the cache if it is there."""
    key = _board_key(row, seat, tiles, bucket)
    entry = evaluator.boards[(key >> (64 - CACHE_BITS)) & ((1 << CACHE_BITS) - 1)]
    if entry["key"] != key:
        entry["value"] = weighted_sum(evaluator, row, seat, tiles, bucket)
        entry["key"] = key
    return entry["value"]


@kernel
def _colored_scored_word(row: Row, seat: int) -> int:
    return row["walls"][seat] | row["scores"][seat] << WALL_BITS


# A word made of a player's wall and score, for keys.
scored_word: Final = by_variant(_colored_scored_word, gray_scored_word)
# List the nonzero features of a board.
features_of: Final = by_variant(list_features, list_gray_features)


@kernel
def _board_key(row: Row, seat: int, tiles: int, bucket: int) -> int:
    """A hash of everything that the features of a board and their weights depend on."""
    is_mover = 1 if row["current_player"] == seat else 0
    is_starter = 1 if starts_next(row, seat) else 0
    board = board_word(row, seat, tiles)
    board |= is_mover << 54 | is_starter << 55 | bucket << 56
    scored = scored_word(row, seat)
    return board * MIX_BOARD + scored * MIX_SCORED


@called_kernel
def weighted_sum(evaluator: LinearEvaluator, row: Row, seat: int, tiles: int, bucket: int) -> float:
    """The weighted sum of a board's features."""
    weights, indices, amounts = evaluator.weights[bucket], evaluator.indices, evaluator.amounts
    value = 0.0
    for listed in range(features_of(row, seat, tiles, indices, amounts)):
        value += weights[indices[listed]] * amounts[listed]
    return value


@kernel
def _note_colored_walls(row: Row, evaluator: LinearEvaluator) -> None:
    for seat in range(row["num_players"]):
        wall = wall_of(row, seat)
        for line in range(NUM_LINES):
            for color in range(NUM_COLORS):
                _, column, points = placement(wall, line, color)
                worth = points + _set_progress(wall, line, column, color)
                evaluator.cell_worth[seat, NUM_COLORS * line + color] = worth


@kernel
def _set_progress(wall: int, row: int, column: int, color: int) -> float:
    """Credit for one more tile in its row, column and color; it grows with the tiles already there."""
    in_row = popcount(row_cells(wall, row))
    in_column = popcount(column_cells(wall, column))
    of_color = color_tiles(wall, color)
    return 0.05 * in_row + 0.28 * (2 * in_column + 1) + 0.4 * (2 * of_color + 1)


@kernel
def _note_gray_walls(row: Row, evaluator: LinearEvaluator) -> None:
    note_gray_walls(evaluator.cell_worth, row)


_note_walls: Final = by_variant(_note_colored_walls, _note_gray_walls)


@kernel
def note_walls(evaluator: LinearEvaluator, row: Row) -> None:
    """Compute what a tile on each free cell is worth, which stays the same throughout a round."""
    _note_walls(row, evaluator)


@kernel
def _write_draft_gains(
    row: Row, evaluator: LinearEvaluator, moves: Moves, count: int, gains: Gains
) -> None:
    player = row["current_player"]
    worth = evaluator.cell_worth[player]
    counts = row["line_counts"][player]
    tokens = floor_tokens(row["floors"][player])
    center = center_of(row)
    for slot in range(count):
        source, color, line = move_parts(moves[slot])
        marker = row["marker_in_center"] if source == center else as_int64(0)
        fallen = tiles_taken(moves[slot])
        gain = 0.0
        if line != FLOOR:
            before = (counts >> NIBBLE_BITS * line) & NIBBLE
            after = min(before + fallen, line + 1)
            fallen -= after - before
            gain = worth[NUM_COLORS * line + color] * (
                FILL[8 * line + after] - FILL[8 * line + before]
            )
        lost = min(FLOOR_SLOTS, tokens + fallen + marker)
        gains[slot] = gain - (PENALTY[lost] - PENALTY[tokens]) + MARKER_WORTH[marker]


@kernel
def _write_turn_gains(
    row: Row, evaluator: LinearEvaluator, moves: Moves, count: int, gains: Gains
) -> None:
    if row["columns"] != 0:
        write_column_gains(row, moves, count, gains)
    else:
        _write_draft_gains(row, evaluator, moves, count, gains)


_write_gains: Final = by_variant(_write_draft_gains, _write_turn_gains)


@kernel
def write_gains(
    evaluator: LinearEvaluator, row: Row, moves: Moves, count: int, gains: Gains
) -> None:
    """A quick estimate of the points that each move gains the mover's board."""
    _write_gains(row, evaluator, moves, count, gains)


@called_kernel
def write_margins(evaluator: LinearEvaluator, rows: Rows, margins: Amounts) -> None:
    """Write the margin that every seat of rows[0] can expect."""
    for seat in range(rows[0]["num_players"]):
        margins[seat] = margin(evaluator, rows[0], seat)


def expected_margins(state: GameState) -> list[float]:
    """The margin that every seat can expect, without a search; they add up to 0."""
    margins = np.zeros(state.num_players)
    evaluator = linear_evaluator(state.num_players, variant=state.variant)
    write_margins(evaluator, state.rows, margins)
    return margins.tolist()


@cache
def load_weights(num_players: int, variant: str = "colored") -> Weights:
    """The weights that come with the package."""
    card = load_card(num_players, variant)
    return np.array(card["weights"], np.float64)


def load_card(num_players: int, variant: str = "colored") -> dict[str, Any]:
    """Weights and how they were made."""
    folder = files("azul_agents.search") / "weights"
    prefix = "" if variant == "colored" else f"{variant}_"
    path = folder / f"{prefix}{num_players}_players.json"
    if variant != "colored" and not path.is_file():
        path = folder / f"{prefix}2_players.json"  # until there are weights of their own
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if tuple(card["features"]) != NAMES_OF_FEATURES[variant]:
        raise ValueError(f"{path} was made for other features: run `azul fit-evaluation`")
    return card
