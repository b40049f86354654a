"""The network evaluator: margin and win chance from two small networks, one for ends of rounds and one inside rounds.

With 2 players a position is seen by the player to move (between rounds, by the next starter); its value to the other is the
negative. With 3 and 4 players every seat sees it for itself. What a board adds to the hidden layer, as the viewer's board
and as another's, is cached, since a search meets the same boards again and again.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import EvaluatorKernels, Gains, Moves
from azul_agents.search.features import board_word, tiles_to_come
from azul_agents.search.moves import move_parts, tiles_taken
from azul_agents.search.network.features import (
    MAX_LISTED,
    TABLE_LISTED,
    Indices,
    finished_lines,
    list_board,
    list_table,
    round_of,
    starter_state,
    turns_until,
)
from azul_agents.search.network.layers import (
    BOARD,
    BOARD_BIAS,
    FIRST_OFFER,
    HIDDEN,
    HIDDEN_BIAS,
    MARGIN,
    NETWORK_SIZE,
    NUM_OUTPUTS,
    NUM_SCORES,
    OTHER,
    OUTPUT,
    OUTPUT_BIAS,
    OVER_BEST,
    OVER_MEAN,
    OWN,
    POINTS,
    POINTS_SCALE,
    SHIFT,
    SPREAD,
    TABLE,
    WIDTH,
    Floats,
)
from azul_agents.search.network.offers import (
    LISTED_OF_BOARD,
    LISTED_OF_TABLE,
    list_offers_of_board,
    list_offers_of_table,
    needs_of_board,
    offers_listed,
    side_of,
    sizes_of_offers,
)
from azul_agents.search.network.vectors import product_adder, relu_dot, row_adder
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.moves import floor_tokens
from azul_env.core.spec import (
    FLOOR,
    FLOOR_SLOTS,
    MAX_PLAYERS,
    NUM_COLORS,
    NUM_DESTINATIONS,
    NUM_LINES,
)
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows, center_of, empty_rows
from azul_env.core.words import as_int64, lane

CACHE_SLOTS: Final = 1 << 13  # a power of 2
SIDES: Final = 2  # a board is the viewer's or another's
FACTS: Final = 2
WALL_BITS: Final = 25
# Odd multipliers, which turn the words of a board into a key.
MIX_BOARD: Final = 0x1E3779B97F4A7C15
MIX_SCORED: Final = 0x42B2AE3D27D4EB4F
MIX_BAG: Final = 0x2545F4914F6CDD1D
MIX_LID: Final = 0x27D4EB2F165667C5
# Layout of a player's `gains`: values by line, color and tiles, then by tokens on the floor, then the marker's gain.
FLOOR_GAINS: Final = NUM_LINES * NUM_COLORS * (NUM_LINES + 1)
MARKER_GAIN: Final = FLOOR_GAINS + FLOOR_SLOTS + 1
NUM_GAINS: Final = MARKER_GAIN + 1

add_to_board = row_adder(WIDTH)
add_to_hidden = row_adder(HIDDEN)
add_products = product_adder(HIDDEN)
relu_dot_hidden = relu_dot(HIDDEN)


class NetworkEvaluator(NamedTuple):
    """The weights, and the arrays that the kernels work with. Few arrays, since calls copy their descriptors."""

    weights: Floats  # of the network inside rounds, of that for their ends, and of the offers: see `layers`
    # Points for a sure win, in addition to the margin; an array of one number.
    win_weight: NDArray[np.float64]
    keys: NDArray[np.int64]  # of the cached boards, by hash
    boards: Floats  # what they add to the hidden layer: by slot, side and unit
    # Of the cached boards: points as if the round ended now, and `needs_of_board`.
    facts: NDArray[np.int64]
    gains: NDArray[np.float64]  # by seat: see FLOOR_GAINS and MARKER_GAIN
    rows: Rows  # scratch space
    indices: Indices
    board: Floats
    hidden: Floats

    @staticmethod
    def kernels() -> EvaluatorKernels:
        """The kernels below."""
        return EvaluatorKernels(note_gains, value, value, write_gains)


def new_evaluator(weights: Floats, win_weight: float = 0.0) -> NetworkEvaluator:
    """An evaluator with the weights of two networks; a layer of offers that is all zeros is dropped."""
    if not weights[FIRST_OFFER:].any():
        weights = weights[:FIRST_OFFER].copy()
    return NetworkEvaluator(
        weights=weights,
        win_weight=np.array([win_weight]),
        keys=np.zeros(CACHE_SLOTS, np.int64),
        boards=np.zeros(CACHE_SLOTS * SIDES * HIDDEN, np.float32),
        facts=np.zeros(CACHE_SLOTS * FACTS, np.int64),
        gains=np.zeros((MAX_PLAYERS, NUM_GAINS)),
        rows=empty_rows(1),
        indices=np.zeros(max(MAX_LISTED, TABLE_LISTED, offers_listed(MAX_PLAYERS)), np.int64),
        board=np.zeros(WIDTH, np.float32),
        hidden=np.zeros(HIDDEN, np.float32),
    )


@kernel
def value(evaluator: NetworkEvaluator, row: Row, seat: int) -> float:
    """Value of a position, within a round or between rounds, to a seat."""
    if row["num_players"] != 2:
        return value_as_seen(evaluator, row, seat)
    mover = row["current_player"]
    seen = value_as_seen(evaluator, row, mover)
    return seen if mover == seat else -seen


@kernel
def value_as_seen(evaluator: NetworkEvaluator, row: Row, seat: int) -> float:
    """Value of a position to the seat that sees it."""
    network = as_int64(0 if row["available"] != 0 else NETWORK_SIZE)
    margin = margin_as_seen(evaluator, row, seat, network)
    if evaluator.win_weight[0] == 0.0:
        return margin
    others = row["num_players"] - 1
    logit = logit_of(evaluator, row, network, margin)
    chance = 0.5 + 0.5 * almost_tanh(0.5 * logit)
    # With 2 players the last factor is the chance to win minus that to lose.
    return margin + evaluator.win_weight[0] * ((others + 1) * chance - 1.0) / others


@called_kernel
def called_value(evaluator: NetworkEvaluator, row: Row, seat: int) -> float:
    """`value_as_seen`, not inlined."""
    return value_as_seen(evaluator, row, seat)


@kernel
def almost_tanh(number: float) -> float:
    """The hyperbolic tangent with an error below 0.025: good enough for a search, in a tenth of the time."""
    clipped = min(3.0, max(-3.0, number))
    square = clipped * clipped
    return clipped * (27.0 + square) / (27.0 + 9.0 * square)


@kernel
def margin_as_seen(evaluator: NetworkEvaluator, row: Row, seat: int, network: int) -> float:
    """The margin that a seat can expect; the hidden layer is left in the evaluator."""
    weights, hidden, number = evaluator.weights, evaluator.hidden, round_of(row)
    over_mean, over_best = _sum_boards(evaluator, row, seat, network)
    mean, best = np.float32(POINTS_SCALE * over_mean), np.float32(POINTS_SCALE * over_best)
    first = network + POINTS + NUM_SCORES * HIDDEN * number
    for unit in range(HIDDEN):
        hidden[unit] += mean * weights[first + HIDDEN * OVER_MEAN + unit]
        hidden[unit] += best * weights[first + HIDDEN * OVER_BEST + unit]
    return over_mean + _output(evaluator, network, NUM_OUTPUTS * number + MARGIN)


@kernel
def logit_of(evaluator: NetworkEvaluator, row: Row, network: int, margin: float) -> float:
    """The win logit of the position whose margin was computed last."""
    first = NUM_OUTPUTS * round_of(row)
    wide = _output(evaluator, network, first + SPREAD)
    shift = _output(evaluator, network, first + SHIFT)
    return margin / (1.0 + wide + math.sqrt(1.0 + wide * wide)) + shift


@kernel
def _output(evaluator: NetworkEvaluator, network: int, number: int) -> float:
    """An output of the hidden layer."""
    weights, hidden = evaluator.weights, evaluator.hidden
    sum_of_units = relu_dot_hidden(hidden, as_int64(0), weights, network + OUTPUT, number)
    return sum_of_units + float(weights[network + OUTPUT_BIAS + number])


@kernel
def _sum_boards(
    evaluator: NetworkEvaluator, row: Row, seat: int, network: int
) -> tuple[float, float]:
    """Write the hidden layer without the scores; returns the points over the others' mean and over the best of them."""
    weights, hidden, indices = evaluator.weights, evaluator.hidden, evaluator.indices
    zero, number, tiles = as_int64(0), round_of(row), tiles_to_come(row)
    first = network + HIDDEN_BIAS + HIDDEN * number
    for unit in range(HIDDEN):
        hidden[unit] = weights[first + unit]
    list_table(row, tiles, indices)
    add_to_hidden(hidden, zero, weights, network + TABLE, indices, as_int64(TABLE_LISTED))
    sees_offers = row["available"] != 0 and len(weights) > FIRST_OFFER
    once, twice = zero, zero
    if sees_offers:
        once, twice = sizes_of_offers(row)
        list_offers_of_table(row, indices)
        listed, first = as_int64(LISTED_OF_TABLE), as_int64(FIRST_OFFER)
        add_to_hidden(hidden, zero, weights, first, indices, listed)
    own, best, total = as_int64(0), as_int64(0), as_int64(0)
    for player in range(row["num_players"]):
        slot = cached_board(evaluator, row, player, tiles, network)
        points, needs = evaluator.facts[FACTS * slot], evaluator.facts[FACTS * slot + 1]
        if sees_offers:
            side = side_of(row, player, seat)
            list_offers_of_board(needs, side, once, twice, tiles, indices, zero)
            listed, first = as_int64(LISTED_OF_BOARD), as_int64(FIRST_OFFER)
            add_to_hidden(hidden, zero, weights, first, indices, listed)
        own += points if player == seat else 0
        total += points
        best = best if player == seat else max(best, points)
        indices[0] = SIDES * slot + (0 if player == seat else 1)
        add_to_hidden(hidden, zero, evaluator.boards, zero, indices, as_int64(1))
    return own - (total - own) / (row["num_players"] - 1), own - best


