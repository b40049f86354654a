"""Atomic writes, append-only JSON lines, and file locks that end with their process."""

import json
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

AnyPath = str | os.PathLike[str]

BLOCK_BYTES: Final = 1 << 16  # read at a time in search of the last newline


@contextmanager
def atomic_file(path: AnyPath) -> Iterator[IO[bytes]]:
    """A binary stream that replaces the file when the block ends; after an error the file is unchanged.

    The stream is a temporary file in the same folder, so other processes see either the old or the new content. A new
    file gets the default mode, an existing one keeps its mode. Anything but a regular file, such as a pipe, is written
    directly.
    """
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    mode = _mode_of(path)
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            yield file
        return
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.unfinished")
    try:
        file = open(temporary, "xb")  # noqa: SIM115  # closed below
    except OSError as error:
        error.filename = os.fspath(path)  # the name that the caller knows
        raise
    try:
        with file:
            yield file
            file.flush()
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_atomically(path: AnyPath, content: bytes | str) -> None:
    """Write a file that has, even if the process is killed, either all of the new content or the old content."""
    with atomic_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def append_line(
    path: AnyPath,
    line: str,
    *,
    sync: bool = True,
    keeps_tail: Callable[[bytes], bool] = lambda tail: False,
) -> None:
    """Append a line to a file, created if necessary; with `sync` it survives a power failure.

    A last line without a newline comes from an interrupted write. It is removed first, unless `keeps_tail` returns true
    for it: then only the newline is missing.
    """
    data = line.encode() + b"\n"
    with open(path, "ab+") as file:
        tail = unterminated_tail(file)
        if tail and keeps_tail(tail):
            data = b"\n" + data
        elif tail:
            file.truncate(file.seek(-len(tail), os.SEEK_END))
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())


def unterminated_tail(file: IO[bytes]) -> bytes:
    """The bytes after the last newline of a file."""
    start = file.seek(0, os.SEEK_END)
    tail = b""
    while start and b"\n" not in tail:
        end, start = start, max(0, start - BLOCK_BYTES)
        file.seek(start)
        tail = file.read(end - start) + tail
    return tail.rpartition(b"\n")[2]


def read_json_lines(path: AnyPath) -> list[dict[str, Any]]:
    """The objects in a file of JSON lines, except a last line without a newline; empty if there is no file.

    Raises ValueError, with file and line number, for a line that is not a JSON object.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return []
    return [
        _object_in(line, f"{os.fspath(path)}, line {number}")
        for number, line in enumerate(content.split(b"\n")[:-1], start=1)
    ]


@contextmanager
def exclusive_lock(path: AnyPath, in_use: str) -> Iterator[IO[bytes]]:
    """Lock a file, created if necessary and opened for appending. Raises ValueError(in_use) if it is locked.

    The system releases the lock when the process ends, however it ends. On Windows nothing is locked.
    """
    with open(path, "ab+") as file:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(in_use) from None
        yield file


def _mode_of(path: AnyPath) -> int | None:
    """Type and permissions of a file; None if it does not exist. Raises PermissionError if it is write-protected."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "the file is write-protected", os.fspath(path))
    return mode


def _object_in(line: bytes, where: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise ValueError(f"{where}: the JSON is broken")
    return data
