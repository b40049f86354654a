"""Names of compiled functions, which no other process gives to another function.

Numba tells functions of the same name apart, such as closures, by numbers that count from 1 in every process. The cache
brings code of many processes together, and LLVM takes functions of the same name for one: a kernel would call another
function than it was written to. So here the numbers of each process start anywhere in a range too large to meet again.
"""

import os
import secrets
from itertools import count
from typing import Any, Final

from numba.core import bytecode

FunctionIdentity: Any = bytecode.FunctionIdentity  # Numba has no types
START_BITS: Final = 60


def number_functions_apart() -> None:
    """Start to number functions at a random place."""
    FunctionIdentity._unique_ids = count(secrets.randbits(START_BITS))


number_functions_apart()
if hasattr(os, "register_at_fork"):
    # A child would give the numbers that its parent and its siblings give.
    os.register_at_fork(after_in_child=number_functions_apart)
