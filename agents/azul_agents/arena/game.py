"""One game between agents: it ends whatever they do, and everything that happened is in its record."""

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
    GameState,
    IllegalActionError,
    legal_mask,
    ranking,
    winners,
)

MAX_BITS = (
    64  # of an answer; Python refuses to print very long numbers, so no record could tell them
)


@dataclass(frozen=True)
class GameResult:
    """How a game ended, everything by seat."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]  # from 1; equal ranks are shared
    forfeits: tuple[str | None, ...]  # why a seat lost by a forfeit
    moves: tuple[int, ...]  # answers whose time was taken
    seconds: tuple[float, ...]  # that these answers took together

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won, more than one if they share the victory."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


class PlayedGame(NamedTuple):
    """A game that is over: its result and all that happened."""

    result: GameResult
    record: GameRecord


class Forfeit(NamedTuple):
    """Why an answer loses the game."""

    why: str


def play_game(
    agents: Sequence[Agent],
    deal_seed: int,
    rngs: Sequence[np.random.Generator],
    untimed: Collection[int] = (),
) -> PlayedGame:
    """Play a game between agents, given by seat, each with a generator of its own; seat 0 starts.

    `deal_seed` seeds the generator that deals, which no agent gets. An agent that fails or answers with anything but
    the number of a legal action loses by a forfeit; the others go on without it (R8). Any other exception is a bug and
    is passed on. The first answer of the seats in `untimed` does not count as thinking time: it may load compiled code.
    """
    table = _Table(agents, deal_seed, rngs, untimed)
    table.begin()
    while not table.recorder.state.is_terminal:
        table.play_turn()
    return table.end()


class _Table:
    """A game in the making."""

    def __init__(
        self,
        agents: Sequence[Agent],
        deal_seed: int,
        rngs: Sequence[np.random.Generator],
        untimed: Collection[int],
    ) -> None:
        names = [agent.spec for agent in agents]
        self.recorder = GameRecorder(len(agents), rng=deal_seed, agents=names)
        self.agents = agents
        self.rngs = rngs
        self.untimed = set(untimed)
        self.forfeits: list[str | None] = [None] * len(agents)
        self.moves = [0] * len(agents)
        self.seconds = [0.0] * len(agents)

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

    def play_turn(self) -> None:
        """Ask the player to move and play what it says."""
        seat = self.recorder.state.current_player
        answer = self._answer_of(seat, self.recorder.state)
        if isinstance(answer, Forfeit):
            self._forfeit(seat, answer.why)
            return
        try:
            self.recorder.draft(answer)
        except IllegalActionError as error:
            self._forfeit(seat, f"illegal action {answer}: {error.reason.name}")

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

    def _answer_of(self, seat: int, state: GameState) -> int | Forfeit:
        """The number that an agent answers with, legal or not, and the time it took on its account."""
        mask = legal_mask(state)
        start = time.perf_counter()
        try:
            answer: Any = self.agents[seat].act(state, mask, self.rngs[seat])
        except AgentFailureError as error:
            return Forfeit(str(error))
        elapsed = time.perf_counter() - start
        if seat in self.untimed:
            self.untimed.remove(seat)
        else:
            self.moves[seat] += 1
            self.seconds[seat] += elapsed
        return _number_in(answer)

    def _forfeit(self, seat: int, why: str) -> None:
        self.forfeits[seat] = why
        self.recorder.resign(seat, forfeit=why)


def _number_in(answer: Any) -> int | Forfeit:
    """The whole number that an answer is."""
    try:
        number = as_integer(answer)
    except TypeError:
        number = None
    if number is None or isinstance(answer, bool):
        return Forfeit(f"an answer of type {type(answer).__name__} is no action's number")
    if number.bit_length() > MAX_BITS:
        return Forfeit(f"a number of {number.bit_length()} bits is no action's")
    return number
