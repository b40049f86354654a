"""The store of games, saved as they are played: a folder with one file per game, replaced atomically after every event.

A file has a summary, so that listing games replays none. Nothing is ever deleted.
"""

import contextlib
import itertools
import json
import os
import re
import secrets
import string
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from azul_agents import Agent, make_agent
from azul_env import GameRecord
from azul_env.files import (
    exclusive_lock,
    write_atomically,
)
from azul_ui.games.game_file import (
    GameSummary,
    KeptFile,
    content_of,
    kept_file,
    now,
    object_in,
    summary_of,
)
from azul_ui.games.seats import untrusted_names
from azul_ui.games.session import GameSession

FOLDER_VARIABLE: Final = "AZUL_GAMES"
GAME_ID: Final = re.compile(r"\d{8}-\d{6}-[a-z]{6}")  # when it was created (UTC), and letters
LETTERS: Final = 6
SUFFIX: Final = ".json"
LISTED: Final = 20


class _Known(NamedTuple):
    """A file as a store knows it."""

    stamp: tuple[int, int]
    created: str


class GameInUseError(ValueError):
    """Another process, or another store, has the game open."""


class UntrustedAgentError(ValueError):
    """A kept game names agents that run a program or read a file: a person must name them again."""

    def __init__(self, game_id: str, names: Sequence[str]) -> None:
        self.names = tuple(names)
        listed = ", ".join(f"{name!r:.60}" for name in names)
        super().__init__(f"game {game_id} is against {listed}: name the agent again to run it")


def default_folder() -> Path:
    """Where games are kept: $AZUL_GAMES, else in the user's data folder. Raises OSError if there is no home folder."""
    configured = os.environ.get(FOLDER_VARIABLE)
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME"
    data = Path(os.environ.get(variable, ""))
    try:
        if configured:
            return Path(configured).expanduser().absolute()
        if not data.is_absolute():
            data = Path.home() / ".local" / "share"
    except RuntimeError:
        raise OSError(
            f"there is no home folder: set {FOLDER_VARIABLE} to a folder for games"
        ) from None
    return data / "azul_env" / "games"


