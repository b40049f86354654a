"""Games in which one seat learns and the others are played by opponents: what the Gymnasium environments adapt.

All games of a batch take a step together: the learners act, the opponents answer until the learners are to move again.
A single environment is a batch of one.
"""

from collections.abc import Callable, Sequence
from operator import index as as_integer
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env.core.batch import NONE_ILLEGAL, write_masks
from azul_env.core.rounds import PLAYING
from azul_env.core.state import Rows, empty_rows
from azul_env.core.threads import Workers
from azul_env.envs.buffers import Buffers
from azul_env.envs.kernels import (
    act,
    answer_randomly,
    begin_games,
    play_some,
    publish,
    settle,
)
from azul_env.envs.settings import Settings
from azul_env.rewards import CUSTOM
from azul_env.rules import refuse
from azul_env.state import GameState

BatchedOpponent = Callable[[Rows, NDArray[np.bool_], np.random.Generator], Any]
Opponent = Callable[[GameState, NDArray[np.bool_], np.random.Generator], Any]


class SeatStep(NamedTuple):
    """What a step gave to every learner."""

    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    final_observations: NDArray[Any]  # of the games that ended; other rows have no meaning


class SeatArrays(NamedTuple):
    """What the learners are shown."""

    masks: NDArray[np.bool_]
    observations: NDArray[Any]


class SeatGames:
    """A batch of games with a learner in one seat of each. Without opponents, random ones play, compiled."""

    def __init__(
        self,
        num_games: int,
        settings: Settings,
        opponents: Sequence[BatchedOpponent] | None = None,
        threads: int = 1,
    ) -> None:
        self.settings = settings
        self.opponents = opponents
        self.rows = empty_rows(num_games)
        self.streams = np.zeros(num_games, np.uint64)
        self.seats = np.zeros(num_games, np.int64)
        # Which of the opponents plays, by game and place in turn order behind the learner.
        self.assigned = np.tile(np.arange(settings.num_players - 1), (num_games, 1))
        self.workers = Workers(num_games, threads)
        self._codes = np.array(
            [settings.num_players, settings.starting_player, settings.max_rounds, settings.seat]
        )
        self._nobody = np.zeros(num_games, np.bool_)
        self._buffers, self._final_buffers = Buffers(), Buffers()

    def begin(self, due: NDArray[np.bool_], rng: np.random.Generator) -> None:
        """Start new games where they are due, up to the learner's first turn."""
        self.workers.run(begin_games, self.rows, self.streams, self.seats, self._codes, due)
        self._answer(self._nobody, rng)

    def step(self, actions: NDArray[np.int64], rng: np.random.Generator) -> SeatStep:
        """Play the learners' actions and the opponents' answers. Finished games stay as they are until `begin`."""
        settings, count = self.settings, len(self.rows)
        all_rewards = np.zeros((count, settings.num_players))
        (final,) = self._final_buffers.take(lambda: (settings.new_observations(count),))
        terminated, truncated, illegal = np.zeros((3, count), np.bool_)
        result = SeatStep(np.zeros(count), terminated, truncated, illegal, final)
        before = self.rows.copy() if settings.reward_kind == CUSTOM else None
        kind = settings.reward_kind
        self.workers.run(act, self.rows, self.streams, actions, kind, all_rewards, result.illegal)
        self._answer(result.illegal, rng)
        self.workers.run(
            settle,
            self.rows,
            self.seats,
            kind,
            all_rewards,
            result.illegal,
            result.rewards,
            result.terminated,
            result.truncated,
            final.view(np.uint8),
        )
        if before is not None:
            self._add_custom_rewards(before, result)
        return result

    def publish(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Observations and masks of all learners, in arrays that are the caller's."""
        arrays = self._buffers.take(self._new_arrays)
        masks, observations = arrays
        self.workers.run(publish, self.rows, self.seats, masks, observations.view(np.uint8))
        return observations, masks

    def _new_arrays(self) -> "SeatArrays":
        count, settings = len(self.rows), self.settings
        masks = np.empty((count, settings.num_actions), np.bool_)
        return SeatArrays(masks, settings.new_observations(count))

    def _answer(self, illegal: NDArray[np.bool_], rng: np.random.Generator) -> None:
        """Let opponents play until every learner is to move, except where its game is over."""
        if self.opponents is None:
            self.workers.run(answer_randomly, self.rows, self.streams, self.seats, illegal)
            return
        rows, players = self.rows, self.settings.num_players
        while True:
            waiting = (rows["end_reason"] == PLAYING) & (rows["current_player"] != self.seats)
            games = np.flatnonzero(waiting & ~illegal)
            if games.size == 0:
                return
            places = (rows["current_player"][games] - self.seats[games]) % players
            numbers = self.assigned[games, places - 1]
            for number in np.unique(numbers).tolist():
                self._let_play(self.opponents[number], games[numbers == number], rng)

    def _let_play(
        self, opponent: BatchedOpponent, games: NDArray[np.int64], rng: np.random.Generator
    ) -> None:
        """Ask one opponent for its actions in some games and play them."""
        rows = self.rows[games]
        masks = np.zeros((len(games), self.settings.num_actions), np.bool_)
        write_masks(rows, masks, 0, len(games))
        answers = np.asarray(opponent(rows, masks, rng))
        if answers.shape != games.shape or answers.dtype.kind not in "iu":
            raise ValueError(
                f"an opponent must answer {len(games)} games with so many whole numbers, "
                f"not {answers.dtype} of shape {answers.shape}"
            )
        actions = np.ascontiguousarray(answers, np.int64)
        wrong = play_some(self.rows, self.streams, games, actions)
        if wrong != NONE_ILLEGAL:
            game = int(games[wrong])
            refuse(GameState(self.rows[game : game + 1].copy()), int(actions[wrong]))

    def _add_custom_rewards(self, before: Rows, result: SeatStep) -> None:
        """Rewards of a user's own function, one game at a time."""
        for game in np.flatnonzero(~result.illegal).tolist():
            then = GameState(before[game : game + 1])
            now = GameState(self.rows[game : game + 1].copy())
            result.rewards[game] = self.settings.reward(then, now)[self.seats[game]]


class OneByOne:
    """An opponent for one game at a time, asked game by game."""

    def __init__(self, opponent: Opponent) -> None:
        self.opponent = opponent

    def __call__(
        self, rows: Rows, masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """One action for every game."""
        states = [GameState(rows[game : game + 1]) for game in range(len(rows))]
        answers = (self.opponent(*asked, rng) for asked in zip(states, masks, strict=True))
        return np.array([as_integer(answer) for answer in answers], np.int64)


def as_opponents(opponents: Any, num_players: int) -> list[Any] | None:
    """The opponents in turn order behind the learner: None for random ones, one callable for all, or a list."""
    if opponents is None or opponents == "random":
        return None
    if callable(opponents):
        return [opponents] * (num_players - 1)
    listed = list(opponents)
    if len(listed) != num_players - 1 or not all(callable(opponent) for opponent in listed):
        raise ValueError(
            f"opponents must be None, a callable, or {num_players - 1} callables: {opponents!r:.80}"
        )
    return listed
