"""What every player is: something that chooses an action, and can perhaps say what it thinks of the others."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env import GameState


class MoveValue(NamedTuple):
    """A move and what it is worth to the player to move: the points that player expects to be ahead in the end."""

    action: int
    value: float


class AgentFailureError(Exception):
    """An agent cannot go on: its message says why. Whoever runs the game lets it lose by a forfeit."""


class CannotAnalyseError(ValueError):
    """An agent that chooses moves without putting values on them."""


class Agent(ABC):
    """A player for any seat and any number of players.

    An agent may keep what it learned in a game, but its answer depends on nothing but the state and `rng`, a generator of
    its own: never the one that deals. It leaves the state and the mask as they are.
    """

    spec: str  # how the agent was asked for, such as "greedy" or "alphabeta:time=0.1"

    @abstractmethod
    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The number of a legal action for the player to move. Raises AgentFailureError if there is none to give."""

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All legal moves with their values, the best first. Raises CannotAnalyseError if the agent has none."""
        raise CannotAnalyseError(
            f"{self.spec} chooses moves without valuing them: ask greedy or alphabeta"
        )

    def begin_game(self, num_players: int, seat: int) -> None:
        """A game begins in which the agent has this seat."""

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """The game that was begun is over."""

    def close(self) -> None:
        """The agent is not needed any more."""
