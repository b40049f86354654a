"""Ratings: recovered from simulated games, and sound where the data are extreme."""

import math
from itertools import combinations

import numpy as np
import pytest

from azul_agents.arena.ratings import ELO, RankedGame, choices_of, ratings_of
from azul_agents.arena.tally import wilson_interval

TRUE = {"random": 1000.0, "b": 1150.0, "c": 1250.0, "d": 1400.0}


def simulated(players: int, games_per_table: int, seed: int) -> list[RankedGame]:
    """Games whose rankings are drawn from the model itself."""
    rng = np.random.default_rng(seed)
    strengths = np.array(list(TRUE.values())) / ELO
    games = []
    for table in combinations(range(len(TRUE)), players):
        for number in range(games_per_table):
            # Adding Gumbel noise and sorting draws from Plackett-Luce.
            luck = strengths[list(table)] + rng.gumbel(size=players)
            ranks = (1 + np.argsort(np.argsort(-luck))).tolist()
            games.append(RankedGame(table, tuple(ranks), (table, number)))
    return games


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ratings__are_recovered_from_simulated_games(players):
    ratings = ratings_of(simulated(players, 1200, seed=players), list(TRUE))
    for rating, true in zip(ratings, TRUE.values(), strict=True):
        assert abs(rating.rating - true) < 40
        assert rating.low <= rating.rating <= rating.high
        assert rating.low - 15 < true < rating.high + 15
    assert ratings[0] == (1000, 1000, 1000)


@pytest.mark.parametrize("players", [2, 4])
def test_intervals__cover_the_truth_about_as_often_as_they_say(players):
    covered = total = 0
    for seed in range(25):
        for rating, true in zip(
            ratings_of(simulated(players, 60, 100 + seed), list(TRUE))[1:],
            list(TRUE.values())[1:],
            strict=True,
        ):
            covered += rating.low <= true <= rating.high
            total += 1
    assert 0.86 <= covered / total <= 1.0


def test_two_agents__have_the_closed_form():
    """73 wins and 2 shared games of 100, and half a virtual win each way."""
    ranks = [(1, 2)] * 73 + [(1, 1)] * 2 + [(2, 1)] * 25
    games = [RankedGame((0, 1), rank, number) for number, rank in enumerate(ranks)]
    rating = ratings_of(games, ["a", "random"])[0].rating
    assert rating == pytest.approx(1000 + 400 * math.log10(74.5 / 26.5))


def test_three_agents__satisfy_the_equations_of_maximum_likelihood():
    """At the maximum, every agent is chosen as often as the model expects."""
    games = simulated(3, 50, seed=9)
    strengths = [math.exp(r.rating / ELO) for r in ratings_of(games, list(TRUE))]
    surplus = [0.0] * 4
    for game in games:
        for choice in choices_of(game.agents, game.ranks):
            total = sum(strengths[agent] for agent in choice.candidates)
            surplus[choice.chosen] += choice.weight
            for agent in choice.candidates:
                surplus[agent] -= choice.weight * strengths[agent] / total
    for one, other in combinations(range(4), 2):  # the virtual wins
        share = strengths[one] / (strengths[one] + strengths[other])
        surplus[one] += 0.5 - share
        surplus[other] += share - 0.5
    assert surplus == pytest.approx([0.0] * 4, abs=1e-6)


def test_without_random__the_mean_is_1500():
    games = [game._replace(agents=tuple(game.agents)) for game in simulated(2, 100, seed=1)]
    ratings = ratings_of(games, ["w", "x", "y", "z"])
    assert np.mean([rating.rating for rating in ratings]) == pytest.approx(1500)
    assert all(rating.low < rating.rating < rating.high for rating in ratings)


@pytest.mark.parametrize("games", [1, 200, 5000])
def test_agent_that_never_loses__has_a_finite_rating_and_an_honest_interval(games):
    played = [RankedGame((0, 1), (1, 2), number) for number in range(games)]
    best, anchor = ratings_of(played, ["best", "random"])
    assert best.rating == pytest.approx(1000 + 400 * math.log10((games + 0.5) / 0.5))
    assert math.isfinite(best.high) and best.low < best.rating < best.high
    assert best.high - best.low > 300  # wins alone do not show how much better
    assert anchor == (1000, 1000, 1000)


def test_no_games__leave_all_agents_equal():
    assert [rating.rating for rating in ratings_of([], ["a", "b"])] == pytest.approx([1500, 1500])


def test_deal__is_resampled_as_a_whole():
    """Rotations that always give the same result are one observation, and the interval knows it."""
    ranks = [(1, 2) if deal % 3 else (2, 1) for deal in range(30)]
    together = [RankedGame((0, 1), rank, deal) for deal, rank in enumerate(ranks) for _ in range(8)]
    apart = [game._replace(deal=number) for number, game in enumerate(together)]
    wide, narrow = (ratings_of(games, ["a", "random"])[0] for games in (together, apart))
    assert wide.rating == pytest.approx(narrow.rating)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_shared_ranks__count_as_all_their_orders():
    assert set(choices_of((4, 7), (1, 1))) == {(4, (4, 7), 0.5), (7, (4, 7), 0.5)}
    choices = choices_of((0, 1, 2), (1, 2, 2))
    assert sum(c.weight for c in choices if c.chosen == 0) == pytest.approx(1)
    assert [c for c in choices if c.chosen == 1] == [(1, (1, 2), 0.5)]
    three = choices_of((0, 1, 2), (1, 1, 1))
    assert sum(c.weight for c in three) == pytest.approx(2)  # two real choices in a game of three


def test_agent_in_two_seats__shares_its_strength():
    """Ahead of one of its two rivals as often as of none or both: that is what equals do."""
    rankings = [(1, 2, 3), (1, 3, 2), (2, 3, 1)] * 10
    games = [RankedGame((0, 0, 1), ranks, number) for number, ranks in enumerate(rankings)]
    assert ratings_of(games, ["a", "random"])[0].rating == pytest.approx(1000)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),  # Wilson's interval as tables have it
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson_interval__agrees_with_published_values(wins, games, low, high):
    assert wilson_interval(wins, games) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize("games", [1, 10, 400, 4001])
def test_wilson_interval__holds_the_rate_itself_at_both_ends(games):
    assert wilson_interval(0, games).low == 0.0
    assert wilson_interval(games, games).high == 1.0


def test_wilson_interval__takes_shares_and_no_games():
    half = wilson_interval(2.5, 5)
    assert half.low == pytest.approx(1 - half.high)
    assert wilson_interval(0, 0) == (0.0, 1.0)
