"""Files of game records, one JSON object a line. A write that was cut off costs the last game at most."""

import json
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from azul_env.errors import RecordError
from azul_env.record import GameRecord


class LostRecordWarning(UserWarning):
    """The last line of a file was cut off, and the game in it is lost."""


def read_records(path: str | os.PathLike[str]) -> Iterator[GameRecord]:
    """The games in a file, in order.

    A last line that was cut off is left out with a LostRecordWarning. Any other line that is no record raises
    RecordError with the file and the number of the line.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            where = f"{os.fspath(path)}, line {number}"
            if not line.strip():
                continue
            if _is_cut_off(line):
                warnings.warn(f"{where} is cut off: that game is lost", LostRecordWarning, 2)
            else:
                yield _record_in(line, where)


def append_record(path: str | os.PathLike[str], record: GameRecord) -> None:
    """Add a game to a file, which is made if need be. A cut-off last line is removed first, with a warning."""
    line = record.to_json().encode() + b"\n"
    with open(path, "ab+") as file:
        _mend_end(file, os.fspath(path))
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def write_records(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write games to a file in one go: it holds either all of them or what it held before."""
    target = Path(path)
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        with open(unfinished, "w", encoding="utf-8", newline="\n") as file:
            for record in records:
                file.write(record.to_json() + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)  # it is there only if something failed


def _record_in(line: bytes, where: str) -> GameRecord:
    try:
        return GameRecord.from_json(line)
    except RecordError as error:
        raise RecordError(f"{where}: {error}", error.event) from None


def _is_cut_off(line: bytes) -> bool:
    """Whether a line stops in the middle: it lacks its line end, and no JSON object is a part of another's line."""
    if line.endswith(b"\n"):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def _mend_end(file: BinaryIO, path: str) -> None:
    """Make a file end after a whole line, so that the next one does not continue a broken one."""
    if file.seek(0, os.SEEK_END) == 0:
        return
    file.seek(-1, os.SEEK_END)
    if file.read(1) == b"\n":
        return
    file.seek(0)
    last = file.readlines()[-1]
    if _is_cut_off(last):
        warnings.warn(f"{path}: the last line is cut off, that game is lost", LostRecordWarning, 3)
        file.truncate(file.seek(-len(last), os.SEEK_END))
    else:
        file.write(b"\n")