@kernel
def cached_board(evaluator: NetworkEvaluator, row: Row, seat: int, tiles: int, network: int) -> int:
    """The slot of a board in the cache, where it is put if it is not there yet."""
    key = _board_key(row, seat, tiles)
    slot = (key >> 32) & (len(evaluator.keys) - 1)
    if evaluator.keys[slot] != key:
        write_board(evaluator, row, seat, tiles, network, slot)
        evaluator.keys[slot] = key
    return slot


@kernel
def _board_key(row: Row, seat: int, tiles: int) -> int:
    """A hash of everything that the features of a board depend on."""
    is_inside = 1 if row["available"] != 0 else 0
    board = board_word(row, seat, tiles) | starter_state(row, seat) << 54
    board |= turns_until(row, seat) << 56 | is_inside << 58 | round_of(row) << 59
    scored = row["walls"][seat] | row["scores"][seat] << WALL_BITS
    stock = row["bag"] * MIX_BAG + row["lid"] * MIX_LID
    return board * MIX_BOARD + scored * MIX_SCORED + stock


@called_kernel
def write_board(
    evaluator: NetworkEvaluator, row: Row, seat: int, tiles: int, network: int, slot: int
) -> None:
    """Compute what a board adds to the hidden layer, as the viewer's board and as another's."""
    weights, number, board, boards = (
        evaluator.weights, round_of(row), evaluator.board, evaluator.boards
    )  # fmt: skip
    wall, points = finished_lines(row, seat)
    count = list_board(row, seat, wall, tiles, evaluator.indices)
    first = network + BOARD_BIAS + WIDTH * number
    for unit in range(WIDTH):
        board[unit] = weights[first + unit]
    add_to_board(board, as_int64(0), weights, network + BOARD, evaluator.indices, count)
    start = SIDES * HIDDEN * slot
    for unit in range(SIDES * HIDDEN):
        boards[start + unit] = 0.0
    first, width = network + WIDTH * HIDDEN * number, as_int64(WIDTH)
    add_products(boards, start, weights, first + OWN, board, width)
    add_products(boards, start + HIDDEN, weights, first + OTHER, board, width)
    evaluator.facts[FACTS * slot] = points
    evaluator.facts[FACTS * slot + 1] = needs_of_board(row, seat)


