"""Ratings by maximum likelihood: Bradley-Terry for two players, Plackett-Luce for more, which is the same model.

A ranking is a series of choices: the winner is chosen among all, the second among the others, and so on, each with a
probability proportional to its strength. With two players that is Bradley-Terry. Agents that share a rank count as all
the orders they could stand in, each an equal part of a game: a shared win of two is half a win for each.

An agent that never loses would have an infinite strength. Therefore every pair of agents has half a virtual win each
way, as Jeffreys' prior does for a win rate. Intervals come from a Bayesian bootstrap (Rubin 1981): every deal, with all
its rotations, gets a random weight, and so do the virtual wins, so that 200 wins of 200 do not look like certainty.

Newton's method on these few numbers is all it takes. The library `choix` fits both models too, but knows neither shared
ranks nor weighted games, which the bootstrap needs, and brings SciPy along.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, permutations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

ELO: Final = 400 / math.log(10)  # points of rating for a factor e of strength
ANCHOR: Final = "random"  # the agent whose rating is fixed
ANCHOR_RATING: Final = 1000.0
MEAN_RATING: Final = 1500.0  # of all agents, where the anchor does not take part
VIRTUAL_WINS: Final = 0.5  # of either agent of a pair against the other
BOOTSTRAP_SAMPLES: Final = 1000
SAMPLES_AT_ONCE: Final = 100  # bounds the memory

MAX_STEPS: Final = 200
LONGEST_STEP: Final = 1.5  # in log strength; longer ones may overshoot
TOLERANCE: Final = 1e-9

Floats = NDArray[np.float64]


class RankedGame(NamedTuple):
    """A game as the model sees it. Games of one `deal` are resampled together."""

    agents: tuple[int, ...]  # by seat; one agent may have several seats
    ranks: tuple[int, ...]  # by seat, from 1
    deal: Hashable


class Rating(NamedTuple):
    """A rating on the Elo scale with its 95% interval."""

    rating: float
    low: float
    high: float


class Choice(NamedTuple):
    """Somebody is chosen among those who are left; `weight` is the part of a game that this is."""

    chosen: int
    among: tuple[int, ...]  # agents, sorted
    weight: float


@dataclass(frozen=True)
class _Evidence:
    """All choices, summed up by cluster: a deal, or a virtual win."""

    sets: Floats  # (sets, agents): how often an agent is in a set that was chosen from
    chosen_from: Floats  # (clusters, sets): how often
    chosen: Floats  # (clusters, agents): how often the agent
    weights: Floats  # (clusters,)


def ratings_of(games: Sequence[RankedGame], names: Sequence[str], seed: int = 0) -> list[Rating]:
    """The rating of every agent. `seed` is for the bootstrap."""
    evidence = _evidence_of(games, len(names))
    strengths = log_strengths(evidence, evidence.weights[None])
    rng = np.random.default_rng(seed)
    samples = [
        log_strengths(evidence, rng.standard_gamma(evidence.weights, (SAMPLES_AT_ONCE, len(evidence.weights))))
        for _ in range(BOOTSTRAP_SAMPLES // SAMPLES_AT_ONCE)
    ]  # fmt: skip
    low, high = np.quantile(_on_elo_scale(np.concatenate(samples), names), [0.025, 0.975], axis=0)
    rating = _on_elo_scale(strengths, names)[0]
    return [Rating(*map(float, numbers)) for numbers in zip(rating, low, high, strict=True)]


def quick_ratings_of(games: Sequence[RankedGame], names: Sequence[str]) -> list[float]:
    """The ratings without intervals."""
    evidence = _evidence_of(games, len(names))
    return _on_elo_scale(log_strengths(evidence, evidence.weights[None]), names)[0].tolist()


def log_strengths(evidence: _Evidence, weights: Floats) -> Floats:
    """The most likely log strengths, with mean 0, for each row of weights of the clusters."""
    chosen_from = weights @ evidence.chosen_from
    chosen = weights @ evidence.chosen
    num_agents = chosen.shape[1]
    # The likelihood does not care about a common factor of all strengths; this keeps the mean at 0.
    pin = np.full((num_agents, num_agents), 1.0 / num_agents)
    strengths = np.zeros_like(chosen)
    for _ in range(MAX_STEPS):
        shares = evidence.sets * np.exp(strengths)[:, None, :]
        shares /= shares.sum(axis=2, keepdims=True)
        expected = chosen_from[:, :, None] * shares
        gradient = chosen - expected.sum(axis=1)
        curvature = pin - np.swapaxes(expected, 1, 2) @ shares
        diagonal = np.arange(num_agents)
        curvature[:, diagonal, diagonal] += expected.sum(axis=1)
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        strengths += step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))
        if longest.max() < TOLERANCE:
            break
    return strengths


@cache
def choices_of(agents: tuple[int, ...], ranks: tuple[int, ...]) -> tuple[Choice, ...]:
    """The choices that a ranking is made of, over all orders that shared ranks leave open."""
    seats = range(len(agents))
    orders = [
        order
        for order in permutations(seats)
        if all(ranks[first] <= ranks[then] for first, then in pairwise(order))
    ]
    return tuple(
        Choice(agents[seat], tuple(sorted(agents[left] for left in order[place:])), 1 / len(orders))
        for order in orders
        for place, seat in enumerate(order[:-1])
    )


def _evidence_of(games: Sequence[RankedGame], num_agents: int) -> _Evidence:
    """The choices of all games and the virtual wins, in arrays."""
    deals = {deal: row for row, deal in enumerate(dict.fromkeys(game.deal for game in games))}
    entries = [
        (deals[game.deal], choice) for game in games for choice in choices_of(game.agents, game.ranks)
    ]  # fmt: skip
    pairs = [(i, j) for pair in combinations(range(num_agents), 2) for i, j in (pair, pair[::-1])]
    for row, (winner, loser) in enumerate(pairs, start=len(deals)):
        entries.append((row, Choice(winner, tuple(sorted((winner, loser))), 1.0)))
    sets = {among: k for k, among in enumerate(dict.fromkeys(c.among for _, c in entries))}
    members = np.zeros((len(sets), num_agents))
    for among, k in sets.items():
        for agent in among:
            members[k, agent] += 1
    chosen_from = np.zeros((len(deals) + len(pairs), len(sets)))
    chosen = np.zeros((len(deals) + len(pairs), num_agents))
    for row, choice in entries:
        chosen_from[row, sets[choice.among]] += choice.weight
        chosen[row, choice.chosen] += choice.weight
    weights = np.concatenate([np.ones(len(deals)), np.full(len(pairs), VIRTUAL_WINS)])
    return _Evidence(members, chosen_from, chosen, weights)


def _on_elo_scale(strengths: Floats, names: Sequence[str]) -> Floats:
    """Log strengths, in rows, as ratings: the anchor at its place, else the mean at its own."""
    if ANCHOR in names:
        return ANCHOR_RATING + ELO * (strengths - strengths[:, [list(names).index(ANCHOR)]])
    return MEAN_RATING + ELO * (strengths - strengths.mean(axis=1, keepdims=True))
