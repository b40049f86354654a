"""Games played by Ray actors, on this machine or on a cluster: the second engine of tournaments.

A scheduled game contains its seeds, so it is the same wherever it is played. If a worker dies, its games are played
again, one at a time, by another.
"""

import os
import socket
import sys
import warnings
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import azul_agents
from azul_agents.arena.game import PlayedGame
from azul_agents.arena.ray_session import ray_session
from azul_agents.arena.schedule import ScheduledGame
from azul_agents.arena.workers import Chunks, Finished, MakeAgent, Players, played_or_error
from azul_agents.registry import make_agent
from azul_env.core.jit import source_digest

MAX_TRIES: Final = 3  # of a game whose workers die
CLOSE_SECONDS: Final = 5.0  # for workers to close their agents
START_WARNING_SECONDS: Final = 60.0  # without any worker


class WorkersDiedError(ChildProcessError):
    """Workers died MAX_TRIES times."""


class Introduction(NamedTuple):
    """Identity of a worker, sent when it has started."""

    host: str
    pid: int
    code: str  # digest of its sources


class GameWorker:
    """The class of the actors: plays games with agents of its own."""

    def __init__(self, make: MakeAgent, import_path: Sequence[str]) -> None:
        """`import_path` is the driver's, since agents may be Python modules in its folders."""
        sys.path += [folder for folder in import_path if folder not in sys.path]
        self.players = Players(make)

    def introduce(self) -> Introduction:
        """The identity of this worker."""
        return Introduction(socket.gethostname(), os.getpid(), code_digest())

    def play(self, games: Sequence[ScheduledGame]) -> tuple[list[PlayedGame] | Exception, float]:
        """The finished games, or the exception that an agent raised, and the seconds they took."""
        return played_or_error(self.players, games)

    def close(self) -> None:
        """Close the agents."""
        self.players.close()


def play_on_ray(
    games: Sequence[ScheduledGame],
    jobs: int = 2,
    make: MakeAgent = make_agent,
    address: str | None = None,
) -> Generator[Finished, None, None]:
    """Play games on `jobs` actors and yield them as they finish; an engine for `run_tournament`.

    Connects to the Ray cluster at `address`, or starts a local one. Exceptions of agents are raised here; a game whose
    workers died MAX_TRIES times raises WorkersDiedError.
    """
    with ray_session(address, jobs) as ray:
        actors = _Actors(ray, games, jobs, make)
        try:
            for _ in range(jobs):
                actors.start_one()
            while actors.is_busy:
                yield from actors.next_finished()
        finally:
            actors.stop()


def code_digest() -> str:
    """Digest of the code that plays games: equal on two machines only if their games are equal."""
    return source_digest(Path(azul_agents.__file__).parent)


def check_code(host: str, code: str) -> None:
    """Raise ValueError if a worker's code differs from ours."""
    if code != code_digest():
        raise ValueError(
            f"{host} has other versions of azul-env, NumPy or Numba than this machine, so its games could "
            "differ: install the same ones on every node"
        )


class _Actors:
    """The actors and the games left to play."""

    def __init__(
        self, ray: Any, games: Iterable[ScheduledGame], jobs: int, make: MakeAgent
    ) -> None:
        self.ray = ray
        self.make = make
        # No restarts by Ray: this class replaces an actor that dies.
        self.remote: Any = ray.remote(num_cpus=1, max_restarts=0)(GameWorker)
        self.chunks = Chunks(games, jobs)
        # Played one at a time, to find a game that kills its workers.
        self.retries: deque[ScheduledGame] = deque()
        self.deaths: Counter[ScheduledGame] = Counter()
        self.starting: dict[Any, Any] = {}  # by pending answer
        self.playing: dict[Any, tuple[Any, list[ScheduledGame]]] = {}
        self.idle: list[Any] = []
        self.failed_starts = 0  # in a row

    @property
    def is_busy(self) -> bool:
        """True if games are left to play or to wait for."""
        return bool(self.chunks.waiting or self.retries or self.playing)

    def start_one(self) -> None:
        """Start an actor. It gets games only after its introduction, so an actor that waits for a CPU blocks none."""
        actor = self.remote.remote(self.make, sys.path)
        self.starting[actor.introduce.remote()] = actor

    def next_finished(self) -> Iterator[Finished]:
        """Wait for the next answer: finished games, or none if a worker started or died."""
        timeout = None if self.playing else START_WARNING_SECONDS
        awaited = [*self.starting, *self.playing]
        ready, _ = self.ray.wait(awaited, num_returns=1, timeout=timeout)
        if not ready:
            self._warn()
        elif ready[0] in self.starting:
            self._add_worker(ready[0])
        else:
            yield from self._collect(ready[0])

    def stop(self) -> None:
        """Close the agents of idle actors, then kill all actors."""
        busy = [actor for actor, _ in self.playing.values()]
        closing = [actor.close.remote() for actor in self.idle]
        if closing:
            self.ray.wait(closing, num_returns=len(closing), timeout=CLOSE_SECONDS)
        for actor in [*self.idle, *busy, *self.starting.values()]:
            self.ray.kill(actor)

    def _add_worker(self, answer: Any) -> None:
        """Give games to a new worker, if its code is ours."""
        actor = self.starting.pop(answer)
        try:
            worker: Introduction = self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            self.failed_starts += 1
            if self.failed_starts >= MAX_TRIES:
                raise WorkersDiedError(f"no worker can start: {_first_line(error)}") from error
            self.start_one()
            return
        check_code(worker.host, worker.code)
        self.failed_starts = 0
        self.idle.append(actor)
        self._give_games()

    def _give_games(self) -> None:
        """Give games to all idle workers."""
        while self.idle and (self.chunks.waiting or self.retries):
            actor = self.idle.pop()
            chunk = [self.retries.popleft()] if self.retries else self.chunks.take()
            self.playing[actor.play.remote(chunk)] = (actor, chunk)

    def _collect(self, answer: Any) -> Iterator[Finished]:
        """The games of a worker, after sending it the next ones."""
        actor, games = self.playing.pop(answer)
        try:
            played, seconds = self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            self._replace(actor, games, error)
            return
        self.idle.append(actor)
        self.chunks.add_timing(len(games), seconds)
        self._give_games()
        if isinstance(played, Exception):
            raise played
        yield from map(Finished, games, played)

    def _replace(self, actor: Any, games: list[ScheduledGame], error: Exception) -> None:
        """Retry the games of a dead worker on a new one."""
        self.ray.kill(actor)  # it may only be unreachable, and must stop
        for game in games:
            self.deaths[game] += 1
            if self.deaths[game] >= MAX_TRIES:
                raise WorkersDiedError(
                    f"the game {' - '.join(game.specs)}, deal {game.deal}, rotation {game.rotation} lost its worker "
                    f"{MAX_TRIES} times: {_first_line(error)}"
                ) from error
        self.retries.extend(games)
        self.start_one()
        self._give_games()

    def _warn(self) -> None:
        free = self.ray.available_resources().get("CPU", 0)
        total = self.ray.cluster_resources().get("CPU", 0)
        warnings.warn(
            f"no worker has started for {START_WARNING_SECONDS:.0f} s: {free:.0f} of the cluster's {total:.0f} CPUs are free",
            stacklevel=2,
        )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
