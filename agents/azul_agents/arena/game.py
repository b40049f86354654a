"""Games between agents: each ends whatever they do, and everything that happened is in its record.

Games are played in lockstep: every agent is asked for all games in which it is to move, at once.
"""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import index as as_integer
from typing import Any, NamedTuple

import numpy as np

from azul_agents.base import Agent, AgentFailureError
from azul_env import (
    GameRecord,
    GameRecorder,
    IllegalActionError,
    legal_mask,
    ranking,
    winners,
)

# Of an answer. Python refuses to print very long numbers, so no record could hold them.
MAX_BITS = 64


@dataclass(frozen=True)
class GameResult:
    """How a game ended, everything by seat."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]  # from 1; equal ranks are shared
    forfeits: tuple[str | None, ...]  # why a seat lost by a forfeit
    moves: tuple[int, ...]  # answers that were timed
    seconds: tuple[float, ...]  # that these answers took together

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won, more than one if they share the victory."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


class PlayedGame(NamedTuple):
    """A game that is over: its result and all that happened."""

    result: GameResult
    record: GameRecord


def play_game(
    agents: Sequence[Agent],
    deal_seed: int,
    rngs: Sequence[np.random.Generator],
    untimed: Collection[int] = (),
) -> PlayedGame:
    """Play one game between agents, given by seat: see `Table` and `play_together`."""
    (played,) = play_together([Table(agents, deal_seed, rngs, untimed)])
    return played


def play_together(tables: Sequence["Table"]) -> list[PlayedGame]:
    """Play games in lockstep.

    An agent that fails or answers with anything but the number of a legal action loses by a forfeit; the others go on
    without it (R8). Any other exception is a bug and is passed on.
    """
    for table in tables:
        table.begin()
    while playing := [table for table in tables if not table.recorder.state.is_terminal]:
        asked: dict[tuple[Agent, int], list[Table]] = {}
        for table in playing:
            asked.setdefault((table.agent_to_move, len(table.agents)), []).append(table)
        for (agent, _), together in asked.items():
            _ask(agent, together)
    return [table.end() for table in tables]


class Table:
    """A game in the making, its agents by seat, each with a generator of its own; seat 0 starts.

    `deal_seed` seeds the deals. The first answer of the seats in `untimed` does not count as thinking time: it may load
    compiled code.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        deal_seed: int,
        rngs: Sequence[np.random.Generator],
        untimed: Collection[int] = (),
    ) -> None:
        names = [agent.spec for agent in agents]
        self.recorder = GameRecorder(len(agents), rng=deal_seed, agents=names)
        self.agents = agents
        self.rngs = rngs
        self.untimed = set(untimed)
        self.forfeits: list[str | None] = [None] * len(agents)
        self.moves = [0] * len(agents)
        self.seconds = [0.0] * len(agents)

    @property
    def agent_to_move(self) -> Agent:
        """The agent whose turn it is."""
        return self.agents[self.recorder.state.current_player]

    @property
    def rng_to_move(self) -> np.random.Generator:
        """The generator of the agent whose turn it is."""
        return self.rngs[self.recorder.state.current_player]

    def begin(self) -> None:
        """Tell all agents; those that cannot even begin lose at once."""
        failures: dict[int, str] = {}
        for seat, agent in enumerate(self.agents):
            try:
                agent.begin_game(len(self.agents), seat)
            except AgentFailureError as error:
                failures[seat] = str(error)
        for seat, why in failures.items():
            if not self.recorder.state.is_terminal:
                self._forfeit(seat, why)

    def take(self, answer: Any, seconds: float) -> None:
        """Play what the agent to move has answered, after so many seconds."""
        seat = self.recorder.state.current_player
        if isinstance(answer, AgentFailureError):
            self._forfeit(seat, str(answer))
            return
        if seat in self.untimed:
            self.untimed.remove(seat)
        else:
            self.moves[seat] += 1
            self.seconds[seat] += seconds
        number, why = _number_in(answer)
        if number is None:
            self._forfeit(seat, why)
            return
        try:
            self.recorder.draft(number)
        except IllegalActionError as error:
            self._forfeit(seat, f"illegal action {number}: {error.reason.name}")

    def end(self) -> PlayedGame:
        """Tell all agents, whose failures cost nothing any more, and sum up."""
        state = self.recorder.state
        for agent in self.agents:
            with suppress(AgentFailureError):
                agent.end_game(state.scores, winners(state))
        result = GameResult(
            state.scores,
            ranking(state),
            tuple(self.forfeits),
            tuple(self.moves),
            tuple(self.seconds),
        )
        return PlayedGame(result, self.recorder.record)

    def _forfeit(self, seat: int, why: str) -> None:
        self.forfeits[seat] = why
        self.recorder.resign(seat, forfeit=why)


def _ask(agent: Agent, tables: Sequence[Table]) -> None:
    """Ask an agent for its actions in all games in which it is to move, and play them."""
    if len(tables) == 1 or type(agent).act_batch is Agent.act_batch:
        for table in tables:
            state, start = table.recorder.state, time.perf_counter()
            try:
                answer: Any = agent.act(state, legal_mask(state), table.rng_to_move)
            except AgentFailureError as error:
                answer = error
            table.take(answer, time.perf_counter() - start)
        return
    states = [table.recorder.state for table in tables]
    rows = np.concatenate([state.rows for state in states])
    masks = np.stack([legal_mask(state) for state in states])
    start = time.perf_counter()
    try:
        answers: Any = agent.act_batch(rows, masks, [table.rng_to_move for table in tables])
    except AgentFailureError as error:
        answers = [error] * len(tables)
    seconds = (time.perf_counter() - start) / len(tables)
    for table, answer in zip(tables, answers, strict=True):
        table.take(answer, seconds)


def _number_in(answer: Any) -> tuple[int | None, str]:
    """The whole number that an answer is, or None and why it is none."""
    try:
        number = as_integer(answer)
    except TypeError:
        number = None
    if number is None or isinstance(answer, bool):
        return None, f"an answer of type {type(answer).__name__} is no action's number"
    if number.bit_length() > MAX_BITS:
        return None, f"a number of {number.bit_length()} bits is no action's"
    return number, ""
