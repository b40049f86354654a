"""Games and positions as plain data for messages."""

import json
from collections.abc import Sequence
from typing import Any, Final

from azul_agents import Analysis, Candidate
from azul_env import (
    GameRecord,
    GameState,
    MovePreview,
    RoundScoring,
    encode_action,
    format_action,
    from_dict,
    move_preview,
    move_previews,
    ranking,
    to_dict,
    winners,
)
from azul_env.files import parse_json
from azul_env.render import svg_parts
from azul_ui.games.session import PERSON, GameSession, Happening
from azul_ui.games.words import (
    move_words,
    told_event,
    told_scoring,
    told_starter,
    winner_words,
)
from azul_ui.web.catalog import Catalog, label_of
from azul_ui.web.messages import (
    AnalysisMessage,
    Data,
    HappenedMessage,
    HintMessage,
    PositionMessage,
)

MAX_CANDIDATES: Final = 20  # of an analysis, the best ones


def seat_labels(seats: Sequence[str], names: Sequence[str | None] = ()) -> list[str]:
    """Names for people: those that were given, else You or Player 1, and what plays; unique, so that words are clear."""
    given = list(names) or [None] * len(seats)
    people = list(seats).count(PERSON)
    labels = []
    for seat, (spec, name) in enumerate(zip(seats, given, strict=True)):
        if spec == PERSON:
            labels.append(name or ("You" if people == 1 else f"Player {seat + 1}"))
        else:
            labels.append(name or label_of(spec))
    return [
        f"{label} {seat + 1}" if labels.count(label) > 1 else label
        for seat, label in enumerate(labels)
    ]


def seats_data(session: GameSession, labels: Sequence[str], catalog: Catalog) -> list[Data]:
    """Who sits where."""
    return [
        {"name": catalog.name_of(spec), "label": label, "is_person": spec == PERSON}
        for spec, label in zip(session.seats, labels, strict=True)
    ]


def turn_data(number: int, happening: Happening, preview: MovePreview | None = None) -> Data:
    """A turn of a game; `number` is that of the position after it, `preview` that of its move if it is known already."""
    before, event = happening.before, happening.event
    data: Data = {
        "number": number,
        "round": before.round + 1,
        "player": event["player"],
        "type": event["type"],
        "action": None,
        "notation": "resigns",
    }
    if event["type"] == "resign":
        reason = event["forfeit"]
        return data | {"words": f"forfeit: {reason}" if reason else "resigns"}
    return data | _named(preview or move_preview(before, event["action"]), before.num_players)


def move_data(before: GameState, action: int) -> Data:
    """A legal move in notation and words."""
    return _named(move_preview(before, action), before.num_players)


def _named(preview: MovePreview, num_players: int) -> Data:
    return {
        "action": encode_action(preview.action, num_players),
        "notation": format_action(preview.action, num_players),
        "words": move_words(preview, num_players),
    }


def line_data(line: Sequence[int], num_players: int) -> list[Data]:
    """Moves one after another."""
    return [{"action": each, "notation": format_action(each, num_players)} for each in line]


def preview_data(preview: MovePreview) -> Data:
    """Where the tiles of a move go."""
    data = preview._asdict() | {"fills_line": preview.fills_line}
    del data["action"]
    return data


def legal_data(state: GameState) -> list[Data]:
    """The legal moves of a position with their previews."""
    if state.is_terminal:
        return []
    moves = []
    for preview in move_previews(state):
        source, color, destination = preview.action
        moves.append(
            {
                "source": source,
                "color": color,
                "destination": destination,
                **_named(preview, state.num_players),
                "preview": preview_data(preview),
            }
        )
    return moves


def scoring_data(scoring: RoundScoring | None) -> Data | None:
    """The scoring of a round, item by item."""
    if scoring is None:
        return None
    seats = [
        seat._asdict() | {"tiles": [tile._asdict() for tile in seat.tiles]}
        for seat in scoring.seats
    ]
    return {"round": scoring.round, "is_final": scoring.is_final, "seats": seats}


def drawing_data(
    state: GameState, last: tuple[int | None, int | None], names: Sequence[str]
) -> Data:
    """The drawing of a position; `last` are action and player of the last move."""
    return svg_parts(state, *last, names)._asdict()


