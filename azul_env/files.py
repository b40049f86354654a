"""Bounded reads, atomic writes, append-only JSON lines, and file locks that end with their process."""

import json
import os
import secrets
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

from azul_env.core.arguments import shown

AnyPath = str | os.PathLike[str]

BLOCK_BYTES: Final = 1 << 16  # read at a time in search of the last newline
# The longest game, 9,999 rounds of 4 players, is a line of 19 MB; no other line is nearly as long.
MAX_LINE_BYTES: Final = 1 << 25
JSON_LINE_BYTES: Final = 1 << 20  # of a result or a metric: usually a few hundred
JSON_LINES_BYTES: Final = 1 << 30  # of a file of them: about four million
MAX_JSON_DEPTH: Final = 32  # no file of ours is deeper than 8
CONTAINERS: Final = (dict, list)
TOO_DEEP: Final = f"it is nested deeper than {MAX_JSON_DEPTH} levels"

FILE_TYPES: Final = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


class LongLineError(ValueError):
    """A line that is longer than any line of its kind of file."""


def open_regular(path: AnyPath) -> IO[bytes]:
    """Open a regular file for reading. Raises OSError, or ValueError for a folder, pipe, socket or device.

    Never waits: a pipe would keep the caller waiting for a writer, and a device may have no end.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    # What was opened is checked, not what the name stood for before.
    descriptor = os.open(path, flags)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        found = next((name for is_type, name in FILE_TYPES if is_type(mode)), "special file")
        raise ValueError(f"{os.fspath(path)} is a {found}, not a file")
    return os.fdopen(descriptor, "rb")


def read_bounded(path: AnyPath, max_bytes: int) -> bytes:
    """The content of a regular file. Raises OSError, or ValueError if it is larger or not a regular file."""
    with open_regular(path) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError(f"{os.fspath(path)} is larger than {max_bytes:,} bytes")
    return content


def bounded_lines(
    file: IO[bytes], name: AnyPath, max_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[str, bytes]]:
    """The lines of a stream, each with its place for messages. Raises LongLineError."""
    number = 1
    while line := file.readline(max_bytes + 1):
        where = f"{os.fspath(name)}, line {number}"
        if len(line) > max_bytes:
            raise LongLineError(f"{where} is longer than {max_bytes:,} bytes")
        yield where, line
        number += 1


def parse_json(text: str | bytes) -> Any:
    """Parse JSON. Raises ValueError in one line, also for deep nesting and for a key that is given twice."""
    try:
        data = json.loads(text, object_pairs_hook=_without_duplicates)
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    except _DuplicateKeyError:
        raise
    except ValueError:  # Python converts at most 4,300 digits
        raise ValueError("a number is too long") from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if _is_deep(data):
        raise ValueError(TOO_DEEP)
    return data


def read_json(path: AnyPath, max_bytes: int = JSON_LINE_BYTES) -> Any:
    """The content of a JSON file. Raises OSError, or ValueError that names the file."""
    content = read_bounded(path, max_bytes)
    try:
        return parse_json(content)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} is broken: {error}") from None


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
    """The bytes after the last newline of a file. Raises LongLineError."""
    end = size = file.seek(0, os.SEEK_END)
    blocks: list[bytes] = []
    newline = b""
    while end and not newline:
        if size - end > MAX_LINE_BYTES:
            raise LongLineError(
                f"the last line of {file.name} is longer than {MAX_LINE_BYTES:,} bytes"
            )
        start = max(0, end - BLOCK_BYTES)
        file.seek(start)
        _, newline, rest = file.read(end - start).rpartition(b"\n")
        blocks.append(rest)
        end = start
    return b"".join(reversed(blocks))


def json_lines(path: AnyPath, max_bytes: int = JSON_LINES_BYTES) -> Iterator[dict[str, Any]]:
    """The objects in a file of JSON lines, except a last line without a newline; none if there is no file.

    Raises ValueError, with file and line number, for a line that is too long or not a JSON object.
    """
    try:
        file = open_regular(path)
    except FileNotFoundError:
        return
    with file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise ValueError(f"{os.fspath(path)} is larger than {max_bytes:,} bytes")
        for where, line in bounded_lines(file, path, JSON_LINE_BYTES):
            if line.endswith(b"\n"):
                yield _object_in(line, where)


def read_json_lines(path: AnyPath, max_bytes: int = JSON_LINES_BYTES) -> list[dict[str, Any]]:
    """All of `json_lines`."""
    return list(json_lines(path, max_bytes))


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


def new_folder(root: AnyPath, name: str) -> Path:
    """Create the first of NAME, NAME-2, NAME-3, ... under `root` that does not exist."""
    Path(root).mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = Path(root) / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir()
            return path
        except FileExistsError:
            number += 1


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
        data = parse_json(line)
    except ValueError as error:
        raise ValueError(f"{where}: the JSON is broken ({error})") from None
    if not isinstance(data, dict):
        raise ValueError(f"{where}: the JSON is broken (an object is expected, not {shown(data)})")
    return data


class _DuplicateKeyError(ValueError):
    """A JSON object with a key that is given twice, of which json.loads would keep the last."""


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _DuplicateKeyError(f"the key {shown(counts.most_common(1)[0][0])} is given twice")
    return data


def _is_deep(data: Any) -> bool:
    """True if JSON data has more than MAX_JSON_DEPTH levels. Looks at one level after the other, without recursion."""
    level = [data] if isinstance(data, CONTAINERS) else []
    for _ in range(MAX_JSON_DEPTH):
        if not level:
            return False
        parts = [whole.values() if isinstance(whole, dict) else whole for whole in level]
        level = [part for part in chain.from_iterable(parts) if isinstance(part, CONTAINERS)]
    return bool(level)
