"""Compilation of kernels and the cache of their machine code.

Numba's cache notices an edit only in the file that defines a function, so a cached kernel keeps running the old code of
functions it calls in other files. Here the cache folder is named after a digest of all sources that the code can depend
on and of the settings that affect it, so any edit starts with an empty folder.
"""

import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from azul_env.core import symbols  # noqa: F401  it changes the names that Numba gives
from azul_env.core.cache_folder import PARENT_NAME, CacheFolder, write_line
from azul_env.core.dispatcher import KernelDispatcher
from azul_env.core.kernel_cache import KernelCache

P = ParamSpec("P")
R = TypeVar("R")

ENGINE_FOLDER = Path(__file__).parents[1]  # azul_env, whose kernels all packages may call
config: Any = numba_config  # its attributes are set at run time
KERNELS: list[Any] = []  # every compiled kernel, for the tests that count signatures
REPORT_AFTER_SECONDS = 1.0  # of compilation in a process before it is reported


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function, inlined into its callers; with NUMBA_DISABLE_JIT=1 it stays plain Python.

    Compiled kernels release the GIL, so threads can run them in parallel.
    """
    # A call costs a tenth of a move, and inlining keeps values in registers.
    return _compiled(function, forceinline=True)


def called_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a large function that is called instead of inlined."""
    return _compiled(function, forceinline=False)


def array_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that allocates arrays, which other kernels may not; it is called instead of inlined."""
    return _compiled(function, forceinline=False, makes_arrays=True)


def composed_kernel(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A kernel with this name from a closure or from generated source, to be inlined into those that call it.

    Such a function is not cached by itself, only as part of the cached kernels that it is inlined into.
    """

    def compose(function: Callable[P, R]) -> Callable[P, R]:
        function.__name__ = name
        return _compiled(function, forceinline=True)

    return compose


def _compiled(
    function: Callable[P, R],
    forceinline: bool,
    makes_arrays: bool = False,
) -> Callable[P, R]:
    if config.DISABLE_JIT:
        return _in_plain_python(function)
    settings = {
        "nopython": True,
        "nogil": True,
        "error_model": "numpy",  # no check for a division by zero
        # Reference counting slows loops down; without allocations it is not needed.
        "_nrt": makes_arrays,
        "forceinline": forceinline,
        "no_cfunc_wrapper": True,  # nobody takes the address of a kernel
    }
    compiled = KernelDispatcher(function, targetoptions=settings)
    folder = cache_folder(_origin(function)) if _has_source(function) else None
    if folder:
        compiled._cache = KernelCache(function, folder)
    KERNELS.append(compiled)
    return cast(Callable[P, R], compiled)


class _Plain(threading.local):
    """Per-thread state with the JIT off."""

    is_in_kernel = False


_plain = _Plain()


def _in_plain_python(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel with the JIT off. Integers wrap silently, as compiled ones do; NumPy's scalars would warn."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        # Setting NumPy's error state takes longer than most kernels, so only the outermost call does it.
        if _plain.is_in_kernel:
            return function(*args, **kwargs)
        _plain.is_in_kernel = True
        try:
            with np.errstate(over="ignore"):
                return function(*args, **kwargs)
        finally:
            _plain.is_in_kernel = False

    return call


@cache
def cache_folder(origin: Path) -> CacheFolder | None:
    """Cache folder for the code of one package or file; None without sources or a home folder."""
    configured = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        parent = Path(configured).absolute() if configured else Path.home() / ".cache"
        return CacheFolder(parent / PARENT_NAME / source_digest(origin))
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None


def source_digest(origin: Path) -> str:
    """Digest of the sources of the engine and of `origin`, and of the settings that affect machine code."""
    digest = hashlib.sha256()
    for root in sorted({ENGINE_FOLDER, origin}):
        for source in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            if source.is_symlink() and not source.exists():
                continue  # editors leave dangling links beside open files
            digest.update(os.fsencode(source.relative_to(root.parent).as_posix()) + b"\0")
            digest.update(source.read_bytes())
    settings = (numba.__version__, np.__version__, config.BOUNDSCHECK, config.OPT, config.DEBUG)
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:20]


def _origin(function: Callable[P, R]) -> Path:
    """Folder of the top-level package that defines a function, or its file if it has no package."""
    package, _, inner = function.__module__.partition(".")
    location = sys.modules[package].__file__ if inner else None
    return Path(location).resolve().parent if location else Path(function.__code__.co_filename)


def _has_source(function: Callable[P, R]) -> bool:
    """True if a source file determines a function, unlike a closure or code from a prompt."""
    return function.__closure__ is None and os.path.isfile(function.__code__.co_filename)


class _SlowCompilation(event.Listener):
    """Reports once on stderr that kernels are being compiled, after REPORT_AFTER_SECONDS of it."""

    def __init__(self) -> None:
        self.seconds = 0.0  # spent on compilations that have ended
        self.starts: list[float] = []  # of the running compilations, each nested in the one before
        self.has_reported = False

    def on_start(self, event: event.Event) -> None:
        dispatcher = (event.data or {})["dispatcher"]
        if _is_kernel(dispatcher):
            self.starts.append(time.perf_counter())
            self._report_if_slow(dispatcher)

    def on_end(self, event: event.Event) -> None:
        dispatcher = (event.data or {})["dispatcher"]
        if _is_kernel(dispatcher):
            self._report_if_slow(dispatcher)
            start = self.starts.pop()
            if not self.starts:
                self.seconds += time.perf_counter() - start

    def _report_if_slow(self, dispatcher: Any) -> None:
        seconds = self.seconds + time.perf_counter() - self.starts[0]
        if self.has_reported or seconds < REPORT_AFTER_SECONDS:
            return
        self.has_reported = True
        folder = cache_folder(_origin(dispatcher.py_func))
        kept = "set NUMBA_CACHE_DIR to a writable folder to keep it"
        if folder and folder.is_writable():
            kept = f"kept in {folder.path}"
        write_line(f"compiling the engine, once: from five seconds to a minute ({kept})")


class _Callback(event.Listener):
    """Calls a function after every kernel that is compiled rather than loaded from the cache."""

    def __init__(self, on_kernel: Callable[[], None]) -> None:
        self._on_kernel = on_kernel

    def on_start(self, event: event.Event) -> None:
        pass

    def on_end(self, event: event.Event) -> None:
        if _is_kernel((event.data or {})["dispatcher"]):
            self._on_kernel()


@contextmanager
def watched_compilation(on_kernel: Callable[[], None]) -> Iterator[None]:
    """Call a function after every kernel that is compiled in this block."""
    install: Any = event.install_listener  # untyped
    with install("numba:compile", _Callback(on_kernel)):
        yield


def _is_kernel(dispatcher: Any) -> bool:
    return any(dispatcher is kernel for kernel in KERNELS)


event.register("numba:compile", _SlowCompilation())  # type: ignore[no-untyped-call]
if sys.platform != "win32":
    # A fork waits for compilations on other threads; otherwise the child would inherit a lock that is never released.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )
