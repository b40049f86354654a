"""The cache of one kernel, in place of Numba's own: damaged files are compiled again instead of crashing.

Each kernel and signature has a file of its own, which begins with a checksum. Numba keeps an index beside its data
files, unpickles both unchecked, and two processes that save different signatures at once can mix them up.
"""

import hashlib
import os
import pickle
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import llvmlite
from numba.core import serialize, sigutils

from azul_env.core.cache_folder import (
    NO_FOLLOW,
    SUFFIX,
    CacheFolder,
    reason,
    reason_for_distrust,
    report_once,
    write_whole,
)
from azul_env.core.inner_code import CompileResult, restored

# Numba has no types.
dumps: Any = serialize.dumps
normalize_signature: Any = sigutils.normalize_signature

HEADER: Final = b"azul_env kernel 1\n"
CHECKSUM_BYTES: Final = 32


class DamagedFileError(Exception):
    """A cached file that is not what was saved."""


class KernelCache:
    """The interface that Numba's dispatchers expect of their `_cache`."""

    def __init__(self, function: Callable[..., Any], folder: CacheFolder) -> None:
        self._function = function
        self._folder = folder
        self._is_enabled = True
        self.is_inner = False  # code that only other kernels use is cached in a separate file
        name = f"{function.__module__}.{function.__qualname__}"
        self._stem = re.sub(r"[^\w.]", "", name, flags=re.ASCII)[-100:]

    @property
    def cache_path(self) -> str:
        """The folder of the cache."""
        return str(self._folder.path)

    def enable(self) -> None:
        """Load and save from now on."""
        self._is_enabled = True

    def disable(self) -> None:
        """Neither load nor save from now on."""
        self._is_enabled = False

    def flush(self) -> None:
        """Remove the kernel's files, so that it is compiled again."""
        for file in self._folder.path.glob(f"{self._stem}-*{SUFFIX}"):
            with suppress(OSError):
                file.unlink()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for a signature; None if it is not in the cache or cannot be used."""
        target_context.refresh()
        if not self._is_enabled or not self._folder.is_trusted():
            return None
        path = self._path_for(sig, target_context.codegen())
        try:
            payload = pickle.loads(_read(path))
            rebuild = restored if self.is_inner else CompileResult._rebuild
            result = rebuild(target_context, *payload)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Exception as error:
            report_once(
                f"{path} in the compile cache cannot be used ({reason(error)}): compiling it again; if this is "
                f"reported again, delete {self._folder.path}"
            )
            return None
        arguments, _ = normalize_signature(sig)
        return result if tuple(result.signature.args) == tuple(arguments) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the compiled code for a signature, if the folder can be written."""
        if not self._is_enabled or data.lifted or data.library.has_dynamic_globals:
            return
        if not self._folder.is_writable():
            return
        path = self._path_for(sig, data.codegen)
        try:
            payload = dumps(data._reduce())
            content = HEADER + _checksum(path, payload) + payload
            try:
                write_whole(path, content)
            except FileNotFoundError:  # the folder has been removed in the meantime
                self._folder.make()
                write_whole(path, content)
        except Exception as error:
            self._folder.report_unwritable(error)

    def _path_for(self, sig: Any, codegen: Any) -> Path:
        arguments, returned = normalize_signature(sig)
        code = self._function.__code__
        key = (
            self._function.__module__,
            self._function.__qualname__,
            code.co_firstlineno,
            self.is_inner,
            hashlib.sha256(code.co_code).digest(),
            (arguments, [list(_classes_in(kind)) for kind in arguments], returned),
            codegen.magic_tuple(),  # processor and its features
            (sys.implementation.cache_tag, llvmlite.__version__),
        )
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
        return self._folder.path / f"{self._stem}-{digest}{SUFFIX}"


def _classes_in(kind: Any) -> Iterator[str]:
    """Full names of the NamedTuple classes in a Numba type, whose name has no module."""
    named = getattr(kind, "instance_class", None)
    if named is not None:
        yield f"{named.__module__}.{named.__qualname__}"
    for part in getattr(kind, "types", ()):
        yield from _classes_in(part)


def _read(path: Path) -> bytes:
    """The payload of a file, verified. Raises DamagedFileError or OSError."""
    # Without O_NONBLOCK, a pipe of this name would block forever.
    flags = NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, given: os.open(name, given | flags)) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise DamagedFileError("not a regular file")
        doubt = reason_for_distrust(status)
        if doubt:
            raise DamagedFileError(f"it {doubt}")
        header = file.read(len(HEADER) + CHECKSUM_BYTES)
        payload = file.read()
    if header != HEADER + _checksum(path, payload):
        raise DamagedFileError("wrong checksum")
    return payload


def _checksum(path: Path, payload: bytes) -> bytes:
    """Checksum of a payload and its path, so that a file under another's name is detected, too."""
    digest = hashlib.sha256(f"{path.parent.name}/{path.name}\0".encode())
    digest.update(payload)
    return digest.digest()
