"""The Agent interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # agents are listed without loading the engine
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from azul_env import GameState, Rows


class MoveValue(NamedTuple):
    """A move and its value: the expected margin of points at the end for the player to move."""

    action: int
    value: float


class AgentFailureError(Exception):
    """An agent cannot continue, for the reason in the message. It forfeits the game."""


class CannotAnalyseError(ValueError):
    """The agent chooses moves without values."""


class Agent(ABC):
    """A player for any seat and any number of players.

    An agent may cache what it computed, but its answer depends only on the state and on `rng`, which is never the
    generator that deals. It does not modify the state or the mask.
    """

    spec: str  # such as "greedy" or "alphabeta:time=0.1"

    @abstractmethod
    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """A legal action for the player to move. Raises AgentFailureError if the agent cannot answer."""

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> Any:
        """Legal actions for many games, the same that `act` returns for each; by default it is called in a loop.

        `rows` is an array of states (`GameState(rows[i : i + 1])` wraps one), all with the same number of players and with
        the agent to move; `rngs` has one generator per game.
        """
        from azul_env import GameState

        states = [GameState(rows[game : game + 1]) for game in range(len(rows))]
        return [self.act(*game) for game in zip(states, legal_masks, rngs, strict=True)]

    @property
    def one_game_at_a_time(self) -> bool:
        """True if games must not overlap: by default, if the agent overrides `begin_game` or `end_game`."""
        hooks = type(self).begin_game, type(self).end_game
        return hooks != (Agent.begin_game, Agent.end_game)

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All legal moves with their values, the best first. Raises CannotAnalyseError if there are no values."""
        raise CannotAnalyseError(f"{self.spec} gives no values to moves: use greedy or alphabeta")

    def begin_game(self, num_players: int, seat: int) -> None:
        """Called before a game in which the agent has this seat."""

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """Called after a game."""

    def close(self) -> None:
        """Release all resources; the agent is not used again."""
