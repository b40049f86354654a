"""Ratings by maximum likelihood: Plackett-Luce, which for two players is Bradley-Terry.

A ranking is a series of choices: the winner is chosen from all agents, the second from the rest, and so on, each with a
probability proportional to its strength. Ties count as all orders of the tied agents with equal weights: a win shared by
two is half a win for each.

An agent that never loses would have infinite strength. Therefore every pair of agents gets half a virtual win each way,
like Jeffreys' prior for a win rate. Intervals come from a Bayesian bootstrap (Rubin 1981) over deals, each with all its
rotations, and over the virtual wins, so that 200 wins of 200 do not look certain.

The fit is Newton's method. The library `choix` fits both models, but supports neither ties nor weighted games, which the
bootstrap needs, and depends on SciPy.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env.files import read_json

RATINGS_FILE: Final = "ratings.json"
# With the table of all pairs, 14 bytes each; that of the package has 10 kB.
MAX_RATINGS_BYTES: Final = 1 << 24
ELO: Final = 400 / math.log(10)  # rating points per unit of log strength
ANCHOR: Final = "random"  # the agent whose rating is fixed
ANCHOR_RATING: Final = 1000.0
MEAN_RATING: Final = 1500.0  # of all agents if the anchor does not take part
VIRTUAL_WINS: Final = 0.5  # of each agent against each other agent
BOOTSTRAP_SAMPLES: Final = 1000
SAMPLES_PER_BATCH: Final = 100  # limits memory

MAX_STEPS: Final = 200
LONGEST_STEP: Final = 1.5  # in log strength; longer steps may overshoot
TOLERANCE: Final = 1e-9

Floats = NDArray[np.float64]


class RankedGame(NamedTuple):
    """The ranking of a game. Games of one `deal` are resampled together."""

    agents: tuple[int, ...]  # by seat; one agent may have several seats
    ranks: tuple[int, ...]  # by seat, from 1
    deal: Hashable


class Rating(NamedTuple):
    """A rating on the Elo scale with its 95% interval."""

    rating: float
    low: float
    high: float


class Choice(NamedTuple):
    """A choice from a set of agents, with a weight of at most one game."""

    chosen: int
    candidates: tuple[int, ...]  # sorted
    weight: float


@dataclass(frozen=True)
class _Evidence:
    """The choices, summed by cluster: a deal or a virtual win."""

    sets: Floats  # (sets, agents): how often the agent is in a set of candidates
    chosen_from: Floats  # (clusters, sets): choices from the set
    chosen: Floats  # (clusters, agents): choices of the agent
    weights: Floats  # (clusters,)


def ratings_of(games: Sequence[RankedGame], names: Sequence[str], seed: int = 0) -> list[Rating]:
    """The rating of every agent. `seed` is that of the bootstrap."""
    evidence = _evidence_of(games, len(names))
    strengths = log_strengths(evidence, evidence.weights[None])
    rng = np.random.default_rng(seed)
    samples = [
        log_strengths(evidence, rng.standard_gamma(evidence.weights, (SAMPLES_PER_BATCH, len(evidence.weights))))
        for _ in range(BOOTSTRAP_SAMPLES // SAMPLES_PER_BATCH)
    ]  # fmt: skip
    low, high = np.quantile(_on_elo_scale(np.concatenate(samples), names), [0.025, 0.975], axis=0)
    rating = _on_elo_scale(strengths, names)[0]
    return [Rating(*map(float, numbers)) for numbers in zip(rating, low, high, strict=True)]


def quick_ratings_of(games: Sequence[RankedGame], names: Sequence[str]) -> list[float]:
    """The ratings without intervals."""
    evidence = _evidence_of(games, len(names))
    return _on_elo_scale(log_strengths(evidence, evidence.weights[None]), names)[0].tolist()


def log_strengths(evidence: _Evidence, weights: Floats) -> Floats:
    """The maximum likelihood log strengths, with mean 0, for each row of cluster weights."""
    chosen_from = weights @ evidence.chosen_from
    chosen = weights @ evidence.chosen
    num_agents = chosen.shape[1]
    # A common factor of all strengths leaves the likelihood unchanged; this keeps the mean at 0.
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
    """The choices in a ranking, over all orders of tied agents."""
    seats = range(len(agents))
    orders = [
        order
        for order in permutations(seats)
        if all(ranks[first] <= ranks[then] for first, then in pairwise(order))
    ]
    return tuple(
        Choice(agents[seat], tuple(sorted(agents[left] for left in order[i:])), 1 / len(orders))
        for order in orders
        for i, seat in enumerate(order[:-1])
    )


def _evidence_of(games: Sequence[RankedGame], num_agents: int) -> _Evidence:
    """The choices of all games and the virtual wins, in arrays."""
    deals = {deal: i for i, deal in enumerate(dict.fromkeys(game.deal for game in games))}
    entries = [
        (deals[game.deal], choice) for game in games for choice in choices_of(game.agents, game.ranks)
    ]  # fmt: skip
    pairs = [(i, j) for pair in combinations(range(num_agents), 2) for i, j in (pair, pair[::-1])]
    for cluster, (winner, loser) in enumerate(pairs, start=len(deals)):
        entries.append((cluster, Choice(winner, tuple(sorted((winner, loser))), 1.0)))
    sets = {s: k for k, s in enumerate(dict.fromkeys(c.candidates for _, c in entries))}
    members = np.zeros((len(sets), num_agents))
    for candidates, k in sets.items():
        for agent in candidates:
            members[k, agent] += 1
    chosen_from = np.zeros((len(deals) + len(pairs), len(sets)))
    chosen = np.zeros((len(deals) + len(pairs), num_agents))
    for cluster, choice in entries:
        chosen_from[cluster, sets[choice.candidates]] += choice.weight
        chosen[cluster, choice.chosen] += choice.weight
    weights = np.concatenate([np.ones(len(deals)), np.full(len(pairs), VIRTUAL_WINS)])
    return _Evidence(members, chosen_from, chosen, weights)


def _on_elo_scale(strengths: Floats, names: Sequence[str]) -> Floats:
    """Log strengths, in rows, as ratings: the anchor at ANCHOR_RATING, else the mean at MEAN_RATING."""
    if ANCHOR in names:
        return ANCHOR_RATING + ELO * (strengths - strengths[:, [list(names).index(ANCHOR)]])
    return MEAN_RATING + ELO * (strengths - strengths.mean(axis=1, keepdims=True))


def packaged_ratings_path() -> Path:
    """The file with the ratings of our own agents, which `azul agents` shows."""
    return Path(str(files("azul_agents.arena"))) / RATINGS_FILE


def packaged_ratings(path: Path | None = None) -> dict[str, dict[int, float]]:
    """Ratings by agent and number of players; empty if there is no file. Raises ValueError if it is broken."""
    source = packaged_ratings_path() if path is None else path
    if not source.is_file():
        return {}
    ratings: dict[str, dict[int, float]] = {}
    data = read_json(source, MAX_RATINGS_BYTES)
    try:
        for table in data["tables"]:
            for standing in table["standings"]:
                rating = float(standing["rating"])
                ratings.setdefault(str(standing["agent"]), {})[int(table["players"])] = rating
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError(f"{source} holds no ratings of `azul tournament`") from None
    return ratings
