"""The results of a tournament as JSON lines: the config, then one line per finished game.

A kill loses at most the line that was being written; an unterminated line is dropped when the file is opened again.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from azul_agents.arena.game import GameResult
from azul_agents.arena.tournament_config import TournamentConfig
from azul_agents.provenance import commit, versions
from azul_env.files import exclusive_lock, read_json_lines, unterminated_tail

FORMAT = 1
SYNC_SECONDS = 1.0  # a power failure loses at most this much

GameKey = tuple[int, int, int, int]  # number of players, table, deal, rotation


@dataclass(frozen=True)
class GameLine:
    """A finished game of a tournament."""

    players: int
    table: int  # index among the tables with this many players
    deal: int
    rotation: int
    seed: int  # of the deals
    agents: tuple[int, ...]  # by seat; indices in the config's list
    result: GameResult

    @property
    def key(self) -> GameKey:
        """The unique key of the game."""
        return self.players, self.table, self.deal, self.rotation

    def to_json(self) -> str:
        """The game as one line."""
        numbers = {name: value for name, value in vars(self).items() if name != "result"}
        return json.dumps(numbers | vars(self.result), separators=(",", ":"))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_json`, from the parsed line."""
        values: dict[str, Any] = {
            key: tuple(v) if isinstance(v, list) else v for key, v in data.items()
        }
        parts = {name: values.pop(name) for name in GameResult.__dataclass_fields__}
        return cls(**values, result=GameResult(**parts))


class ResultsFile:
    """An open results file; `lines` has the games so far by key. Construct it with `open`."""

    def __init__(self, path: Path, file: IO[bytes], config: TournamentConfig) -> None:
        self.path = path
        self.lines: dict[GameKey, GameLine] = {}
        self._file = file
        self._synced = time.monotonic()
        self._read(config)

    @classmethod
    @contextmanager
    def open(cls, path: Path, config: TournamentConfig) -> Iterator[Self]:
        """Open or create the file. Raises ValueError if it is in use, broken or of another tournament."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(path, f"{path} is in use by another tournament") as file:
            results = cls(path, file, config)
            try:
                yield results
            finally:
                os.fsync(file.fileno())

    def add(self, line: GameLine) -> None:
        """Append a finished game."""
        assert line.key not in self.lines, f"game {line.key} was played twice"
        self._write(line.to_json())
        self.lines[line.key] = line

    def _write(self, text: str) -> None:
        self._file.write(text.encode() + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def _read(self, config: TournamentConfig) -> None:
        """Read the games so far; a new file gets its header."""
        found = read_json_lines(self.path)
        if found:
            self._check_config(found[0], config)
        for number, data in enumerate(found[1:], start=2):
            line = self._game_in(data, number)
            if line.key in self.lines:
                raise ValueError(f"{self.path}, line {number}: game {line.key} is a duplicate")
            self.lines[line.key] = line
        self._file.truncate(self._file.seek(-len(unterminated_tail(self._file)), os.SEEK_END))
        if not found:
            header = {"format": FORMAT, "config": config.to_dict()}
            self._write(json.dumps(header | {"versions": versions(), "commit": commit()}))

    def _check_config(self, header: dict[str, Any], config: TournamentConfig) -> None:
        if header.get("format") != FORMAT or not isinstance(header.get("config"), dict):
            raise ValueError(f"{self.path} is not a results file of this version")
        for key, value in config.to_dict().items():
            before = header["config"].get(key)
            if before != value:
                raise ValueError(
                    f"{self.path} belongs to a tournament with {key} {before}, not {value}: "
                    "choose another folder with --out, or remove this one"
                )

    def _game_in(self, data: dict[str, Any], number: int) -> GameLine:
        try:
            return GameLine.from_dict(data)
        except (KeyError, TypeError):
            raise ValueError(f"{self.path}, line {number}: not a game") from None
