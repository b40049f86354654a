"""Numba's dispatcher without the work that kernels never need, which is most of compilation.

Numba compiles two wrappers for every function: one that takes Python objects, and one with C's calling convention. Kernels
are rarely called from Python and never from C. So a kernel that is compiled because another one calls it gets no wrapper
and no machine code (see `inner_code`); if Python calls it later, it is compiled again.
"""

from typing import Any, Final

from numba.core import registry, sigutils
from numba.core.compiler_lock import global_compiler_lock

from azul_env.core.inner_code import Compiler, InnerCompiler

# Numba has no types.
CPUDispatcher: Any = registry.CPUDispatcher
normalize_signature: Any = sigutils.normalize_signature


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compiles a kernel for each combination of argument types, with machine code only for calls from Python."""

    # A stack: each is compiled because the one before calls it. Guarded by the compiler lock.
    _compiling: Final[list["KernelDispatcher"]] = []

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Argument types of the overloads without machine code.
        self._inner: set[tuple[Any, ...]] = set()

    def compile(self, sig: Any) -> Any:
        """Compile for argument types; returns the entry point, which only kernels can use if it has no machine code."""
        with global_compiler_lock:
            arguments = tuple(normalize_signature(sig)[0])
            is_inner = bool(self._compiling)
            if not is_inner and arguments in self._inner:
                self._inner.remove(arguments)
                del self.overloads[arguments]
            self._compiler.targetoptions = self.targetoptions | {"no_cpython_wrapper": is_inner}
            self._compiler.pipeline_class = InnerCompiler if is_inner else Compiler
            self._cache.is_inner = is_inner
            self._compiling.append(self)
            try:
                return super().compile(sig)
            finally:
                self._compiling.pop()

    def add_overload(self, cres: Any) -> None:
        """Add compiled code; code without machine code is hidden from Python, which would crash on it."""
        if not self._cache.is_inner:
            super().add_overload(cres)
            for environment in cres._find_referenced_environments():
                cres.codegen.set_env(environment.env_name, environment)
            return
        arguments = tuple(cres.signature.args)
        self._inner.add(arguments)
        self.overloads[arguments] = cres
