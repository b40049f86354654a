"""Opponents of the learner: compiled random players, agents, specs of agents, or functions."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import shown, whole_numbers
from azul_env.core.state import Rows
from azul_env.state import GameState, trusted_state

Rngs = Sequence[np.random.Generator]  # one per game
BatchedOpponent = Callable[[Rows, NDArray[np.bool_], np.random.Generator], Any]
Opponent = Callable[[GameState, NDArray[np.bool_], np.random.Generator], Any]


class Player(Protocol):
    """The interface of an opponent; every agent of `azul_agents` implements it."""

    def act_batch(self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs) -> Any:
        """Choose one legal action per game, given the games' states, legal masks and generators."""
        ...


class EachGame:
    """Adapts a function `(state, legal_mask, rng) -> action` to `Player`."""

    def __init__(self, function: Opponent) -> None:
        self.function = function

    def act_batch(self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs) -> list[Any]:
        """Call the function game by game."""
        states = [trusted_state(rows[game : game + 1]) for game in range(len(rows))]
        return [self.function(*asked) for asked in zip(states, legal_masks, rngs, strict=True)]


class AllGames:
    """Adapts a function `(rows, legal_masks, rng) -> actions` to `Player`."""

    def __init__(self, function: BatchedOpponent) -> None:
        self.function = function

    def act_batch(self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs) -> Any:
        """Call the function for all games at once, with the first game's generator."""
        return self.function(rows, legal_masks, rngs[0])


def opponents_of(
    opponents: Any, num_players: int, adapter: Callable[[Any], Player], variant: str
) -> list[Player] | None:
    """The opponents in turn order after the learner; None stands for compiled random players.

    `opponents` is None, one opponent for all seats, or a list with one opponent per seat. An opponent is a spec such as
    "greedy", an agent, or a function, which `adapter` converts to a player. Raises ValueError for anything else, and for
    an agent that does not play the variant with this many players.
    """
    if opponents is None or (isinstance(opponents, str) and opponents == "random"):
        return None
    others = num_players - 1
    if not isinstance(opponents, list | tuple):
        return [_player(opponents, num_players, adapter, variant)] * others
    if len(opponents) != others:
        raise ValueError(f"opponents: {len(opponents)} are listed for {others} seats")
    return [_player(opponent, num_players, adapter, variant) for opponent in opponents]


def _player(
    opponent: Any, num_players: int, adapter: Callable[[Any], Player], variant: str
) -> Player:
    if isinstance(opponent, str):
        try:
            opponent = import_module("azul_agents.registry").make_agent(opponent)  # the layer above
        except ValueError as error:
            raise ValueError(f"opponents: {error}") from None
    # Agents declare which variants they play; anything else is assumed to play all.
    variants = getattr(opponent, "variants", (variant,))
    if variant not in variants:
        name = getattr(opponent, "spec", None) or shown(opponent)
        raise ValueError(
            f"opponents: {name} does not play the variant {variant!r}: "
            f"it plays {', '.join(variants)}"
        )
    if hasattr(opponent, "check_table"):
        try:
            opponent.check_table(num_players, variant)
        except ValueError as error:
            raise ValueError(f"opponents: {error}") from None
    if hasattr(opponent, "act_batch"):
        return opponent
    if hasattr(opponent, "act"):
        return EachGame(opponent.act)
    if callable(opponent):
        return adapter(opponent)
    raise ValueError(
        f"opponents={shown(opponent)}: an opponent is the spec of an agent, an agent, or a function"
    )


def answers_of(
    player: Player, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs
) -> NDArray[np.int64]:
    """A player's actions, legal or not. Raises TypeError or ValueError unless they are one whole number per game."""
    actions = player.act_batch(rows, legal_masks, rngs)
    return whole_numbers(actions, len(rows), "the actions of a player")
