"""Game records: every deal, draft, choice of a column and resignation of a game, replayed without a random generator.

`docs/SPEC.md` describes the format; `azul_env.record_files` reads and writes files of records.
"""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from numpy.random import Generator, default_rng

from azul_env.chance import RandomSource
from azul_env.core.actions import (
    AnyAction,
    as_action,
    decode_action,
    encode_action,
    placement_column,
    placement_of,
)
from azul_env.core.arguments import shown, whole_number
from azul_env.core.spec import DEFAULT_MAX_ROUNDS, NUM_LINES, RULESET
from azul_env.core.variant import COLORED
from azul_env.errors import ImpossibleDealError, MissingDealError, RecordError
from azul_env.files import parse_json
from azul_env.record_form import FIELD_KEYS, FORMAT, Event, check_form
from azul_env.rules import apply_action, new_game, resign, winners
from azul_env.state import GameState


@dataclass
class GameRecord:
    """A game: its settings, the players' names and its events."""

    num_players: int
    starting_player: int = 0
    max_rounds: int = DEFAULT_MAX_ROUNDS
    seed: int | None = None  # for information; replays do not use it
    agents: list[str] = field(default_factory=list)  # names by seat; may be empty
    events: list[Event] = field(default_factory=list)
    variant: str = COLORED.name

    def to_dict(self) -> dict[str, Any]:
        """The record as plain data."""
        fields = {key: getattr(self, key) for key in FIELD_KEYS}
        return {"format": FORMAT, "ruleset": RULESET, **fields}

    @classmethod
    def from_dict(cls, data: object) -> "GameRecord":
        """Read a record from plain data. Raises RecordError if its form is wrong; `replay` checks the events."""
        check_form(data)
        assert isinstance(data, dict)
        return cls(**{key: data[key] for key in FIELD_KEYS})

    def to_json(self) -> str:
        """The record as one line of JSON."""
        return json.dumps(self.to_dict(), separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> "GameRecord":
        """Read a record from a line of JSON. Raises RecordError."""
        try:
            data = parse_json(line)
        except ValueError as error:
            raise RecordError(f"not a record, the JSON is broken: {error}") from None
        return cls.from_dict(data)


class ReplayStep(NamedTuple):
    """A state of a replayed game and the draft, tile or resignation that led to it (None for the first state)."""

    state: GameState
    event: Event | None


class GameRecorder:
    """Plays a game and records it: `state` is the current state, `record` the record so far."""

    def __init__(
        self,
        num_players: int = 2,
        starting_player: int = 0,
        rng: RandomSource | None = None,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        agents: Sequence[str] = (),
        variant: str = COLORED.name,
    ) -> None:
        """Start a game. If `rng` is a seed, the record stores it.

        Raises RecordError for agents or a seed that a record cannot hold.
        """
        self.rng: RandomSource = default_rng() if rng is None else rng
        self.state = new_game(num_players, starting_player, self.rng, max_rounds, variant=variant)
        self.record = GameRecord(
            num_players=self.state.num_players,
            starting_player=self.state.current_player,
            max_rounds=self.state.max_rounds,
            seed=None if rng is None or isinstance(rng, Generator) else whole_number(rng, "rng"),
            agents=list(agents),
            events=[_deal_event(self.state)],
            variant=self.state.variant,
        )
        check_form(self.record.to_dict())

    @classmethod
    def resumed(
        cls,
        record: GameRecord,
        rng: RandomSource | None = None,
        start: GameState | None = None,
    ) -> Self:
        """A recorder that continues a recorded game with deals from `rng`; see `replay` for `start`.

        Raises RecordError if the record is invalid.
        """
        recorder = cls.__new__(cls)
        recorder.rng = default_rng() if rng is None else rng
        recorder.state = verify(record, start)
        recorder.record = record
        return recorder

    def draft(self, action: AnyAction) -> GameState:
        """Play an action, a draft or the choice of a column, for the player to move and record it."""
        after = apply_action(self.state, action, self.rng).state
        self._log(after, _move_event(self.state, action))
        return after

    def resign(self, player: int, forfeit: str | None = None) -> GameState:
        """Resign for a player and record it; `forfeit` gives the reason if the resignation was forced."""
        if not isinstance(forfeit, str | None):
            raise TypeError(f"forfeit must be a str or None, not {shown(forfeit)}")
        after = resign(self.state, player, self.rng).state
        seat = whole_number(player, "player")
        self._log(after, {"type": "resign", "player": seat, "forfeit": forfeit})
        return after

    def _log(self, after: GameState, event: Event) -> None:
        """Append an event and move to the state after it. Nothing here can fail, so both stay consistent."""
        events = [event]
        if _is_dealt(self.state, after):
            events.append(_deal_event(after))
        if after.is_terminal:
            events.append(_end_event(after))
        self.record.events += events
        self.state = after


def replay(record: GameRecord, start: GameState | None = None) -> Iterator[ReplayStep]:
    """Every state of a recorded game, in order. Raises RecordError at the first impossible event.

    A game that began from a set-up position has no first deal in its events: `start` is that position.
    """
    if not isinstance(record, GameRecord):
        raise TypeError(f"a record must be a GameRecord, not {shown(record)}")
    check_form(record.to_dict())  # it may have been built by hand
    events = record.events
    state = _first_state(record) if start is None else _checked_start(record, start)
    yield ReplayStep(state, None)
    index = 1 if start is None else 0
    while index < len(events):
        event = events[index]
        if event["type"] == "end":
            _check_end(state, events, index)
            return
        with _engine_errors(f"event {index} ({event['type']}): ", index, deal=index + 1):
            next_state, used = _apply_event(state, event, events[index + 1 : index + 2])
        state = next_state
        index += used
        yield ReplayStep(state, event)
    if state.is_terminal:
        raise RecordError(
            f"the game is over after event {index - 1}, but no end event follows", index
        )


def verify(record: GameRecord, start: GameState | None = None) -> GameState:
    """Replay a record and return its last state. Raises RecordError if any event is impossible."""
    (last,) = deque(replay(record, start), maxlen=1)
    return last.state


def _first_state(record: GameRecord) -> GameState:
    """The state after the first deal."""
    if not record.events or record.events[0]["type"] != "deal":
        raise RecordError("event 0 must be the first deal", 0)
    with _engine_errors("", None, deal=0):
        return new_game(
            record.num_players,
            record.starting_player,
            max_rounds=record.max_rounds,
            deal=record.events[0]["factories"],
            variant=record.variant,
        )


def _checked_start(record: GameRecord, start: GameState) -> GameState:
    """The position that a game began from. Raises RecordError unless the record's settings are those of the position."""
    settings = {
        "num_players": start.num_players,
        "starting_player": start.current_player,
        "max_rounds": start.max_rounds,
        "variant": start.variant,
    }
    for key, value in settings.items():
        if getattr(record, key) != value:
            raise RecordError(
                f"{key} is {shown(getattr(record, key))}, in the position it is {value!r}"
            )
    return start


def _apply_event(state: GameState, event: Event, following: list[Event]) -> tuple[GameState, int]:
    """The state after a draft, tile or resignation and the deal it may need; also the number of events consumed."""
    if event["type"] == "deal":
        line, player = state.line_to_tile, state.current_player
        tiling = "" if line is None else f": player {player} is to choose a column for line {line}"
        raise ValueError(f"no deal is due here{tiling}")
    if state.is_terminal:
        raise ValueError("the game is over")
    deal = following[0]["factories"] if following and following[0]["type"] == "deal" else None
    if event["type"] == "resign":
        after = resign(state, event["player"], deal=deal).state
    elif event["player"] != state.current_player:
        raise ValueError(f"it is the turn of player {state.current_player}")
    else:
        after = apply_action(state, _action_of(state, event), deal=deal).state
    return after, 2 if _is_dealt(state, after) else 1


def _move_event(state: GameState, action: AnyAction) -> Event:
    """The event of a legal action of the player to move."""
    player = state.current_player
    move = decode_action(action, state.num_players, state.variant)
    column = placement_column(move, state.num_players)
    if column is not None:
        return {"type": "tile", "player": player, "line": state.line_to_tile, "column": column}
    return {"type": "draft", "player": player, "action": encode_action(move, state.num_players)}


def _action_of(state: GameState, event: Event) -> AnyAction:
    """The action of a draft or tile. Raises ValueError if it is no action of its type or names another line."""
    if event["type"] == "draft":
        number: int = event["action"]
        move = as_action(number, state.num_players, state.variant)
        if move is not None and placement_column(move, state.num_players) is not None:
            raise ValueError(f"action {number} is no draft: it is a tile")
        return number
    if state.line_to_tile is None:
        raise ValueError("no wall is being tiled")
    if event["line"] != state.line_to_tile:
        raise ValueError(
            f"line {state.line_to_tile} is to be tiled, not line {event['line']!s:.60}"
        )
    if event["column"] >= NUM_LINES:
        raise ValueError(
            f"a wall has {NUM_LINES} columns, so none is column {event['column']!s:.60}"
        )
    return placement_of(event["column"], state.num_players)


def _is_dealt(before: GameState, after: GameState) -> bool:
    """True if a deal happened between two consecutive states."""
    return after.round > before.round and not after.is_terminal


def _check_end(state: GameState, events: list[Event], index: int) -> None:
    """Raise RecordError unless the end event is correct and the last event."""
    if not state.is_terminal:
        raise RecordError(f"event {index} (end): the game is still on", index)
    expected = _end_event(state)
    for key, value in expected.items():
        if events[index][key] != value:
            recorded = events[index][key]
            raise RecordError(f"event {index} (end): {key} is {value}, not {recorded!s:.60}", index)
    if index + 1 < len(events):
        raise RecordError(f"event {index + 1}: nothing may follow the end", index + 1)


@contextmanager
def _engine_errors(where: str, event: int | None, deal: int) -> Iterator[None]:
    """Convert errors of the engine to RecordErrors that name the offending event, or the deal that follows it."""
    try:
        yield
    except MissingDealError:
        raise RecordError(f"event {deal} must be the deal of the next round", deal) from None
    except ImpossibleDealError as error:
        raise RecordError(f"event {deal} (deal): {error}", deal) from error
    except ValueError as error:
        raise RecordError(f"{where}{error}", event) from error


def _deal_event(state: GameState) -> Event:
    return {"type": "deal", "factories": [list(tiles) for tiles in state.factories]}


def _end_event(state: GameState) -> Event:
    return {
        "type": "end",
        "reason": state.end_reason,
        "scores": list(state.scores),
        "winners": list(winners(state)),
    }
