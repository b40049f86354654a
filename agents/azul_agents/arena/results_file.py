"""The results of a tournament as JSON lines: the config, then one line per finished game.

A kill loses at most the line that was being written; an unterminated line is dropped when the file is opened again.
"""

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Self

from azul_agents.arena.game import GameResult
from azul_agents.arena.tournament_config import TournamentConfig
from azul_agents.provenance import commit, versions
from azul_env import brief, shown
from azul_env.files import exclusive_lock, json_lines, unterminated_tail

FORMAT = 1
# Of settings that files of earlier versions lack.
DEFAULTS: Final = {"variant": "colored"}
SYNC_SECONDS = 1.0  # a power failure loses at most this much

GameKey = tuple[int, int, int, int]  # number of players, table, deal, rotation


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


# The keys of a game's line, and which values their lists may hold.
NUMBERS: Final = ("players", "table", "deal", "rotation", "seed")
BY_SEAT: Final[dict[str, Callable[[Any], bool]]] = {
    "scores": _is_count,
    "ranks": _is_count,
    "forfeits": lambda value: value is None or isinstance(value, str),
    "moves": _is_count,
    "seconds": lambda value: type(value) in (int, float) and 0 <= value < math.inf,
}


def result_of(data: dict[str, Any], players: int) -> GameResult:
    """The result of a game from its fields as lists. Raises ValueError if they are not those of this many players."""
    if data.keys() != BY_SEAT.keys():
        raise ValueError(f"its keys are {shown(list(data))}")
    _check_by_seat(data, BY_SEAT, players)
    if 1 not in data["ranks"]:
        raise ValueError(f"ranks cannot be {shown(data['ranks'])}: nobody won")
    return GameResult(**{name: tuple(values) for name, values in data.items()})


def _check_by_seat(
    data: dict[str, Any], fields: Mapping[str, Callable[[Any], bool]], players: int
) -> None:
    for name, is_right in fields.items():
        values = data[name]
        if not (isinstance(values, list) and len(values) == players and all(map(is_right, values))):
            raise ValueError(f"{name} cannot be {shown(values)}")


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
    def from_dict(cls, data: dict[str, Any], num_agents: int) -> Self:
        """The inverse of `to_json`, from the parsed line. Raises ValueError if it is not a game of these agents."""
        if data.keys() != set(NUMBERS) | {"agents"} | set(BY_SEAT):
            raise ValueError(f"its keys are {shown(list(data))}")
        for name in NUMBERS:
            if not _is_count(data[name]):
                raise ValueError(f"{name} cannot be {shown(data[name])}")
        players = data["players"]
        _check_by_seat(data, {"agents": _is_count}, players)
        if max(data["agents"], default=num_agents) >= num_agents:
            raise ValueError(f"agents cannot be {shown(data['agents'])}")
        result = result_of({name: data[name] for name in BY_SEAT}, players)
        return cls(
            **{name: data[name] for name in NUMBERS}, agents=tuple(data["agents"]), result=result
        )


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
        found = json_lines(self.path)
        header = next(found, None)
        if header is not None:
            self._check_config(header, config)
        for number, data in enumerate(found, start=2):
            line = self._game_in(data, number, len(config.agents))
            if line.key in self.lines:
                raise ValueError(f"{self.path}, line {number}: game {line.key} is a duplicate")
            self.lines[line.key] = line
        if tail := unterminated_tail(self._file):
            self._file.truncate(self._file.seek(-len(tail), os.SEEK_END))
        if header is None:
            about = {"format": FORMAT, "config": config.to_dict()}
            self._write(json.dumps(about | {"versions": versions(), "commit": commit()}))

    def _check_config(self, header: dict[str, Any], config: TournamentConfig) -> None:
        if header.get("format") != FORMAT or not isinstance(header.get("config"), dict):
            raise ValueError(f"{self.path} is not a results file of this version")
        for key, value in config.to_dict().items():
            before = header["config"].get(key, DEFAULTS.get(key))
            if before != value:
                raise ValueError(
                    f"{self.path} belongs to a tournament with {key} {brief(before)}, not {brief(value)}: "
                    "choose another folder with --out, or remove this one"
                )

    def _game_in(self, data: dict[str, Any], number: int, num_agents: int) -> GameLine:
        try:
            return GameLine.from_dict(data, num_agents)
        except ValueError as error:
            raise ValueError(f"{self.path}, line {number}: not a game: {error}") from None
