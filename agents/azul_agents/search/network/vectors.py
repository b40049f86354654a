"""Sums of rows of a float32 matrix in SIMD registers, beside the NumPy used with the JIT off.

Numba does not vectorize such loops. A matrix is the part of a flat array that begins at `first`. Products and sums are
rounded one by one, in the same order in both forms, so that results are bit-identical.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as numba_cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from azul_env.core.intrinsics import data_of
from azul_env.core.jit import config

cgutils: Any = numba_cgutils  # it has no types

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


@cache
def row_adder(width: int) -> Callable[..., None]:
    """A function for kernels that adds rows of a matrix of this width: `add_rows` without the first argument."""
    return partial(add_rows, width) if config.DISABLE_JIT else _row_adder(width)


@cache
def product_adder(width: int) -> Callable[..., None]:
    """A function for kernels that adds a matrix product: `add_products` without the first argument."""
    return partial(add_products, width) if config.DISABLE_JIT else _product_adder(width)


@cache
def relu_dot(width: int) -> Callable[..., float]:
    """A function for kernels: `dot_of_relu` without the first argument."""
    return partial(dot_of_relu, width) if config.DISABLE_JIT else _relu_dot(width)


def add_rows(
    width: int, out: Floats, start: int, weights: Floats, first: int, rows: Indices, count: int
) -> None:
    """Add the first `count` of the listed rows of a matrix to the numbers of `out` from `start` on."""
    for row in rows[:count]:
        out[start : start + width] += _row(width, weights, first, row)


def add_products(
    width: int, out: Floats, start: int, weights: Floats, first: int, inputs: Floats, count: int
) -> None:
    """Add each of `count` inputs that is above 0, times its row of a matrix."""
    for row in range(count):
        positive = np.maximum(inputs[row], np.float32(0))
        out[start : start + width] += positive * _row(width, weights, first, row)


def dot_of_relu(
    width: int, numbers: Floats, start: int, weights: Floats, first: int, row: int
) -> float:
    """The dot product of a row of a matrix with the ReLU of the numbers from `start` on."""
    positive = np.maximum(numbers[start : start + width], np.float32(0))
    terms = positive * _row(width, weights, first, row)
    while len(terms) > 1:
        half = len(terms) // 2
        terms = terms[:half] + terms[half:]
    return np.float64(terms[0])


def _row(width: int, weights: Floats, first: int, row: int) -> Floats:
    return weights[first + row * width : first + (row + 1) * width]


def _vector(width: int) -> Any:
    return ir.VectorType(ir.FloatType(), width)


def _address(context: Any, builder: Any, array: tuple[Any, Any], index: Any, width: int) -> Any:
    """The address of `width` neighbours in an array, which is given as its type and value."""
    first = builder.gep(data_of(context, builder, *array), [index])
    return builder.bitcast(first, _vector(width).as_pointer())


def _row_of(
    context: Any, builder: Any, weights: tuple[Any, Any], first: Any, row: Any, width: int
) -> Any:
    """A row of a matrix as a vector."""
    index = builder.add(first, builder.mul(row, ir.Constant(ir.IntType(64), width)))
    return builder.load(_address(context, builder, weights, index, width), align=4)


def _positive(builder: Any, vector: Any) -> Any:
    """A vector with 0 in place of negative numbers."""
    zeros = ir.Constant(vector.type, [0.0] * vector.type.count)
    return builder.select(builder.fcmp_ordered(">", vector, zeros), vector, zeros)


def _row_adder(width: int) -> Any:
    @intrinsic
    def add(
        typing_context: Any, out: Any, start: Any, weights: Any, first: Any, rows: Any, count: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            listed = data_of(context, builder, signature.args[4], arguments[4])

            def term(index: Any, weights: Any, first: Any) -> Any:
                row = builder.load(builder.gep(listed, [index]))
                return _row_of(context, builder, weights, first, row, width)

            return _generate_sum(context, builder, width, signature, arguments, term)

        number = types.int64
        return types.void(out, number, weights, number, rows, number), generate

    return add


def _product_adder(width: int) -> Any:
    @intrinsic
    def add(
        typing_context: Any, out: Any, start: Any, weights: Any, first: Any, inputs: Any, count: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            numbers = data_of(context, builder, signature.args[4], arguments[4])

            def term(index: Any, weights: Any, first: Any) -> Any:
                number = builder.load(builder.gep(numbers, [index]))
                zero = ir.Constant(number.type, 0.0)
                positive = builder.select(builder.fcmp_ordered(">", number, zero), number, zero)
                row = _row_of(context, builder, weights, first, index, width)
                return builder.fmul(_copies(builder, positive, width), row)

            return _generate_sum(context, builder, width, signature, arguments, term)

        number = types.int64
        return types.void(out, number, weights, number, inputs, number), generate

    return add


def _generate_sum(
    context: Any,
    builder: Any,
    width: int,
    signature: Any,
    arguments: Any,
    term: Callable[[Any, Any, Any], Any],
) -> Any:
    """The code that adds `count` terms to the numbers of `out` from `start` on, in registers."""
    out, start, weights, first, _, count = zip(signature.args, arguments, strict=True)
    target = _address(context, builder, out, start[1], width)
    total = cgutils.alloca_once_value(builder, builder.load(target, align=4))
    with cgutils.for_range(builder, count[1]) as loop:
        vector = term(loop.index, weights, first[1])
        builder.store(builder.fadd(builder.load(total), vector), total)
    builder.store(builder.load(total), target, align=4)
    return context.get_dummy_value()


def _copies(builder: Any, number: Any, width: int) -> Any:
    """A vector of copies of a number."""
    kind = _vector(width)
    first = ir.Constant(ir.IntType(32), 0)
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), number, first)
    mask = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(single, ir.Constant(kind, ir.Undefined), mask)


def _relu_dot(width: int) -> Any:
    @intrinsic
    def dot(
        typing_context: Any, numbers: Any, start: Any, weights: Any, first: Any, row: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            numbers, start, weights, first, row = zip(signature.args, arguments, strict=True)
            vector = builder.load(_address(context, builder, numbers, start[1], width), align=4)
            factors = _row_of(context, builder, weights, first[1], row[1], width)
            terms = builder.fmul(_positive(builder, vector), factors)
            return builder.fpext(_sum(builder, terms), ir.DoubleType())

        number = types.int64
        return types.float64(numbers, number, weights, number, number), generate

    return dot


def _sum(builder: Any, terms: Any) -> Any:
    """The sum of a vector, by pairwise halving."""
    number = ir.IntType(32)
    while terms.type.count > 1:
        half = terms.type.count // 2
        unused = ir.Constant(terms.type, ir.Undefined)
        parts = [
            builder.shuffle_vector(
                terms,
                unused,
                ir.Constant(ir.VectorType(number, half), list(range(first, first + half))),
            )
            for first in (0, half)
        ]
        terms = builder.fadd(*parts)
    return builder.extract_element(terms, ir.Constant(number, 0))
