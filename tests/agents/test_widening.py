"""Searches that widen, and tables that live through a round, find what a fresh search of all moves finds."""

from typing import Any

import numpy as np
import pytest

from azul_agents.kinds import AlphaBetaOptions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.transposition import position_key, round_salt
from azul_env import GameState, apply_action, legal_mask, new_game
from azul_env.core.jit import kernel
from azul_env.core.words import as_int64

ALL = 300


def late_positions(num_players: int, tiles: int) -> list[GameState]:
    """Positions of random games in which this many tiles or fewer are left."""
    rng = np.random.default_rng(num_players)
    state, found = new_game(num_players, rng=rng), []
    while not state.is_terminal:
        left = sum(map(sum, state.factories)) + sum(state.center)
        if left <= tiles:
            found.append(state)
        state = apply_action(state, rng.choice(np.flatnonzero(legal_mask(state))), rng).state
    return found


def agent(**options: int) -> AlphaBetaAgent:
    return AlphaBetaAgent(options=AlphaBetaOptions(evaluation="linear", **options))


def best_value(searcher: AlphaBetaAgent, state: GameState) -> float:
    searcher.act(state, legal_mask(state), np.random.default_rng(0))
    return float(searcher._memory.root_values[0])


@pytest.mark.parametrize("num_players", [2, 3])
def test_widened_search__ends_with_the_value_of_all_moves(num_players: int) -> None:
    narrow = agent(nodes=10**7, breadth=1, widest=ALL)
    whole = agent(nodes=10**7, breadth=ALL)
    for state in late_positions(num_players, tiles=5)[::3]:
        assert best_value(narrow, state) == best_value(whole, state)
        if legal_mask(state).sum() > 6:  # with a single move there is nothing to search
            assert narrow._memory.control["breadth"][0] == ALL


@pytest.mark.parametrize(("num_players", "least", "most"), [(2, 10, 20), (4, 3, 6)])
def test_others__have_fewer_moves_in_larger_games(num_players: int, least: int, most: int) -> None:
    state = new_game(num_players, rng=3)
    searcher = agent(depth=2, breadth=10)
    moves = len(searcher.analyse(state))
    # A node for each of the root's moves and its answers, some of which are searched twice.
    assert (1 + least) * moves <= searcher.nodes <= (1 + most) * moves


def test_others__have_all_moves_where_the_breadth_is_that_of_all() -> None:
    state = new_game(4, rng=3)
    searcher = agent(depth=2, breadth=ALL)
    moves = len(searcher.analyse(state))
    assert searcher.nodes > 0.7 * moves * moves


def test_search_without_a_limit__does_not_widen() -> None:
    searcher = agent(depth=40, breadth=2)
    best_value(searcher, late_positions(2, tiles=7)[0])
    assert searcher._memory.control["breadth"][0] == 2


def test_kept_table__gives_the_values_of_a_fresh_one_where_they_are_exact() -> None:
    fresh = agent(nodes=10**7, breadth=ALL)
    options = AlphaBetaOptions(evaluation="linear", time=60.0, breadth=ALL)
    kept = AlphaBetaAgent(options=options)
    reused = 0
    for state in late_positions(2, tiles=6):
        for _ in range(2):
            assert best_value(kept, state) == best_value(fresh, state)
        reused += kept.nodes < fresh.nodes
    assert reused > 2


@pytest.mark.parametrize(
    ("options", "is_kept"), [({"time": 0.01}, True), ({"nodes": 10}, False), ({"depth": 1}, False)]
)
def test_only_moves_by_time__keep_the_table(options: dict[str, Any], is_kept: bool) -> None:
    searcher = AlphaBetaAgent(options=AlphaBetaOptions(evaluation="linear", **options))
    state = new_game(2, rng=1)
    best_value(searcher, state)
    assert bool(searcher._memory.control["keeps_table"][0]) == is_kept
    searcher.analyse(state)
    assert not searcher._memory.control["keeps_table"][0]


@kernel
def _salt_and_key(rows, searcher):
    for i in range(1):
        salt = round_salt(rows[i], searcher, as_int64(1))
        return salt, position_key(rows[i], salt)
    return as_int64(0), as_int64(0)


def test_salt__differs_by_round_and_searcher_and_not_within_a_round() -> None:
    rng = np.random.default_rng(3)
    state = new_game(2, rng=rng)
    salts: dict[int, set[int]] = {}
    keys = set()
    while not state.is_terminal:
        salt, key = _salt_and_key(state.rows, 0)
        assert salt != _salt_and_key(state.rows, 1)[0] and key not in keys
        salts.setdefault(state.round, set()).add(salt)
        keys.add(key)
        state = apply_action(state, rng.choice(np.flatnonzero(legal_mask(state))), rng).state
    assert all(len(found) == 1 for found in salts.values())
    assert len(set().union(*salts.values())) == len(salts) > 3
