"""Games played by several processes, each with agents of its own."""

import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection, wait
from typing import NamedTuple, Self

from azul_agents.arena.chunks import Chunks
from azul_agents.arena.game import PlayedGame, Table, play_together
from azul_agents.arena.schedule import ScheduledGame
from azul_agents.base import Agent
from azul_agents.registry import make_agent

GRACE_SECONDS = 5.0  # that a process gets to close its agents before it is killed

MakeAgent = Callable[[str], Agent]


class Finished(NamedTuple):
    """A game of the schedule that is over."""

    game: ScheduledGame
    played: PlayedGame


# What plays games, such as `play_all`: games in, in any order out, with so many workers.
Play = Callable[[Sequence[ScheduledGame], int, MakeAgent], Generator[Finished, None, None]]


class Players(ExitStack):
    """The agents of one process: built when they are first needed, closed together on leaving."""

    def __init__(self, make: MakeAgent = make_agent) -> None:
        super().__init__()
        self._make = make
        self._agents: dict[tuple[str, int], Agent] = {}
        self._have_moved: set[Agent] = set()

    def __enter__(self) -> Self:
        return super().__enter__()

    def play(self, games: Sequence[ScheduledGame]) -> list[PlayedGame]:
        """Play games of the schedule: together, unless an agent wants one game at a time."""
        played: list[PlayedGame] = []
        together: list[Table] = []
        for game in games:
            table = self._table(game)
            if any(agent.one_game_at_a_time for agent in table.agents):
                played += play_together(together) + play_together([table])
                together = []
            else:
                together.append(table)
        return played + play_together(together)

    def _table(self, game: ScheduledGame) -> Table:
        """The table of a game, with all agents at their seats."""
        at_table: Counter[str] = Counter()
        by_place = []
        for spec in game.specs:
            by_place.append(self._agent(spec, at_table[spec]))
            at_table[spec] += 1
        agents = [by_place[place] for place in game.places]
        untimed = [seat for seat, agent in enumerate(agents) if agent not in self._have_moved]
        self._have_moved.update(agents)
        rngs = [game.agent_rng(place) for place in game.places]
        return Table(agents, game.deal_seed, rngs, untimed)

    def _agent(self, spec: str, copy: int) -> Agent:
        """The agent of a spec; another one for every further place that it has at a table."""
        if (spec, copy) not in self._agents:
            agent = self._make(spec)
            self.callback(agent.close)
            self._agents[spec, copy] = agent
        return self._agents[spec, copy]


def check_specs(specs: Iterable[str], make: MakeAgent = make_agent) -> None:
    """Build every agent once, so that a wrong spec is an error before any game begins."""
    for spec in dict.fromkeys(specs):
        make(spec).close()


def play_all(
    games: Iterable[ScheduledGame], jobs: int = 1, make: MakeAgent = make_agent
) -> Generator[Finished, None, None]:
    """Play games, with one job in this process and in order, else in processes and as they finish.

    Wrap it in `contextlib.closing`: leaving it early ends the processes and the agents in them. An exception of an
    agent is raised here; a process that dies raises ChildProcessError.
    """
    chunks = Chunks(games, jobs)
    if jobs == 1:
        with Players(make) as players:
            while chunk := chunks.take():
                start = time.perf_counter()
                played = players.play(chunk)
                chunks.note(len(chunk), time.perf_counter() - start)
                yield from map(Finished, chunk, played)
        return
    with _workers(jobs, make) as workers:
        yield from _handed_out(chunks, workers)


class _Worker:
    """A process that plays games, and this side of the pipe to it."""

    def __init__(self, make: MakeAgent) -> None:
        # Spawned: a fork would copy the threads' locks of compiled code and other workers' pipes.
        context = multiprocessing.get_context("spawn")
        self.connection, far_end = context.Pipe()
        self.process = context.Process(target=_work, args=(far_end, make), daemon=True)
        self.process.start()
        far_end.close()  # only the worker holds it, so its death ends the pipe
        self.games: list[ScheduledGame] = []  # that it is playing

    def give(self, games: list[ScheduledGame]) -> None:
        """Let it play some games."""
        self.games = games
        try:
            self.connection.send(games)
        except OSError:
            raise self._death() from None

    def take(self) -> tuple[list[Finished], float]:
        """The games it has played, and the seconds they took; waits for them."""
        try:
            played, seconds = self.connection.recv()
        except (EOFError, OSError):
            raise self._death() from None
        games, self.games = self.games, []
        if isinstance(played, Exception):
            raise played
        return list(map(Finished, games, played)), seconds

    def _death(self) -> ChildProcessError:
        self.process.join(GRACE_SECONDS)
        what = ""
        if self.games:
            what = f", playing {' - '.join(self.games[0].specs)}, deal {self.games[0].deal}"
        return ChildProcessError(
            f"a worker process ended (exit code {self.process.exitcode}){what}"
        )


def _handed_out(chunks: Chunks, workers: list[_Worker]) -> Iterator[Finished]:
    """Keep all workers busy until there is nothing left to play."""
    busy: dict[object, _Worker] = {}

    def give_next(worker: _Worker) -> None:
        if games := chunks.take():
            worker.give(games)
            busy[worker.connection] = worker

    for worker in workers:
        give_next(worker)
    while busy:
        for connection in wait([worker.connection for worker in busy.values()]):
            worker = busy.pop(connection)
            finished, seconds = worker.take()
            chunks.note(len(finished), seconds)
            give_next(worker)
            yield from finished


@contextmanager
def _workers(jobs: int, make: MakeAgent) -> Iterator[list[_Worker]]:
    """So many workers, all of which are gone afterwards."""
    workers: list[_Worker] = []
    try:
        with _interrupts_ignored():
            workers.extend(_Worker(make) for _ in range(jobs))
        yield workers
    finally:
        for worker in workers:
            worker.connection.close()  # idle ones leave by themselves
            if worker.games:
                worker.process.terminate()
        for worker in workers:
            worker.process.join(GRACE_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started now ignore Ctrl-C, which a terminal sends to all: this one decides what to do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(connection: Connection, make: MakeAgent) -> None:
    """What a worker does: play the games it is given until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with Players(make) as players:
        while True:
            try:
                games = connection.recv()
            except (EOFError, OSError):
                return
            answer = played_or_error(players, games)
            try:
                connection.send(answer)
            except OSError:  # the parent has gone
                return


def played_or_error(
    players: Players, games: Sequence[ScheduledGame]
) -> tuple[list[PlayedGame] | Exception, float]:
    """The games played, or the exception that an agent raised with its traceback; and the seconds they took."""
    start = time.perf_counter()
    played: list[PlayedGame] | Exception
    try:
        played = players.play(games)
    except Exception as error:
        where = traceback.format_exc()
        played = error
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            played = RuntimeError(f"{type(error).__name__} in a worker process")
        played.add_note(where)
    return played, time.perf_counter() - start


def _leave(*_: object) -> None:
    """End this process, closing its agents on the way."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # one is enough
    raise SystemExit(0)


def _leave_with_parent() -> None:
    """Not even a killed parent leaves workers, or the programs behind their agents, running."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
