"""The transposition table of alpha-beta: what is known of positions that were searched before.

The key of a position is a sum over its factories, so that their order does not matter. A best move is stored by the tiles
it takes, not by the factory's number.
"""

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from azul_agents.search.evaluator import Moves
from azul_agents.search.moves import SortKeys, move_parts, put_first, tiles_on
from azul_env.core.by_variant import by_variant
from azul_env.core.intrinsics import data_of
from azul_env.core.jit import kernel
from azul_env.core.spec import NUM_COLORS, NUM_DESTINATIONS
from azul_env.core.state import Row, center_of
from azul_env.core.words import as_int64

TABLE_BITS: Final = 18
TABLE_SIZE: Final = 1 << TABLE_BITS
SALT_SHIFT: Final = np.uint64(TABLE_BITS)  # a salt changes keys, never slots

EXACT, AT_LEAST, AT_MOST = 0, 1, 2  # how an entry's value bounds the true one
WHOLE_ROUND: Final = 1_000  # depth of a value whose every line reached the end of the round
NO_MOVE: Final = -1

ENTRY: Final = np.dtype(
    [
        ("key", np.int64),
        ("value", np.float64),
        ("best_move", np.int64),  # a signature; NO_MOVE in an empty entry
        ("depth", np.int32),  # to which the position was searched, or WHOLE_ROUND
        ("breadth", np.int16),  # with which it was searched
        ("bound", np.int16),
    ],
    align=True,
)

Table = NDArray[Any]  # ENTRY by the lowest bits of the key

# Odd numbers for hashing, and shifts of its rounds.
MIX_1: Final = np.uint64(0xFF51AFD7ED558CCD)
MIX_2: Final = np.uint64(0xC4CEB9FE1A85EC53)
SHIFT: Final = np.uint64(32)


@kernel
def mixed(word: int, salt: int) -> np.uint64:
    """A hash of a word, different for every salt."""
    bits = np.uint64(word) + np.uint64(salt) * MIX_2
    bits = (bits ^ (bits >> SHIFT)) * MIX_1
    bits = (bits ^ (bits >> SHIFT)) * MIX_2
    return bits ^ (bits >> SHIFT)


@kernel
def search_salt(generation: int) -> int:
    """A salt that hides the entries of all other searches.

    It does not affect which positions share a slot, so the result of a search does not depend on its number.
    """
    return as_int64(mixed(generation, as_int64(21)) << SALT_SHIFT)


@kernel
def _no_salt(row: Row) -> np.uint64:
    return np.uint64(0)


@kernel
def _gray_salt(row: Row) -> np.uint64:
    salt = np.uint64(0)
    for seat in range(row["num_players"]):
        for color in range(NUM_COLORS):
            salt += mixed(row["wall_colors"][seat, color], 30 + NUM_COLORS * seat + color)
    return salt


@kernel
def _gray_key(row: Row) -> np.uint64:
    key = np.uint64(0)
    for seat in range(row["num_players"]):
        key += mixed(row["walls"][seat], 60 + seat)
    return key


# What walls add to a salt besides their occupied cells: the colors of the tiles, where cells do not imply them.
wall_salt: Final = by_variant(_no_salt, _gray_salt)
# What walls add to a key: those that are tiled within a search. Which line placed a tile is implied by the row.
tiled_key: Final = by_variant(_no_salt, _gray_key)


@kernel
def round_salt(row: Row, searcher: int, prune: int) -> int:
    """A salt made of everything that is constant throughout a round and affects the values that a search finds in it.

    The lid may grow, but only by tiles that are missing elsewhere in the position.
    """
    salt = mixed(row["round"] * 8 + searcher * 2 + prune, as_int64(21))
    salt += mixed(row["bag"], as_int64(22))
    for seat in range(row["num_players"]):
        salt += mixed(row["walls"][seat] + (row["scores"][seat] << 25), 23 + seat)
    salt += wall_salt(row)
    return as_int64(salt << SALT_SHIFT)


@kernel
def position_key(row: Row, salt: int) -> int:
    """The key of a position, independent of the order of the factories; a salt changes the key but not its slot."""
    center = center_of(row)
    key = mixed(row["sources"][center] * 2 + row["marker_in_center"], as_int64(1))
    for source in range(center):
        key += mixed(row["sources"][source], as_int64(2))
    for seat in range(row["num_players"]):
        lines = row["line_counts"][seat] | (row["line_colors"][seat] << 20)
        key += mixed(lines, 3 + 4 * seat)
        key += mixed(row["floors"][seat], 4 + 4 * seat)
    seats = row["current_player"] + 4 * row["starting_player_next_round"]
    key += mixed(seats, as_int64(20)) + np.uint64(salt) + tiled_key(row)
    return as_int64(key)


@kernel
def move_signature(row: Row, move: int) -> int:
    """A move without its factory's number: a hash of the source's tiles, the color and the destination in one word."""
    source, color, destination = move_parts(move)
    is_center = 1 if source == center_of(row) else 0
    bits = as_int64(mixed(tiles_on(row, source) * 2 + is_center, as_int64(7)) >> np.uint64(8))
    return (bits * NUM_COLORS + color) * NUM_DESTINATIONS + destination


@kernel
def slot_of_signature(row: Row, signature: int, moves: Moves, count: int) -> int:
    """The slot of the listed move with this signature; NO_MOVE if there is none."""
    for slot in range(count):
        if move_signature(row, moves[slot]) == signature:
            return slot
    return NO_MOVE


@kernel
def put_best_move_first(row: Row, best_move: int, moves: Moves, keys: SortKeys, count: int) -> None:
    """Have the move with this signature, if it is listed, chosen before all others."""
    slot = slot_of_signature(row, best_move, moves, count)
    if slot != NO_MOVE:
        put_first(keys, slot)


@kernel
def is_sufficient(entry: Any, depth: int, breadth: int, alpha: float, beta: float) -> bool:
    """True if an entry's value settles a search of this depth, breadth and window."""
    if entry["depth"] < depth or entry["breadth"] < breadth:
        return False
    bound, value = entry["bound"], entry["value"]
    return (
        bound == EXACT
        or (bound == AT_LEAST and value >= beta)
        or (bound == AT_MOST and value <= alpha)
    )


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = data_of(context, builder, signature.args[0], arguments[0])
        entry = builder.gep(data, [arguments[1]])
        pointer = builder.bitcast(entry, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(prefetch, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def prefetch(array: NDArray[Any], index: int) -> None:
    """Prefetch an entry of a large array into the processor's cache."""


@overload(prefetch)
def _compiled_prefetch(array: Any, index: Any) -> Any:
    def compiled(array: Any, index: Any) -> Any:
        _prefetch(array, index)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled
