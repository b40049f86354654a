"""Compilation of kernels and the cache of their machine code.

Numba's cache notices an edit only in the file that defines a function, so a cached kernel keeps running the old code of
functions it calls in other files. Here the cache folder is named after a digest of all sources that the code can depend
on and of the settings that affect it, so any edit starts with an empty folder.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core import event

P = ParamSpec("P")
R = TypeVar("R")

ENGINE_FOLDER = Path(__file__).parents[1]  # azul_env, whose kernels all packages may call
config: Any = numba_config  # its attributes are set at run time
njit: Any = numba.njit  # the type stubs lack _nrt
KERNELS: list[Any] = []  # every compiled kernel, for the tests that count signatures
STALE_AFTER_SECONDS = 14 * 24 * 3600  # other cache folders unused for this long are removed


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

    Numba cannot cache such a function by itself, only as part of the cached kernels that it is inlined into.
    """

    def compose(function: Callable[P, R]) -> Callable[P, R]:
        function.__name__ = name
        return _compiled(function, forceinline=True, is_cached=False)

    return compose


def _compiled(
    function: Callable[P, R],
    forceinline: bool,
    makes_arrays: bool = False,
    is_cached: bool = True,
) -> Callable[P, R]:
    if config.DISABLE_JIT:
        # Compiled integers wrap silently; in the random generators, NumPy scalars would warn.
        return np.errstate(over="ignore")(function)
    folder = cache_folder(_origin(function)) if is_cached else None
    configured = config.CACHE_DIR
    config.CACHE_DIR = str(folder) if folder else configured
    try:
        compiled: Any = njit(
            cache=folder is not None,
            nogil=True,
            error_model="numpy",  # no check for a division by zero
            # Reference counting slows loops down; without allocations it is not needed.
            _nrt=makes_arrays,
            forceinline=forceinline,
        )(function)
    finally:
        config.CACHE_DIR = configured
    KERNELS.append(compiled)
    return cast(Callable[P, R], compiled)


@cache
def cache_folder(origin: Path) -> Path | None:
    """Cache folder for the code of one package or file; None if no folder is writable."""
    configured = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        parent = Path(configured) if configured else Path.home() / ".cache"
        folder = parent / "azul_env" / source_digest(origin)
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None
    return folder if os.access(folder, os.W_OK) else None


def source_digest(origin: Path) -> str:
    """Digest of the sources of the engine and of `origin`, and of the settings that affect machine code."""
    digest = hashlib.sha256()
    for root in sorted({ENGINE_FOLDER, origin}):
        for source in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            digest.update(source.relative_to(root.parent).as_posix().encode() + b"\0")
            digest.update(source.read_bytes())
    settings = (numba.__version__, np.__version__, config.BOUNDSCHECK, config.OPT, config.DEBUG)
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:20]


def _origin(function: Callable[P, R]) -> Path:
    """Folder of the top-level package that defines a function, or its file if it has no package."""
    package, _, inner = function.__module__.partition(".")
    location = sys.modules[package].__file__ if inner else None
    return Path(location).resolve().parent if location else Path(function.__code__.co_filename)


class _FirstCompilation(event.Listener):
    """Reports on stderr, once, that kernels are being compiled."""

    has_reported = False

    def on_start(self, event: event.Event) -> None:
        dispatcher = (event.data or {})["dispatcher"]
        if self.has_reported or not any(dispatcher is kernel for kernel in KERNELS):
            return
        self.has_reported = True
        folder = cache_folder(_origin(dispatcher.py_func))
        kept = (
            f"kept in {folder}" if folder else "set NUMBA_CACHE_DIR to a writable folder to keep it"
        )
        print(f"azul_env: compiling the engine, a few seconds ({kept})", file=sys.stderr)
        if folder:
            _remove_stale_folders(folder)

    def on_end(self, event: event.Event) -> None:
        """No-op: only the start is reported."""


def _remove_stale_folders(current: Path) -> None:
    """Remove cache folders of other versions that have not been used for weeks."""
    for folder in current.parent.iterdir():
        if folder != current and time.time() - folder.stat().st_mtime > STALE_AFTER_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


event.register("numba:compile", _FirstCompilation())  # type: ignore[no-untyped-call]
