"""Games between agents, with records. A failing agent forfeits, so every game ends.

Many games are played in lockstep: an agent is asked at once for its actions in all games in which it is to move.
"""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import index as as_integer
from typing import Any, NamedTuple

import numpy as np

from azul_agents.base import Agent, AgentFailureError, answers, check_plays
from azul_env import (
    GameRecord,
    GameRecorder,
    IllegalActionError,
    brief,
    legal_mask,
    ranking,
    winners,
)

MAX_REASON_LETTERS = 4000  # of a forfeit; a bot's last words on stderr may be half of it
MAX_BITS = 64  # of an answer; Python refuses to print very long integers


@dataclass(frozen=True)
class GameResult:
    """The result of a game; all fields are by seat."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]  # from 1; ties share a rank
    forfeits: tuple[str | None, ...]  # reason of a forfeit
    moves: tuple[int, ...]  # timed moves
    seconds: tuple[float, ...]  # total thinking time of the timed moves

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; several if the win is shared."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


class PlayedGame(NamedTuple):
    """A finished game."""

    result: GameResult
    record: GameRecord


def play_game(
    agents: Sequence[Agent],
    deal_seed: int,
    rngs: Sequence[np.random.Generator],
    untimed: Collection[int] = (),
    variant: str = "colored",
) -> PlayedGame:
    """Play one game; the arguments are those of `Table`."""
    (played,) = play_together([Table(agents, deal_seed, rngs, untimed, variant)])
    return played


def play_together(tables: Sequence["Table"]) -> list[PlayedGame]:
    """Play games in lockstep.

    An agent that raises AgentFailureError or does not answer with a legal action forfeits; the others continue without
    it (R8). Other exceptions are bugs and are passed on.
    """
    for table in tables:
        table.begin()
    while playing := [table for table in tables if not table.recorder.state.is_terminal]:
        asked: dict[tuple[Agent, int, str], list[Table]] = {}
        for table in playing:
            kind = (table.agent_to_move, len(table.agents), table.recorder.record.variant)
            asked.setdefault(kind, []).append(table)
        for (agent, *_), together in asked.items():
            _ask(agent, together)
    return [table.end() for table in tables]


class Table:
    """A game in progress: agents and their generators by seat; seat 0 starts.

    `deal_seed` seeds the deals. The first move of the seats in `untimed` is not timed: it may load compiled code. Raises
    VariantNotPlayedError for an agent that does not play the variant.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        deal_seed: int,
        rngs: Sequence[np.random.Generator],
        untimed: Collection[int] = (),
        variant: str = "colored",
    ) -> None:
        for agent in agents:
            check_plays(agent, variant, len(agents))
        names = [agent.spec for agent in agents]
        self.recorder = GameRecorder(len(agents), rng=deal_seed, agents=names, variant=variant)
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
        """Call `begin_game` of all agents; those that fail forfeit at once."""
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
        """Play the answer of the agent to move; `seconds` is its thinking time."""
        seat = self.recorder.state.current_player
        if isinstance(answer, AgentFailureError):
            self._forfeit(seat, str(answer))
            return
        if seat in self.untimed:
            self.untimed.remove(seat)
        else:
            self.moves[seat] += 1
            self.seconds[seat] += seconds
        number, why = _action_number(answer)
        if number is None:
            self._forfeit(seat, why)
            return
        try:
            self.recorder.draft(number)
        except IllegalActionError as error:
            self._forfeit(seat, f"illegal action {number}: {error.reason.name}")

    def end(self) -> PlayedGame:
        """Call `end_game` of all agents, ignoring failures; the finished game."""
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
        why = brief(why, MAX_REASON_LETTERS)  # it may quote a bot or a user's exception
        self.forfeits[seat] = why
        self.recorder.resign(seat, forfeit=why)


def _ask(agent: Agent, tables: Sequence[Table]) -> None:
    """Ask an agent for its actions at some tables, and play them."""
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
    masks = np.stack([legal_mask(state) for state in states])
    start = time.perf_counter()
    try:
        chosen: Any = answers(agent, states, masks, [table.rng_to_move for table in tables])
    except AgentFailureError as error:
        chosen = [error] * len(tables)
    seconds = (time.perf_counter() - start) / len(tables)
    for table, answer in zip(tables, chosen, strict=True):
        table.take(answer, seconds)


def _action_number(answer: Any) -> tuple[int | None, str]:
    """The answer as an integer, or None and the reason for a forfeit."""
    try:
        number = as_integer(answer)
    except TypeError:
        number = None
    if number is None or isinstance(answer, bool | np.bool):
        return None, f"an answer of type {type(answer).__name__} is not an action number"
    if number.bit_length() > MAX_BITS:
        return None, f"an integer of {number.bit_length()} bits is not an action number"
    return number, ""
