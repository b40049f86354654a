"""The file of a kept game: one JSON object with the record, what `redo` brings back, a set-up start, and a summary."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from azul_env import MAX_PLAYERS, GameRecord, GameState, from_dict, to_dict, verify
from azul_env.files import MAX_LINE_BYTES, parse_json, read_bounded
from azul_env.record_form import Event
from azul_ui.games.session import GameSession

FORMAT: Final = 1


@dataclass(frozen=True)
class GameSummary:
    """A kept game in a list."""

    id: str
    players: tuple[str, ...]  # PERSON or the agent's spec, by seat
    scores: tuple[int, ...]
    round: int  # rounds completed
    is_finished: bool
    winners: tuple[int, ...]  # empty while the game is on
    names: tuple[str | None, ...]  # of people, by seat; empty if they gave none
    variant: str
    created: str  # UTC, ISO 8601
    updated: str


@dataclass(frozen=True)
class KeptFile:
    """The content of a game's file."""

    record: GameRecord
    position: GameState | None
    undone: list[list[Event]]
    summary: GameSummary


def now() -> str:
    """The time in UTC, as files have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def content_of(game: GameSession | GameRecord, created: str) -> dict[str, Any]:
    """A game as the data of its file."""
    if isinstance(game, GameSession):
        record, state, start, undone = game.record, game.state, game.position, game.undone
        names = list(game.names)
    else:
        record, state, start, undone, names = game, verify(game), None, [], []
    return {
        "format": FORMAT,
        "created": created,
        "updated": now(),
        "scores": list(state.scores),
        "round": state.round,
        "finished": state.is_terminal,
        "position": None if start is None else to_dict(start),
        "undone": undone,
        "names": names,
        "record": record.to_dict(),
    }


def object_in(path: Path) -> dict[str, Any]:
    """The object in a file. Raises ValueError if it is no game that this version can read, OSError if it is not there.

    A pipe is not waited for, and no more is read than the longest game has.
    """
    try:
        content = read_bounded(path, MAX_LINE_BYTES)
    except ValueError:
        raise ValueError(f"it is no file of up to {MAX_LINE_BYTES:,} bytes") from None
    try:
        data = parse_json(content)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise ValueError("the JSON is broken")
    if data.get("format") != FORMAT:
        raise ValueError(f"format is {data.get('format')!r:.60}, this version reads {FORMAT}")
    return data


def summary_of(game_id: str, data: dict[str, Any]) -> GameSummary:
    """The summary of a game from the data of its file. Raises ValueError if a part of it is missing or wrong."""
    record, scores = data.get("record"), data.get("scores")
    players = record.get("agents") if isinstance(record, dict) else None
    values = {
        "players": _all_are(players, str) and len(players or ()) <= MAX_PLAYERS,
        "scores": _all_are(scores, int) and len(scores or ()) <= MAX_PLAYERS,
        "round": type(data.get("round")) is int,
        "finished": isinstance(data.get("finished"), bool),
        "created": isinstance(data.get("created"), str),
        "updated": isinstance(data.get("updated"), str),
        "variant": isinstance(record, dict) and isinstance(record.get("variant"), str),
    }
    for key, is_sound in values.items():
        if not is_sound:
            raise ValueError(f"{key} is missing or wrong")
    assert record is not None and players is not None and scores is not None
    return GameSummary(
        id=game_id,
        players=tuple(players),
        scores=tuple(scores),
        round=data["round"],
        is_finished=data["finished"],
        winners=_winners(record),
        names=_names(data, len(players)),
        variant=record["variant"],
        created=data["created"],
        updated=data["updated"],
    )


def _all_are(values: object, kind: type) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)


def kept_file(game_id: str, data: dict[str, Any]) -> KeptFile:
    """A game's file from its data. Raises ValueError if a replay finds anything impossible."""
    summary = summary_of(game_id, data)
    record = GameRecord.from_dict(data["record"])
    start = data.get("position")
    position = None if start is None else from_dict(start)
    undone = data.get("undone")
    if not isinstance(undone, list) or not all(isinstance(events, list) for events in undone):
        raise ValueError("undone must be a list of lists of events")
    later = [event for events in reversed(undone) for event in events]
    verify(record, position)
    verify(GameRecord.from_dict(data["record"] | {"events": record.events + later}), position)
    return KeptFile(record, position, undone, summary)


def _names(data: dict[str, Any], num_players: int) -> tuple[str | None, ...]:
    """The names that people gave; none in files of versions without them, or if they make no sense."""
    names = data.get("names")
    if not isinstance(names, list) or len(names) != num_players:
        return ()
    return tuple(names) if all(isinstance(name, str | None) for name in names) else ()


def _winners(record: dict[str, Any]) -> tuple[int, ...]:
    """The winners that a record names, if it has ended; not checked by a replay."""
    events = record.get("events")
    last = events[-1] if isinstance(events, list) and events else None
    winners = last.get("winners") if isinstance(last, dict) else None
    return tuple(winners) if isinstance(winners, list) and _all_are(winners, int) else ()