@called_kernel
def note_gains(evaluator: NetworkEvaluator, row: Row) -> None:
    """Precompute the gains of a round's moves, by the network inside rounds on the current boards.

    Walls do not change within a round; changes to other lines are neglected.
    """
    for seat in range(row["num_players"]):
        evaluator.rows[0] = row
        changed, gains = evaluator.rows[0], evaluator.gains[seat]
        changed["current_player"] = seat
        _note_lines(evaluator, row, changed, seat)
        for tokens in range(FLOOR_SLOTS + 1):
            changed["floors"][seat] = (1 << NIBBLE_BITS * tokens) - 1
            gains[FLOOR_GAINS + tokens] = called_value(evaluator, changed, seat)
        changed["floors"][seat] = row["floors"][seat]
        before = gains[FLOOR_GAINS + floor_tokens(row["floors"][seat])]
        changed["marker_in_center"] = 0
        changed["starting_player_next_round"] = seat
        gains[MARKER_GAIN] = called_value(evaluator, changed, seat) - before


@kernel
def _note_lines(evaluator: NetworkEvaluator, row: Row, changed: Row, seat: int) -> None:
    """Precompute a position's value to a player for other numbers of tiles in each line."""
    counts, colors = row["line_counts"][seat], row["line_colors"][seat]
    gains, tiles = evaluator.gains[seat], tiles_to_come(row)
    for line in range(NUM_LINES):
        shift = NIBBLE_BITS * line
        present = (counts >> shift) & NIBBLE
        for color in range(NUM_COLORS):
            held = lane(tiles, color)
            is_legal = (row["legal"][seat] >> (NUM_DESTINATIONS * color + line)) & 1
            if is_legal == 0 or held == 0:
                continue
            changed["line_colors"][seat] = (colors & ~(NIBBLE << shift)) | color << shift
            for count in range(present, min(line + 1, present + held) + 1):
                changed["line_counts"][seat] = (counts & ~(NIBBLE << shift)) | count << shift
                worth = called_value(evaluator, changed, seat)
                gains[(NUM_LINES + 1) * (NUM_COLORS * line + color) + count] = worth
        changed["line_counts"][seat] = counts
        changed["line_colors"][seat] = colors


