"""The step of the game: a move, the end of the round if it took the last tile, and the next deal."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import action_parts
from azul_env.core.chance import Chances, deal, random_below
from azul_env.core.jit import kernel
from azul_env.core.legality import is_legal_number, random_move
from azul_env.core.rounds import finish_round, start_game
from azul_env.core.state import Row, Rows
from azul_env.core.walls import take_turn

# Outcomes of a step.
ILLEGAL: Final = 0  # the action was illegal and nothing changed
TURN_PASSED: Final = 1
ROUND_OVER: Final = 2  # the round was scored, and the next one dealt unless NO_CHANCE was given
GAME_OVER: Final = 3

RANDOM_SEAT: Final = -1  # as the starting player: drawn for every game
ALL_LEGAL: Final = -1  # in place of the index of the first illegal action


@kernel
def play_move(row: Row, source: int, color: int, destination: int) -> int:
    """Play a legal move and score the round if it is over, up to the afterstate; returns the outcome."""
    if not take_turn(row, source, color, destination):
        return TURN_PASSED
    return ROUND_OVER if finish_round(row) else GAME_OVER


@kernel
def play_and_deal(
    row: Row, source: int, color: int, destination: int, chances: Chances, k: int
) -> int:
    """Play a legal move and deal the next round if one is due, unless given NO_CHANCE; returns the outcome."""
    outcome = play_move(row, source, color, destination)
    if outcome == ROUND_OVER and len(chances) > 0:
        deal(row, chances, k)
    return outcome


@kernel
def step(row: Row, action: int, chances: Chances, k: int) -> int:
    """Play an action, legal or not; returns the outcome. An ILLEGAL action changes nothing."""
    if not is_legal_number(row, action):
        return ILLEGAL
    source, color, destination = action_parts(action)
    return play_and_deal(row, source, color, destination, chances, k)


@kernel
def step_some(
    rows: Rows, chances: Chances, games: NDArray[np.int64], actions: NDArray[np.int64]
) -> int:
    """Play one action in each listed game, up to the first illegal one; returns its index in `games`, or ALL_LEGAL."""
    for index in range(len(games)):
        game = games[index]
        if step(rows[game], actions[index], chances, game) == ILLEGAL:
            return index
    return ALL_LEGAL


@kernel
def play_randomly(row: Row, chances: Chances, k: int) -> int:
    """Play a random legal move and deal if due; returns the outcome. Caller guarantees that the game is on."""
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
