"""Unpack eight bit-fields of a word with one SIMD store, beside the plain Python used with the JIT off.

A bit-field is a run of bits in one half of a word. Tables hold, for each field, its mask within that half, and a shift (for
bytes) or a factor (for float32). Floats need no shift: `half & mask` is converted as it is, and the factor undoes the
shift, exactly, because powers of 2 are exact in floats.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from azul_env.core.intrinsics import data_of
from azul_env.core.jit import config

EIGHT: Final = 8  # fields per store
HALF_BITS: Final = 32

_INT32: Final = ir.IntType(HALF_BITS)
_INTEGERS: Final = ir.VectorType(_INT32, EIGHT)
_FLOATS: Final = ir.VectorType(ir.FloatType(), EIGHT)
_BYTES: Final = ir.VectorType(ir.IntType(8), EIGHT)


@cache
def unpacker(halves: tuple[int, ...]) -> Callable[..., None]:
    """A function for kernels that unpacks eight fields, each from the given half of the word: 0 is the lower one.

    It takes the arguments of `unpack_plainly` except the first.
    """
    return partial(unpack_plainly, halves) if config.DISABLE_JIT else _unpack_intrinsic(halves)


def unpack_plainly(
    halves: tuple[int, ...],
    out: NDArray[np.uint8],
    offset: int,
    word: int,
    keys: int | None,
    masks: NDArray[np.int32],
    matches: NDArray[np.int32],
    conversions: NDArray[Any],
    start: int,
) -> None:
    """Write eight fields from byte `offset` on: as bytes if the conversions are shifts, as float32 if factors.

    With keys, a field is 0 unless the same bits of `keys` equal its entry in `matches`. The entries of the eight fields
    begin at `start`. Caller guarantees that the fields fit.
    """
    entries, shifts = slice(start, start + EIGHT), HALF_BITS * np.array(halves)
    fields = np.int64(word) >> shifts & masks[entries]
    if keys is not None:
        is_match = np.int64(keys) >> shifts & masks[entries] == matches[entries]
        fields = np.where(is_match, fields, 0)
    if conversions.dtype == np.float32:
        unpacked = (fields.astype(np.float32) * conversions[entries]).view(np.uint8)
    else:
        unpacked = (fields >> conversions[entries]).astype(np.uint8)
    out[offset : offset + len(unpacked)] = unpacked


def _unpack_intrinsic(halves: tuple[int, ...]) -> Any:
    @intrinsic
    def unpack(
        typing_context: Any,
        out: Any,
        offset: Any,
        word: Any,
        keys: Any,
        masks: Any,
        matches: Any,
        conversions: Any,
        start: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            typed = list(zip(signature.args, arguments, strict=True))
            return _generate_unpack(context, builder, halves, *typed)

        number = types.int64
        key = keys if keys is types.none else number
        return types.void(out, number, number, key, masks, matches, conversions, number), generate

    return unpack


def _generate_unpack(context: Any, builder: Any, halves: tuple[int, ...], *typed: Any) -> Any:
    """The code of `unpack_plainly`, whose other arguments are given as pairs of type and value."""
    out, (_, offset), (_, word), (key_type, keys), masks, matches, conversions, (_, start) = typed

    def entries(table: tuple[Any, Any], kind: Any = _INTEGERS) -> Any:
        return builder.load(_eight(context, builder, table, start, kind), align=4)

    mask = entries(masks)
    fields = builder.and_(_copies(builder, word, halves), mask)
    if key_type is not types.none:
        key = builder.and_(_copies(builder, keys, halves), mask)
        is_match = builder.icmp_signed("==", key, entries(matches))
        fields = builder.select(is_match, fields, ir.Constant(_INTEGERS, [0] * EIGHT))
    if conversions[0].dtype is types.float32:
        factors = entries(conversions, _FLOATS)
        unpacked = builder.fmul(builder.sitofp(fields, _FLOATS), factors)
    else:
        unpacked = builder.trunc(builder.lshr(fields, entries(conversions)), _BYTES)
    target = _eight(context, builder, out, offset, unpacked.type)
    builder.store(unpacked, target, align=1)
    return context.get_dummy_value()


def _eight(context: Any, builder: Any, array: tuple[Any, Any], place: Any, kind: Any) -> Any:
    """The address of eight neighbours in an array, which is given as its type and value."""
    first = builder.gep(data_of(context, builder, *array), [place])
    return builder.bitcast(first, kind.as_pointer())


def _copies(builder: Any, word: Any, halves: tuple[int, ...]) -> Any:
    """Eight copies of one half of a word or the other."""
    two = ir.VectorType(_INT32, 2)
    pick = ir.Constant(_INTEGERS, list(halves))
    return builder.shuffle_vector(builder.bitcast(word, two), ir.Constant(two, ir.Undefined), pick)