def happened_message(number: int, happening: Happening, labels: Sequence[str]) -> HappenedMessage:
    """A turn that was just played."""
    before, event, after = happening
    player: int = event["player"]
    preview = move_preview(before, event["action"]) if event["type"] == "draft" else None
    scoring = happening.scoring
    words = [told_event(before, event, labels[player], preview)]
    if scoring is not None:
        words += told_scoring(scoring, labels, is_spoken=True)
        words.append(
            winner_words(after, labels) if after.is_terminal else told_starter(after, labels)
        )
    return HappenedMessage(
        turn=turn_data(number, happening, preview),
        from_number=number - 1,
        travel=None if preview is None else preview_data(preview),
        scoring=scoring_data(scoring),
        words=words,
    )


def result_data(state: GameState, labels: Sequence[str]) -> Data | None:
    """How the game ended."""
    if not state.is_terminal:
        return None
    return {
        "ranks": list(ranking(state)),
        "winners": list(winners(state)),
        "end_reason": state.end_reason,
        "scores": list(state.scores),
        "words": winner_words(state, labels),
    }


class NamedMoves:
    """The legal moves of a position by action, for analyses: words are made once."""

    def __init__(self, state: GameState) -> None:
        self.num_players = state.num_players
        self._words = {
            encode_action(preview.action, self.num_players): move_words(preview, self.num_players)
            for preview in move_previews(state)
        }

    def data(self, candidate: Candidate) -> Data:
        """A candidate in notation and words, with its line."""
        return {
            "action": candidate.action,
            "notation": format_action(candidate.action, self.num_players),
            "words": self._words[candidate.action],
            "value": candidate.value,
            "win_chance": candidate.win_chance,
            "line": line_data(candidate.line, self.num_players),
        }


def analysis_message(
    number: int, engine: str, status: str, analysis: Analysis | None, moves: NamedMoves
) -> AnalysisMessage:
    """An analysis, or none yet."""
    if analysis is None:
        return AnalysisMessage(number, engine, status, None, None, 0.0, [], [])
    return AnalysisMessage(
        number=number,
        engine=engine,
        status=status,
        depth=analysis.depth,
        nodes=analysis.nodes,
        seconds=round(analysis.seconds, 3),
        candidates=[moves.data(each) for each in analysis.candidates[:MAX_CANDIDATES]],
        win_chances=list(analysis.win_chances),
    )


def hint_message(number: int, analysis: Analysis, moves: NamedMoves) -> HintMessage:
    """The best move of an analysis."""
    return HintMessage(number=number, **moves.data(analysis.candidates[0]))


def record_text(session: GameSession) -> str:
    """The record of a game; where it began from a set-up position, that is one more key."""
    if session.position is None:
        return session.record.to_json()
    data = session.record.to_dict() | {"position": to_dict(session.position)}
    return json.dumps(data, separators=(",", ":"))


def record_of_text(text: str) -> tuple[GameRecord, GameState | None]:
    """A record, and the set-up position that its game began from, if any. Raises ValueError."""
    try:
        data = parse_json(text)
    except ValueError:
        data = None
    if not isinstance(data, dict) or "position" not in data:
        return GameRecord.from_json(text), None
    start = from_dict(data.pop("position"))
    return GameRecord.from_dict(data), start


def state_at(session: GameSession, number: int) -> GameState:
    """The position after turn `number`. Caller guarantees that there is one."""
    history = session.history
    return session.state if number == len(history) else history[number].before


def position_message(
    session: GameSession, number: int, labels: Sequence[str], can_play: bool
) -> PositionMessage:
    """A position of a game, drawn."""
    state = state_at(session, number)
    last = session.history[number - 1] if number else None
    action = last.event.get("action") if last else None
    player = last.event["player"] if last else None
    marked: tuple[Any, Any] = (action, player) if action is not None else (None, None)
    return PositionMessage(
        number=number,
        position=to_dict(state),
        text=repr(state),
        drawing=drawing_data(state, marked, labels),
        last=turn_data(number, last) if last else None,
        legal=legal_data(state),
        can_play=can_play,
    )