@kernel
def write_gains(
    evaluator: NetworkEvaluator, row: Row, moves: Moves, count: int, gains: Gains
) -> None:
    """Write each move's expected gain for the mover's board: the sum of the precomputed gains of line, floor and marker."""
    player = row["current_player"]
    noted = evaluator.gains[player]
    counts = row["line_counts"][player]
    tokens = floor_tokens(row["floors"][player])
    center = center_of(row)
    for slot in range(count):
        source, color, line = move_parts(moves[slot])
        marker = row["marker_in_center"] if source == center else as_int64(0)
        fallen = tiles_taken(moves[slot])
        gain = noted[MARKER_GAIN] if marker else 0.0
        if line != FLOOR:
            before = (counts >> NIBBLE_BITS * line) & NIBBLE
            after = min(before + fallen, line + 1)
            fallen -= after - before
            first = (NUM_LINES + 1) * (NUM_COLORS * line + color)
            gain += noted[first + after] - noted[first + before]
        lost = min(FLOOR_SLOTS, tokens + fallen + marker)
        gains[slot] = gain + noted[FLOOR_GAINS + lost] - noted[FLOOR_GAINS + tokens]


@called_kernel
def write_outputs(evaluator: NetworkEvaluator, rows: Rows, outputs: NDArray[np.float64]) -> None:
    """Write the margin and the win logit of every seat in every position: (position, seat, 2).

    With 2 players only those of the player who sees the position are written.
    """
    for i in range(len(rows)):
        row = rows[i]
        network = as_int64(0 if row["available"] != 0 else NETWORK_SIZE)
        for seat in range(row["num_players"]):
            if row["num_players"] == 2 and seat != row["current_player"]:
                continue
            outputs[i, seat, 0] = margin_as_seen(evaluator, row, seat, network)
            outputs[i, seat, 1] = logit_of(evaluator, row, network, outputs[i, seat, 0])
