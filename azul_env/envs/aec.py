"""The game as a PettingZoo AEC environment; `azul_env.azul_v0` is its data sheet."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from azul_env.chance import seeded_bits
from azul_env.core.batch import reset_games, step_one, write_masks
from azul_env.core.chance import Chances, chance_of
from azul_env.core.spec import DEFAULT_MAX_ROUNDS, EndReason
from azul_env.core.state import empty_rows
from azul_env.core.step import ILLEGAL
from azul_env.envs.screen import RENDER_MODES, Screen
from azul_env.envs.settings import Seat, Settings, action_number
from azul_env.observation import observe_one
from azul_env.rewards import CUSTOM, Reward, custom_rewards, write_rewards
from azul_env.rules import refuse
from azul_env.state import GameState

Observation = dict[str, NDArray[Any]]


class AzulAEC(AECEnv[str, Any, Any]):
    """Agents `player_0` to `player_{n-1}` take turns; an illegal action raises IllegalActionError."""

    metadata = {  # noqa: RUF012
        "name": "azul_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        num_players: int = 2,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        reward: str | Reward = "outcome",
        render_mode: str | None = None,
        starting_player: Seat = 0,
        observation: str = "float32",
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.settings = Settings(num_players, max_rounds, reward, starting_player, observation)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._screen = Screen(render_mode)
        self._observation_space = self.settings.observation_space()
        mask_space = spaces.Box(0, 1, (self.settings.num_actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": self._observation_space, "action_mask": mask_space})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: self.settings.action_space() for agent in self.possible_agents}
        self.state_space = self._observation_space
        self._rows = empty_rows(1)
        self._chances: Chances | None = None
        self._rewards = np.zeros(num_players)
        self._last_turn: tuple[int | None, int | None] = (None, None)  # action and player

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observation."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. A seed fixes the chance of this and all later games."""
        if seed is not None or self._chances is None:
            self._chances = chance_of(seeded_bits(seed))
        settings = self.settings
        reset_games(
            self._rows,
            self._chances,
            settings.num_players,
            settings.starting_player,
            settings.max_rounds,
            0,
            1,
        )
        self._begin()

    def step(self, action: int | None) -> None:
        """Play an action for the agent whose turn it is; None for one whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to move: None is only for agents whose game is over")
        if not self.try_step(action_number(action)):
            refuse(self.get_state(), action)

    def try_step(self, action: int) -> bool:
        """Play an action for the agent to move; false, and nothing changes, if it is illegal."""
        before = self._rows.copy()
        assert self._chances is not None, "reset() comes first"
        if step_one(self._rows, action, self._chances) == ILLEGAL:
            return False
        self._last_turn = (action, int(before["current_player"][0]))
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._publish_rewards(before)
        self._publish_turn()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()
        return True

    def observe(self, agent: str) -> Observation:
        """The position from an agent's seat, and its legal actions: none unless it is to move."""
        observation = self._observation(self._seats[agent])
        mask = np.zeros(self.settings.num_actions, np.bool_)
        is_over = self.terminations.get(agent, True) or self.truncations.get(agent, True)
        if agent == self.agent_selection and not is_over:
            write_masks(self._rows, mask.reshape(1, -1), 0, 1)
        return {"observation": observation, "action_mask": mask.view(np.int8)}

    def state(self) -> NDArray[Any]:
        """The whole position as one vector: what `player_0` observes."""
        return self._observation(0)

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
        if self._chances is None:
            raise gymnasium.error.ResetNeeded("call reset() before get_state()")
        return GameState(self._rows.copy())

    def set_state(self, state: GameState) -> None:
        """Go on from a position. Its chance comes from this environment's own generator."""
        if state.num_players != self.settings.num_players:
            raise ValueError(
                f"a state of {state.num_players} players in a game of {self.settings.num_players}"
            )
        if self._chances is None:
            self._chances = chance_of(seeded_bits(None))
        self._rows = state.rows.copy()
        self._begin()

    def _begin(self) -> None:
        """All agents are in the game, and nothing has been earned yet."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._last_turn = (None, None)
        self._publish_turn()

    def _publish_rewards(self, before: NDArray[Any]) -> None:
        if self.settings.reward_kind == CUSTOM:
            values: Any = custom_rewards(self.settings.reward, before, self._rows, 0).tolist()
        else:
            write_rewards(before, self._rows, self.settings.reward_kind, self._rewards)
            values = self._rewards.tolist()
        self.rewards = dict(zip(self.possible_agents, map(float, values), strict=True))

    def _publish_turn(self) -> None:
        """Who is to move, and whether the game is over: cut off at the round cap, or ended by the rules."""
        player = int(self._rows["current_player"][0])
        reason = int(self._rows["end_reason"][0])
        is_over = reason != EndReason.PLAYING
        is_cut = reason == EndReason.MAX_ROUNDS
        self.terminations = dict.fromkeys(self.agents, is_over and not is_cut)
        self.truncations = dict.fromkeys(self.agents, is_cut)
        seat = (player + 1) % self.settings.num_players if is_over else player
        self.agent_selection = self.possible_agents[seat]
        if is_over:
            reason_name = EndReason(reason).name.lower()
            self.infos = {agent: {"end_reason": reason_name} for agent in self.agents}

    def _observation(self, seat: int) -> NDArray[Any]:
        """The position from a seat."""
        observation = np.empty(self.settings.size, self.settings.dtype)
        observe_one(self._rows, seat, observation.view(np.uint8))
        return observation
