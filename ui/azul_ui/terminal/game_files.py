"""The record files of a game at the terminal: `save`, `load` and --save."""

from pathlib import Path

from azul_env import write_records
from azul_ui.games.session import GameSession
from azul_ui.terminal.setup import PlayConfig, loaded_session


class GameFiles:
    """Keeps track of the files that may be overwritten, the one that holds the game, and the one saved after every move."""

    def __init__(self, config: PlayConfig) -> None:
        """`config` applies to loaded games."""
        self._config = config
        self._own: set[Path] = set()  # those that may be written over
        self._file: Path | None = None  # written or read last
        self._saved = ""  # what it holds
        self._autosave: Path | None = None

    @property
    def autosave_path(self) -> Path | None:
        """The file of `save_always`, if there is one."""
        return self._autosave

    def saved_in(self, session: GameSession) -> Path | None:
        """The file that holds the game as it is now, if one does."""
        return self._file if self._saved == session.record.to_json() else None

    def save(self, session: GameSession, path: Path | None) -> Path:
        """Write the game's record to a file of its own, by default the last one. Raises ValueError, OSError."""
        target = path or self._file
        if target is None:
            raise ValueError("save needs the name of a file, as in save game.jsonl")
        if session.position is not None:
            raise ValueError("a game from a set-up position has no record that begins with a deal")
        if target.exists() and target.resolve() not in self._own:
            raise ValueError(f"{target} exists already: name another file")
        write_records(target, [session.record])
        self._own.add(target.resolve())
        self._file, self._saved = target, session.record.to_json()
        return target

    def save_always(self, session: GameSession, path: Path) -> None:
        """Save now and at every `autosave`."""
        self.save(session, path)
        self._autosave = path

    def autosave(self, session: GameSession) -> None:
        """Write the file of `save_always`, if there is one. Raises ValueError, OSError."""
        if self._autosave is not None:
            self.save(session, self._autosave)

    def load(self, path: Path) -> GameSession:
        """Go on with the last game of a file, which is not saved by itself. Raises ValueError, OSError."""
        session, is_only_game = loaded_session(path, self._config)
        self._own = {path.resolve()} if is_only_game else set()
        self._file, self._saved, self._autosave = path, session.record.to_json(), None
        return session
