"""A game between people and agents: whose turn it is, what is dealt, undo and redo.

Deals and agents are functions of the game's seed: deals by the rule of docs/SPEC.md, and each turn of an agent has a
generator of its own. So undo needs no generator state: after it the same deals come again, exactly while the bag lasts,
and afterwards wherever bag and lid are the same. A resumed game continues as if it had not been interrupted.
"""

import contextlib
import dataclasses
import itertools
import secrets
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from azul_agents import Agent, AgentFailureError, make_agent
from azul_agents.base import check_plays
from azul_env import (
    DEFAULT_MAX_ROUNDS,
    GameRecord,
    GameRecorder,
    GameState,
    IllegalActionError,
    RoundScoring,
    from_dict,
    legal_mask,
    replay,
    resignation_scoring,
    round_scoring,
    to_dict,
    verify,
    winners,
)
from azul_env.record_events import event_action
from azul_env.record_form import Event

PERSON: Final = "human"  # a person's name in the list of agents of a record
SEED_BITS: Final = 32  # of a seed that is drawn
TURNS: Final = ("draft", "tile", "resign")
AGENT_STREAM: Final = 1_000_002  # a spawn key larger than any round number


class Happening(NamedTuple):
    """A draft, a choice of a column or a resignation, and the positions around it."""

    before: GameState
    event: Event
    after: GameState

    @property
    def action(self) -> int | None:
        """The number of its action; None for a resignation."""
        return event_action(self.before, self.event)

    @property
    def scoring(self) -> RoundScoring | None:
        """The scoring that it triggered, if any: of a round or game; in a gray game also of tiles within a round."""
        if self.action is None:
            return resignation_scoring(self.before, self.event["player"])
        return round_scoring(self.before, self.action)


def opponent_generator(seed: int, turn: int) -> np.random.Generator:
    """The generator that an agent gets for one turn."""
    # Seeded with a hash: a generator reveals its seed, from which an agent could otherwise work out the deals.
    words = np.random.SeedSequence(seed, spawn_key=(AGENT_STREAM, turn)).generate_state(4)
    return np.random.Generator(np.random.PCG64(words.tolist()))


