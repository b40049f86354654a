"""Gray positions as data, from a short hand, and both engines behind one set of four questions.

A seat is written as in `positions.py`, `SCORE BOARD FLOOR`, with colors at any place of a wall row: `9 W:B.K../YY/// *R`.
What is nowhere else is in the bag.
"""

from typing import Protocol

import numpy as np
import pytest

from azul_env import apply_action, from_dict, illegal_reason, legal_mask, resign, to_dict
from positions import LETTERS, PLAIN_FILL, fill, seat_text
from reference.engine import COLORS
from reference.gray import GrayGame

Data = dict
EMPTY = "0 //// -"


def gray(
    *seats: str,
    turn: int,
    start: int = 0,
    factories: str = "",
    center: str = "",
    lid: str = "",
    round: int = 4,
    max_rounds: int = 50,
    over: str | None = None,
) -> Data:
    """A position; with nothing on the table and no reason to be over, it is one of tiling."""
    num_factories = 2 * len(seats) + 1
    words = [*factories.split(), *["-"] * num_factories][:num_factories]
    phase = "game_over" if over else "factory_offer" if factories + center.strip("*") else ""
    players = [seat_data(seat) for seat in seats]
    boards = "".join(seat_text(seat) for seat in seats)
    lying_open = "".join([*words, center, lid, boards])
    return {
        "ruleset": "azul-base-2024-next-move",
        "variant": "gray",
        "num_players": len(seats),
        "current_player": turn,
        "starting_player_next_round": start,
        "phase": phase or "wall_tiling",
        "round": round,
        "max_rounds": max_rounds,
        "end_reason": over,
        "bag": [20 - lying_open.count(letter) for letter in LETTERS],
        "discard": [lid.count(letter) for letter in LETTERS],
        "factories": fill(" ".join(words)),
        "center": [center.count(letter) for letter in LETTERS],
        "center_has_marker": "*" in center,
        "players": players,
    }


def seat_data(short: str) -> Data:
    """A player's part of a position."""
    score, board, floor, *resigned = seat_text(short).split()
    rows = [word.split(":") for word in board.split("/")]
    lines = [line.strip(".") for line, _ in rows]
    return {
        "score": int(score),
        "wall": [[1 + LETTERS.find(letter) for letter in wall] for _, wall in rows],
        "pattern_lines": [{"color": name_of(line[:1]), "count": len(line)} for line in lines],
        "floor": ["marker" if piece == "*" else name_of(piece) for piece in floor.strip("-")],
        "resigned": int(resigned[1]) if resigned else None,
    }


def name_of(letter: str) -> str | None:
    return COLORS[LETTERS.index(letter)] if letter else None


def dealt(*seats: str, turn: int, lid: str = "", round: int = 5, max_rounds: int = 50) -> Data:
    """A position at the start of a round that `PLAIN_FILL` was dealt for; `turn` starts it."""
    factories = " ".join(PLAIN_FILL.split()[: 2 * len(seats) + 1])
    return gray(
        *seats,
        turn=turn,
        start=turn,
        factories=factories,
        center="*",
        lid=lid,
        round=round,
        max_rounds=max_rounds,
    )


def draft(source: int, color: str, destination: int) -> int:
    """The number of an action of drafting."""
    return (source * 5 + LETTERS.index(color)) * 6 + destination


def column(data: Data, number: int) -> int:
    """The number of the action "place in this column"."""
    return 30 * (len(data["factories"]) + 1) + number


def next_fill(data: Data) -> list[list[int]]:
    return fill(" ".join(PLAIN_FILL.split()[: len(data["factories"])]))


class Engine(Protocol):
    """An engine as functions from position to position; a new round is dealt `PLAIN_FILL`."""

    def after(self, data: Data, action: int) -> Data: ...

    def resigned(self, data: Data, player: int) -> Data: ...

    def legal(self, data: Data) -> list[int]: ...

    def reason(self, data: Data, action: int, player: int | None = None) -> str | None: ...


class Compiled:
    """The compiled engine; `from_dict` also refuses a position that the rules cannot reach."""

    def after(self, data: Data, action: int) -> Data:
        return to_dict(apply_action(from_dict(data), action, deal=next_fill(data)).state)

    def resigned(self, data: Data, player: int) -> Data:
        return to_dict(resign(from_dict(data), player, deal=next_fill(data)).state)

    def legal(self, data: Data) -> list[int]:
        return np.flatnonzero(legal_mask(from_dict(data))).tolist()

    def reason(self, data: Data, action: int, player: int | None = None) -> str | None:
        return illegal_reason(from_dict(data), action, player)


class Reference:
    """The reference engine."""

    def after(self, data: Data, action: int) -> Data:
        game = GrayGame.from_dict(data)
        game.draft(action, next_fill(data))
        return game.to_dict()

    def resigned(self, data: Data, player: int) -> Data:
        game = GrayGame.from_dict(data)
        game.resign(player)
        if game.needs_deal():
            game.start_round(next_fill(data))
        return game.to_dict()

    def legal(self, data: Data) -> list[int]:
        return GrayGame.from_dict(data).legal_actions()

    def reason(self, data: Data, action: int, player: int | None = None) -> str | None:
        return GrayGame.from_dict(data).illegal_reason(action, player)


both_engines = pytest.mark.parametrize(
    "engine", [Compiled(), Reference()], ids=["compiled", "reference"]
)


def legal_columns(engine: Engine, data: Data) -> list[int]:
    """The columns that may be chosen; every other action must be illegal."""
    actions = engine.legal(data)
    columns = [number for number in range(5) if column(data, number) in actions]
    assert actions == [column(data, number) for number in columns]
    return columns
