"""Files of game records, one JSON object per line. An interrupted write loses at most the last game."""

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from azul_env.errors import RecordError
from azul_env.files import (
    AnyPath,
    LongLineError,
    append_line,
    atomic_file,
    bounded_lines,
)
from azul_env.record import GameRecord


class LostRecordWarning(UserWarning):
    """The last line of a file is truncated, and its game is lost."""


def read_records(path: AnyPath) -> Iterator[GameRecord]:
    """The games in a file, in order.

    A truncated last line is skipped with a LostRecordWarning. Any other line that is not a record raises RecordError
    with file and line number. The file may be a pipe and of any length: one line is read at a time.
    """
    try:
        with open(path, "rb") as file:
            for where, line in bounded_lines(file, path):
                if not line.strip():
                    continue
                if line.endswith(b"\n") or _is_json(line):
                    yield _record_in(line, where)
                else:
                    warnings.warn(f"{where} is truncated: its game is lost", LostRecordWarning, 2)
    except LongLineError as error:
        raise RecordError(str(error)) from None


def append_record(path: AnyPath, record: GameRecord, *, sync: bool = True) -> None:
    """Append a game to a file, created if necessary; with `sync` it survives a power failure.

    A truncated last line is removed first, with a LostRecordWarning.
    """

    def is_complete(tail: bytes) -> bool:
        if not _is_json(tail):
            warning = f"{os.fspath(path)}: the last line is truncated, its game is lost"
            warnings.warn(warning, LostRecordWarning, 4)
            return False
        return True

    append_line(path, record.to_json(), sync=sync, keeps_tail=is_complete)


def write_records(path: AnyPath, records: Iterable[GameRecord]) -> None:
    """Write games to a file atomically: it has either all of them or its old content."""
    with atomic_file(path) as file:
        for record in records:
            file.write(record.to_json().encode() + b"\n")


@contextmanager
def record_writer(path: AnyPath) -> Iterator[Callable[[GameRecord], None]]:
    """A function that writes games one by one to a new file, or to replace an existing one.

    A new file grows game by game, so an interruption keeps the games so far. An existing file is replaced when the block
    ends and is unchanged after an error.
    """
    if os.path.exists(path):
        with atomic_file(path) as file:

            def write(record: GameRecord) -> None:
                file.write(record.to_json().encode() + b"\n")
                file.flush()

            yield write
    else:
        yield lambda record: append_record(path, record, sync=False)


def _record_in(line: bytes, where: str) -> GameRecord:
    try:
        return GameRecord.from_json(line)
    except RecordError as error:
        raise RecordError(f"{where}: {error}", error.event) from None


def _is_json(line: bytes) -> bool:
    """True if a line without a newline is complete: no proper prefix of a JSON object is valid JSON."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