class GameSession:
    """A game with a person (PERSON) or an agent (its spec) in every seat. The caller closes it in the end.

    Not thread-safe: one thread at a time calls it. The exception is `agent_choice`, which changes nothing: it may run in
    another thread, one at a time, while this one plays, undoes or redoes. `apply_choice` then refuses a choice that came
    too late.
    """

    def __init__(
        self,
        seats: Sequence[str],
        seed: int | None = None,
        *,
        starting_player: int = 0,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        variant: str = "colored",
        record: GameRecord | None = None,
        position: GameState | None = None,
        undone: Sequence[Sequence[Event]] = (),
        names: Sequence[str | None] = (),
        make_agent: Callable[[str], Agent] = make_agent,
    ) -> None:
        """Start a game, or go on with `record`, which is copied; `seats` replace its agents.

        `position` is where the game begins or, with `record`, began; None stands for a game from its first deal.
        `undone` is what `redo` brings back; `names` are those of the people, by seat, if they gave any. Without a seed,
        that of the record is used or one is drawn. Raises ValueError.
        """
        self._seats = tuple(seats)
        self.names = tuple(names)
        if names and len(names) != len(seats):
            raise ValueError(f"{len(names)} names for {len(seats)} seats")
        self._position = None if position is None else _playable(position)
        if record is None:
            seed = secrets.randbits(SEED_BITS) if seed is None else seed
            record = self._new_record(seed, starting_player, max_rounds, variant)
        elif len(seats) != record.num_players:
            raise ValueError(f"{len(seats)} seats for a game of {record.num_players} players")
        self._undone = [list(events) for events in undone]  # the last undone is the last
        self._go_on_from(_resumable(record, self._seats, seed))
        if self._undone:
            later = itertools.chain(self.record.events, *reversed(self._undone))
            verify(dataclasses.replace(self.record, events=list(later)), self._position)
        steps = list(replay(self.record, self._position))
        self._history = [
            Happening(before.state, after.event, after.state)
            for before, after in itertools.pairwise(steps)
            if after.event is not None
        ]
        self._position_number = 0
        self._agents: dict[int, Agent] = {}
        self._seat_agents(make_agent)

    @property
    def state(self) -> GameState:
        """The current position."""
        return self._recorder.state

    @property
    def record(self) -> GameRecord:
        """The record so far; with a `position`, its events lack the first deal. Never modify it."""
        return self._recorder.record

    @property
    def position(self) -> GameState | None:
        """The set-up position that the game began from; None if it began with a deal."""
        return self._position

    @property
    def position_number(self) -> int:
        """A number that changes whenever the position does, for `apply_choice`."""
        return self._position_number

    @property
    def seats(self) -> tuple[str, ...]:
        """PERSON or the agent's spec, by seat."""
        return self._seats

    @property
    def persons(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, name in enumerate(self._seats) if name == PERSON)

    @property
    def seed(self) -> int:
        """The seed of deals and agents."""
        assert self.record.seed is not None
        return self.record.seed

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self._seats)

    @property
    def is_over(self) -> bool:
        """True if the game is over."""
        return self.state.is_terminal

    @property
    def to_move_is_person(self) -> bool:
        """True if the game waits for a person."""
        return not self.is_over and self._seats[self.state.current_player] == PERSON

    @property
    def history(self) -> list[Happening]:
        """All drafts, choices of columns and resignations, in order."""
        return list(self._history)

    @property
    def undone(self) -> list[list[Event]]:
        """The events that `redo` brings back, a list for each undo; the last undone is the last."""
        return [list(events) for events in self._undone]

    @property
    def can_undo(self) -> bool:
        """True if a person has decided anything."""
        return self._last_decision() is not None

    @property
    def can_redo(self) -> bool:
        """True if the last change was an undo, or a redo that left more to bring back."""
        return bool(self._undone)

    def play(self, action: int) -> Happening:
        """A person's move. Raises IllegalActionError, or ValueError if an agent is to move."""
        if not self.is_over and not self.to_move_is_person:
            raise ValueError(f"it is the turn of {self._to_move()}")
        return self._draft(action)

    def resign(self, seat: int | None = None) -> Happening:
        """A person resigns: the one to move, or the only one, unless a seat is given. Raises ValueError."""
        if seat is None:
            left = [each for each in self.persons if self.state.players[each].resigned is None]
            seat = self.state.current_player if self.to_move_is_person else None
            if seat is None and len(left) == 1:
                (seat,) = left
        if seat not in self.persons:
            raise ValueError("only a person resigns: name the seat of one")
        return self._resign(seat, None)

    def agent_turn(self) -> Happening:
        """Let the agent to move play; one that fails loses by a forfeit. Raises ValueError if no agent is to move."""
        number = self._position_number
        try:
            happening = self.apply_choice(number, self.agent_choice())
        except AgentFailureError as error:
            happening = self.forfeit(number, str(error))
        assert happening is not None, "nothing else changed the position"
        return happening

    def agent_choice(self) -> int:
        """The action of the agent to move; changes nothing. Raises AgentFailureError; ValueError if no agent is to move."""
        recorder = self._recorder  # undo replaces it
        state, turn = recorder.state, len(recorder.record.events)
        self._require_agent(state)
        agent = self._agents[state.current_player]
        return agent.act(state, legal_mask(state), opponent_generator(self.seed, turn))

    def apply_choice(self, position_number: int, action: int) -> Happening | None:
        """Play an agent's choice for the position of that number; None if the position has changed since.

        An illegal action is a forfeit.
        """
        if position_number != self._position_number:
            return None
        self._require_agent(self.state)
        try:
            return self._draft(action)
        except (IllegalActionError, TypeError) as error:
            return self.forfeit(position_number, str(error))

    def forfeit(self, position_number: int, reason: str) -> Happening | None:
        """Forfeit the game for the agent to move; None if the position has changed since."""
        if position_number != self._position_number:
            return None
        self._require_agent(self.state)
        return self._resign(self.state.current_player, reason)

    def undo(self) -> None:
        """Go back to the last decision of a person, over the end of a round or of the game if need be."""
        last = self._last_decision()
        if last is None:
            raise ValueError("there is no move of yours to take back")
        events = self.record.events
        turns = [index for index, event in enumerate(events) if event["type"] in TURNS]
        cut = turns[last]
        if self.is_over:
            _begin(self._agents, self.num_players)
        self._go_on_from(dataclasses.replace(self.record, events=events[:cut]))
        self._undone.append(events[cut:])
        del self._history[last:]
        self._position_number += 1

    def redo(self) -> None:
        """Bring back what the last undo took back. Raises ValueError if nothing is left to bring back."""
        if not self._undone:
            raise ValueError("there is nothing to bring back")
        known = len(self._history)
        events = [*self.record.events, *self._undone[-1]]
        self._go_on_from(dataclasses.replace(self.record, events=events))
        del self._undone[-1]
        steps = list(replay(self.record, self._position))[known:]
        for before, after in itertools.pairwise(steps):
            assert after.event is not None
            self._history.append(Happening(before.state, after.event, after.state))
        self._position_number += 1
        self._tell_agents_of_the_end()

    def close(self) -> None:
        """Dismiss the agents."""
        _dismiss(self._agents)
        self._agents = {}

    def _last_decision(self) -> int | None:
        """The index in the history of a person's last decision."""
        for index in reversed(range(len(self._history))):
            if self._seats[self._history[index].event["player"]] == PERSON:
                return index
        return None

    def _to_move(self) -> str:
        seat = self.state.current_player
        return f"{self._seats[seat]} in seat {seat}"

    def _require_agent(self, state: GameState) -> None:
        if state.is_terminal:
            raise ValueError("the game is over")
        if self._seats[state.current_player] == PERSON:
            raise ValueError(f"it is the turn of {self._to_move()}")

    def _draft(self, action: int) -> Happening:
        before, index = self.state, len(self.record.events)
        self._recorder.draft(action)
        return self._happened(before, index)

    def _resign(self, seat: int, forfeit: str | None) -> Happening:
        before, index = self.state, len(self.record.events)
        self._recorder.resign(seat, forfeit)
        return self._happened(before, index)

    def _happened(self, before: GameState, index: int) -> Happening:
        happening = Happening(before, self.record.events[index], self.state)
        self._history.append(happening)
        self._undone.clear()
        self._position_number += 1
        self._tell_agents_of_the_end()
        return happening

    def _tell_agents_of_the_end(self) -> None:
        if self.is_over:
            for agent in self._agents.values():
                with contextlib.suppress(AgentFailureError):
                    agent.end_game(self.state.scores, winners(self.state))

    def _new_record(
        self, seed: int, starting_player: int, max_rounds: int, variant: str
    ) -> GameRecord:
        start, players = self._position, len(self._seats)
        if start is None:
            new_game = GameRecorder(players, starting_player, seed, max_rounds, variant=variant)
            return new_game.record
        if len(self._seats) != start.num_players:
            raise ValueError(
                f"{len(self._seats)} seats for a position of {start.num_players} players"
            )
        settings = start.num_players, start.current_player, start.max_rounds
        return GameRecord(*settings, seed=seed, variant=start.variant)

    def _go_on_from(self, record: GameRecord) -> None:
        self._recorder = GameRecorder.resumed(record, record.seed, self._position)

    def _seat_agents(self, make_agent: Callable[[str], Agent]) -> None:
        try:
            for seat, name in enumerate(self._seats):
                if name != PERSON:
                    self._agents[seat] = make_agent(name)
                    check_plays(self._agents[seat], self.state.variant, self.num_players)
            _begin(self._agents, self.num_players)
        except BaseException:
            self.close()
            raise


