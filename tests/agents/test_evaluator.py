"""Evaluators as parameters of a search: another one can be plugged in, and the linear one's caches change nothing."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import azul_agents
from agents.plain_search import after, minimax, value_of
from azul_agents.search.alphabeta import AlphaBetaAgent, AlphaBetaOptions
from azul_agents.search.evaluator import DECIDED, EvaluatorKernels
from azul_agents.search.features import bucket_of, tiles_to_come
from azul_agents.search.linear import LinearEvaluator, linear_evaluator, weighted_sum
from azul_agents.search.mcts import MctsAgent, MctsOptions
from azul_agents.search.moves import list_with_keys, next_best, tie_break
from azul_env import GameState, apply_action, legal_actions, legal_mask, new_game
from azul_env.core.cache_folder import SUFFIX
from azul_env.core.jit import cache_folder, kernel
from azul_env.core.words import as_bool, as_int64
from positions import position


class LineCounter(NamedTuple):
    """An evaluator made for these tests: tiles in lines count, those on the floor do not; later moves come first."""

    searches: NDArray[np.int64]  # how many have begun

    @staticmethod
    def kernels() -> EvaluatorKernels:
        return EvaluatorKernels(count_search, line_value, line_value, later_first)


@kernel
def count_search(evaluator, row):
    evaluator.searches[0] += 1


@kernel
def line_value(evaluator, row, seat):
    value = 0.0
    for player in range(row["num_players"]):
        for line in range(5):
            tiles = ((row["line_counts"][player] >> 4 * line) & 15) * (line + 1)
            value += tiles if player == seat else -tiles
    return value


@kernel
def later_first(evaluator, row, moves, count, gains):
    for slot in range(count):
        gains[slot] = slot


def line_counter(num_players: int) -> LineCounter:
    return LineCounter(np.zeros(1, np.int64))


ENDGAME = position("""
    azul 2p round 3/50 turn 0 start 1 | - - BBYR - - | KK | bag ? lid - |
    20 :BY.../.R:W..../:K..../..RR:/:Y.... - | 25 K:.YR../:.B.../.BB:/:/: *""")
LAST_MOVE_WINS = position("""
    azul 2p round 4/50 turn 0 start 1 | - - - - - | W | bag ? lid - |
    40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/: *""")


@pytest.mark.parametrize("depth", [1, 3])
def test_alphabeta__with_another_evaluator_equals_plain_minimax(depth: int) -> None:
    options = AlphaBetaOptions(depth=depth, breadth=10_000)
    agent = AlphaBetaAgent(options=options, new_evaluator=line_counter)
    values = {move.action: move.value for move in agent.analyse(ENDGAME)}
    for action in legal_actions(ENDGAME):
        following, is_over = after(ENDGAME, action)
        plain = minimax(following, 0, 0 if is_over else depth - 1, line_counter(2))
        assert values[30 * action.source + 6 * action.color + action.destination] == plain


def test_mcts__with_another_evaluator_finds_what_that_one_prefers() -> None:
    values = {}
    for action in legal_actions(ENDGAME):
        following, is_over = after(ENDGAME, action)
        number = 30 * action.source + 6 * action.color + action.destination
        values[number] = minimax(following, 0, 0 if is_over else 20, line_counter(2))
    options = MctsOptions(simulations=20_000)
    agent = MctsAgent(options=options, new_evaluator=line_counter)
    chosen = agent.act(ENDGAME, legal_mask(ENDGAME), np.random.default_rng(0))
    assert values[chosen] == max(values.values()) > min(values.values())


def test_evaluator_from_elsewhere__stays_out_of_the_cache() -> None:
    AlphaBetaAgent(options=AlphaBetaOptions(depth=1), new_evaluator=line_counter)
    folder = cache_folder(Path(azul_agents.__file__).resolve().parent)
    assert folder
    cached = list(folder.path.glob(f"*{SUFFIX}"))
    assert not any(b"LineCounter" in file.read_bytes() for file in cached)


def test_search__tells_the_evaluator_that_it_begins() -> None:
    evaluator = line_counter(2)
    agent = AlphaBetaAgent(options=AlphaBetaOptions(depth=1), new_evaluator=lambda _: evaluator)
    before = evaluator.searches[0]
    agent.analyse(ENDGAME)
    assert evaluator.searches[0] == before + 1


def test_finished_game__is_not_a_matter_of_the_evaluator() -> None:
    won, is_over = after(LAST_MOVE_WINS, (5, 4, 0))
    assert is_over and won.is_terminal
    margin = won.rows["scores"][0, 0] - won.rows["scores"][0, 1]
    for evaluator in (line_counter(2), linear_evaluator(2)):
        assert value_of(won, 0, evaluator) == margin + DECIDED
        assert value_of(won, 1, evaluator) == -margin - DECIDED


@kernel
def _sums(evaluator, rows, seats):
    total = 0.0
    for i in range(1):
        tiles = tiles_to_come(rows[i])
        for seat in range(rows[i]["num_players"]):
            value = weighted_sum(evaluator, rows[i], seat, tiles, bucket_of(rows[i], tiles))
            total += seats[seat] * value
    return total


def uncached(evaluator: LinearEvaluator, state: GameState, player: int) -> float:
    """The margin that the linear evaluator expects, without its cache."""
    shares = np.full(4, -1.0 / (state.num_players - 1))
    shares[player] = 1.0
    return _sums(evaluator, state.rows, shares)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_linear_evaluator__answers_from_its_cache_what_it_would_compute(num_players: int) -> None:
    evaluator = linear_evaluator(num_players)
    rng = np.random.default_rng(num_players)
    compared = 0
    for _ in range(4):
        state = new_game(num_players, rng=rng)
        while not state.is_terminal:
            actions = legal_actions(state)
            for action in actions[:: 1 + len(actions) // 8]:
                following, _ = after(state, action)
                if not following.is_terminal:
                    for player in range(num_players):
                        expected = uncached(evaluator, following, player)
                        assert value_of(following, player, evaluator) == expected
                    compared += 1
            state = apply_action(state, actions[rng.integers(len(actions))], rng=rng).state
    assert compared > 500
    assert len(np.unique(evaluator.boards["key"])) > 500


@kernel
def _list_in_order(evaluator, rows, moves, gains, keys, order, ties):
    for i in range(1):
        count = list_with_keys(evaluator, rows[i], moves, gains, keys, as_bool(True))
        for slot in range(count):
            ties[slot] = tie_break(rows[i], moves[slot])
        for rank in range(count):
            order[rank] = next_best(keys, count)
        return count
    return as_int64(0)


@pytest.mark.parametrize("num_players", [2, 4])
def test_moves__come_by_gain_and_equal_ones_by_their_tie_break(num_players: int) -> None:
    evaluator = linear_evaluator(num_players)
    rng = np.random.default_rng(1)
    state = new_game(num_players, rng=rng)
    while not state.is_terminal:
        moves, keys, order, ties = (np.zeros(300, np.int64) for _ in range(4))
        gains = np.zeros(300)
        count = _list_in_order(evaluator, state.rows, moves, gains, keys, order, ties)
        priorities = gains[:count] + 1e-12 * ties[:count]
        assert sorted(order[:count]) == list(range(count))
        assert (np.diff(priorities[order[:count]]) <= 2e-12).all()
        actions = legal_actions(state)
        state = apply_action(state, actions[rng.integers(len(actions))], rng=rng).state
