"""Kernels that other kernels call: no machine code of their own until Python calls them."""

from typing import Any

import pytest

from azul_env.core.inner_code import InnerLibrary
from azul_env.core.jit import kernel


def test_inner_kernel__has_machine_code_only_once_python_calls_it():
    @kernel
    def inner(number: int) -> int:
        if number > 3:
            raise ValueError("too much")
        return 3 * number

    @kernel
    def outer(number: int) -> int:
        return inner(number) + 1

    def is_inner(compiled: Any) -> bool:
        (result,) = compiled.overloads.values()
        return isinstance(result.library, InnerLibrary)

    assert outer(2) == 7
    assert is_inner(inner) and not is_inner(outer)
    with pytest.raises(ValueError, match="too much"):
        outer(4)
    assert inner(2) == 6
    assert not is_inner(inner)
    assert outer(2) == 7
