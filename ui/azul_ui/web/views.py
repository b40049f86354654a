"""Games and positions as plain data for messages."""

import json
from collections.abc import Sequence
from typing import Final

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
    told_choice,
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
    before, event, action = happening.before, happening.event, happening.action
    data: Data = {
        "number": number,
        "round": before.round + 1,
        "player": event["player"],
        "type": event["type"],
        "action": None,
        "notation": "resigns",
    }
    if action is None:
        reason = event["forfeit"]
        return data | {"words": f"forfeit: {reason}" if reason else "resigns"}
    if event["type"] == "tile":
        data |= {"line": event["line"], "column": event["column"]}
    return data | _named(preview or move_preview(before, action), before)


def move_data(before: GameState, action: int) -> Data:
    """A legal move in notation and words."""
    return _named(move_preview(before, action), before)


def _named(preview: MovePreview, before: GameState) -> Data:
    num_players, variant = before.num_players, before.variant
    return {
        "action": encode_action(preview.action, num_players, variant),
        "notation": format_action(preview.action, num_players, variant),
        "words": move_words(preview, num_players),
    }


def line_data(line: Sequence[int], before: GameState) -> list[Data]:
    """Moves one after another."""
    num_players, variant = before.num_players, before.variant
    return [
        {"action": each, "notation": format_action(each, num_players, variant)} for each in line
    ]


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
        taken: Data = {"source": source, "color": color, "destination": destination}
        if preview.wall_cell is not None:  # it takes nothing from the table
            line = state.players[preview.player].pattern_lines[preview.wall_cell[0]]
            taken = {"source": None, "color": line.color, "destination": None}
        moves.append(taken | _named(preview, state) | {"preview": preview_data(preview)})
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
    action = happening.action
    preview = None if action is None else move_preview(before, action)
    scoring = happening.scoring
    words = [told_event(before, event, labels[player], preview)]
    if scoring is not None:
        is_over = after.is_terminal or after.round > before.round
        words += told_scoring(scoring, labels, is_over, is_spoken=True)
        if is_over:
            words.append(
                winner_words(after, labels) if after.is_terminal else told_starter(after, labels)
            )
    if after.line_to_tile is not None:
        words.append(told_choice(after, labels))
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
        self._state = state
        named = [_named(preview, state) for preview in move_previews(state)]
        self._named = {each["action"]: each for each in named}

    def data(self, candidate: Candidate) -> Data:
        """A candidate in notation and words, with its line."""
        return self._named[candidate.action] | {
            "value": candidate.value,
            "win_chance": candidate.win_chance,
            "line": line_data(candidate.line, self._state),
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
    marked: tuple[int | None, int | None] = (None, None)
    if last is not None and last.action is not None:
        marked = last.action, last.event["player"]
    return PositionMessage(
        number=number,
        position=to_dict(state),
        text=repr(state),
        drawing=drawing_data(state, marked, labels),
        last=turn_data(number, last) if last else None,
        legal=legal_data(state),
        can_play=can_play,
    )
