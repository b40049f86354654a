"""Which game an observation space belongs to."""

from itertools import product
from typing import Any

from gymnasium import spaces

from azul_agents.base import VARIANTS
from azul_env import MAX_PLAYERS, MIN_PLAYERS
from azul_env.observation import observation_size


def game_seen_in(space: spaces.Space[Any]) -> tuple[int, str]:
    """The number of players and the variant whose observations have this shape. Raises ValueError if there are none."""
    for num_players, variant in product(range(MIN_PLAYERS, MAX_PLAYERS + 1), VARIANTS):
        if space.shape == (observation_size(num_players, variant),):
            return num_players, variant
    raise ValueError(f"{space} is no observation of {MIN_PLAYERS} to {MAX_PLAYERS} players")
