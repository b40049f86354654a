"""The game as a Gymnasium environment: one seat learns, the others are opponents."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from azul_env.core.spec import DEFAULT_MAX_ROUNDS
from azul_env.envs.opponents import EachGame, Opponent, opponents_of
from azul_env.envs.screen import RENDER_MODES, Screen
from azul_env.envs.seats import SeatGames
from azul_env.envs.settings import RANDOM, Seat, Settings, action_number
from azul_env.rewards import Reward
from azul_env.rules import illegal_reason
from azul_env.state import GameState


class AzulEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """One seat against opponents: specs of agents such as "greedy", agents, or functions; random ones by default.

    A function is called as `(state, legal_mask, rng) -> action`. One opponent plays all other seats, or a list names one
    for each, in turn order behind the learner.

    `info["action_mask"]` and `action_masks()` say what is legal. An illegal action ends the episode with a reward of -1;
    `info["illegal_action"]` says why it was illegal. The reward of a step covers the opponents' answers to it.
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
    ) -> None:
        self.settings = Settings(
            num_players, max_rounds, reward, starting_player, observation, seat
        )
        self.games = SeatGames(
            1, self.settings, opponents_of(opponents, self.settings.num_players, EachGame)
        )
        self.observation_space = self.settings.observation_space()
        self.action_space = self.settings.action_space()
        self.render_mode = render_mode
        self._screen = Screen(render_mode)
        self._mask = np.zeros(self.settings.num_actions, np.bool_)
        self._phase = "new"  # then "playing", then "over"
        self._last_turn: tuple[int | None, int | None] = (None, None)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a new game, up to the first turn of the learner's seat."""
        super().reset(seed=seed)
        if seed is not None:
            self.games.seed([seed])
        self.games.begin(np.ones(1, np.bool_))
        self._phase = "playing"
        self._last_turn = (None, None)
        return self._observed()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play an action and let the opponents answer."""
        if self._phase != "playing":
            raise gymnasium.error.ResetNeeded(
                f"call reset() before step(): the game is {self._phase}"
            )
        number = action_number(action)
        before = self.get_state()
        result = self.games.step(np.array([number]))
        self._last_turn = (number, self.seat)
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
        """The learner's seat in the game that is on."""
        return int(self.games.seats[0])

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, as sb3-contrib asks for them."""
        return self._mask

    def render(self) -> Any:
        """Show the position as the render mode says."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        return self._screen.render(self.get_state(), *self._last_turn)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def get_state(self) -> GameState:
        """The position, for search."""
        if self._phase == "new":
            raise gymnasium.error.ResetNeeded("call reset() before get_state()")
        return GameState(self.games.rows.copy())

    def set_state(self, state: GameState) -> tuple[NDArray[Any], dict[str, Any]]:
        """Go on from a position with the learner in the seat that is to move; observation and info of it."""
        if state.num_players != self.settings.num_players:
            raise ValueError(
                f"a state of {state.num_players} players in a game of {self.settings.num_players}"
            )
        if self._phase == "new":
            self.reset()
        self.games.rows[:] = state.rows
        self.games.seats[0] = state.current_player
        self._phase = "over" if state.is_terminal else "playing"
        self._last_turn = (None, None)
        return self._observed()

    def _observed(self) -> tuple[NDArray[Any], dict[str, Any]]:
        observations, masks = self.games.publish()
        is_on = self._phase == "playing"
        self._mask = masks[0] if is_on else np.zeros_like(masks[0])
        return observations[0], {"action_mask": self._mask.view(np.int8), "seat": self.seat}
