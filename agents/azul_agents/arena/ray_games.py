"""Games played by Ray actors, on this machine or on many: the second engine of tournaments.

A game's seeds are in its schedule, so it does not matter where it is played, nor how often it was begun. A worker that
dies costs the games it was playing, which are played again, one at a time, by another.
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
from azul_agents.arena.chunks import Chunks
from azul_agents.arena.game import PlayedGame
from azul_agents.arena.ray_session import ray_session
from azul_agents.arena.schedule import ScheduledGame
from azul_agents.arena.workers import Finished, MakeAgent, Players, played_or_error
from azul_agents.registry import make_agent
from azul_env.core.jit import source_digest

MAX_TRIES: Final = 3  # of a game whose workers die
CLOSE_SECONDS: Final = 5.0  # that workers get to close their agents
PATIENCE_SECONDS: Final = 60.0  # without any worker, before a warning


class WorkersDiedError(ChildProcessError):
    """Workers that die, again and again."""


class Introduction(NamedTuple):
    """What a worker says of itself when it has started."""

    host: str
    pid: int
    code: str  # digest of the sources it plays with


class GameWorker:
    """What an actor runs: agents of its own, and games on request."""

    def __init__(self, make: MakeAgent, import_path: Sequence[str]) -> None:
        """`import_path` is the starter's: agents may be Python modules of its folders."""
        sys.path += [folder for folder in import_path if folder not in sys.path]
        self.players = Players(make)

    def introduce(self) -> Introduction:
        """Who this is."""
        return Introduction(socket.gethostname(), os.getpid(), code_digest())

    def play(self, games: Sequence[ScheduledGame]) -> tuple[list[PlayedGame] | Exception, float]:
        """The games played, or the exception of an agent, and the seconds they took."""
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
    """Play games on so many actors and give them as they finish; an engine for `run_tournament`.

    Joins the Ray at `address`, else starts one on this machine and ends it afterwards. An exception of an agent is
    raised here; a game whose workers died MAX_TRIES times raises WorkersDiedError.
    """
    with ray_session(address, jobs) as ray:
        crew = _Crew(ray, games, jobs, make)
        try:
            for _ in range(jobs):
                crew.hire()
            while crew.is_busy:
                yield from crew.next_finished()
        finally:
            crew.dismiss()


def code_digest() -> str:
    """Names the code that games are played with: equal on two machines whose games are equal."""
    return source_digest(Path(azul_agents.__file__).parent)


class _Crew:
    """The actors and what is left for them to play."""

    def __init__(
        self, ray: Any, games: Iterable[ScheduledGame], jobs: int, make: MakeAgent
    ) -> None:
        self.ray = ray
        self.make = make
        # Memory and restarts are left to this class: an actor that dies is replaced.
        self.remote: Any = ray.remote(num_cpus=1, max_restarts=0)(GameWorker)
        self.chunks = Chunks(games, jobs)
        self.retries: deque[ScheduledGame] = deque()  # played alone, so that a deadly game is found
        self.deaths: Counter[ScheduledGame] = Counter()
        self.starting: dict[Any, Any] = {}  # the awaited answer -> the actor it comes from
        self.playing: dict[Any, tuple[Any, list[ScheduledGame]]] = {}
        self.idle: list[Any] = []
        self.failed_starts = 0  # in a row

    @property
    def is_busy(self) -> bool:
        """Whether there is anything left to play or to wait for."""
        return bool(self.chunks.waiting or self.retries or self.playing)

    def hire(self) -> None:
        """Start an actor. It gets games once it has introduced itself, so one that finds no place holds up none."""
        actor = self.remote.remote(self.make, sys.path)
        self.starting[actor.introduce.remote()] = actor

    def next_finished(self) -> Iterator[Finished]:
        """Wait for whatever comes next: games that are over, or none if a worker came or went."""
        patience = None if self.playing else PATIENCE_SECONDS
        awaited = [*self.starting, *self.playing]
        ready, _ = self.ray.wait(awaited, num_returns=1, timeout=patience)
        if not ready:
            self._complain()
        elif ready[0] in self.starting:
            self._welcome(ready[0])
        else:
            yield from self._collect(ready[0])

    def dismiss(self) -> None:
        """Let all agents be closed, then end the actors."""
        busy = [actor for actor, _ in self.playing.values()]
        closing = [actor.close.remote() for actor in self.idle]
        if closing:
            self.ray.wait(closing, num_returns=len(closing), timeout=CLOSE_SECONDS)
        for actor in [*self.idle, *busy, *self.starting.values()]:
            self.ray.kill(actor)

    def _welcome(self, answer: Any) -> None:
        """Put a new worker to work, unless it plays with other code than this program."""
        actor = self.starting.pop(answer)
        try:
            worker: Introduction = self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            self.failed_starts += 1
            if self.failed_starts >= MAX_TRIES:
                raise WorkersDiedError(f"no worker can start: {_first_line(error)}") from error
            self.hire()
            return
        if worker.code != code_digest():
            raise ValueError(
                f"{worker.host} has other versions of azul-env, NumPy or Numba than this machine, so its games could "
                "differ: install the same ones on every node"
            )
        self.failed_starts = 0
        self.idle.append(actor)
        self._give_games()

    def _give_games(self) -> None:
        """Give games to everybody who has none."""
        while self.idle and (self.chunks.waiting or self.retries):
            actor = self.idle.pop()
            # A game whose worker died is played again alone, so that a deadly one is found.
            chunk = [self.retries.popleft()] if self.retries else self.chunks.take()
            self.playing[actor.play.remote(chunk)] = (actor, chunk)

    def _collect(self, answer: Any) -> Iterator[Finished]:
        """What a worker has played; its next games are on their way before these are looked at."""
        actor, games = self.playing.pop(answer)
        try:
            played, seconds = self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            self._replace(actor, games, error)
            return
        self.idle.append(actor)
        self.chunks.note(len(games), seconds)
        self._give_games()
        if isinstance(played, Exception):
            raise played
        yield from map(Finished, games, played)

    def _replace(self, actor: Any, games: list[ScheduledGame], error: Exception) -> None:
        """Take the games of a worker that died back, and another worker."""
        self.ray.kill(actor)  # it may only be out of reach, and must not go on playing
        for game in games:
            self.deaths[game] += 1
            if self.deaths[game] >= MAX_TRIES:
                raise WorkersDiedError(
                    f"the game {' - '.join(game.specs)}, deal {game.deal}, rotation {game.rotation} lost its worker "
                    f"{MAX_TRIES} times: {_first_line(error)}"
                ) from error
        self.retries.extend(games)
        self.hire()
        self._give_games()

    def _complain(self) -> None:
        free = self.ray.available_resources().get("CPU", 0)
        total = self.ray.cluster_resources().get("CPU", 0)
        warnings.warn(
            f"no worker has started for {PATIENCE_SECONDS:.0f} s: {free:.0f} of the cluster's {total:.0f} CPUs are free",
            stacklevel=2,
        )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
