"""Machine instructions that Numba does not offer, each beside the plain Python that stands in with the JIT off."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array
from numpy.typing import NDArray


@intrinsic
def _ctpop(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _cttz(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


@intrinsic
def _ctlz(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate


def popcount(word: int) -> int:
    """Number of set bits."""
    return int(word).bit_count()


@overload(popcount)
def _compiled_popcount(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return _ctpop(word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled


def lowest_bit(word: int) -> int:
    """Position of the lowest set bit of a word that is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@overload(lowest_bit)
def _compiled_lowest_bit(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return _cttz(word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled


def bit_length(word: int) -> int:
    """Number of bits up to the highest set one; 0 for 0."""
    return int(word).bit_length()


@overload(bit_length)
def _compiled_bit_length(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return 64 - _ctlz(word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled


def data_of(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """The address of an array's first element."""
    view = make_array(array_type)  # type: ignore[no-untyped-call]
    return view(context, builder, array).data


@intrinsic
def _store64(typing_context: Any, array: Any, offset: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = data_of(context, builder, signature.args[0], arguments[0])
        address = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [arguments[1]])
        place = builder.bitcast(address, ir.IntType(64).as_pointer())
        builder.store(arguments[2], place, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


def store_bytes(array: NDArray[Any], offset: int, word: int) -> None:
    """Write the eight bytes of a word, lowest first, into an array of bytes. Caller guarantees that they fit."""
    for place in range(8):
        array[offset + place] = int(word) >> 8 * place & 0xFF


@overload(store_bytes)
def _compiled_store_bytes(array: Any, offset: Any, word: Any) -> Any:
    def compiled(array: Any, offset: Any, word: Any) -> Any:
        _store64(array, offset, word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled


@intrinsic
def _store256(
    typing_context: Any, array: Any, offset: Any, words: Any, table: Any, start: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset, words, table, start = arguments
        four = ir.VectorType(ir.IntType(64), 4)
        masked = ir.Constant(four, ir.Undefined)
        for place in range(4):
            word = builder.extract_value(words, place)
            masked = builder.insert_element(masked, word, ir.Constant(ir.IntType(32), place))
        masks = builder.gep(data_of(context, builder, signature.args[3], table), [start])
        loaded = builder.load(builder.bitcast(masks, four.as_pointer()), align=8)
        data = data_of(context, builder, signature.args[0], array)
        address = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [offset])
        place = builder.bitcast(address, four.as_pointer())
        builder.store(builder.and_(masked, loaded), place, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, words, table, types.int64), generate


def store_masked(
    array: NDArray[Any], offset: int, words: Sequence[int], table: NDArray[np.int64], start: int
) -> None:
    """Write four words into an array of bytes, each with only the bits that are set in its word of the table.

    The words of the table begin at `start`. Caller guarantees that they fit.
    """
    for place, word in enumerate(words):
        store_bytes(array, offset + 8 * place, int(word) & int(table[start + place]))


@overload(store_masked)
def _compiled_store_masked(array: Any, offset: Any, words: Any, table: Any, start: Any) -> Any:
    def compiled(array: Any, offset: Any, words: Any, table: Any, start: Any) -> Any:
        _store256(array, offset, words, table, start)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled
