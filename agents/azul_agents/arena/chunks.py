"""Handing out games to workers in chunks, which are played in lockstep and sent in one message."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from azul_agents.arena.schedule import ScheduledGame

CHUNK_SECONDS: Final = 0.5  # of work in a chunk
MAX_CHUNK: Final = 128


class Chunks:
    """The games that are still to be played. A chunk takes about CHUNK_SECONDS, going by the one before."""

    def __init__(self, games: Iterable[ScheduledGame], workers: int) -> None:
        self.waiting = deque(games)
        self._workers = workers
        self._game_seconds: float | None = None

    def take(self) -> list[ScheduledGame]:
        """The next games; fewer towards the end, so that all workers are busy until then. Empty if none are left."""
        size = 1
        if self._game_seconds is not None:
            fair = len(self.waiting) // (2 * self._workers) if self._workers > 1 else MAX_CHUNK
            size = max(1, min(MAX_CHUNK, fair, int(CHUNK_SECONDS / self._game_seconds)))
        return [self.waiting.popleft() for _ in range(min(size, len(self.waiting)))]

    def note(self, games: int, seconds: float) -> None:
        """Learn from a chunk that is done how long a game takes."""
        self._game_seconds = max(seconds / games, 1e-6)  # never 0, whatever the clock's resolution
