"""Who plays the other seats: random players in compiled code, agents by spec, agents, or plain functions."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import shown
from azul_env.core.state import Rows
from azul_env.state import GameState

Rngs = Sequence[np.random.Generator]  # one for each game
BatchedOpponent = Callable[[Rows, NDArray[np.bool_], np.random.Generator], Any]
Opponent = Callable[[GameState, NDArray[np.bool_], np.random.Generator], Any]


class Player(Protocol):
    """What the environments ask for actions; every agent of `azul_agents` is one."""

    def act_batch(self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs) -> Any:
        """One legal action for each game: `rows` are their states, `rngs` their generators."""
        ...


class EachGame:
    """A function `(state, legal_mask, rng) -> action` as a player of many games."""

    def __init__(self, function: Opponent) -> None:
        self.function = function

    def act_batch(self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs) -> list[Any]:
        """Ask for one game at a time."""
        states = [GameState(rows[game : game + 1]) for game in range(len(rows))]
        return [self.function(*asked) for asked in zip(states, legal_masks, rngs, strict=True)]


class AllGames:
    """A function `(rows, legal_masks, rng) -> actions` as a player of many games."""

    def __init__(self, function: BatchedOpponent) -> None:
        self.function = function

    def act_batch(self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs) -> Any:
        """Ask for all games at once, with the first game's generator."""
        return self.function(rows, legal_masks, rngs[0])


def opponents_of(
    opponents: Any, num_players: int, adapter: Callable[[Any], Player]
) -> list[Player] | None:
    """The opponents in turn order behind the learner; None stands for random ones, which are compiled.

    Takes None, or what one opponent is (a spec such as "greedy", an agent, a function, which `adapter` makes a player),
    for all seats, or a list of these, one for each seat.
    """
    if opponents is None or (isinstance(opponents, str) and opponents == "random"):
        return None
    others = num_players - 1
    if not isinstance(opponents, list | tuple):
        return [_player(opponents, adapter)] * others
    if len(opponents) != others:
        raise ValueError(f"opponents: {len(opponents)} are listed for {others} seats")
    return [_player(one, adapter) for one in opponents]


def _player(opponent: Any, adapter: Callable[[Any], Player]) -> Player:
    if isinstance(opponent, str):
        try:
            return import_module("azul_agents.registry").make_agent(opponent)  # the layer above
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
    """A player's actions, legal or not. Raises ValueError unless they are one whole number for each game."""
    answers = np.asarray(player.act_batch(rows, legal_masks, rngs))
    if answers.shape != (len(rows),) or answers.dtype.kind not in "iu":
        raise ValueError(
            f"a player must answer {len(rows)} games with one whole number each, "
            f"not with {answers.dtype} of shape {answers.shape}"
        )
    return np.ascontiguousarray(answers, np.int64)
