"""The outlook: values of the positions after each move, by the networks of the search, as inputs of a policy.

It is a lookahead of one ply: replies are not searched. A model with an outlook stores the search weights that it was
trained with, so that it plays the same moves whatever networks the search has.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import round_end_value
from azul_agents.search.moves import MAX_MOVES, action_of, list_moves, move_parts
from azul_agents.search.network.evaluator import NetworkEvaluator, new_evaluator, value
from azul_env import num_actions
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.spec import NUM_COLORS, NUM_DESTINATIONS
from azul_env.core.state import Row, Rows, center_of, empty_rows
from azul_env.core.step import TURN_PASSED, play_move
from azul_env.core.words import as_bool
from azul_env.observation import observation_size, write_observation

Floats = NDArray[np.float32]

BEST_SCALE: Final = 0.05  # of the best move's value, in points
MOST_LOST: Final = 15.0  # points; larger losses are clipped
MOVES_PER_SOURCE: Final = NUM_COLORS * NUM_DESTINATIONS


class Outlook(NamedTuple):
    """The networks, and the arrays that the kernels work with."""

    evaluator: NetworkEvaluator
    after: Rows  # scratch space
    moves: NDArray[np.int64]


def new_outlook(weights: Floats) -> Outlook:
    """An outlook by the networks with these weights."""
    return Outlook(new_evaluator(weights), empty_rows(1), np.zeros(MAX_MOVES, np.int64))


def outlook_size(num_players: int) -> int:
    """Size of an outlook: the value of the best move, and what each move loses against it."""
    return 1 + num_actions(num_players)


@called_kernel
def write_outlook(outlook: Outlook, row: Row, inputs: Floats, start: int) -> None:
    """Write the outlook of the player to move, from `start` on; where there is no move, the best one is worth 0."""
    first, last = start + 1, start + 1 + MOVES_PER_SOURCE * (center_of(row) + 1)
    for place in range(first, last):
        inputs[place] = -np.inf
    count = list_moves(row, outlook.moves, as_bool(False))
    best = -np.inf if count > 0 else 0.0
    for slot in range(count):
        worth = _value_after(outlook, row, outlook.moves[slot])
        inputs[first + action_of(outlook.moves[slot])] = worth
        best = max(best, worth)
    _repeat_equal_factories(row, inputs, first)
    for place in range(first, last):
        inputs[place] = max(inputs[place] - best, -MOST_LOST)
    inputs[start] = BEST_SCALE * best


@kernel
def _value_after(outlook: Outlook, row: Row, move: int) -> float:
    """Value of the position after a move to the player who makes it."""
    outlook.after[0] = row
    after = outlook.after[0]
    source, color, destination = move_parts(move)
    if play_move(after, source, color, destination) == TURN_PASSED:
        return value(outlook.evaluator, after, row["current_player"])
    return round_end_value(outlook.evaluator, after, row["current_player"])


@kernel
def _repeat_equal_factories(row: Row, inputs: Floats, first: int) -> None:
    """Copy values to factories that equal an earlier one, since the moves of equal factories are listed once."""
    for factory in range(center_of(row)):
        for earlier in range(factory):
            if row["sources"][earlier] == row["sources"][factory]:
                for move in range(MOVES_PER_SOURCE):
                    known = inputs[first + MOVES_PER_SOURCE * earlier + move]
                    inputs[first + MOVES_PER_SOURCE * factory + move] = known
                break


@kernel
def write_outlooks(outlook: Outlook, rows: Rows, inputs: Floats, start: int) -> None:
    """Write the outlooks of many games."""
    for game in range(len(rows)):
        write_outlook(outlook, rows[game], inputs[game], start)


@kernel
def write_observations(rows: Rows, observations: NDArray[np.uint8]) -> None:
    """Write what the players to move observe, as float32; numbers after an observation are left alone."""
    for game in range(len(rows)):
        write_observation(rows[game], rows[game]["current_player"], observations[game])


class Inputs:
    """Computes a network's inputs: the observations of the players to move, and outlooks if the network has them."""

    def __init__(self, num_players: int, variant: str, outlook_weights: Floats | None) -> None:
        self.observation_size = self.size = observation_size(num_players, variant)
        self.outlook = None if outlook_weights is None else new_outlook(outlook_weights)
        if self.outlook is not None:
            self.size += outlook_size(num_players)

    def of(self, rows: Rows) -> Floats:
        """The inputs (game, size). Caller guarantees that the games have the right number of players and variant."""
        inputs = np.empty((len(rows), self.size), np.float32)
        write_observations(rows, inputs.view(np.uint8))
        self.add_outlooks(rows, inputs)
        return inputs

    def add_outlooks(self, rows: Rows, inputs: Floats) -> None:
        """Write the outlooks, if there are any, after the observations."""
        if self.outlook is not None:
            write_outlooks(self.outlook, rows, inputs, self.observation_size)
