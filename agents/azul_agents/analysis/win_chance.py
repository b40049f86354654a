"""Win chances by seat, from the margin that a search expects for the player to move.

The chances are a softmax over the seats of `scale` times the seat's expected margin, plus `bias` for the player to move.
Both depend on the variant, on the number of players and on how far the game has progressed: the later, the more a point
decides. `calibration` fits them to games; with 2 players the model is a logistic regression.
"""

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np

from azul_agents.search.linear import expected_margins
from azul_env import GameState, winners

MODEL_FILES: Final = {"colored": "win_chance.json", "gray": "win_chance_gray.json"}  # by variant
TILES_PER_FACTORY: Final = 4


class ChanceModel(NamedTuple):
    """The fitted numbers for one number of players; between knots they are interpolated."""

    knots: tuple[float, ...]  # values of `progress`
    scale: tuple[float, ...]  # per point of margin
    bias: tuple[float, ...]  # of the player to move

    def at(self, progress: float) -> tuple[float, float]:
        """Scale and bias at a point of the game."""
        scale, bias = (float(np.interp(progress, self.knots, n)) for n in (self.scale, self.bias))
        return scale, bias


def win_chances(state: GameState, value: float) -> tuple[float, ...]:
    """The win chances by seat if the player to move expects this margin of points; the result of a finished game."""
    return final_shares(state) if state.is_terminal else SeatChances(state).by_seat(value)


class SeatChances:
    """The win chances in one position, as a function of the margins that are expected."""

    def __init__(self, state: GameState, model: ChanceModel | None = None) -> None:
        self._seats = SeatMargins(state)
        self._player = state.current_player
        model = model or load_model(state.num_players, state.variant)
        self._scale, self._bias = model.at(progress(state))
        self._resigned = [board.resigned is not None for board in state.players]

    def by_seat(self, value: float, margins: Sequence[float] = ()) -> tuple[float, ...]:
        """The chances of all seats, which add up to 1; a seat that has resigned has none.

        `value` is the margin of the player to move; `margins` are those of all seats, if they are known.
        """
        margins = margins or self._seats.expecting(value)
        logits = [self._scale * margin for margin in margins]
        logits[self._player] += self._bias
        for seat, has_resigned in enumerate(self._resigned):
            logits[seat] = -math.inf if has_resigned else logits[seat]
        return _softmax(logits)


class SeatMargins:
    """The margin that each seat expects over the mean of its opponents, given that of the player to move.

    How the others compare with each other is left to the evaluation of the position.
    """

    def __init__(self, state: GameState) -> None:
        self._player = state.current_player
        # With 2 players the margin of the other is minus that of the player to move.
        self._static = expected_margins(state) if state.num_players > 2 else [0.0, 0.0]

    def expecting(self, value: float) -> list[float]:
        """The margins by seat, which add up to 0."""
        surplus = (value - self._static[self._player]) / (len(self._static) - 1)
        margins = [margin - surplus for margin in self._static]
        margins[self._player] = value
        return margins


def progress(state: GameState) -> float:
    """Progress of the game: rounds completed, plus the share of this round's tiles that have been taken."""
    if state.awaits_deal:
        return float(state.round)
    tiles = sum(map(sum, state.factories)) + sum(state.center)
    return state.round + 1 - min(1.0, tiles / (TILES_PER_FACTORY * len(state.factories)))


def final_shares(state: GameState) -> tuple[float, ...]:
    """The shares of the win in a finished game, by seat."""
    winning = winners(state)
    return tuple((seat in winning) / len(winning) for seat in range(state.num_players))


@cache
def load_model(num_players: int, variant: str = "colored") -> ChanceModel:
    """The model that comes with the package."""
    numbers = load_card(variant)["models"][str(num_players)]
    return ChanceModel(*(tuple(numbers[field]) for field in ChanceModel._fields))


def load_card(variant: str = "colored") -> dict[str, Any]:
    """The models of a variant for all numbers of players, and how they were made."""
    path = files("azul_agents.analysis") / MODEL_FILES[variant]
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return card


def _softmax(logits: Sequence[float]) -> tuple[float, ...]:
    highest = max(logits)
    weights = [math.exp(logit - highest) for logit in logits]
    return tuple(weight / sum(weights) for weight in weights)
