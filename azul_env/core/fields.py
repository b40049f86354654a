"""Fields of a word written as floats, eight at a time, each function beside the plain Python that stands in with the JIT off.

A field is some neighbouring bits of a word. It is not shifted into place: what `word & mask` holds is converted as it
stands and multiplied with a factor that takes the shift back, which is exact, powers of 2 being exact in floats. The
tables of masks and factors have an entry for every float; those of the eight to be written begin at `start`.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from azul_env.core.intrinsics import data_of
from azul_env.core.words import LANE_BITS

Masks = NDArray[np.int32]
Floats = NDArray[np.float32]

EIGHT: Final = 8  # floats that are written at a time
HALF_BITS: Final = 32
# The half of a word of lanes that the k-th is read from.
HALF_OF_LANE: Final = (0, 0, 0, 1, 1, 1, 1, 1)
# Where in its half a lane begins. The third reaches into the other half, which small numbers leave empty.
SHIFT_IN_HALF: Final = tuple(LANE_BITS * k - HALF_BITS * HALF_OF_LANE[k] for k in range(5))

_WORDS: Final = ir.VectorType(ir.IntType(32), EIGHT)
_FLOATS: Final = ir.VectorType(ir.FloatType(), EIGHT)


def _eight(context: Any, builder: Any, array: tuple[Any, Any], place: Any, kind: Any) -> Any:
    """The address of eight neighbours in an array, which is given as its type and value."""
    first = builder.gep(data_of(context, builder, *array), [place])
    return builder.bitcast(first, kind.as_pointer())


def _copies(builder: Any, word: Any, halves: Sequence[int]) -> Any:
    """Eight copies of one half of a word or the other."""
    two = ir.VectorType(ir.IntType(32), 2)
    pick = ir.Constant(_WORDS, list(halves))
    return builder.shuffle_vector(builder.bitcast(word, two), ir.Constant(two, ir.Undefined), pick)


def _scale_and_store(context: Any, builder: Any, fields: Any, factors: Any, target: Any) -> Any:
    """Convert eight fields, multiply them with the factors at an address and store them at another."""
    floats = builder.sitofp(fields, _FLOATS)
    builder.store(builder.fmul(floats, builder.load(factors, align=4)), target, align=4)
    return context.get_dummy_value()


def _field_store(halves: Sequence[int]) -> Any:
    """An instruction that writes eight fields, each from the given half of the word."""

    @intrinsic
    def store(
        typing_context: Any, out: Any, place: Any, word: Any, masks: Any, factors: Any, start: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            out, (_, place), (_, word), masks, factors, (_, start) = zip(
                signature.args, arguments, strict=True
            )
            mask = builder.load(_eight(context, builder, masks, start, _WORDS), align=4)
            fields = builder.and_(_copies(builder, word, halves), mask)
            factor = _eight(context, builder, factors, start, _FLOATS)
            target = _eight(context, builder, out, place, _FLOATS)
            return _scale_and_store(context, builder, fields, factor, target)

        number = types.int64
        return types.void(out, number, number, masks, factors, number), generate

    return store


_store_fields = _field_store((0,) * EIGHT)
_store_lanes = _field_store(HALF_OF_LANE)


@intrinsic
def _store_matching(
    typing_context: Any,
    out: Any,
    place: Any,
    word: Any,
    keys: Any,
    masks: Any,
    matches: Any,
    factors: Any,
    start: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, (_, place), (_, word), (_, keys), masks, matches, factors, (_, start) = zip(
            signature.args, arguments, strict=True
        )
        mask = builder.load(_eight(context, builder, masks, start, _WORDS), align=4)
        match = builder.load(_eight(context, builder, matches, start, _WORDS), align=4)
        low = (0,) * EIGHT
        found = builder.icmp_signed("==", builder.and_(_copies(builder, keys, low), mask), match)
        nothing = ir.Constant(_WORDS, list(low))
        fields = builder.and_(_copies(builder, word, low), mask)
        fields = builder.select(found, fields, nothing)
        factor = _eight(context, builder, factors, start, _FLOATS)
        target = _eight(context, builder, out, place, _FLOATS)
        return _scale_and_store(context, builder, fields, factor, target)

    number = types.int64
    return types.void(out, number, number, number, masks, matches, factors, number), generate


def store_fields(
    out: Floats, place: int, word: int, masks: Masks, factors: Floats, start: int
) -> None:
    """Write eight fields of the lower half of a word. Caller guarantees the room."""
    for k in range(EIGHT):
        out[place + k] = np.float32(int(word) & int(masks[start + k])) * factors[start + k]


@overload(store_fields)
def _compiled_store_fields(
    out: Any, place: Any, word: Any, masks: Any, factors: Any, start: Any
) -> Any:
    def compiled(out: Any, place: Any, word: Any, masks: Any, factors: Any, start: Any) -> Any:
        _store_fields(out, place, word, masks, factors, start)

    return compiled


def store_lanes(
    out: Floats, place: int, word: int, masks: Masks, factors: Floats, start: int
) -> None:
    """Write the five lanes of a word, numbers below 128, and three more floats. Caller guarantees the room."""
    for k in range(EIGHT):
        half = int(word) >> HALF_BITS * HALF_OF_LANE[k]
        out[place + k] = np.float32(half & int(masks[start + k])) * factors[start + k]


@overload(store_lanes)
def _compiled_store_lanes(
    out: Any, place: Any, word: Any, masks: Any, factors: Any, start: Any
) -> Any:
    def compiled(out: Any, place: Any, word: Any, masks: Any, factors: Any, start: Any) -> Any:
        _store_lanes(out, place, word, masks, factors, start)

    return compiled


def store_matching(
    out: Floats,
    place: int,
    word: int,
    keys: int,
    masks: Masks,
    matches: Masks,
    factors: Floats,
    start: int,
) -> None:
    """Write eight fields of a word, 0 where the same field of `keys` is not as in `matches`. Caller guarantees the room."""
    for k in range(EIGHT):
        found = int(keys) & int(masks[start + k]) == matches[start + k]
        field = int(word) & int(masks[start + k]) if found else 0
        out[place + k] = np.float32(field) * factors[start + k]


@overload(store_matching)
def _compiled_store_matching(
    out: Any, place: Any, word: Any, keys: Any, masks: Any, matches: Any, factors: Any, start: Any
) -> Any:
    def compiled(
        out: Any,
        place: Any,
        word: Any,
        keys: Any,
        masks: Any,
        matches: Any,
        factors: Any,
        start: Any,
    ) -> Any:
        _store_matching(out, place, word, keys, masks, matches, factors, start)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled
