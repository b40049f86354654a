"""Positions that are being set up: validation and drawing."""

from dataclasses import dataclass
from typing import Any, Final

from azul_env import (
    FLOOR_PENALTIES,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NotationError,
    new_game,
    problems,
    to_dict,
)
from azul_env.notation import position_of_text, text_of_position
from azul_env.position import rows_of
from azul_env.state import trusted_state
from azul_env.validation import form_problems
from azul_ui.web.messages import Data, RefusedError
from azul_ui.web.views import drawing_data

MAX_TILES: Final = 100  # of a color on one heap: all tiles there are
MAX_COUNTER: Final = 9_999
FLOOR_SLOTS: Final = len(FLOOR_PENALTIES)


@dataclass(frozen=True)
class Draft:
    """The body of POST /api/position."""

    position: dict[str, Any] | None = None
    text: str | None = None
    num_players: int | None = None
    variant: str | None = None  # with `num_players`; None stands for the colored wall


def checked_position(draft: Draft) -> Data:
    """The answer to POST /api/position. Raises RefusedError."""
    position = _position(draft)
    found = problems(position)
    drawn = _drawn(position)
    return {
        "position": position,
        "text": None if drawn is None else text_of_position(position),
        "problems": [
            {"reason": str(problem.reason), "where": problem.where, "detail": problem.detail}
            for problem in found
        ],
        "is_playable": not found and position["end_reason"] is None,
        "drawing": drawn,
    }


def _position(draft: Draft) -> Data:
    given = [
        name for name in ("position", "text", "num_players") if getattr(draft, name) is not None
    ]
    if len(given) != 1:
        raise RefusedError("malformed", "give one of position, text and num_players")
    if draft.variant is not None and draft.num_players is None:
        raise RefusedError("malformed", f"variant goes with num_players: {given[0]} has one")
    if draft.position is not None:
        return draft.position
    if draft.text is not None:
        try:
            return position_of_text(draft.text)
        except NotationError as error:
            raise RefusedError("malformed", str(error)) from None
    assert draft.num_players is not None
    if not MIN_PLAYERS <= draft.num_players <= MAX_PLAYERS:
        raise RefusedError("malformed", f"a game has {MIN_PLAYERS} to {MAX_PLAYERS} players")
    try:
        return to_dict(new_game(draft.num_players, rng=0, variant=draft.variant or "colored"))
    except ValueError as error:
        raise RefusedError("malformed", str(error)) from None


def _drawn(position: Data) -> Data | None:
    """The drawing, also of a position that breaks rules; None where its form or a number cannot be drawn."""
    if form_problems(position) or not _fits_a_row(position):
        return None
    names = [f"Player {seat + 1}" for seat in range(position["num_players"])]
    return drawing_data(trusted_state(rows_of(position)), (None, None), names)


def _fits_a_row(position: Data) -> bool:
    """True if a row has room for the numbers of a position, whatever rules they break."""
    heaps = [position["bag"], position["discard"], position["center"], *position["factories"]]
    players = position["players"]
    return (
        max(map(max, heaps)) <= MAX_TILES
        and max(position["round"], position["max_rounds"]) <= MAX_COUNTER
        and all(len(player["floor"]) <= FLOOR_SLOTS for player in players)
        and all(player["score"] <= MAX_COUNTER for player in players)
        and all(
            line["count"] <= number + 1 and (line["count"] == 0) == (line["color"] is None)
            for player in players
            for number, line in enumerate(player["pattern_lines"])
        )
    )
