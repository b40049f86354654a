"""Plain minimax over whole rounds, without any pruning: what alpha-beta must agree with."""

from functools import cache

from azul_agents.kinds import OFFERS
from azul_agents.search.evaluator import Evaluator, round_end_value, value
from azul_agents.search.shipped import evaluator_named
from azul_env import GameState, afterstate, legal_actions
from azul_env.core.jit import kernel


@kernel
def _value(evaluator, rows, player):
    for i in range(1):
        if rows[i]["available"] != 0:
            return value(evaluator, rows[i], player)
        return round_end_value(evaluator, rows[i], player)
    return 0.0


@cache
def shipped_evaluator(num_players: int) -> Evaluator:
    """What the agents search with by default."""
    return evaluator_named(OFFERS, num_players)


def value_of(state: GameState, player: int, evaluator: Evaluator | None = None) -> float:
    """The value of a position to a player; of a round that is over, scored."""
    return _value(evaluator or shipped_evaluator(state.num_players), state.rows, player)


def after(state: GameState, action: tuple[int, int, int]) -> tuple[GameState, bool]:
    """The position after an action, and whether the round is over: scored then, with nothing dealt."""
    following = afterstate(state, action)
    return following, following.round > state.round


def minimax(
    state: GameState, searcher: int, depth: int, evaluator: Evaluator | None = None
) -> float:
    """The value of a position to the searcher if all others play against it."""
    if depth == 0:
        return value_of(state, searcher, evaluator)
    values = []
    for action in legal_actions(state):
        following, is_over = after(state, action)
        values.append(minimax(following, searcher, 0 if is_over else depth - 1, evaluator))
    return max(values) if state.current_player == searcher else min(values)
