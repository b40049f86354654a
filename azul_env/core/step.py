"""The one step of the game: a move, the end of the round if it took the last tile, and the next deal."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import action_parts
from azul_env.core.chance import Chances, deal, random_below
from azul_env.core.jit import kernel
from azul_env.core.legality import is_legal, random_move
from azul_env.core.moves import draft
from azul_env.core.rounds import finish_round, start_game
from azul_env.core.spec import ACTIONS_PER_SOURCE
from azul_env.core.state import Row, Rows, center_of

# What a step did.
ILLEGAL: Final = 0  # nothing: the action was illegal
TURN_PASSED: Final = 1
ROUND_OVER: Final = 2  # the round was scored; the next one is dealt if there was chance to deal it
GAME_OVER: Final = 3

RANDOM_SEAT: Final = -1  # as a starting player: drawn for every game
ALL_LEGAL: Final = -1  # what `step_some` answers when no action was illegal


@kernel
def play_move(row: Row, source: int, color: int, destination: int) -> int:
    """Play a legal move and score the round if it is over, which gives the afterstate; what happened."""
    if not draft(row, source, color, destination):
        return TURN_PASSED
    return ROUND_OVER if finish_round(row) else GAME_OVER


@kernel
def play_and_deal(
    row: Row, source: int, color: int, destination: int, chances: Chances, k: int
) -> int:
    """Play a legal move; if that ends the round but not the game, deal the next one. With NO_CHANCE nothing is dealt."""
    outcome = play_move(row, source, color, destination)
    if outcome == ROUND_OVER and len(chances) > 0:
        deal(row, chances, k)
    return outcome


@kernel
def step(row: Row, action: int, chances: Chances, k: int) -> int:
    """Play any number as an action, with all that follows; if it is ILLEGAL, nothing changes."""
    if not 0 <= action < ACTIONS_PER_SOURCE * (center_of(row) + 1):
        return ILLEGAL
    source, color, destination = action_parts(action)
    if not is_legal(row, source, color, destination):
        return ILLEGAL
    return play_and_deal(row, source, color, destination, chances, k)


@kernel
def step_some(
    rows: Rows, chances: Chances, games: NDArray[np.int64], actions: NDArray[np.int64]
) -> int:
    """Play one action in each of some games, up to the first illegal one: its index in `games`, or ALL_LEGAL."""
    for index in range(len(games)):
        game = games[index]
        if step(rows[game], actions[index], chances, game) == ILLEGAL:
            return index
    return ALL_LEGAL


@kernel
def play_randomly(row: Row, chances: Chances, k: int) -> int:
    """Play a random legal move, with all that follows; what happened. Caller guarantees that the game is on."""
    source, color, destination = random_move(row, chances, k)
    return play_and_deal(row, source, color, destination, chances, k)


@kernel
def reset_game(
    row: Row, num_players: int, starting_player: int, max_rounds: int, chances: Chances, k: int
) -> None:
    """Start a new game and deal its first round."""
    starter = starting_player
    if starting_player == RANDOM_SEAT:
        starter = random_below(chances, k, num_players)
    start_game(row, num_players, starter, max_rounds)
    deal(row, chances, k)
