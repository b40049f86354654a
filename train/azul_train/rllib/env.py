"""The game as a multi-agent environment of RLlib, and its name there.

    from azul_train.rllib.env import ENV_NAME, register
    register()
    PPOConfig().environment(ENV_NAME, env_config={"num_players": 3})

Only the player to move has an observation: `observations`, a float32 vector, and `action_mask`. A reward reaches the
seat it belongs to at once, even if another seat moved. A game cut at `max_rounds` has paid its outcome and counts as
terminated, so that nothing is bootstrapped from it. An illegal action ends the game, and its player gets the penalty;
RLlib's own check of environments plays such actions. With `strict` it raises IllegalActionError instead: then set
`disable_env_checking` in RLlib's config.
"""

# Ray is an optional dependency, not installed where the type checkers run.
# pyright: reportMissingImports=false

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from azul_env import GameState, shown
from azul_env.chance import seeded_bits
from azul_env.core.batch import reset_games, step_one
from azul_env.core.chance import Chances, chance_of
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import DEFAULT_MAX_ROUNDS
from azul_env.core.step import ILLEGAL
from azul_env.core.variant import COLORED
from azul_env.envs.kernels import publish
from azul_env.envs.settings import RANDOM, Settings, action_number, check_reset
from azul_env.rewards import ILLEGAL_PENALTY, reward_kind, write_rewards
from azul_env.rules import refuse
from azul_env.state import trusted_state

ENV_NAME: Final = "azul"
OUTCOME_ONLY: Final = {"outcome": 1.0}

AgentDict = dict[str, Any]
Step = tuple[AgentDict, AgentDict, dict[str, bool], dict[str, bool], AgentDict]


def register(name: str = ENV_NAME) -> str:
    """Register the environment with RLlib; `env_config` holds the arguments of `AzulMultiAgentEnv`."""
    register_env(name, lambda config: AzulMultiAgentEnv(**config))
    return name


class AzulMultiAgentEnv(MultiAgentEnv):
    """One game, agents `player_0` to `player_{n-1}`."""

    def __init__(
        self,
        num_players: int = 2,
        rewards: Mapping[str, float] = OUTCOME_ONLY,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        strict: bool = False,
        variant: str = COLORED.name,
    ) -> None:
        """`rewards` are names of `azul_env.rewards` and their weights."""
        settings = Settings(num_players, max_rounds, "outcome", RANDOM, "float32", variant=variant)
        self.possible_agents = [f"player_{seat}" for seat in range(settings.num_players)]
        self.agents = list(self.possible_agents)
        super().__init__()
        self.settings = settings
        self.reward_weights = {reward_kind(name): weight for name, weight in rewards.items()}
        self.strict = strict
        space = spaces.Dict(
            {
                "action_mask": spaces.Box(0, 1, (settings.num_actions,), np.int8),
                "observations": settings.observation_space(),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = dict.fromkeys(self.possible_agents, settings.action_space())
        self._rows = settings.new_rows(1)
        self._chances: Chances | None = None
        self._nobody = dict.fromkeys([*self.possible_agents, "__all__"], False)
        self._everybody = dict.fromkeys([*self.possible_agents, "__all__"], True)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[AgentDict, AgentDict]:
        """Start a new game; the first player is drawn. A seed fixes the chance of this and all later games."""
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
        return self._observed([self.current_player]), {}

    def step(self, action_dict: AgentDict) -> Step:
        """Play the action of the player to move; there must be no other."""
        check_reset(self._chances is not None, "step")
        mover = self.current_player
        if not isinstance(action_dict, Mapping) or len(action_dict) != 1:
            raise ValueError(
                f"{self.possible_agents[mover]} alone is to move: {shown(action_dict)}"
            )
        ((agent, action),) = action_dict.items()
        if agent != self.possible_agents[mover]:
            raise ValueError(f"{agent} acts, but {self.possible_agents[mover]} is to move")
        assert self._chances is not None
        before = self._rows.copy()
        number = action_number(action)
        is_legal = step_one(self._rows, number, self._chances) != ILLEGAL
        if not is_legal and self.strict:
            refuse(trusted_state(before), number)
        if is_legal and self._rows["end_reason"][0] == PLAYING:
            observed = self._observed([self.current_player])
            return observed, self._rewards(before), self._nobody, self._nobody, {}
        rewards, infos = self._rewards(before), {}
        if not is_legal:
            rewards = dict.fromkeys(self.possible_agents, 0.0) | {agent: ILLEGAL_PENALTY}
            infos = {agent: {"illegal_action": True}}
        everybody = list(range(self.settings.num_players))
        return self._observed(everybody), rewards, self._everybody, self._nobody, infos

    @property
    def current_player(self) -> int:
        """The seat to move."""
        return int(self._rows["current_player"][0])

    def state(self) -> GameState:
        """The position."""
        check_reset(self._chances is not None, "state")
        return trusted_state(self._rows.copy())

    def _observed(self, seats: list[int]) -> AgentDict:
        """The observations of some seats, in new arrays, since RLlib keeps them."""
        return {self.possible_agents[seat]: self._observation(seat) for seat in seats}

    def _observation(self, seat: int) -> dict[str, NDArray[Any]]:
        settings = self.settings
        mask = np.empty((1, settings.num_actions), np.bool_)
        observation = settings.new_observations(1)
        seats = np.array([seat], np.int64)
        publish(self._rows, seats, mask, observation.view(np.uint8), 0, 1)
        return {"action_mask": mask[0].view(np.int8), "observations": observation[0]}

    def _rewards(self, before: NDArray[Any]) -> dict[str, float]:
        """The weighted rewards of all seats."""
        total, part = np.zeros(self.settings.num_players), np.zeros(self.settings.num_players)
        for kind, weight in self.reward_weights.items():
            write_rewards(before, self._rows, kind, part)
            total += weight * part
        return dict(zip(self.possible_agents, total.tolist(), strict=True))
