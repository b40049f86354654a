"""The file of a tournament: the config, then one line for every finished game, each written once.

A process that is killed loses at most the line it was writing, which is dropped when the file is opened again.
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from azul_agents.arena.bench import commit, versions
from azul_agents.arena.game import GameResult
from azul_agents.arena.tournament_config import TournamentConfig

FORMAT = 1
SYNC_SECONDS = 1.0  # a kill loses nothing that was written; a power failure at most so much

GameKey = tuple[int, int, int, int]  # number of players, table, deal, rotation


@dataclass(frozen=True)
class GameLine:
    """A finished game of a tournament."""

    players: int
    table: int  # number of the table among those with so many players
    deal: int
    rotation: int
    seed: int  # of the generator that dealt
    agents: tuple[int, ...]  # numbers in the config's list, by seat
    result: GameResult

    @property
    def key(self) -> GameKey:
        """What tells the game from all others."""
        return self.players, self.table, self.deal, self.rotation

    def to_json(self) -> str:
        """The game as one line."""
        numbers = {name: value for name, value in vars(self).items() if name != "result"}
        return json.dumps(numbers | vars(self.result), separators=(",", ":"))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The game in the plain data of a line."""
        values: dict[str, Any] = {
            key: tuple(v) if isinstance(v, list) else v for key, v in data.items()
        }
        parts = {name: values.pop(name) for name in GameResult.__dataclass_fields__}
        return cls(**values, result=GameResult(**parts))


class ResultsFile:
    """The games of a tournament so far, `lines` by key, and the place to add more."""

    def __init__(self, path: Path, config: TournamentConfig) -> None:
        """Open or make the file. Raises ValueError if it belongs to another tournament or is broken."""
        self.path = path
        self.lines: dict[GameKey, GameLine] = {}
        self._synced = time.monotonic()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "ab+")  # noqa: SIM115  # closed by __exit__
        try:
            self._lock()
            self._read(config)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._file.fileno())
        self._file.close()

    def add(self, line: GameLine) -> None:
        """Write a finished game down."""
        assert line.key not in self.lines, f"game {line.key} was played twice"
        self._write(line.to_json())
        self.lines[line.key] = line

    def _write(self, text: str) -> None:
        self._file.write(text.encode() + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def _lock(self) -> None:
        """Two tournaments must not write into one file. The lock goes with the process, however it ends."""
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"{self.path} is in use by another tournament") from None

    def _read(self, config: TournamentConfig) -> None:
        """Take in what is there; a new file gets its first line."""
        self._file.seek(0)
        whole, _, cut_off = self._file.read().rpartition(b"\n")
        if cut_off:
            self._file.truncate(len(whole) + bool(whole))
        if not whole:
            header = {"format": FORMAT, "config": config.to_dict()}
            self._write(json.dumps(header | {"versions": versions(), "commit": commit()}))
            return
        first, *others = whole.split(b"\n")
        self._check_config(self._parsed(first, 1), config)
        for number, text in enumerate(others, start=2):
            line = self._game_in(text, number)
            if line.key in self.lines:
                raise ValueError(f"{self.path}, line {number}: game {line.key} is there twice")
            self.lines[line.key] = line

    def _check_config(self, header: dict[str, Any], config: TournamentConfig) -> None:
        if header.get("format") != FORMAT or not isinstance(header.get("config"), dict):
            raise ValueError(f"{self.path} is not the file of a tournament of this version")
        for key, value in config.to_dict().items():
            before = header["config"].get(key)
            if before != value:
                raise ValueError(
                    f"{self.path} belongs to a tournament with {key} {before}, not {value}: "
                    "choose another folder with --out, or remove this one"
                )

    def _game_in(self, text: bytes, number: int) -> GameLine:
        try:
            return GameLine.from_dict(self._parsed(text, number))
        except (KeyError, TypeError):
            raise ValueError(f"{self.path}, line {number}: this is no game") from None

    def _parsed(self, text: bytes, number: int) -> dict[str, Any]:
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        if not isinstance(data, dict):
            raise ValueError(f"{self.path}, line {number}: the JSON is broken")
        return data
