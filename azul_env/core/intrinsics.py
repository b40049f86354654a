"""Machine instructions that Numba does not offer, each beside the plain Python that stands in with the JIT off."""

from typing import Any

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


@intrinsic
def _store64(typing_context: Any, array: Any, offset: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])  # type: ignore[no-untyped-call]
        data = view(context, builder, arguments[0]).data
        address = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [arguments[1]])
        store = builder.store(arguments[2], builder.bitcast(address, ir.IntType(64).as_pointer()))
        store.align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


def store_bytes(array: NDArray[Any], offset: int, word: int) -> None:
    """Write the eight bytes of a word, lowest first, into an array of bytes. Caller guarantees the room."""
    for place in range(8):
        array[offset + place] = int(word) >> 8 * place & 0xFF


@overload(store_bytes)
def _compiled_store_bytes(array: Any, offset: Any, word: Any) -> Any:
    def compiled(array: Any, offset: Any, word: Any) -> Any:
        _store64(array, offset, word)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    return compiled
