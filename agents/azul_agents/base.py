"""The Agent interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # so that agents can be listed without loading the engine
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from azul_env import GameState, Rows


class MoveValue(NamedTuple):
    """A move and its value to the player to move: the margin of points that player expects at the end."""

    action: int
    value: float


class AgentFailureError(Exception):
    """An agent cannot go on: its message says why. It loses the game by forfeit."""


class CannotAnalyseError(ValueError):
    """An agent that chooses moves without putting values on them."""


class Agent(ABC):
    """A player for any seat and any number of players.

    An agent may keep what it learned in a game, but its answer depends on nothing but the state and `rng`, a generator of
    its own: never the one that deals. It leaves the state and the mask as they are.
    """

    spec: str  # the text the agent was made from, such as "greedy" or "alphabeta:time=0.1"

    @abstractmethod
    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The number of a legal action for the player to move. Raises AgentFailureError if there is none to give."""

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> Any:
        """Legal actions for many games at once, by default those that `act` gives game by game.

        `rows` is an array of states (`GameState(rows[i : i + 1])` reads one), all of the same number of players and with the
        agent to move; `rngs` has a generator for each game. The answers must be those of `act`.
        """
        from azul_env import GameState

        states = [GameState(rows[game : game + 1]) for game in range(len(rows))]
        return [self.act(*asked) for asked in zip(states, legal_masks, rngs, strict=True)]

    @property
    def one_game_at_a_time(self) -> bool:
        """Whether its games must not overlap: true for an agent that listens to `begin_game` or `end_game`."""
        listens = type(self).begin_game, type(self).end_game
        return listens != (Agent.begin_game, Agent.end_game)

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All legal moves with their values, the best first. Raises CannotAnalyseError if the agent has none."""
        raise CannotAnalyseError(
            f"{self.spec} chooses moves without valuing them: ask greedy or alphabeta"
        )

    def begin_game(self, num_players: int, seat: int) -> None:
        """A game begins in which the agent has this seat."""

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """The current game is over."""

    def close(self) -> None:
        """Release what the agent holds; it is not used again."""
