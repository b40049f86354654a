"""Plain minimax over whole rounds, without any pruning: what alpha-beta must agree with."""

import numpy as np

from azul_agents.search.evaluation import MAX_LISTED, load_weights, margin_value
from azul_env import GameState, afterstate, legal_actions
from azul_env.core.jit import kernel


@kernel
def _value(rows, player, weights, places, amounts):
    for i in range(1):
        return margin_value(rows[i], player, weights, places, amounts)
    return 0.0


def value_of(state: GameState, player: int) -> float:
    """The evaluation of a position to a player."""
    room = np.zeros(MAX_LISTED, np.int64), np.zeros(MAX_LISTED)
    return _value(state.rows, player, load_weights(state.num_players), *room)


def after(state: GameState, action: tuple[int, int, int]) -> tuple[GameState, bool]:
    """The position after an action, and whether the round is over: scored then, with nothing dealt."""
    following = afterstate(state, action)
    return following, following.round > state.round


def minimax(state: GameState, searcher: int, depth: int) -> float:
    """The value of a position to the searcher if all others play against it."""
    if depth == 0:
        return value_of(state, searcher)
    values = []
    for action in legal_actions(state):
        following, is_over = after(state, action)
        value = (
            value_of(following, searcher) if is_over else minimax(following, searcher, depth - 1)
        )
        values.append(value)
    return max(values) if state.current_player == searcher else min(values)
