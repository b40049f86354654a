"""How kernels are compiled, and where the machine code is kept.

Numba notices an edit only in the file that defines a function, so a kernel cached on disk goes on running the old
code of helpers that live in other files. Here the folder of the cache is named after a digest of every source the
code can depend on, and of the settings that change the code: an edit anywhere leads to an empty folder.
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

ENGINE_FOLDER = Path(__file__).parents[1]  # azul_env, whose kernels all others may call
config: Any = numba_config  # its attributes are made at run time
njit: Any = numba.njit  # its types know nothing of _nrt
KERNELS: list[Any] = []  # every compiled kernel, for the tests that count signatures
STALE_AFTER_SECONDS = 14 * 24 * 3600  # folders of older code, unused for this long, are removed


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of the hot path; with NUMBA_DISABLE_JIT=1 it stays plain Python.

    Compiled kernels release the GIL, so batches can be shared out over threads.
    """
    # A call costs a tenth of a move, and what is inlined keeps its numbers in registers.
    return _compiled(function, forceinline=True)


def called_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that stays a function of its own, because it is large."""
    return _compiled(function, forceinline=False)


def array_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that stays a function of its own and makes arrays, which the others do not."""
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
        # Compiled integers wrap in silence; NumPy's scalars would warn in the random generator.
        return np.errstate(over="ignore")(function)
    folder = cache_folder(_origin(function)) if is_cached else None
    configured = config.CACHE_DIR
    config.CACHE_DIR = str(folder) if folder else configured
    try:
        compiled: Any = njit(
            cache=folder is not None,
            nogil=True,
            error_model="numpy",  # no check for a division by zero
            # Without arrays of its own, a kernel needs no reference counting, which slows loops down.
            _nrt=makes_arrays,
            forceinline=forceinline,
        )(function)
    finally:
        config.CACHE_DIR = configured
    KERNELS.append(compiled)
    return cast(Callable[P, R], compiled)


@cache
def cache_folder(origin: Path) -> Path | None:
    """Folder for the compiled code of one package or file; None where no folder can be written."""
    configured = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        parent = Path(configured) if configured else Path.home() / ".cache"
        folder = parent / "azul_env" / source_digest(origin)
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except (OSError, RuntimeError):  # Path.home() raises the latter where there is none
        return None
    return folder if os.access(folder, os.W_OK) else None


def source_digest(origin: Path) -> str:
    """Digest of the engine's and the origin's sources and of the settings that change machine code."""
    digest = hashlib.sha256()
    for place in sorted({ENGINE_FOLDER, origin}):
        for source in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(source.relative_to(place.parent).as_posix().encode() + b"\0")
            digest.update(source.read_bytes())
    settings = (numba.__version__, np.__version__, config.BOUNDSCHECK, config.OPT, config.DEBUG)
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:20]


def _origin(function: Callable[P, R]) -> Path:
    """Folder of the top-level package that defines a function, or its file if it is in none."""
    package, _, inner = function.__module__.partition(".")
    location = sys.modules[package].__file__ if inner else None
    return Path(location).resolve().parent if location else Path(function.__code__.co_filename)


class _FirstCompilation(event.Listener):
    """Says once, on the standard error, that kernels are being compiled."""

    def on_start(self, event: event.Event) -> None:
        dispatcher = (event.data or {})["dispatcher"]
        if self.is_told or not any(dispatcher is kernel for kernel in KERNELS):
            return
        self.is_told = True
        folder = cache_folder(_origin(dispatcher.py_func))
        kept = (
            f"kept in {folder}" if folder else "set NUMBA_CACHE_DIR to a writable folder to keep it"
        )
        print(f"azul_env: compiling the engine, some seconds ({kept})", file=sys.stderr)
        if folder:
            _remove_stale_folders(folder)

    def on_end(self, event: event.Event) -> None:
        pass

    is_told = False


def _remove_stale_folders(current: Path) -> None:
    """Drop the compiled code of versions that have not run for weeks."""
    for folder in current.parent.iterdir():
        if folder != current and time.time() - folder.stat().st_mtime > STALE_AFTER_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


event.register("numba:compile", _FirstCompilation())  # type: ignore[no-untyped-call]
