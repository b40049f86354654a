"""Kernels over arrays of games, called from Python. `azul_env.GameBatch` is their public form.

Each batch kernel works on the games `first` to `last - 1`, so threads can share one array. Game i uses `chances[i]`
only, so results do not depend on the number of threads. The `_one` kernels work on a single game, `rows[0]`.
"""

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import action_index, action_parts
from azul_env.core.chance import Chances, deal, fill_factories
from azul_env.core.jit import kernel
from azul_env.core.legality import awaits_move, is_legal_number, random_move, write_mask
from azul_env.core.rounds import PLAYING, leave_game, start_game
from azul_env.core.state import Rows
from azul_env.core.step import (
    ALL_LEGAL,
    GAME_OVER,
    TURN_PASSED,
    play_and_deal,
    play_move,
    play_randomly,
    reset_game,
    step,
)
from azul_env.core.words import as_int64

Actions = NDArray[np.int64]


@kernel
def reset_games(
    rows: Rows,
    chances: Chances,
    num_players: int,
    starting_player: int,
    max_rounds: int,
    first: int,
    last: int,
) -> None:
    """Start a new game in every row."""
    for i in range(first, last):
        reset_game(rows[i], num_players, starting_player, max_rounds, chances, i)


@kernel
def write_masks(rows: Rows, masks: NDArray[np.bool_], first: int, last: int) -> None:
    """Write the legal masks of all games; all false for a finished game."""
    for i in range(first, last):
        write_mask(rows[i], masks[i])


@kernel
def choose_randomly(rows: Rows, chances: Chances, actions: Actions, first: int, last: int) -> None:
    """Choose a uniformly random legal action in every game. Caller guarantees that all games are on."""
    for i in range(first, last):
        source, color, destination = random_move(rows[i], chances, i)
        actions[i] = action_index(source, color, destination)


@kernel
def first_without_move(rows: Rows) -> int:
    """The first game in which no player is to move, or ALL_LEGAL."""
    for i in range(len(rows)):
        if not awaits_move(rows[i]):
            return i
    return ALL_LEGAL


@kernel
def first_illegal(rows: Rows, actions: Actions, first: int, last: int) -> int:
    """The first game whose action is illegal, or ALL_LEGAL."""
    for i in range(first, last):
        if not is_legal_number(rows[i], actions[i]):
            return i
    return ALL_LEGAL


@kernel
def start_one(rows: Rows, num_players: int, starting_player: int, max_rounds: int) -> None:
    """Set up a single game with empty factories."""
    start_game(rows[0], num_players, starting_player, max_rounds)


@kernel
def step_one(rows: Rows, action: int, chances: Chances) -> int:
    """Play an action in a single game, as `step` does; returns the outcome."""
    return step(rows[0], action, chances, as_int64(0))


@kernel
def fill_one(rows: Rows, seed_word: np.uint64) -> None:
    """Deal the next round of a single game, seeded by one word."""
    fill_factories(rows[0], seed_word)


@kernel
def resign_one(rows: Rows, player: int) -> bool:
    """Resign for a player of a single game; true if a deal is due. Caller guarantees that this is allowed."""
    return leave_game(rows[0], player)


@kernel
def step_games(
    rows: Rows,
    chances: Chances,
    actions: Actions,
    starting_player: int,
    ended: NDArray[np.bool_],
    final_rows: Rows,
    first: int,
    last: int,
) -> None:
    """Play an action in every game; a game that ends is copied to `final_rows` and restarted.

    Caller guarantees that all actions are legal. `final_rows` is written only where `ended` is true.
    """
    for i in range(first, last):
        row = rows[i]
        source, color, destination = action_parts(actions[i])
        ended[i] = play_and_deal(row, source, color, destination, chances, i) == GAME_OVER
        if ended[i]:
            final_rows[i] = rows[i]
            reset_game(row, row["num_players"], starting_player, row["max_rounds"], chances, i)


@kernel
def play_rounds(
    rows: Rows, chances: Chances, moves: NDArray[np.int64], first: int, last: int
) -> None:
    """Play random moves up to the afterstate of the round in every game; count the moves."""
    for i in range(first, last):
        row = rows[i]
        moves[i] = 0
        while awaits_move(row):
            source, color, destination = random_move(row, chances, i)
            moves[i] += 1
            if play_move(row, source, color, destination) != TURN_PASSED:
                break


@kernel
def play_games(
    rows: Rows, chances: Chances, moves: NDArray[np.int64], first: int, last: int
) -> None:
    """Play random moves to the end of every game and count them; `max_rounds` bounds the loop."""
    for i in range(first, last):
        row = rows[i]
        moves[i] = 0
        if row["end_reason"] == PLAYING and not awaits_move(row):
            deal(row, chances, i)
        while row["end_reason"] == PLAYING:
            play_randomly(row, chances, i)
            moves[i] += 1
