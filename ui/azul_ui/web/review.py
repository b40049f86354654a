"""The review of a room's game: every move judged in the background, kept beside the game.

A review belongs to the turns that it judged. If the game has changed since, only the judgements up to the first difference
hold, and the review goes on from there.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from azul_agents import ReviewedMove, reviewed_move, summaries
from azul_env import GameState
from azul_env.files import read_json, write_atomically
from azul_ui.games.session import Happening
from azul_ui.web.agent_pool import AgentPool
from azul_ui.web.messages import Data, ReviewMessage, TriedMessage
from azul_ui.web.views import line_data, move_data

FORMAT: Final = 1
MAX_FILE_BYTES: Final = 1 << 24
NONE: Final = "none"
RUNNING: Final = "running"
FINAL: Final = "final"
STOPPED: Final = "stopped"


class Judgement(NamedTuple):
    """A reviewed move, and the same for messages."""

    move: ReviewedMove
    data: Data


class ReviewFile(NamedTuple):
    """What is kept of a review."""

    engine: str
    status: str
    moves: list[ReviewedMove]


def review_path(folder: Path, game_id: str) -> Path:
    """The file of a game's review, beside that of the game."""
    return folder / f"{game_id}.review.json"


def read_review(path: Path) -> ReviewFile | None:
    """The review in a file; None if there is none or it is damaged."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        data = read_json(path, MAX_FILE_BYTES)
        if data["format"] != FORMAT or data["status"] not in (RUNNING, FINAL, STOPPED):
            return None
        moves = [_move_in(each) for each in data["moves"]]
        if isinstance(data["engine"], str):
            return ReviewFile(data["engine"], data["status"], moves)
    return None


def write_review(path: Path, review: ReviewFile) -> None:
    """Keep a review. Raises OSError."""
    moves = [move._asdict() for move in review.moves]
    data = {"format": FORMAT, "engine": review.engine, "status": review.status, "moves": moves}
    write_atomically(path, json.dumps(data, separators=(",", ":")) + "\n")


def held(moves: Sequence[ReviewedMove], history: Sequence[Happening]) -> list[ReviewedMove]:
    """The judgements that hold for a game: those of its first moves, without a gap."""
    kept = []
    for move, number in zip(moves, move_numbers(history), strict=False):
        turn = history[number - 1]
        played = number, turn.action, turn.event["player"]
        if (move.number, move.action, move.player) != played:
            break
        kept.append(move)
    return kept


def move_numbers(history: Sequence[Happening]) -> list[int]:
    """The numbers of the turns that are moves, not resignations."""
    return [number for number, each in enumerate(history, 1) if each.action is not None]


def judged(
    agents: AgentPool, spec: str, number: int, before: GameState, action: int
) -> ReviewedMove:
    """Judge one move, in a thread."""
    with agents.borrowed(spec, before) as agent:
        return reviewed_move(number, before, action, agent)


def judgement_data(move: ReviewedMove, before: GameState) -> Data:
    """A judgement for a message."""
    return {
        "number": move.number,
        "round": move.round,
        "player": move.player,
        **move_data(before, move.action),
        "value": move.value,
        "best_value": move.best_value,
        "win_chance": move.win_chance,
        "best_win_chance": move.best_win_chance,
        "win_chances": list(move.win_chances),
        "best": move_data(before, move.best_action),
        "best_line": line_data(move.best_line, before),
        "severity": move.severity,
    }


def tried_message(number: int, move: ReviewedMove) -> TriedMessage:
    """The value of a move that was tried."""
    return TriedMessage(
        number=number,
        action=move.action,
        win_chance=move.win_chance,
        best_win_chance=move.best_win_chance,
        value=move.value,
        best_value=move.best_value,
        severity=move.severity,
        is_best=move.best_action == move.action,
    )


def review_message(
    engine: str | None,
    status: str,
    judgements: Sequence[Judgement],
    first: int,
    total: int,
    num_players: int,
) -> ReviewMessage:
    """A review from a judgement on."""
    players = summaries([each.move for each in judgements], num_players)
    return ReviewMessage(
        engine=engine,
        status=status,
        done=len(judgements),
        total=total,
        from_index=first,
        moves=[each.data for each in judgements[first:]],
        players=[summary._asdict() for summary in players],
    )


def _move_in(data: Any) -> ReviewedMove:
    """A reviewed move from its data. Raises ValueError, TypeError or KeyError."""
    values = {name: data[name] for name in ReviewedMove._fields}
    for name in ("number", "round", "player", "action", "best_action"):
        if type(values[name]) is not int:
            raise ValueError(f"{name} is no whole number")
    for name in ("value", "best_value", "win_chance", "best_win_chance"):
        if not isinstance(values[name], int | float):
            raise ValueError(f"{name} is no number")
    values["win_chances"] = tuple(float(chance) for chance in values["win_chances"])
    values["best_line"] = tuple(int(action) for action in values["best_line"])
    return ReviewedMove(**values)
