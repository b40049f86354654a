"""Games played by this process or by several worker processes, each with agents of its own."""

import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Final, NamedTuple

from azul_agents.arena.game import PlayedGame, Table, play_together
from azul_agents.arena.schedule import ScheduledGame
from azul_agents.arena.warmup import OWN_KINDS
from azul_agents.base import Agent, AgentFailureError, check_plays
from azul_agents.registry import AgentSpecError, make_agent, parse_spec

GRACE_SECONDS: Final = 5.0  # for a process to close its agents before it is killed
CHUNK_SECONDS: Final = 0.5  # of work in a chunk
MAX_CHUNK: Final = 128
PROBE_SECONDS: Final = 0.2  # of work from which the rest is estimated
WORKER_START_SECONDS: Final = 2.0  # of work below which starting processes does not pay
RAISED_BY_AGENT: Final = "This exception was raised by an agent's code."  # a note in it

MakeAgent = Callable[[str], Agent]


class Finished(NamedTuple):
    """A finished game and its schedule."""

    game: ScheduledGame
    played: PlayedGame


# An engine such as `play_all`: plays games with a number of workers and yields them in any order.
Play = Callable[[Sequence[ScheduledGame], int, MakeAgent], Generator[Finished, None, None]]


class Players(ExitStack):
    """The agents of one process: constructed on first use, closed together on exit."""

    def __init__(self, make: MakeAgent = make_agent) -> None:
        super().__init__()
        self._make = make
        self._agents: dict[tuple[str, int], Agent] = {}
        self._have_moved: set[Agent] = set()

    def play(self, games: Sequence[ScheduledGame]) -> list[PlayedGame]:
        """Play games in lockstep, except those with an agent that plays one game at a time."""
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
        """The table of a game."""
        copies: Counter[str] = Counter()
        by_number = []
        for spec in game.specs:
            by_number.append(self._agent(spec, copies[spec]))
            copies[spec] += 1
        agents = [by_number[number] for number in game.seating]
        untimed = [seat for seat, agent in enumerate(agents) if agent not in self._have_moved]
        self._have_moved.update(agents)
        rngs = [game.agent_rng(number) for number in game.seating]
        return Table(agents, game.deal_seed, rngs, untimed, game.variant)

    def _agent(self, spec: str, copy: int) -> Agent:
        """The agent of a spec; `copy` tells several at one table apart."""
        if (spec, copy) not in self._agents:
            agent = self._make(spec)
            self.callback(agent.close)
            self._agents[spec, copy] = agent
        return self._agents[spec, copy]


class Chunks:
    """Games left to play, handed out in chunks that take about CHUNK_SECONDS, estimated from the chunk before."""

    def __init__(self, games: Iterable[ScheduledGame], workers: int) -> None:
        self._games = iter(games)  # a schedule may be too long for memory
        self._workers = workers
        self._seconds_per_game: float | None = None
        self.waiting: deque[ScheduledGame] = deque()
        self._look_ahead()

    def take(self) -> list[ScheduledGame]:
        """The next games, fewer towards the end to keep all workers busy; empty if none are left."""
        size = 1
        if self._seconds_per_game is not None:
            fair = len(self.waiting) // (2 * self._workers) if self._workers > 1 else MAX_CHUNK
            size = max(1, min(MAX_CHUNK, fair, int(CHUNK_SECONDS / self._seconds_per_game)))
        chunk = [self.waiting.popleft() for _ in range(min(size, len(self.waiting)))]
        self._look_ahead()
        return chunk

    def _look_ahead(self) -> None:
        """Fill `waiting` with as many games as the size of a chunk can depend on."""
        wanted = 2 * self._workers * MAX_CHUNK - len(self.waiting)
        self.waiting.extend(islice(self._games, wanted))

    @property
    def seconds_left(self) -> float:
        """Estimated time for the games in `waiting`, perhaps not all that are left; infinite before the first timing."""
        return len(self.waiting) * (self._seconds_per_game or math.inf)

    def add_timing(self, games: int, seconds: float) -> None:
        """Update the estimate with the time that a chunk took."""
        self._seconds_per_game = max(seconds / games, 1e-6)  # the clock may be too coarse


def is_raised_by_agent(error: BaseException) -> bool:
    """True for an exception that `play_all` has passed on from an agent: a bug in its code."""
    return RAISED_BY_AGENT in getattr(error, "__notes__", ())


def check_specs(
    specs: Iterable[str],
    make: MakeAgent = make_agent,
    variant: str = "colored",
    players: Iterable[int] = (),
) -> None:
    """Construct every agent once, so that a wrong spec is an error before the first game.

    Raises AgentSpecError, VariantNotPlayedError for an agent that does not play the variant, and ValueError for one that
    does not play it with one of these numbers of players.
    """
    players = tuple(players)
    for spec in dict.fromkeys(specs):
        with closing(make(spec)) as agent:
            check_plays(agent, variant, *players)
            try:
                agent.check_ready()
            except AgentFailureError as error:
                raise AgentSpecError(str(error)) from None


