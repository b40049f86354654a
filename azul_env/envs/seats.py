"""Games of one learner against opponents, the engine of the Gymnasium environments.

All games of a batch step together: the learners act, then the opponents until every learner is to move again. A single
environment is a batch of one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env.core.batch import write_masks
from azul_env.core.chance import chances_from
from azul_env.core.rounds import PLAYING
from azul_env.core.step import ALL_LEGAL, step_some
from azul_env.envs.buffers import Buffers
from azul_env.envs.kernels import (
    Games,
    SeatArrays,
    act,
    answer_randomly,
    begin_games,
    publish,
    settle,
)
from azul_env.envs.opponents import Player, answers_of
from azul_env.envs.settings import Settings, reseed
from azul_env.rewards import CUSTOM, custom_rewards
from azul_env.rules import refuse
from azul_env.state import trusted_state


class SeatStep(NamedTuple):
    """The result of a step for every learner."""

    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    final_observations: NDArray[Any]  # undefined where the game goes on


class SeatGames:
    """A batch of games with a learner in one seat of each; the opponents are random unless given."""

    def __init__(
        self,
        num_games: int,
        settings: Settings,
        opponents: Sequence[Player] | None = None,
    ) -> None:
        self.settings = settings
        self.opponents = opponents
        self.rows = settings.new_rows(num_games)
        self.chances = chances_from(None, num_games)
        self.seats = np.zeros(num_games, np.int64)
        # Index of the opponent, by game and position in turn order after the learner.
        self.assigned = np.tile(np.arange(settings.num_players - 1), (num_games, 1))
        self.rng = np.random.default_rng()  # of the opponents
        self._games = Games(self.rows, self.chances, settings.compiled())
        self._buffers, self._final_buffers = Buffers(), Buffers()

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Restart the generators of the games that have a seed, and that of the opponents if all games have one."""
        reseed(self.chances, seeds)
        if None not in seeds:
            # Jumped ahead, so that opponents do not share the random words of the deals.
            entropy = seeds[0] if len(seeds) == 1 else list(seeds)
            self.rng = np.random.Generator(np.random.PCG64(entropy).jumped())  # type: ignore[arg-type]

    def begin(self, due: NDArray[np.bool_]) -> None:
        """Start new games where `due` and play them up to the learner's first turn."""
        begin_games(self._games, self.seats, due, 0, len(self.rows))
        self._answer(np.zeros(len(self.rows), np.bool_))

    def step(self, actions: NDArray[np.int64]) -> SeatStep:
        """Play the learners' actions and the opponents' answers. Finished games wait for `begin`."""
        settings, count = self.settings, len(self.rows)
        (final,) = self._final_buffers.take(lambda: (settings.new_observations(count),))
        terminated, truncated, illegal = np.zeros((3, count), np.bool_)
        all_rewards = np.zeros((count, settings.num_players))
        last = final.view(np.uint8)
        out = SeatArrays(np.zeros(count), terminated, truncated, illegal, all_rewards, last)
        before = self.rows.copy() if settings.reward_kind == CUSTOM else None
        act(self._games, actions, out, 0, count)
        self._answer(illegal)
        settle(self._games, self.seats, out, 0, count)
        if before is not None:
            for game in np.flatnonzero(~illegal).tolist():
                rewards = custom_rewards(settings.reward, before, self.rows, game)
                out.rewards[game] = rewards[self.seats[game]]
        return SeatStep(out.rewards, terminated, truncated, illegal, final)

    def publish(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Observations and masks of all learners, in arrays that later steps do not overwrite."""
        masks, observations = self._buffers.take(self._new_arrays)
        publish(self.rows, self.seats, masks, observations.view(np.uint8), 0, len(self.rows))
        return observations, masks

    def _new_arrays(self) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        count, settings = len(self.rows), self.settings
        masks = np.empty((count, settings.num_actions), np.bool_)
        return masks, settings.new_observations(count)

    def _answer(self, illegal: NDArray[np.bool_]) -> None:
        """Play the opponents' moves until every learner is to move or its game is over."""
        if self.opponents is None:
            answer_randomly(self._games, self.seats, illegal, 0, len(self.rows))
            return
        rows, players = self.rows, self.settings.num_players
        while True:
            waiting = (rows["end_reason"] == PLAYING) & (rows["current_player"] != self.seats)
            games = np.flatnonzero(waiting & ~illegal)
            if games.size == 0:
                return
            distances = (rows["current_player"][games] - self.seats[games]) % players
            numbers = self.assigned[games, distances - 1]
            for number in np.unique(numbers).tolist():
                self._play(self.opponents[number], games[numbers == number])

    def _play(self, player: Player, games: NDArray[np.int64]) -> None:
        """Play one move of an opponent in each listed game. Raises IllegalActionError."""
        rows = self.rows[games]
        masks = np.zeros((len(games), self.settings.num_actions), np.bool_)
        write_masks(rows, masks, 0, len(games))
        actions = answers_of(player, rows, masks, [self.rng] * len(games))
        wrong = step_some(self.rows, self.chances, games, actions)
        if wrong != ALL_LEGAL:
            game = int(games[wrong])
            refuse(trusted_state(self.rows[game : game + 1].copy()), int(actions[wrong]), game)
