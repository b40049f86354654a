"""The compiled part of the environments, over the games `first` to `last - 1` of a batch: the step, rewards, observations."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env.core.chance import Chances, random_below
from azul_env.core.jit import kernel
from azul_env.core.legality import write_mask
from azul_env.core.rounds import MAX_ROUNDS, PLAYING
from azul_env.core.state import Rows
from azul_env.core.step import ILLEGAL, RANDOM_SEAT, play_randomly, reset_game, step
from azul_env.observation import write_observation
from azul_env.rewards import ILLEGAL_PENALTY, begin_rewards, finish_rewards

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

Bytes = NDArray[np.uint8]  # of observations, by game: `array.view(np.uint8)` of uint8 or float32


class Games(NamedTuple):
    """The games of an environment."""

    rows: Rows
    chances: Chances
    settings: NDArray[Any]  # one SETTINGS


class SeatArrays(NamedTuple):
    """The result of a step for the learners, one per game."""

    rewards: Values
    terminated: Flags
    truncated: Flags
    illegal: Flags
    all_rewards: Values  # by game and seat
    final_observations: Bytes  # only where a game ended


class TurnArrays(NamedTuple):
    """The result of a step of self-play."""

    rewards: Values  # by game and seat
    own_rewards: Values  # of the player who acted
    illegal: Flags
    terminated: Flags
    truncated: Flags
    final_scores: Numbers
    acted: Numbers
    players: Numbers  # to move now
    masks: Flags
    observations: NDArray[Any]
    final_observations: NDArray[Any]  # only where a game ended

    def for_kernels(self) -> "TurnArrays":
        """The same arrays with observations as bytes, of whatever type they are."""
        return self._replace(
            observations=self.observations.view(np.uint8),
            final_observations=self.final_observations.view(np.uint8),
        )


@kernel
def publish(
    rows: Rows, players: Numbers, masks: Flags, observations: Bytes, first: int, last: int
) -> None:
    """Write masks and observations of the given players."""
    for i in range(first, last):
        write_mask(rows[i], masks[i])
        write_observation(rows[i], players[i], observations[i])


@kernel
def _restart(games: Games, i: int) -> None:
    """Start a new game in a row."""
    settings = games.settings[0]
    reset_game(
        games.rows[i],
        settings["num_players"],
        settings["starting_player"],
        settings["max_rounds"],
        games.chances,
        i,
    )


@kernel
def restart_games(games: Games, first: int, last: int) -> None:
    """Start a new game in every row."""
    for i in range(first, last):
        _restart(games, i)


@kernel
def step_turns(
    games: Games, actions: Numbers, out: TurnArrays, final_rows: Rows, first: int, last: int
) -> None:
    """Play an action in every game. `acted` are the players who acted, `players` those to move next, who observe.

    An illegal action ends the game, with the penalty for its player. Finished games are copied to `final_rows`, observed
    once more by the player who acted, and restarted.
    """
    reward = games.settings[0]["reward"]
    for i in range(first, last):
        row = games.rows[i]
        mover = row["current_player"]
        rewards = out.rewards[i]
        out.acted[i] = mover
        begin_rewards(row, reward, rewards)
        is_legal = step(row, actions[i], games.chances, i) != ILLEGAL
        if is_legal:
            finish_rewards(row, reward, rewards)
        else:
            for player in range(row["num_players"]):
                rewards[player] = 0.0
            rewards[mover] = ILLEGAL_PENALTY
        reason = row["end_reason"]
        out.own_rewards[i] = rewards[mover]
        out.illegal[i] = not is_legal
        out.truncated[i] = reason == MAX_ROUNDS
        out.terminated[i] = not is_legal or (reason != PLAYING and reason != MAX_ROUNDS)
        if not is_legal or reason != PLAYING:
            final_rows[i] = games.rows[i]
            for player in range(row["num_players"]):
                out.final_scores[i, player] = row["scores"][player]
            write_observation(row, mover, out.final_observations[i])
            _restart(games, i)
        out.players[i] = row["current_player"]
        write_mask(row, out.masks[i])
        write_observation(row, row["current_player"], out.observations[i])


@kernel
def begin_games(games: Games, seats: Numbers, due: Flags, first: int, last: int) -> None:
    """Start a new game wherever one is due, with the learner in its seat."""
    settings = games.settings[0]
    for i in range(first, last):
        if due[i]:
            seats[i] = settings["seat"]
            if settings["seat"] == RANDOM_SEAT:
                seats[i] = random_below(games.chances, i, settings["num_players"])
            _restart(games, i)


@kernel
def act(games: Games, actions: Numbers, out: SeatArrays, first: int, last: int) -> None:
    """Play the learner's action in every game; caller guarantees that it is to move."""
    for i in range(first, last):
        begin_rewards(games.rows[i], games.settings[0]["reward"], out.all_rewards[i])
        out.illegal[i] = step(games.rows[i], actions[i], games.chances, i) == ILLEGAL


@kernel
def answer_randomly(games: Games, seats: Numbers, illegal: Flags, first: int, last: int) -> None:
    """Play random moves for the opponents until every learner is to move again or its game is over."""
    for i in range(first, last):
        row = games.rows[i]
        while not illegal[i] and row["end_reason"] == PLAYING and row["current_player"] != seats[i]:
            play_randomly(row, games.chances, i)


@kernel
def settle(games: Games, seats: Numbers, out: SeatArrays, first: int, last: int) -> None:
    """Write the learners' rewards, which games ended and how, and the final observations of those that did."""
    for i in range(first, last):
        row = games.rows[i]
        is_illegal = out.illegal[i]
        if is_illegal:
            out.rewards[i] = ILLEGAL_PENALTY
        else:
            finish_rewards(row, games.settings[0]["reward"], out.all_rewards[i])
            out.rewards[i] = out.all_rewards[i, seats[i]]
        out.truncated[i] = row["end_reason"] == MAX_ROUNDS and not is_illegal
        out.terminated[i] = is_illegal or (row["end_reason"] != PLAYING and not out.truncated[i])
        if out.terminated[i] or out.truncated[i]:
            write_observation(row, seats[i], out.final_observations[i])
