"""The PettingZoo AEC environment; `azul_env.azul_v0` documents it."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from azul_env.core.arguments import shown
from azul_env.core.batch import step_one, write_masks
from azul_env.core.chance import chances_from
from azul_env.core.spec import DEFAULT_MAX_ROUNDS, EndReason
from azul_env.core.step import ILLEGAL
from azul_env.core.variant import COLORED
from azul_env.envs.kernels import Games, restart_games
from azul_env.envs.screen import RENDER_MODES, Screen
from azul_env.envs.settings import Seat, Settings, action_number, check_reset, reseed
from azul_env.observation import observe_one
from azul_env.rewards import CUSTOM, Reward, custom_rewards, write_rewards
from azul_env.rules import refuse
from azul_env.state import GameState, check_state, trusted_state

Observation = dict[str, NDArray[Any]]


class AzulAEC(AECEnv[str, Any, Any]):
    """Azul for agents `player_0` to `player_{n-1}`; an illegal action raises IllegalActionError."""

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
        variant: str = COLORED.name,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.settings = Settings(
            num_players, max_rounds, reward, starting_player, observation, variant=variant
        )
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.settings.num_players)]
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
        self._rows, self._chances = self.settings.new_rows(1), chances_from(None, 1)
        self._games = Games(self._rows, self._chances, self.settings.compiled())
        self._is_new = True
        self._rewards = np.zeros(self.settings.num_players)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. A seed determines the deals of this and all later games."""
        reseed(self._chances, [seed])
        restart_games(self._games, 0, 1)
        self._begin()

    def step(self, action: int | None) -> None:
        """Play an action for the selected agent; None if its game is over."""
        check_reset(bool(self.agents), "step")
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
        if step_one(self._rows, action, self._chances) == ILLEGAL:
            return False
        self._screen.last_move = (action, int(before["current_player"][0]))
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._publish_rewards(before)
        self._publish_turn()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()
        return True

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, termination, truncation and info of the selected agent."""
        check_reset(bool(self.agents), "last")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Iterate over the agents to move; step in every iteration."""
        check_reset(not self._is_new, "agent_iter")
        return super().agent_iter(max_iter)

    def observe(self, agent: str) -> Observation:
        """The position from an agent's seat, and its action mask: all zeros unless it is to move."""
        check_reset(not self._is_new, "observe")  # no kernel may see rows that hold no game
        if agent not in self._seats:
            raise KeyError(f"{shown(agent)} is not one of {', '.join(self._seats)}")
        observation = self._observation(self._seats[agent])
        mask = np.zeros(self.settings.num_actions, np.bool_)
        is_over = self.terminations.get(agent, True) or self.truncations.get(agent, True)
        if agent == self.agent_selection and not is_over:
            write_masks(self._rows, mask.reshape(1, -1), 0, 1)
        return {"observation": observation, "action_mask": mask.view(np.int8)}

    def state(self) -> NDArray[Any]:
        """The global state: the observation of `player_0`."""
        check_reset(not self._is_new, "state")
        return self._observation(0)

    def render(self) -> Any:
        """Render the position in the render mode."""
        check_reset(not self._is_new, "render")
        return self._screen.render(self.get_state)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def get_state(self) -> GameState:
        """The current position, for example as the root of a search."""
        check_reset(not self._is_new, "get_state")
        return trusted_state(self._rows.copy())

    def set_state(self, state: GameState) -> None:
        """Continue from a position, with deals from this environment's generator."""
        check_state(state)
        self.settings.check_states(state.rows)
        self._rows[:] = state.rows
        self._begin()

    def _begin(self) -> None:
        """Activate all agents and clear rewards and infos."""
        self._is_new = False
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._screen.last_move = (None, None)
        self._publish_turn()

    def _publish_rewards(self, before: NDArray[Any]) -> None:
        if self.settings.reward_kind == CUSTOM:
            values: Any = custom_rewards(self.settings.reward, before, self._rows, 0).tolist()
        else:
            write_rewards(before, self._rows, self.settings.reward_kind, self._rewards)
            values = self._rewards.tolist()
        self.rewards = dict(zip(self.possible_agents, map(float, values), strict=True))

    def _publish_turn(self) -> None:
        """Select the agent to move and publish whether the game was terminated or truncated."""
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
        """The position from a seat. Caller guarantees that there is a game."""
        observation = np.empty(self.settings.size, self.settings.dtype)
        observe_one(self._rows, seat, observation.view(np.uint8))
        return observation