def play_all(
    games: Iterable[ScheduledGame], jobs: int = 1, make: MakeAgent = make_agent
) -> Generator[Finished, None, None]:
    """Play games and yield them: in this process and in order for one job, else as worker processes finish them.

    Games between built-in agents start in this process and stay here if few are left; other agents may kill the process
    that runs them. Wrap the generator in `contextlib.closing`, which ends the processes and their agents on an early exit.
    Exceptions of agents are raised here; a process that dies raises ChildProcessError.
    """
    chunks = Chunks(games, jobs)
    if jobs == 1 or (make is make_agent and all(map(_is_own, chunks.waiting))):
        yield from _played_here(chunks, make, until_long=jobs > 1)
    if chunks.waiting:
        with _workers(jobs, make) as workers:
            yield from _distribute(chunks, workers)


def _is_own(game: ScheduledGame) -> bool:
    return all(parse_spec(spec).kind.name in OWN_KINDS for spec in set(game.specs))


def _played_here(chunks: Chunks, make: MakeAgent, until_long: bool) -> Iterator[Finished]:
    """Play games in this process, all of them or until the rest is known to take long."""
    # Processor time: on a busy machine, more processes would not be faster.
    began = time.process_time()
    is_long = False
    with Players(make) as players:
        while not is_long and (chunk := chunks.take()):
            start = time.process_time()
            try:
                played = players.play(chunk)
            except Exception as error:
                error.add_note(RAISED_BY_AGENT)
                raise
            end = time.process_time()
            chunks.add_timing(len(chunk), end - start)
            is_trusted = end - began > PROBE_SECONDS  # the first game is slower than the others
            is_long = until_long and is_trusted and chunks.seconds_left > WORKER_START_SECONDS
            yield from map(Finished, chunk, played)


class _Worker:
    """A worker process and our end of its pipe."""

    def __init__(self, make: MakeAgent) -> None:
        # Spawned: a fork would copy locks of compiled code and the pipes of other workers.
        context = multiprocessing.get_context("spawn")
        self.connection, far_end = context.Pipe()
        self.process = context.Process(target=_work, args=(far_end, make), daemon=True)
        self.process.start()
        far_end.close()  # only the worker has it now, so its death closes the pipe
        self.games: list[ScheduledGame] = []  # being played

    def send(self, games: list[ScheduledGame]) -> None:
        """Send games to play."""
        self.games = games
        try:
            self.connection.send(games)
        except OSError:
            raise self._death() from None

    def receive(self) -> tuple[list[Finished], float]:
        """Wait for the finished games, and the seconds they took."""
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
        message = f"a worker process ended (exit code {self.process.exitcode})"
        if self.games:
            message += f", playing {' - '.join(self.games[0].specs)}, deal {self.games[0].deal}"
        return ChildProcessError(message)


def _distribute(chunks: Chunks, workers: list[_Worker]) -> Iterator[Finished]:
    """Keep all workers busy until no games are left."""
    busy: dict[object, _Worker] = {}

    def send_next(worker: _Worker) -> None:
        if games := chunks.take():
            worker.send(games)
            busy[worker.connection] = worker

    for worker in workers:
        send_next(worker)
    while busy:
        for connection in wait([worker.connection for worker in busy.values()]):
            worker = busy.pop(connection)
            finished, seconds = worker.receive()
            chunks.add_timing(len(finished), seconds)
            send_next(worker)
            yield from finished


@contextmanager
def _workers(jobs: int, make: MakeAgent) -> Iterator[list[_Worker]]:
    """Start workers, and end all of them on exit."""
    workers: list[_Worker] = []
    try:
        with interrupts_held():
            workers.extend(_Worker(make) for _ in range(jobs))
        yield workers
    finally:
        for worker in workers:
            worker.connection.close()  # ends idle workers
            if worker.games:
                worker.process.terminate()
        for worker in workers:
            worker.process.join(GRACE_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Defer Ctrl-C while processes start: it is raised here afterwards, and never reaches them.

    A terminal sends it to all processes, and only this one handles it.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # started below, it would unblock the signal
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    # New processes inherit the mask; here another thread may still get the signal, hence the handler.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


def _work(connection: Connection, make: MakeAgent) -> None:
    """The main function of a worker: play games until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # see `interrupts_held`
    signal.signal(signal.SIGTERM, _exit)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    with Players(make) as players:
        while True:
            try:
                games = connection.recv()
            except (EOFError, OSError):
                return
            answer = played_or_error(players, games)
            try:
                connection.send(answer)
            except OSError:  # the parent is gone
                return


def played_or_error(
    players: Players, games: Sequence[ScheduledGame]
) -> tuple[list[PlayedGame] | Exception, float]:
    """The finished games, or the exception that an agent raised, and the seconds they took."""
    start = time.perf_counter()
    played: list[PlayedGame] | Exception
    try:
        played = players.play(games)
    except Exception as error:
        played = error
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            played = RuntimeError(f"{type(error).__name__} in a worker process")
        played.add_note("".join(traceback.format_exception(error)))
        played.add_note(RAISED_BY_AGENT)
    return played, time.perf_counter() - start


def _exit(*_: object) -> None:
    """Exit this process after closing its agents."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # only once
    raise SystemExit(0)


def _exit_with_parent() -> None:
    """Exit when the parent dies, even if it is killed: no worker and no bot process is left running."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
