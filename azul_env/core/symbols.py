"""Names of compiled functions, unique across processes.

Numba tells functions of the same name apart, such as closures, by numbers that count from 1 in every process. The cache
brings code of many processes together, and LLVM merges functions of the same name: a kernel could call the wrong one. So
each process starts numbering at a random point of a range so large that they practically never collide.
"""

import os
import secrets
from itertools import count
from typing import Any, Final

from numba.core import bytecode

FunctionIdentity: Any = bytecode.FunctionIdentity  # Numba has no types
START_BITS: Final = 60


def number_functions_apart() -> None:
    """Start numbering functions at a random point."""
    FunctionIdentity._unique_ids = count(secrets.randbits(START_BITS))


number_functions_apart()
if hasattr(os, "register_at_fork"):
    # Otherwise a child would reuse the numbers of its parent and its siblings.
    os.register_at_fork(after_in_child=number_functions_apart)
