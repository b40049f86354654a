"""The arguments that all environments share, checked once and turned into what kernels take."""

from operator import index as as_integer
from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from azul_env.core.batch import RANDOM_SEAT
from azul_env.core.spec import COUNTER_LIMIT, MAX_PLAYERS, MIN_PLAYERS, num_actions
from azul_env.observation import observation_highs, observation_size
from azul_env.rewards import Reward, reward_function, reward_kind

RANDOM: Final = "random"
Seat = int | Literal["random"]
OBSERVATION_TYPES: Final[dict[str, Any]] = {"float32": np.float32, "uint8": np.uint8}


class Settings:
    """What an environment was asked for."""

    def __init__(
        self,
        num_players: int,
        max_rounds: int,
        reward: str | Reward,
        starting_player: Seat,
        observation: str,
        seat: Seat = RANDOM,
    ) -> None:
        self.num_players = _in_range("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
        self.max_rounds = _in_range("max_rounds", max_rounds, 1, COUNTER_LIMIT)
        self.reward = reward_function(reward)
        self.reward_kind = reward_kind(reward)
        self.starting_player = _seat("starting_player", starting_player, num_players)
        self.seat = _seat("seat", seat, num_players)
        if observation not in OBSERVATION_TYPES:
            raise ValueError(
                f"observation={observation!r} is none of {', '.join(OBSERVATION_TYPES)}"
            )
        self.dtype = OBSERVATION_TYPES[observation]
        self.num_actions = num_actions(num_players)
        self.size = observation_size(num_players)

    def observation_space(self) -> spaces.Box:
        """The space of the observation vector."""
        if self.dtype is np.uint8:
            highs = observation_highs(self.num_players)
            return spaces.Box(np.zeros_like(highs), highs, dtype=np.uint8)
        return spaces.Box(0.0, 1.0, (self.size,), np.float32)

    def new_observations(self, count: int) -> NDArray[Any]:
        """Room for this many observations."""
        return np.empty((count, self.size), self.dtype)

    def action_space(self) -> spaces.Discrete:
        """The space of actions."""
        return spaces.Discrete(self.num_actions)


def _seat(name: str, seat: Seat, num_players: int) -> int:
    if seat == RANDOM:
        return RANDOM_SEAT
    if isinstance(seat, str):
        raise ValueError(f"{name}={seat!r} is neither a seat nor {RANDOM!r}")
    return _in_range(name, seat, 0, num_players - 1)


def _in_range(name: str, value: int, least: int, most: int) -> int:
    number = as_integer(value)
    if not least <= number <= most:
        raise ValueError(f"{name}={number} is not in {least}..{most}")
    return number
