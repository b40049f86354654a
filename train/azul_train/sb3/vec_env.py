"""Compiled games as an SB3 VecEnv."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from azul_env.core.arguments import whole_numbers
from azul_env.envs.vector import AzulVectorEnv


class ArrayVecEnv(VecEnv):
    """A VecEnv whose games share one array. SB3's calls for single games are answered for the batch."""

    def __init__(
        self, num_envs: int, observation_space: spaces.Space[Any], action_space: spaces.Space[Any]
    ) -> None:
        self.render_mode = None  # SB3 asks for it in its constructor
        super().__init__(num_envs, observation_space, action_space)
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._masks: NDArray[np.bool_] = np.zeros((num_envs, 0), np.bool_)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions for `step_wait`."""
        self._actions = whole_numbers(actions, self.num_envs, "actions")

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of all games. Raises ValueError for an empty mask, which MaskablePPO would ignore."""
        if not self._masks.any(axis=1).all():
            game = int(np.flatnonzero(~self._masks.any(axis=1))[0])
            raise ValueError(f"game {game} has no legal action: its mask is all false")
        return self._masks

    def env_method(
        self, method_name: str, *arguments: Any, indices: VecEnvIndices = None, **keywords: Any
    ) -> list[Any]:
        """Call a method of some games; only `action_masks` is supported."""
        if method_name != "action_masks":
            raise AttributeError(f"games in one array have no method {method_name!r} of their own")
        return list(self.action_masks()[list(self._get_indices(indices))])

    def has_attr(self, attr_name: str) -> bool:
        """True if the games have an attribute; MaskablePPO asks for `action_masks`."""
        return attr_name == "action_masks" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the batch, repeated for each game."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Not supported: the games share one environment."""
        raise NotImplementedError(f"cannot set {attr_name!r}: the games share one environment")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing to close."""

    def _infos(
        self, done: NDArray[np.bool_], final_observations: NDArray[Any]
    ) -> list[dict[str, Any]]:
        """The infos of a step, with the terminal observations that SB3 expects.

        A game that ends at the round cap pays its outcome, and the observation includes the round: SB3 must not
        bootstrap from it, so no time limit is reported.
        """
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(done).tolist():
            infos[game]["terminal_observation"] = final_observations[game]
            infos[game]["TimeLimit.truncated"] = False
        return infos


class AzulVecEnv(ArrayVecEnv):
    """`AzulVectorEnv` for SB3, with action masks for MaskablePPO."""

    def __init__(self, num_envs: int, **arguments: Any) -> None:
        """Takes the arguments of `AzulVectorEnv`."""
        self.env = AzulVectorEnv(num_envs, **arguments)
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)

    def reset(self) -> VecEnvObs:
        """Start all games, from the seeds given to `seed` if any."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, info = self.env.reset(seed=seeds)
        self._reset_seeds()
        self._masks = self.env.action_masks()
        self.reset_infos = [{"seat": int(seat)} for seat in info["seat"]]
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        """Play the stored actions; the info of a finished game says whether it was truncated at the round cap."""
        observations, rewards, terminated, truncated, info = self.env.step(self._actions)
        self._masks = self.env.action_masks()
        done = terminated | truncated
        infos = self._infos(done, info.get("final_obs", observations))
        for game in np.flatnonzero(done).tolist():
            infos[game]["truncated"] = bool(truncated[game])
        return observations, rewards.astype(np.float32), done, infos

    def has_attr(self, attr_name: str) -> bool:
        """True if the games have an attribute."""
        return super().has_attr(attr_name) or hasattr(self.env, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the batch, repeated for each game."""
        owner = self.env if hasattr(self.env, attr_name) else self
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]