def _playable(position: GameState) -> GameState:
    """A copy of a position to begin from. Raises ValueError if it is impossible or the game is over in it."""
    state = from_dict(to_dict(position))
    if state.is_terminal:
        raise ValueError(f'no game can begin from this position, it is over: "{state!r}"')
    return state


def _resumable(record: GameRecord, seats: Sequence[str], seed: int | None) -> GameRecord:
    """A copy of a record with these seats and a seed. Raises ValueError for a seed that is not the record's."""
    if seed is None:
        seed = secrets.randbits(SEED_BITS) if record.seed is None else record.seed
    elif record.seed not in (None, seed):
        raise ValueError(f"seed {seed} is not that of the game, {record.seed}")
    return dataclasses.replace(record, seed=seed, agents=list(seats), events=list(record.events))


def _begin(agents: dict[int, Agent], num_players: int) -> None:
    """Announce a new or resumed game to the agents. Raises ValueError if one cannot play it."""
    for seat, agent in agents.items():
        try:
            agent.begin_game(num_players, seat)
        except AgentFailureError as error:
            raise ValueError(f"{agent.spec} does not play: {error}") from None


def _dismiss(agents: dict[int, Agent]) -> None:
    for agent in agents.values():
        with contextlib.suppress(AgentFailureError):
            agent.close()
