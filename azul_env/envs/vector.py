"""Compiled Gymnasium vector environments: one learner per game against opponents, or self-play.

Both restart a game in the step that ends it (autoreset mode SAME_STEP): the observation is that of the new game, and the
last one of the finished game is in `info["final_obs"]`. With seed s, game i is the game of a single environment with
seed s + i.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from azul_env.core.arguments import game_count, seed_number, shown, whole_numbers
from azul_env.core.chance import chances_from
from azul_env.core.spec import DEFAULT_MAX_ROUNDS
from azul_env.core.state import Rows
from azul_env.core.variant import COLORED
from azul_env.envs.buffers import Buffers
from azul_env.envs.kernels import Games, TurnArrays, publish, restart_games, step_turns
from azul_env.envs.opponents import AllGames, BatchedOpponent, opponents_of
from azul_env.envs.seats import SeatGames
from azul_env.envs.settings import RANDOM, Seat, Settings, check_reset, reseed
from azul_env.rewards import CUSTOM, Reward, custom_rewards
from azul_env.state import GameState, check_state, check_variant, checked_rows

Info = dict[str, Any]
VectorStep = tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]


def _rows_of(states: Sequence[GameState], settings: Settings) -> Rows:
    """The rows of some states. Raises TypeError for anything else, ValueError for states of another variant."""
    if not isinstance(states, Sequence):
        raise TypeError(f"states must be a list of states or an array of rows, not {shown(states)}")
    for state in states:
        check_state(state)
        check_variant(state.rows, settings.variant.name, "an environment")
    return np.concatenate([settings.new_rows(0), *(state.rows for state in states)])


class _AzulVector(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """The common part of both vector environments: spaces, seeds, masks and states."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int, settings: Settings, render_mode: str | None) -> None:
        if render_mode is not None:
            raise ValueError(
                "vector environments do not render: use AzulEnv, or azul_env.render.svg"
            )
        self.num_envs = num_envs = game_count(num_envs, "num_envs")
        self.settings = settings
        self.single_observation_space = settings.observation_space()
        self.single_action_space = settings.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows: Rows = settings.new_rows(num_envs)
        self._chances = chances_from(None, num_envs)
        self._masks = np.zeros((num_envs, settings.num_actions), np.bool_)
        self._is_new = True

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal masks of all games, in the array of the last step."""
        return self._masks

    def get_state(self) -> Rows:
        """A copy of all positions, as an array of rows: see `azul_env.core.state`."""
        check_reset(not self._is_new, "get_state")
        return self._rows.copy()

    def set_state(self, states: Rows | Sequence[GameState]) -> tuple[NDArray[Any], Info]:
        """Continue from other positions, one per game, none of them over; returns observations and info."""
        rows = states if isinstance(states, np.ndarray) else _rows_of(states, self.settings)
        if rows.shape != (self.num_envs,):
            raise ValueError(
                f"{self.num_envs} states are needed, not an array of shape {rows.shape}"
            )
        rows = checked_rows(rows, "states")
        self.settings.check_states(rows)
        if rows["end_reason"].any():
            game = int(np.flatnonzero(rows["end_reason"])[0])
            raise ValueError(f"the game of state {game} is over")
        if self._is_new:
            self.reset()
        self._rows[:] = rows
        return self._resumed()

    def _resumed(self) -> tuple[NDArray[Any], Info]:
        raise NotImplementedError

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """A seed for each game: s, s + 1, ... or as listed; None continues the game's generator."""
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, Sequence | np.ndarray):
            first = seed_number(seed)
            return list(range(first, first + self.num_envs))
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} games")
        return [None if one is None else seed_number(one) for one in seed]

    def _due(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        """The games that a reset starts: Gymnasium's `reset_mask` if it is among the options, else all."""
        if options is not None and not isinstance(options, dict):
            raise TypeError(f"options must be a dict, not {shown(options)}")
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        due = options["reset_mask"]
        if not isinstance(due, np.ndarray) or due.dtype != np.bool_:
            raise TypeError(f"reset_mask must be an array of bools, not {shown(due)}")
        if due.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must have shape ({self.num_envs},), not {due.shape}")
        if not due.any():
            raise ValueError("reset_mask must be true for at least one game")
        if self._is_new and not due.all():
            raise ResetNeeded("call reset() without a reset_mask first: not all games have begun")
        return np.ascontiguousarray(due)

    def _reset_seeds(
        self, seed: int | Sequence[int | None] | None, due: NDArray[np.bool_]
    ) -> list[int | None]:
        """The seeds of a reset: None, which continues a generator, for the games that go on."""
        return [one if is_due else None for one, is_due in zip(self._seeds(seed), due, strict=True)]

    def _reset_info(self, info: Info, due: NDArray[np.bool_]) -> Info:
        """The info of a reset. If only some games were reset, `_key` says which, as in Gymnasium."""
        if due.all():
            return info
        return info | {f"_{key}": due.copy() for key in info}

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        check_reset(not self._is_new, "step")
        return whole_numbers(actions, self.num_envs, "actions")

    def _final_info(
        self,
        ended: NDArray[np.bool_],
        scores: NDArray[np.int64],
        final_observations: NDArray[Any],
    ) -> Info:
        """Gymnasium's info on the games that ended in this step; entries of other games are undefined."""
        return {
            "final_obs": final_observations,
            "_final_obs": ended,
            "final_info": {"scores": scores, "_scores": ended},
            "_final_info": ended,
        }


class AzulVectorEnv(_AzulVector):
    """One learner per game against opponents, as in `AzulEnv`; compiled random ones by default.

    A function is called for many games at once, as `(rows, masks, rng) -> actions`: `rows` are the states of all games
    in which that opponent is to move, and `GameState(rows[i:i+1])` is one of them.
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        opponents: str | BatchedOpponent | Sequence[str | BatchedOpponent] | None = None,
        seat: Seat = RANDOM,
        starting_player: Seat = 0,
        reward: str | Reward = "outcome",
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        observation: str = "float32",
        render_mode: str | None = None,
        variant: str = COLORED.name,
    ) -> None:
        settings = Settings(
            num_players, max_rounds, reward, starting_player, observation, seat, variant
        )
        super().__init__(num_envs, settings, render_mode)
        players = opponents_of(opponents, settings.num_players, AllGames, variant)
        self.games = SeatGames(self.num_envs, settings, players)
        self._rows, self._chances = self.games.rows, self.games.chances

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], Info]:
        """Start a new game everywhere, or where `options["reset_mask"]` is true, and play it up to the learner's turn.

        The others go on: their observations and info are those of their last step. `info["_seat"]` and
        `info["_action_mask"]` then say which games are new.
        """
        due = self._due(options)
        self.games.seed(self._reset_seeds(seed, due))
        self.games.begin(due)
        self._is_new = False
        observations, info = self._published()
        return observations, self._reset_info(info, due)

    def step(self, actions: NDArray[np.int64]) -> VectorStep:
        """Play one action in every game and the opponents' replies."""
        result = self.games.step(self._checked(actions))
        ended = result.terminated | result.truncated
        info: Info = {}
        if ended.any():
            scores = self._rows["scores"][:, : self.settings.num_players].copy()
            info = self._final_info(ended, scores, result.final_observations)
            if result.illegal.any():
                info["illegal_action"] = result.illegal
            self.games.begin(ended)
        observations, published = self._published()
        return observations, result.rewards, result.terminated, result.truncated, published | info

    def _resumed(self) -> tuple[NDArray[Any], Info]:
        self.games.seats[:] = self._rows["current_player"]
        return self._published()

    def _published(self) -> tuple[NDArray[Any], Info]:
        observations, self._masks = self.games.publish()
        return observations, {"action_mask": self._masks, "seat": self.games.seats.copy()}


class AzulTurnsVectorEnv(_AzulVector):
    """Self-play: every action and observation is that of the player to move in its game.

    The reward of a step is that of the player who acted. `info["rewards"]` has the rewards of all seats,
    `info["acted"]` the player who acted and `info["player"]` the player to move now.
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        starting_player: Seat = 0,
        reward: str | Reward = "outcome",
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        observation: str = "float32",
        render_mode: str | None = None,
        variant: str = COLORED.name,
    ) -> None:
        settings = Settings(
            num_players, max_rounds, reward, starting_player, observation, variant=variant
        )
        super().__init__(num_envs, settings, render_mode)
        self._games = Games(self._rows, self._chances, settings.compiled())
        self._final_rows = settings.new_rows(self.num_envs)
        self._buffers = Buffers()
        self._arrays = self._buffers.take(self._new_arrays)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], Info]:
        """Start a new game everywhere, or where `options["reset_mask"]` is true.

        The others go on: their observations and info are those of their last step. `info["_player"]` and
        `info["_action_mask"]` then say which games are new.
        """
        due = self._due(options)
        reseed(self._chances, self._reset_seeds(seed, due))
        if due.all():
            restart_games(self._games, 0, self.num_envs)
        else:
            for game in np.flatnonzero(due).tolist():
                restart_games(self._games, game, game + 1)
        self._is_new = False
        observations, info = self._resumed()
        return observations, self._reset_info(info, due)

    def step(self, actions: NDArray[np.int64]) -> VectorStep:
        """Play one action in every game for the player to move."""
        numbers = self._checked(actions)
        before = self._rows.copy() if self.settings.reward_kind == CUSTOM else None
        self._arrays = arrays = self._buffers.take(self._new_arrays)
        step_turns(self._games, numbers, arrays.for_kernels(), self._final_rows, 0, self.num_envs)
        ended = arrays.terminated | arrays.truncated
        if before is not None:
            self._write_custom_rewards(before, ended)
        info = {"rewards": arrays.rewards, "acted": arrays.acted, **self._turn_info()}
        if np.count_nonzero(ended):  # several times faster than any()
            info |= self._final_info(ended, arrays.final_scores, arrays.final_observations)
            if np.count_nonzero(arrays.illegal):
                info["illegal_action"] = arrays.illegal
        return arrays.observations, arrays.own_rewards, arrays.terminated, arrays.truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal masks of all games, in the array of the last step."""
        return self._arrays.masks

    def _new_arrays(self) -> "TurnArrays":
        count, settings = self.num_envs, self.settings
        return TurnArrays(
            rewards=np.empty((count, settings.num_players)),
            own_rewards=np.empty(count),
            illegal=np.empty(count, np.bool_),
            terminated=np.empty(count, np.bool_),
            truncated=np.empty(count, np.bool_),
            final_scores=np.zeros((count, settings.num_players), np.int64),
            acted=np.empty(count, np.int64),
            players=np.empty(count, np.int64),
            masks=np.empty((count, settings.num_actions), np.bool_),
            observations=settings.new_observations(count),
            final_observations=settings.new_observations(count),
        )

    def _write_custom_rewards(self, before: Rows, ended: NDArray[np.bool_]) -> None:
        """Write the rewards of a custom function, game by game."""
        arrays = self._arrays
        for game in np.flatnonzero(~arrays.illegal).tolist():
            after = self._final_rows if ended[game] else self._rows
            arrays.rewards[game] = custom_rewards(self.settings.reward, before, after, game)
            arrays.own_rewards[game] = arrays.rewards[game, arrays.acted[game]]

    def _resumed(self) -> tuple[NDArray[Any], Info]:
        self._arrays = arrays = self._buffers.take(self._new_arrays)
        arrays.players[:] = self._rows["current_player"]
        observations = arrays.observations.view(np.uint8)
        publish(self._rows, arrays.players, arrays.masks, observations, 0, self.num_envs)
        return arrays.observations, self._turn_info()

    def _turn_info(self) -> Info:
        return {"action_mask": self._arrays.masks, "player": self._arrays.players}
