"""Games played by several processes, each with agents of its own."""

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection, wait
from typing import NamedTuple, Self

from azul_agents.arena.game import PlayedGame, play_game
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

    def play(self, game: ScheduledGame) -> PlayedGame:
        """Play a game of the schedule."""
        at_table: Counter[str] = Counter()
        by_place = []
        for spec in game.specs:
            by_place.append(self._agent(spec, at_table[spec]))
            at_table[spec] += 1
        agents = [by_place[place] for place in game.places]
        untimed = [seat for seat, agent in enumerate(agents) if agent not in self._have_moved]
        self._have_moved.update(agents)
        rngs = [game.agent_rng(place) for place in game.places]
        return play_game(agents, game.deal_seed, rngs, untimed)

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
    if jobs == 1:
        with Players(make) as players:
            for game in games:
                yield Finished(game, players.play(game))
        return
    with _workers(jobs, make) as workers:
        yield from _handed_out(iter(games), workers)


class _Worker:
    """A process that plays games, and this side of the pipe to it."""

    def __init__(self, make: MakeAgent) -> None:
        # Spawned: a fork would copy the threads' locks of compiled code and other workers' pipes.
        context = multiprocessing.get_context("spawn")
        self.connection, far_end = context.Pipe()
        self.process = context.Process(target=_work, args=(far_end, make), daemon=True)
        self.process.start()
        far_end.close()  # only the worker holds it, so its death ends the pipe
        self.game: ScheduledGame | None = None

    def give(self, game: ScheduledGame) -> None:
        """Let it play a game."""
        self.game = game
        try:
            self.connection.send(game)
        except OSError:
            raise self._death() from None

    def take(self) -> Finished:
        """The game it has played; waits for it."""
        assert self.game is not None
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            raise self._death() from None
        game, self.game = self.game, None
        if isinstance(answer, Exception):
            raise answer
        return Finished(game, answer)

    def _death(self) -> ChildProcessError:
        self.process.join(GRACE_SECONDS)
        game = self.game
        what = f", playing {' - '.join(game.specs)}, deal {game.deal}" if game else ""
        return ChildProcessError(
            f"a worker process ended (exit code {self.process.exitcode}){what}"
        )


def _handed_out(games: Iterator[ScheduledGame], workers: list[_Worker]) -> Iterator[Finished]:
    """Keep all workers busy until there is nothing left to play."""
    busy: dict[object, _Worker] = {}

    def give_next(worker: _Worker) -> None:
        game = next(games, None)
        if game is not None:
            worker.give(game)
            busy[worker.connection] = worker

    for worker in workers:
        give_next(worker)
    while busy:
        for connection in wait([worker.connection for worker in busy.values()]):
            worker = busy.pop(connection)
            finished = worker.take()
            give_next(worker)
            yield finished


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
            if worker.game is not None:
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
                game = connection.recv()
            except (EOFError, OSError):
                return
            answer = played_or_error(players, game)
            try:
                connection.send(answer)
            except OSError:  # nobody is interested any more
                return


def played_or_error(players: Players, game: ScheduledGame) -> PlayedGame | Exception:
    """The game played, or the exception that an agent raised, with the place where it did."""
    try:
        return players.play(game)
    except Exception as error:
        where = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__} in a worker process")
        error.add_note(where)
        return error


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
