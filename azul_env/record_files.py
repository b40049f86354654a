"""Files of game records, one JSON object per line. A write that was cut off costs the last game at most."""

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from azul_env.errors import RecordError
from azul_env.files import AnyPath, append_line, atomic_file
from azul_env.record import GameRecord


class LostRecordWarning(UserWarning):
    """The last line of a file was cut off, and the game in it is lost."""


def read_records(path: AnyPath) -> Iterator[GameRecord]:
    """The games in a file, in order.

    A last line that was cut off is left out with a LostRecordWarning. Any other line that is no record raises
    RecordError with the file and the number of the line.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            where = f"{os.fspath(path)}, line {number}"
            if not line.strip():
                continue
            if line.endswith(b"\n") or _is_json(line):
                yield _record_in(line, where)
            else:
                warnings.warn(f"{where} is cut off: that game is lost", LostRecordWarning, 2)


def append_record(path: AnyPath, record: GameRecord, *, sync: bool = True) -> None:
    """Add a game to a file, which is created if need be; `sync` makes it survive a power failure.

    A cut-off last line is removed first, with a LostRecordWarning.
    """

    def is_whole(tail: bytes) -> bool:
        if not _is_json(tail):
            warning = f"{os.fspath(path)}: the last line is cut off, that game is lost"
            warnings.warn(warning, LostRecordWarning, 4)
            return False
        return True

    append_line(path, record.to_json(), sync=sync, keeps_tail=is_whole)


def write_records(path: AnyPath, records: Iterable[GameRecord]) -> None:
    """Write games to a file in one go: it holds either all of them or what it held before."""
    with atomic_file(path) as file:
        for record in records:
            file.write(record.to_json().encode() + b"\n")


@contextmanager
def record_writer(path: AnyPath) -> Iterator[Callable[[GameRecord], None]]:
    """A function that writes games as they finish, to a file that holds nothing else in the end.

    A new file grows game by game, so an interruption keeps the games so far. An existing one is replaced when the block
    ends, and stays as it was after an error.
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
    """Whether a line without a line end is whole: no part of a JSON object is one itself."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