class GameStore:
    """The games in a folder, which is created when the first game is. The caller closes it in the end.

    A store locks each game that it writes until `release` or `close`, so that no other process, nor another store in this
    one, writes the game. Threads may use a store at the same time for different games, not for the same one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """The folder is by default `default_folder`, looked up when it is used."""
        self._folder = folder
        self._locks: dict[str, contextlib.ExitStack] = {}
        self._known: dict[str, _Known] = {}  # files as this store last read or wrote them

    @property
    def folder(self) -> Path:
        """Where the games are. Raises OSError if there is no home folder."""
        return default_folder() if self._folder is None else Path(self._folder)

    def path(self, game_id: str) -> Path:
        """The file of a game. Raises ValueError for a text that is no id."""
        if not GAME_ID.fullmatch(game_id) or not game_id.isascii():
            raise ValueError(f"{game_id!r:.60} is not the id of a game, such as {_new_id()}")
        return self.folder / f"{game_id}{SUFFIX}"

    def new_id(self) -> str:
        """An id that no game has; `create` takes it later."""
        game_id = _new_id()
        while self.path(game_id).exists():
            game_id = _new_id()
        return game_id

    def create(self, game: GameSession | GameRecord, game_id: str | None = None) -> str:
        """Keep a new game, and lock it; returns its id, which is new unless `new_id` gave it before. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        game_id = self.new_id() if game_id is None else game_id
        try:
            self.save(game_id, game)
        except BaseException:
            self.release(game_id)
            self._lock_path(game_id).unlink(missing_ok=True)  # nobody else knows the id
            raise
        return game_id

    def save(self, game_id: str, game: GameSession | GameRecord) -> None:
        """Write a game as it is now, and lock it.

        Raises OSError; ValueError if another process has the game open, or has changed it since this store read it.
        """
        path = self.path(game_id)
        self.claim(game_id)
        known = self._known.get(game_id)
        if path.exists() and (known is None or known.stamp != _stamp(path)):
            raise ValueError(f"game {game_id} was changed elsewhere: load it again")
        created = now() if known is None else known.created
        content = json.dumps(content_of(game, created), separators=(",", ":"))
        write_atomically(path, content + "\n")
        self._known[game_id] = _Known(_stamp(path), created)

    def read(self, game_id: str) -> KeptFile:
        """All that is kept of a game. Raises ValueError in one line if there is no such game or its file is damaged."""
        path = self.path(game_id)
        try:
            stamp = _stamp(path)
            kept = kept_file(game_id, object_in(path))
        except FileNotFoundError:
            raise ValueError(f"there is no game {game_id} in {self.folder}") from None
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}") from None
        self._known[game_id] = _Known(stamp, kept.summary.created)
        return kept

    def load(self, game_id: str) -> GameRecord:
        """The record of a game. Raises ValueError as `read` does."""
        return self.read(game_id).record

    def resume(
        self,
        game_id: str,
        seats: Sequence[str] | None = None,
        make_agent: Callable[[str], Agent] = make_agent,
    ) -> GameSession:
        """Lock a game and go on with it, undo and redo included.

        Without `seats`, agents are those of the file, and UntrustedAgentError is raised if one of them could run anything:
        the file may have been given by someone else.
        """
        self.read(game_id)  # an error now rather than a lock for nothing
        self.claim(game_id)
        kept = self.read(game_id)
        if seats is None:
            seats = kept.record.agents
            if untrusted := untrusted_names(seats):
                raise UntrustedAgentError(game_id, untrusted)
        return GameSession(
            seats,
            record=kept.record,
            position=kept.position,
            undone=kept.undone,
            names=kept.summary.names,
            make_agent=make_agent,
        )

    def latest_unfinished(self) -> GameSummary | None:
        """The unfinished game that was played last; None if there is none."""
        return next((game for game in self._summaries() if not game.is_finished), None)

    def claim(self, game_id: str) -> None:
        """Lock a game for this store. Raises GameInUseError if it is open elsewhere, OSError if the folder is not writable."""
        if game_id in self._locks:
            return
        stack = contextlib.ExitStack()
        in_use = f"game {game_id} is open elsewhere"
        path = self._lock_path(game_id)
        try:
            stack.enter_context(exclusive_lock(path, in_use))
        except ValueError:
            raise GameInUseError(in_use) from None
        self._locks[game_id] = stack

    def release(self, game_id: str) -> None:
        """Let other processes write a game."""
        if game_id in self._locks:
            self._locks.pop(game_id).close()

    def close(self) -> None:
        """Release all games."""
        for game_id in [*self._locks]:
            self.release(game_id)

    def list(self, limit: int | None = LISTED) -> Sequence[GameSummary]:
        """The games that were played last, the latest first; all if `limit` is None. Skips damaged files."""
        return [*itertools.islice(self._summaries(), limit)]

    def _summaries(self) -> Iterator[GameSummary]:
        """The games of the folder, the latest first; files are read as they are asked for."""
        for path in self._files():
            with contextlib.suppress(ValueError, OSError):
                yield summary_of(path.stem, object_in(path))

    def _files(self) -> Sequence[Path]:
        times: dict[Path, tuple[int, str]] = {}
        with contextlib.suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for entry in entries:
                name = entry.name.removesuffix(SUFFIX)
                if name != entry.name and GAME_ID.fullmatch(name):
                    with contextlib.suppress(OSError):
                        times[Path(entry.path)] = (entry.stat().st_mtime_ns, name)
        return sorted(times, key=lambda path: times[path], reverse=True)

    def _lock_path(self, game_id: str) -> Path:
        # The game's own file is replaced when it is written, so it cannot carry the lock.
        return self.path(game_id).with_name(f".{game_id}.lock")


class KeptGame:
    """A session that is kept in a store as it is played. A store that fails costs a warning, never the game."""

    def __init__(
        self,
        store: GameStore,
        session: GameSession,
        game_id: str | None = None,
        *,
        is_new: bool = False,
    ) -> None:
        """A game without an id, or one that `is_new`, is not in the store yet: the first `keep` creates it."""
        self.store = store
        self.session = session
        self.id = game_id
        self._is_new = is_new or game_id is None
        self._kept = None if self._is_new else self._moment()
        self._has_warned = False

    @property
    def is_kept(self) -> bool:
        """True if the store has the game as it is now."""
        return self._kept == self._moment()

    def keep(self) -> str | None:
        """Write the game as it is now; returns a warning if that fails for the first time."""
        if self.is_kept:
            return None
        moment = self._moment()
        try:
            if self._is_new or self.id is None:
                self.id = self.store.create(self.session, self.id)
                self._is_new = False
            else:
                self.store.save(self.id, self.session)
        except (OSError, ValueError) as error:
            if self._has_warned:
                return None
            self._has_warned = True
            return f"this game is not kept, it is in memory only: {error}"
        self._kept = moment
        return None

    def _moment(self) -> tuple[int, int]:
        # The events as well: a signal may interrupt a move after its event is recorded.
        return self.session.position_number, len(self.session.record.events)


def _new_id() -> str:
    letters = "".join(secrets.choice(string.ascii_lowercase) for _ in range(LETTERS))
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{letters}"


def _stamp(path: Path) -> tuple[int, int]:
    """A stamp that changes whenever a file is replaced."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns
