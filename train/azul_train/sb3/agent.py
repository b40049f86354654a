"""An agent around a model that was trained on our environments and saved by Stable-Baselines3."""

import os
from contextlib import suppress
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from azul_agents import Agent, AgentSpecError
from azul_agents.registry import quoted
from azul_env import GameState, brief, num_actions, observe
from azul_env.extras import install_command
from azul_env.files import open_regular
from azul_train.kinds import Sb3Options
from azul_train.sb3.spaces import game_seen_in

OBSERVATION: Final = "observation"  # the key of PettingZoo's observations


class Sb3Agent(Agent):
    """Plays the legal actions that the policy of a saved PPO or MaskablePPO model prefers."""

    def __init__(self, spec: str, options: Sb3Options) -> None:
        """Load the model. Raises AgentSpecError if that is not possible."""
        self.spec = spec
        self.deterministic = options.deterministic
        self._path = options.path
        self._policy = self._loaded_policy()
        space = self._policy.observation_space
        self._has_mask = isinstance(space, spaces.Dict)
        self._box: Any = space[OBSERVATION] if isinstance(space, spaces.Dict) else space
        self.num_players, variant = self._trained_game()
        self.variants = (variant,)

    def check_table(self, num_players: int, variant: str) -> None:
        """Raise AgentSpecError if the model was trained for another number of players."""
        if num_players != self.num_players:
            raise AgentSpecError(
                f"{quoted(self.spec)}: {self._path} was trained for {self.num_players} players, this game has {num_players}"
            )

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The most likely legal action, or one sampled from the policy."""
        self.check_table(state.num_players, state.variant)
        logits: NDArray[Any] = self._logits(state, legal_mask)
        if not self.deterministic:
            # Gumbel-max trick: the argmax of logits plus Gumbel noise is a sample from the softmax.
            logits = logits + rng.gumbel(size=logits.shape)
        return int(np.where(legal_mask, logits, -np.inf).argmax())

    def _logits(self, state: GameState, legal_mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        import torch

        seen: Any = observe(state, state.current_player, self._box.dtype.type)
        if self._has_mask:
            seen = {OBSERVATION: seen, "action_mask": legal_mask.astype(np.int8)}
        with torch.no_grad():
            observation, _ = self._policy.obs_to_tensor(seen)
            return self._policy.get_distribution(observation).distribution.logits[0].cpu().numpy()

    def _loaded_policy(self) -> Any:
        try:
            from sb3_contrib import MaskablePPO
            from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
            from stable_baselines3 import PPO
            from stable_baselines3.common.policies import ActorCriticPolicy
            from stable_baselines3.common.save_util import load_from_zip_file
        except ImportError:
            raise self._error(f"it needs Stable-Baselines3: {install_command('train')}") from None
        try:
            if os.path.exists(self._path):  # else SB3 adds .zip to the name
                open_regular(self._path).close()
            data: Any = load_from_zip_file(self._path, device="cpu")[0]
            policy_class = data["policy_class"]
            if not issubclass(policy_class, MaskableActorCriticPolicy | ActorCriticPolicy):
                raise TypeError(f"it holds a {policy_class.__name__}, not a PPO policy")
            is_maskable = issubclass(policy_class, MaskableActorCriticPolicy)
            algorithm: Any = MaskablePPO if is_maskable else PPO
            policy = algorithm.load(self._path, device="cpu").policy
        except FileNotFoundError:
            raise self._error(f"there is no file {self._path}") from None
        except Exception as error:  # SB3 raises many types for files of another kind
            raise self._error(
                f"{self._path} cannot be loaded as a PPO or MaskablePPO model: {brief(repr(error))}"
            ) from error
        policy.set_training_mode(False)
        return policy

    def _trained_game(self) -> tuple[int, str]:
        """The number of players and the variant, from the sizes of the observations and actions."""
        actions = getattr(self._policy.action_space, "n", None)
        with suppress(ValueError):
            game = game_seen_in(self._box)
            if actions == num_actions(*game):
                return game
        raise self._error(
            f"{self._path} was not trained on an environment of azul_env: its observations are "
            f"{self._policy.observation_space}, its actions {actions}"
        )

    def _error(self, problem: str) -> AgentSpecError:
        return AgentSpecError(f"{quoted(self.spec)}: {problem}")
