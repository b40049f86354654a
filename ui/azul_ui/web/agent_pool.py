"""A pool of warm agents shared by all games: a game borrows one only while it thinks."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents import Agent, AgentFailureError, make_agent, parse_spec
from azul_agents.base import VARIANTS, VariantNotPlayedError, check_plays
from azul_agents.registry import OWN_ORIGIN
from azul_env import GameState

MAX_IDLE: Final = 12  # agents not in use; a search holds up to 100 MB


class _Key(NamedTuple):
    spec: str
    num_players: int  # networks are loaded for one number of players


class AgentPool:
    """Agents by spec. Threads may use it at the same time."""

    def __init__(self, make: Callable[[str], Agent] = make_agent) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._idle: OrderedDict[int, tuple[_Key, Agent]] = OrderedDict()  # the last used last
        self._warm: set[tuple[str, str]] = set()  # kinds and variants
        self._variants: dict[str, tuple[str, ...]] = {}  # by spec, where an agent has been asked
        self._is_closed = False

    def is_warm(self, spec: str, variant: str) -> bool:
        """True if an agent of this kind has been used in this variant: another one needs no compiling."""
        return (_kind(spec), variant) in self._warm

    def seated(self, spec: str, variant: str) -> Agent:
        """An agent for one seat of one game: a borrower, or a dedicated agent if it remembers its game.

        Raises VariantNotPlayedError.
        """
        if is_shared(spec):
            declared = parse_spec(spec).kind.variants
            borrower = BorrowingAgent(spec, self, declared or self._variants.get(spec))
            if declared is not None:  # making an agent may compile for a minute
                check_plays(borrower, variant)
            if variant in borrower.variants:
                return borrower
        # Made in order to ask it; the first game takes it.
        key = _Key(spec, 0)
        agent = self._taken(key) or self._make(spec)
        self._variants[spec] = tuple(agent.variants)
        try:
            check_plays(agent, variant)
        except VariantNotPlayedError:
            _close(agent)
            raise
        if agent.one_game_at_a_time:
            return agent
        self._give_back(key, agent)
        return BorrowingAgent(spec, self, agent.variants)

    def plays(self, spec: str, variant: str) -> bool:
        """True if an agent plays a variant, or if it cannot be made: then a game will report why."""
        try:
            agent = self.seated(spec, variant)
        except VariantNotPlayedError:
            return False
        except Exception:  # third-party code may raise anything
            return True
        _close(agent)  # a borrower has nothing to close
        return True

    def check_table(self, spec: str, num_players: int, variant: str) -> None:
        """Raise ValueError if an agent does not play this variant with this many players."""
        key = _Key(spec, num_players)
        agent = self._taken(key) or self._make(spec)
        try:
            agent.check_table(num_players, variant)
        finally:
            self._give_back(key, agent)

    @contextmanager
    def borrowed(self, spec: str, state: GameState) -> Iterator[Agent]:
        """Borrow an agent to think about a state; it is made if none is idle. One that fails is not reused."""
        key = _Key(spec, state.num_players)
        agent = self._taken(key) or self._make(spec)
        try:
            yield agent
        except BaseException:
            _close(agent)
            raise
        self._warm.add((_kind(spec), state.variant))
        self._give_back(key, agent)

    def close(self) -> None:
        """Close all idle agents; those that are still borrowed are closed when they come back."""
        with self._lock:
            self._is_closed = True
            agents = [agent for _, agent in self._idle.values()]
            self._idle.clear()
        for agent in agents:
            _close(agent)

    def _taken(self, key: _Key) -> Agent | None:
        with self._lock:
            fitting = (key, _Key(key.spec, 0))
            for number, (owned, agent) in reversed(self._idle.items()):
                if owned in fitting:
                    del self._idle[number]
                    return agent
        return None

    def _give_back(self, key: _Key, agent: Agent) -> None:
        surplus = []
        with self._lock:
            self._idle[id(agent)] = (key, agent)
            while len(self._idle) > (0 if self._is_closed else MAX_IDLE):
                surplus.append(self._idle.popitem(last=False)[1][1])
        for each in surplus:
            _close(each)


class BorrowingAgent(Agent):
    """A seat's agent that borrows one from the pool for every move."""

    def __init__(self, spec: str, pool: AgentPool, variants: Sequence[str] | None = None) -> None:
        """`variants` are those the agent plays; None: only those that all agents play are known."""
        self.spec = spec
        self.variants = variants or Agent.variants
        self._pool = pool

    def check_table(self, num_players: int, variant: str) -> None:
        """Ask the agent, unless all agents play the variant: then one is made only when it is to move."""
        if variant not in Agent.variants:
            self._pool.check_table(self.spec, num_players, variant)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The answer of a borrowed agent."""
        with self._pool.borrowed(self.spec, state) as agent:
            return agent.act(state, legal_mask, rng)


class AbsentAgent(Agent):
    """A placeholder for the agent of a seat in a read-only game."""

    variants = VARIANTS

    def __init__(self, spec: str) -> None:
        self.spec = spec

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """Never called: the game is read-only."""
        raise AgentFailureError(f"{self.spec} is not here")


def is_shared(spec: str) -> bool:
    """True for our own agents, which remember nothing of a game, without making one to ask it."""
    kind = parse_spec(spec).kind
    return kind.origin == OWN_ORIGIN and not kind.takes_rest


def _kind(spec: str) -> str:
    return parse_spec(spec).kind.name


def _close(agent: Agent) -> None:
    with suppress(AgentFailureError):
        agent.close()
