"""Arguments and checks that all environments share."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from azul_env.chance import seeded_bits
from azul_env.core.arguments import int64_number, number_between, player_count, shown
from azul_env.core.chance import Chances, chance_of
from azul_env.core.spec import COUNTER_LIMIT, EndReason
from azul_env.core.state import Rows, empty_rows
from azul_env.core.step import RANDOM_SEAT
from azul_env.core.variant import COLORED, variant_named
from azul_env.observation import observation_highs, observation_size
from azul_env.rewards import Reward, reward_function, reward_kind
from azul_env.state import check_players, check_variant

RANDOM: Final = "random"
Seat = int | Literal["random"]
OBSERVATION_TYPES: Final[dict[str, Any]] = {"float32": np.float32, "uint8": np.uint8}

# The settings of an environment, for kernels.
SETTINGS: Final = np.dtype(
    [
        ("num_players", np.int64),
        ("starting_player", np.int64),  # or RANDOM_SEAT
        ("max_rounds", np.int64),
        ("seat", np.int64),  # the learner's, or RANDOM_SEAT
        ("reward", np.int64),  # the kind of reward: see `azul_env.rewards`
    ]
)


class Settings:
    """The validated settings of an environment."""

    def __init__(
        self,
        num_players: int,
        max_rounds: int,
        reward: str | Reward,
        starting_player: Seat,
        observation: str,
        seat: Seat = RANDOM,
        variant: str = COLORED.name,
    ) -> None:
        self.variant = variant_named(variant)
        self.num_players = player_count(num_players)
        self.max_rounds = number_between(max_rounds, 1, COUNTER_LIMIT, "max_rounds")
        self.reward = reward_function(reward)
        self.reward_kind = reward_kind(reward)
        self.starting_player = _seat("starting_player", starting_player, self.num_players)
        self.seat = _seat("seat", seat, self.num_players)
        if not isinstance(observation, str) or observation not in OBSERVATION_TYPES:
            raise ValueError(
                f"observation={shown(observation)} is not one of {', '.join(OBSERVATION_TYPES)}"
            )
        self.dtype = OBSERVATION_TYPES[observation]
        self.num_actions = self.variant.num_actions(self.num_players)
        self.size = observation_size(self.num_players, variant)

    def compiled(self) -> NDArray[Any]:
        """The settings for kernels: an array of one SETTINGS."""
        values = (self.num_players, self.starting_player, self.max_rounds, self.seat)
        return np.array([(*values, self.reward_kind)], SETTINGS)

    def observation_space(self) -> spaces.Box:
        """The space of one observation."""
        if self.dtype is np.uint8:
            highs = observation_highs(self.num_players, self.variant.name)
            return spaces.Box(np.zeros_like(highs), highs, dtype=np.uint8)
        return spaces.Box(0.0, 1.0, (self.size,), np.float32)

    def new_rows(self, count: int) -> Rows:
        """Room for the states of this many games."""
        return empty_rows(count, self.variant.dtype)

    def new_observations(self, count: int) -> NDArray[Any]:
        """Room for this many observations."""
        return np.empty((count, self.size), self.dtype)

    def action_space(self) -> spaces.Discrete:
        """The space of one action."""
        return spaces.Discrete(self.num_actions)

    def check_states(self, rows: Rows) -> None:
        """Raise ValueError unless an environment can continue from these states: its variant and players, and dealt."""
        check_variant(rows, self.variant.name, "an environment")
        check_players(rows, self.num_players, "an environment")
        is_table_empty = (rows["available"] == 0) & (rows["end_reason"] == EndReason.PLAYING)
        for game in np.flatnonzero(is_table_empty).tolist():
            if not self.variant.columns_to_choose(rows[game]):
                text = "a state that awaits a deal: an environment goes on from `dealt` ones"
                raise ValueError(text)


def _seat(name: str, seat: Seat, num_players: int) -> int:
    if isinstance(seat, str):
        if seat == RANDOM:
            return RANDOM_SEAT
        raise ValueError(f"{name}={shown(seat)} is neither a seat nor {RANDOM!r}")
    return number_between(seat, 0, num_players - 1, name)


def action_number(action: Any) -> int:
    """Convert an action, legal or not, to int. Raises TypeError unless it is a whole number."""
    return int64_number(action, "an action")


def check_reset(is_ready: bool, call: str) -> None:
    """Raise ResetNeeded unless the environment is ready for a call."""
    if not is_ready:
        raise ResetNeeded(f"call reset() before {call}(): no game is in progress")


def reseed(chances: Chances, seeds: Sequence[int | None]) -> None:
    """Restart the generators of the games that have a seed; None continues a game's generator."""
    bits = [
        None if seed is None else seeded_bits(seed) for seed in seeds
    ]  # raises before any change
    for game, generator in enumerate(bits):
        if generator is not None:
            chances[game] = chance_of(generator)[0]
