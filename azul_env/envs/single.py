"""The Gymnasium environment: one learner against opponents."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from azul_env.core.spec import DEFAULT_MAX_ROUNDS
from azul_env.core.variant import COLORED
from azul_env.envs.opponents import EachGame, Opponent, opponents_of
from azul_env.envs.screen import RENDER_MODES, Screen
from azul_env.envs.seats import SeatGames
from azul_env.envs.settings import RANDOM, Seat, Settings, action_number, check_reset
from azul_env.rewards import Reward
from azul_env.rules import illegal_reason
from azul_env.state import GameState, check_state, trusted_state


class AzulEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """One learner against opponents: specs of agents such as "greedy", agents, or functions; random by default.

    A function is called as `(state, legal_mask, rng) -> action`. One opponent plays all other seats, or a list has one
    opponent per seat, in turn order after the learner.

    `info["action_mask"]` and `action_masks()` are the legal actions. An illegal action ends the episode with a reward of
    -1 and its reason in `info["illegal_action"]`. The reward of a step includes the opponents' replies.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        num_players: int = 2,
        opponents: str | Opponent | Sequence[str | Opponent] | None = None,
        seat: Seat = RANDOM,
        starting_player: Seat = 0,
        reward: str | Reward = "outcome",
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        render_mode: str | None = None,
        observation: str = "float32",
        variant: str = COLORED.name,
    ) -> None:
        self.settings = Settings(
            num_players, max_rounds, reward, starting_player, observation, seat, variant
        )
        players = opponents_of(opponents, self.settings.num_players, EachGame, variant)
        self.games = SeatGames(1, self.settings, players)
        self.observation_space = self.settings.observation_space()
        self.action_space = self.settings.action_space()
        self.render_mode = render_mode
        self._screen = Screen(render_mode)
        self._mask = np.zeros(self.settings.num_actions, np.bool_)
        self._phase = "new"  # then "playing", then "over"

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a new game and play it up to the learner's first turn."""
        super().reset(seed=seed)
        if seed is not None:
            self.games.seed([seed])
        self.games.begin(np.ones(1, np.bool_))
        self._phase = "playing"
        self._screen.last_move = (None, None)
        return self._observed()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play an action and the opponents' replies."""
        check_reset(self._phase == "playing", "step")
        number = action_number(action)
        before = self.get_state()
        result = self.games.step(np.array([number]))
        self._screen.last_move = (number, self.seat)
        is_over = bool(result.terminated[0] or result.truncated[0])
        self._phase = "over" if is_over else "playing"
        observation, info = self._observed()
        if result.illegal[0]:
            info["illegal_action"] = str(illegal_reason(before, number))
        if is_over and not result.illegal[0]:
            state = self.get_state()
            info["end_reason"], info["scores"] = state.end_reason, state.scores
        if self.render_mode == "human":
            self.render()
        reward = float(result.rewards[0])
        return observation, reward, bool(result.terminated[0]), bool(result.truncated[0]), info

    @property
    def seat(self) -> int:
        """The learner's seat in the current game."""
        return int(self.games.seats[0])

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal mask, under the name that sb3-contrib expects."""
        return self._mask

    def render(self) -> Any:
        """Render the position in the render mode."""
        check_reset(self._phase != "new", "render")
        return self._screen.render(self.get_state)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def get_state(self) -> GameState:
        """The current position, for example as the root of a search."""
        check_reset(self._phase != "new", "get_state")
        return trusted_state(self.games.rows.copy())

    def set_state(self, state: GameState) -> tuple[NDArray[Any], dict[str, Any]]:
        """Continue from a position with the learner in the seat to move; returns observation and info."""
        check_state(state)
        self.settings.check_states(state.rows)
        if self._phase == "new":
            self.reset()
        self.games.rows[:] = state.rows
        self.games.seats[0] = state.current_player
        self._phase = "over" if state.is_terminal else "playing"
        self._screen.last_move = (None, None)
        return self._observed()

    def _observed(self) -> tuple[NDArray[Any], dict[str, Any]]:
        observations, masks = self.games.publish()
        is_on = self._phase == "playing"
        self._mask = masks[0] if is_on else np.zeros_like(masks[0])
        return observations[0], {"action_mask": self._mask.view(np.int8), "seat": self.seat}
