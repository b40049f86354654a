"""The compiled steps of the environments, over the games `first` to `last - 1` of a batch."""

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import action_parts
from azul_env.core.batch import NONE_ILLEGAL, RANDOM_SEAT, reset_game
from azul_env.core.draw import Streams, random_below
from azul_env.core.jit import kernel
from azul_env.core.legality import is_legal, random_turn, write_mask
from azul_env.core.moves import draft
from azul_env.core.rounds import MAX_ROUNDS, PLAYING, close_round
from azul_env.core.spec import ACTIONS_PER_SOURCE
from azul_env.core.state import Row, Rows, center_of
from azul_env.observation import write_observation
from azul_env.rewards import ILLEGAL_PENALTY, begin_rewards, finish_rewards

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Rewards = NDArray[np.float64]  # by game and seat
Bytes = NDArray[np.uint8]  # of observations, by game: `array.view(np.uint8)` of uint8 or float32


@kernel
def play_checked(row: Row, action: int, streams: Streams, k: int) -> bool:
    """Play an action for whoever is to move, with all that follows; false, and nothing changes, if it is illegal."""
    if not 0 <= action < ACTIONS_PER_SOURCE * (center_of(row) + 1):
        return False
    source, color, destination = action_parts(action)
    if not is_legal(row, source, color, destination):
        return False
    if draft(row, source, color, destination):
        close_round(row, streams, k)
    return True


@kernel
def play_one(rows: Rows, action: int, streams: Streams) -> bool:
    """Play an action in a single game; false, and nothing changes, if it is illegal."""
    for i in range(1):
        return play_checked(rows[i], action, streams, i)
    return False


@kernel
def play_some(rows: Rows, streams: Streams, games: Numbers, actions: Numbers) -> int:
    """Play actions in some games; the place of the first that is illegal, or NONE_ILLEGAL."""
    for place in range(len(games)):
        if not play_checked(rows[games[place]], actions[place], streams, games[place]):
            return place
    return NONE_ILLEGAL


@kernel
def publish(
    rows: Rows,
    players: Numbers,
    masks: Flags,
    observations: Bytes,
    first: int,
    last: int,
) -> None:
    """Write masks and observations of the given players."""
    for i in range(first, last):
        write_mask(rows[i], masks[i])
        write_observation(rows[i], players[i], observations[i])


@kernel
def step_turns(
    rows: Rows,
    streams: Streams,
    actions: Numbers,
    reward_kind: int,
    starting_player: int,
    max_rounds: int,
    rewards: Rewards,
    own_rewards: NDArray[np.float64],
    illegal: Flags,
    terminated: Flags,
    truncated: Flags,
    final_rows: Rows,
    final_scores: NDArray[np.int64],
    acted: Numbers,
    players: Numbers,
    masks: Flags,
    observations: Bytes,
    final_observations: Bytes,
    first: int,
    last: int,
) -> None:
    """Let whoever is to move act in every game; `acted` are those who did, `players` those to move next, who observe.

    An illegal action ends the game: its player gets the penalty. Ended games are kept in `final_rows`, observed for the
    last time by whoever moved, and start anew.
    """
    for i in range(first, last):
        row = rows[i]
        mover = row["current_player"]
        acted[i] = mover
        begin_rewards(row, reward_kind, rewards[i])
        is_legal_action = play_checked(row, actions[i], streams, i)
        if is_legal_action:
            finish_rewards(row, reward_kind, rewards[i])
        else:
            for player in range(row["num_players"]):
                rewards[i, player] = 0.0
            rewards[i, mover] = ILLEGAL_PENALTY
        reason = row["end_reason"]
        own_rewards[i] = rewards[i, mover]
        illegal[i] = not is_legal_action
        truncated[i] = reason == MAX_ROUNDS
        terminated[i] = not is_legal_action or (reason != PLAYING and reason != MAX_ROUNDS)
        if not is_legal_action or reason != PLAYING:
            final_rows[i] = rows[i]
            for player in range(row["num_players"]):
                final_scores[i, player] = row["scores"][player]
            write_observation(row, mover, final_observations[i])
            reset_game(row, row["num_players"], starting_player, max_rounds, streams, i)
        players[i] = row["current_player"]
        write_mask(row, masks[i])
        write_observation(row, players[i], observations[i])


@kernel
def begin_games(
    rows: Rows,
    streams: Streams,
    seats: Numbers,
    settings: Numbers,
    due: Flags,
    first: int,
    last: int,
) -> None:
    """Start a new game wherever one is due; `settings` are players, starting player, round cap and seat."""
    for i in range(first, last):
        if due[i]:
            num_players = settings[0]
            seats[i] = settings[3]
            if settings[3] == RANDOM_SEAT:
                seats[i] = random_below(streams, i, num_players)
            reset_game(rows[i], num_players, settings[1], settings[2], streams, i)


@kernel
def act(
    rows: Rows,
    streams: Streams,
    actions: Numbers,
    reward_kind: int,
    rewards: Rewards,
    illegal: Flags,
    first: int,
    last: int,
) -> None:
    """Play the learner's action in every game; caller guarantees that it is to move."""
    for i in range(first, last):
        begin_rewards(rows[i], reward_kind, rewards[i])
        illegal[i] = not play_checked(rows[i], actions[i], streams, i)


@kernel
def answer_randomly(
    rows: Rows, streams: Streams, seats: Numbers, illegal: Flags, first: int, last: int
) -> None:
    """Let random opponents play until every learner is to move again, or its game is over."""
    for i in range(first, last):
        row = rows[i]
        while not illegal[i] and row["end_reason"] == PLAYING and row["current_player"] != seats[i]:
            source, color, destination = random_turn(row, streams, i)
            if draft(row, source, color, destination):
                close_round(row, streams, i)


@kernel
def settle(
    rows: Rows,
    seats: Numbers,
    reward_kind: int,
    rewards: Rewards,
    illegal: Flags,
    own_rewards: NDArray[np.float64],
    terminated: Flags,
    truncated: Flags,
    final_observations: Bytes,
    first: int,
    last: int,
) -> None:
    """Rewards of the learners, which games are over and how, and the last observations of those."""
    for i in range(first, last):
        row = rows[i]
        if illegal[i]:
            own_rewards[i] = ILLEGAL_PENALTY
        else:
            finish_rewards(row, reward_kind, rewards[i])
            own_rewards[i] = rewards[i, seats[i]]
        truncated[i] = row["end_reason"] == MAX_ROUNDS and not illegal[i]
        terminated[i] = illegal[i] or (row["end_reason"] != PLAYING and not truncated[i])
        if terminated[i] or truncated[i]:
            write_observation(row, seats[i], final_observations[i])
