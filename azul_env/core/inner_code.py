"""Kernels that only other kernels call, kept as LLVM IR: neither optimized nor turned into machine code.

Numba optimizes every function together with everything it calls. In a chain of calls the innermost function is therefore
compiled once for each of its callers, which was half of the compilation time. Here only the kernel that Python calls is
optimized and turned into machine code, together with everything it calls.
"""

from typing import Any

from llvmlite import binding
from numba.core import codegen, compiler

# Numba has no types.
JITCodeLibrary: Any = codegen.JITCodeLibrary
Compiler: Any = compiler.Compiler
CompileResult: Any = compiler.CompileResult


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is only linked into other code."""

    @property
    def codegen(self) -> "InnerLibrary":
        """Takes the place of the code generator where Numba stores environments."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """No-op: the environment is stored with the code that this is linked into."""

    def get_pointer_to_function(self, name: str) -> int:
        """Null, since there is no machine code."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """Name and LLVM bitcode."""
        return self.name, self._get_module_for_linking().as_bitcode()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class InnerCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel into an InnerLibrary."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *rest: Any) -> None:
        super().__init__(typingctx, targetctx, library, *rest)
        self.state.library = InnerLibrary(targetctx.codegen(), "inner kernel")


def restored(
    target_context: Any,
    serialized: tuple[str, bytes],
    fndesc: Any,
    environment: Any,
    signature: Any,
    objectmode: bool,
    lifted: Any,
    type_annotation: str,
    reload_init: Any,
    referenced_envs: Any,
) -> Any:
    """The result of a compilation from what its `_reduce` returned: CompileResult._rebuild for an InnerLibrary."""
    for reload in reload_init:
        reload()
    name, bitcode = serialized
    library = InnerLibrary(target_context.codegen(), name)
    library._final_module = binding.parse_bitcode(bitcode)
    library._finalize_final_module()
    return CompileResult(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=target_context.get_executable(library, fndesc, environment),
        fndesc=fndesc,
        type_annotation=type_annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=referenced_envs,
    )
