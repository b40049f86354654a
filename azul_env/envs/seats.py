"""Games in which one seat learns and the others are played by opponents: what the Gymnasium environments adapt.

All games of a batch take a step together: the learners act, the opponents answer until the learners are to move again.
A single environment is a batch of one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env.core.batch import write_masks
from azul_env.core.chance import Chances, chance_of, chances_from
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import num_actions
from azul_env.core.state import Rows, empty_rows
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
from azul_env.envs.settings import Settings
from azul_env.rewards import CUSTOM, custom_rewards
from azul_env.rules import refuse
from azul_env.state import GameState


class SeatStep(NamedTuple):
    """What a step gave to every learner."""

    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    final_observations: NDArray[Any]  # of the games that ended; other rows have no meaning


class SeatGames:
    """A batch of games with a learner in one seat of each. Without opponents, random ones play, compiled."""

    def __init__(
        self,
        num_games: int,
        settings: Settings,
        opponents: Sequence[Player] | None = None,
    ) -> None:
        self.settings = settings
        self.opponents = opponents
        self.rows = empty_rows(num_games)
        self.chances = chances_from(None, num_games)
        self.seats = np.zeros(num_games, np.int64)
        # Which of the opponents plays, by game and place in turn order behind the learner.
        self.assigned = np.tile(np.arange(settings.num_players - 1), (num_games, 1))
        self.rng = np.random.default_rng()  # of the opponents
        self._settings = settings.compiled()
        self._nobody = np.zeros(num_games, np.bool_)
        self._buffers, self._final_buffers = Buffers(), Buffers()

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Restart the chance of the games that have a seed; the opponents' generator follows from all of them."""
        for game, seed in enumerate(seeds):
            if seed is not None:
                self.chances[game] = chance_of(np.random.PCG64(seed))[0]
        if None not in seeds:
            # Jumped far ahead: the same words must not deal as well.
            entropy = seeds[0] if len(seeds) == 1 else list(seeds)
            self.rng = np.random.Generator(np.random.PCG64(entropy).jumped())  # type: ignore[arg-type]

    def begin(self, due: NDArray[np.bool_]) -> None:
        """Start new games where they are due, up to the learner's first turn."""
        begin_games(self._games(), self.seats, due, 0, len(self.rows))
        self._answer(self._nobody)

    def step(self, actions: NDArray[np.int64]) -> SeatStep:
        """Play the learners' actions and the opponents' answers. Finished games stay as they are until `begin`."""
        settings, count = self.settings, len(self.rows)
        (final,) = self._final_buffers.take(lambda: (settings.new_observations(count),))
        terminated, truncated, illegal = np.zeros((3, count), np.bool_)
        all_rewards = np.zeros((count, settings.num_players))
        last = final.view(np.uint8)
        out = SeatArrays(np.zeros(count), terminated, truncated, illegal, all_rewards, last)
        before = self.rows.copy() if settings.reward_kind == CUSTOM else None
        games = self._games()
        act(games, actions, out, 0, len(self.rows))
        self._answer(out.illegal)
        settle(games, self.seats, out, 0, len(self.rows))
        if before is not None:
            for game in np.flatnonzero(~out.illegal).tolist():
                rewards = custom_rewards(settings.reward, before, self.rows, game)
                out.rewards[game] = rewards[self.seats[game]]
        return SeatStep(out.rewards, terminated, truncated, illegal, final)

    def publish(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Observations and masks of all learners, in arrays that are the caller's."""
        masks, observations = self._buffers.take(self._new_arrays)
        publish(self.rows, self.seats, masks, observations.view(np.uint8), 0, len(self.rows))
        return observations, masks

    def _games(self) -> Games:
        return Games(self.rows, self.chances, self._settings)

    def _new_arrays(self) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        count, settings = len(self.rows), self.settings
        masks = np.empty((count, settings.num_actions), np.bool_)
        return masks, settings.new_observations(count)

    def _answer(self, illegal: NDArray[np.bool_]) -> None:
        """Let opponents play until every learner is to move, except where its game is over."""
        if self.opponents is None:
            answer_randomly(self._games(), self.seats, illegal, 0, len(self.rows))
            return
        rows, players = self.rows, self.settings.num_players
        while True:
            waiting = (rows["end_reason"] == PLAYING) & (rows["current_player"] != self.seats)
            games = np.flatnonzero(waiting & ~illegal)
            if games.size == 0:
                return
            behind = (rows["current_player"][games] - self.seats[games]) % players
            numbers = self.assigned[games, behind - 1]
            for number in np.unique(numbers).tolist():
                of_this = games[numbers == number]
                let_play(self.opponents[number], rows, self.chances, of_this, self.rng)


def let_play(
    player: Player,
    rows: Rows,
    chances: Chances,
    games: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Ask a player for its actions in some games and play them; the actions. Raises IllegalActionError."""
    asked = rows[games]
    masks = np.zeros((len(games), num_actions(int(asked["num_players"][0]))), np.bool_)
    write_masks(asked, masks, 0, len(games))
    actions = answers_of(player, asked, masks, [rng] * len(games))
    wrong = step_some(rows, chances, games, actions)
    if wrong != ALL_LEGAL:
        game = int(games[wrong])
        refuse(GameState(rows[game : game + 1].copy()), int(actions[wrong]), game)
    return actions
