"""Many games at once: the step and its relatives over arrays of rows. `azul_env.batch` offers them to users.

Each kernel works on the games `first` to `last - 1`, so that threads can share one array. Game i draws all its chance
from `chances[i]`: the results do not depend on the number of threads. A single game is a batch of one.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import action_index, action_parts
from azul_env.core.chance import Chances, deal, fill_factories
from azul_env.core.jit import kernel
from azul_env.core.legality import is_legal, random_move, write_mask
from azul_env.core.rounds import PLAYING, leave_game, start_game
from azul_env.core.spec import ACTIONS_PER_SOURCE
from azul_env.core.state import Rows, center_of
from azul_env.core.step import (
    GAME_OVER,
    TURN_PASSED,
    play_and_deal,
    play_move,
    play_randomly,
    reset_game,
    step,
)

NONE_ILLEGAL: Final = -1  # what `first_illegal` answers when all actions are legal

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
    """Legal masks of all games; of a finished one, nothing is legal."""
    for i in range(first, last):
        write_mask(rows[i], masks[i])


@kernel
def choose_randomly(rows: Rows, chances: Chances, actions: Actions, first: int, last: int) -> None:
    """A legal action for every game, all equally likely. Caller guarantees that all games are on."""
    for i in range(first, last):
        source, color, destination = random_move(rows[i], chances, i)
        actions[i] = action_index(source, color, destination)


@kernel
def first_illegal(rows: Rows, actions: Actions, first: int, last: int) -> int:
    """The first game whose action is illegal, or NONE_ILLEGAL."""
    for i in range(first, last):
        if not 0 <= actions[i] < ACTIONS_PER_SOURCE * (center_of(rows[i]) + 1):
            return i
        source, color, destination = action_parts(actions[i])
        if not is_legal(rows[i], source, color, destination):
            return i
    return NONE_ILLEGAL


@kernel
def start_one(rows: Rows, num_players: int, starting_player: int, max_rounds: int) -> None:
    """Lay out a single game; its factories are still empty."""
    start_game(rows[0], num_players, starting_player, max_rounds)


@kernel
def step_one(rows: Rows, action: int, chances: Chances) -> int:
    """Play an action in a single game, with all that follows: what `step` answers."""
    return step(rows[0], action, chances, 0)


@kernel
def fill_one(rows: Rows, seed_word: np.uint64) -> None:
    """Deal a single game's next round as a random word says."""
    fill_factories(rows[0], seed_word)


@kernel
def deal_games(rows: Rows, chances: Chances, first: int, last: int) -> None:
    """Deal the next round of games that wait for it."""
    for i in range(first, last):
        deal(rows[i], chances, i)


@kernel
def resign_one(rows: Rows, player: int) -> None:
    """Let a player of a single game resign. Caller guarantees that this is allowed."""
    leave_game(rows[0], player)


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
    """Play an action in every game; where that ends it, keep the final row and start a new game in its place.

    Caller guarantees that all actions are legal. Rows of `final_rows` are written only where `ended` is true.
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
    """Play every game to its next afterstate with random moves: the round is scored, nothing is dealt.

    What is left is either a finished game or one that waits for its next deal.
    """
    for i in range(first, last):
        row = rows[i]
        moves[i] = 0
        while row["available"]:
            source, color, destination = random_move(row, chances, i)
            moves[i] += 1
            if play_move(row, source, color, destination) != TURN_PASSED:
                break


@kernel
def play_games(
    rows: Rows, chances: Chances, moves: NDArray[np.int64], first: int, last: int
) -> None:
    """Play every game to its end with random moves; the round cap bounds the loop."""
    for i in range(first, last):
        row = rows[i]
        moves[i] = 0
        if row["end_reason"] == PLAYING and row["available"] == 0:
            deal(row, chances, i)
        while row["end_reason"] == PLAYING:
            play_randomly(row, chances, i)
            moves[i] += 1
