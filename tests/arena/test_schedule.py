"""Deals, rotations, circular orders, tables and seeds."""

from collections import Counter
from itertools import combinations

import pytest

from azul_agents.arena.schedule import ScheduledGame, table_games, tables_of, whole_deals


@pytest.mark.parametrize(
    ("games", "players", "deals"), [(1, 2, 1), (200, 2, 100), (201, 2, 101), (200, 3, 67), (8, 4, 2)]
)  # fmt: skip
def test_games__are_rounded_up_to_whole_deals(games, players, deals):
    assert whole_deals(games, players) == deals
    specs = tuple("abcd"[:players])
    assert len(list(table_games(specs, games, seed=1))) == deals * players


@pytest.mark.parametrize("players", [2, 3, 4])
def test_deal__is_played_once_per_rotation(players):
    specs = tuple("abcd"[:players])
    games = list(table_games(specs, 6 * players, seed=1))
    for deal in range(6):
        of_deal = [game for game in games if game.deal == deal]
        assert len({game.deal_seed for game in of_deal}) == 1
        for place in range(players):
            assert {game.seating.index(place) for game in of_deal} == set(range(players))
        first = of_deal[0].seating
        turned = {tuple(first[(s - k) % players] for s in range(players)) for k in range(players)}
        assert {game.seating for game in of_deal} == turned
    assert len({game.deal_seed for game in games}) == 6


def test_circular_orders__take_turns():
    games = table_games(tuple("abcd"), 6 * 4, seed=1)
    followers = Counter()
    for game in games:
        for seat, place in enumerate(game.seating):
            followers[place, game.seating[(seat + 1) % 4]] += 1
    assert len(followers) == 12 and len(set(followers.values())) == 1


def draws(game: ScheduledGame, place: int):
    return game.agent_rng(place).integers(2**60, size=4).tolist()


def test_generators_of_agents__are_their_own_and_repeatable():
    games = list(table_games(("a", "a"), 8, seed=1))
    again = list(table_games(("a", "a"), 8, seed=1))
    everything = [tuple(draws(game, place)) for game in games for place in (0, 1)]
    assert len(set(everything)) == len(everything)
    assert everything == [tuple(draws(game, place)) for game in again for place in (0, 1)]
    other_seed = next(iter(table_games(("a", "a"), 8, seed=2)))
    other_table = next(iter(table_games(("a", "a"), 8, seed=1, table=(2, 0))))
    for game in (other_seed, other_table):
        assert tuple(draws(game, 0)) not in everything
        assert game.deal_seed not in {g.deal_seed for g in games}


def test_deal_seeds__are_exact_in_any_json_reader():
    assert all(0 <= game.deal_seed < 2**53 for game in table_games(("a", "b"), 100, seed=1))


def test_tables__are_all_of_distinct_agents():
    assert tables_of(4, 2, 1, 0) == list(combinations(range(4), 2))  # pairs are never thinned out
    assert tables_of(5, 3, 100, 0) == list(combinations(range(5), 3))
    assert tables_of(4, 4, 100, 0) == [(0, 1, 2, 3)]


def test_too_few_agents__sit_more_than_once_and_all_take_part():
    assert tables_of(2, 3, 100, 0) == [(0, 0, 1), (0, 1, 1)]
    assert tables_of(2, 4, 100, 0) == [(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)]
    assert tables_of(3, 4, 100, 0) == [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)]


def test_too_many_tables__are_thinned_out_evenly():
    tables = tables_of(9, 3, 24, seed=1)
    assert len(tables) == len(set(tables)) == 24
    assert tables == tables_of(9, 3, 24, seed=1)
    meetings = Counter(pair for table in tables for pair in combinations(table, 2))
    assert set(meetings) == set(combinations(range(9), 2))
    assert max(meetings.values()) - min(meetings.values()) <= 2
