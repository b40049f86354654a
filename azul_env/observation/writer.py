"""The compiled writer of observations, composed from an encoding.

Every number is a bit-field, so tables of masks, shifts and factors, made from the encoding, say how each is unpacked; see
`azul_env.core.simd`. Words are unpacked eight numbers at a time from left to right: what a store writes beyond its word,
the next one overwrites. The last store ends where the observation ends.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import composed_kernel
from azul_env.core.simd import EIGHT, HALF_BITS, unpacker
from azul_env.core.spec import MIN_PLAYERS
from azul_env.core.state import Row, center_of
from azul_env.core.variant import COLORED
from azul_env.core.words import as_int64
from azul_env.observation.layout import Encoding, Word

Writer = Callable[[Row, int, NDArray[np.uint8]], None]


def compose_writer(encodings: Sequence[Encoding], variant: str = COLORED.name) -> Writer:
    """The kernel that writes observations, from the encodings for all numbers of players, the fewest first.

    It takes a row, the observing player, and the observation as bytes, whether it is uint8 or float32: kernels have one
    signature, so either is passed as `observation.view(np.uint8)`.
    """
    for encoding in encodings:
        last = encoding.table[-1]  # the only word whose size may depend on the number of players
        assert EIGHT <= last.size <= encodings[0].table[-1].size + EIGHT and not last.keys
    tables = _Tables(encodings)
    sizes = tables.sizes
    write_uint8 = _compose_form(variant, "uint8", encodings[0], tables, tables.shifts)
    write_float32 = _compose_form(variant, "float32", encodings[0], tables, tables.factors)

    @composed_kernel(f"write_{variant}_observation")
    def write_observation(row: Row, player: int, out: NDArray[np.uint8]) -> None:
        if len(out) == sizes[row["num_players"] - MIN_PLAYERS]:
            write_uint8(row, player, out)
        else:
            write_float32(row, player, out)

    return write_observation


class _Tables:
    """How each number is unpacked: entries at `width * (num_players - MIN_PLAYERS) + place`."""

    def __init__(self, encodings: Sequence[Encoding]) -> None:
        self.sizes = np.array([encoding.size for encoding in encodings])
        self.width = int(self.sizes.max())
        shifts, masks, matches = np.zeros((3, len(encodings), self.width), np.int32)
        factors = np.zeros(shifts.shape, np.float32)
        for k, encoding in enumerate(encodings):
            own = np.s_[k, : encoding.size]
            numbers = [number for field in encoding.fields() for number in field.numbers()]
            shifts[own], masks[own], matches[own] = np.transpose(numbers)
            shifts[own] %= HALF_BITS
            factors[own] = encoding.scales() * 2.0 ** -shifts[own]
        self.masks, self.matches = (masks << shifts).ravel(), (matches << shifts).ravel()
        self.shifts, self.factors = shifts.ravel(), factors.ravel()


def _compose_form(
    variant: str, dtype: str, encoding: Encoding, tables: _Tables, conversions: NDArray[Any]
) -> Writer:
    """The kernel that writes observations of one dtype; `conversions` are the shifts or the factors."""
    masks, matches, sizes, width = tables.masks, tables.matches, tables.sizes, tables.width
    item = np.dtype(dtype).itemsize
    board_size, factory_size = sum(word.size for word in encoding.board), encoding.factory.size

    def block(name: str, words: Sequence[Word]) -> Callable[..., int]:
        scope = {"masks": masks, "matches": matches, "conversions": conversions}
        return _compose_block(f"write_{variant}_{name}_{dtype}", words, item, scope)

    write_board = block("board", encoding.board)
    write_factory = block("factory", [encoding.factory])
    write_table = block("table", encoding.table)
    unpack = unpacker((0,) * EIGHT)

    @composed_kernel(f"write_{variant}_{dtype}")
    def write(row: Row, player: int, out: NDArray[np.uint8]) -> None:
        players = row["num_players"]
        entry = width * (players - MIN_PLAYERS)
        place = as_int64(0)
        seat = player
        for _ in range(players):
            write_board(row, seat, out, place, entry)
            place += board_size
            seat = seat + 1 if seat + 1 < players else 0
        for factory in range(center_of(row)):
            write_factory(row, factory, out, place, entry)
            place += factory_size
        word = write_table(row, player, out, place, entry)
        place = sizes[players - MIN_PLAYERS] - EIGHT
        unpack(out, item * place, word, None, masks, matches, conversions, entry + place)

    return write


def _compose_block(
    name: str, words: Sequence[Word], item: int, scope: dict[str, Any]
) -> Callable[..., int]:
    """A kernel that writes words one after the other, from `place` on, and returns the last of them.

    Numba cannot loop over functions, so this unrolls the loop into source code.
    """
    scope["__name__"] = __name__
    lines = [f"def {name}(row, index, out, place, entry):"]
    offset = 0
    for k, word in enumerate(words):
        scope[f"read_{k}"] = word.codec.read
        lines.append(f"    word, keys, at = read_{k}(row, index), None, place + {offset}")
        if word.keys:
            scope[f"read_keys_{k}"] = word.keys.read
            lines.append(f"    keys = read_keys_{k}(row, index)")
        for eight in range(0, word.size, EIGHT):
            scope[f"unpack_{k}_{eight}"] = unpacker(word.halves(eight))
            fields = f"out, {item} * (at + {eight}), word, keys"
            tables = f"masks, matches, conversions, entry + at + {eight}"
            lines.append(f"    unpack_{k}_{eight}({fields}, {tables})")
        offset += word.size
    exec("\n".join([*lines, "    return word"]), scope)
    return composed_kernel(name)(scope[name])
