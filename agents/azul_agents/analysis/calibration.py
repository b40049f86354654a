"""Fit the win-chance model to games, and evaluate it on others.

A sample is a position of a finished game as an agent values it, and how the game ended. The model of `win_chance` is linear
in its parameters, so its log-likelihood has one maximum, which Newton's method finds.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.analysis.streaming import last_step, solved_shares
from azul_agents.analysis.win_chance import ChanceModel, SeatMargins, final_shares, progress
from azul_agents.base import Agent
from azul_env import GameRecord, GameState, replay

KNOTS: Final = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)  # rounds; the last one holds for all later ones
RIDGE: Final = 1e-3  # penalty on the parameters; keeps those of rounds without samples at 0
MAX_STEPS: Final = 50
TOLERANCE: Final = 1e-10

Floats = NDArray[np.float64]


class Sample(NamedTuple):
    """A position and how its game ended; all tuples are by seat."""

    game: int
    progress: float
    player: int  # to move
    margins: tuple[float, ...]  # expected
    solved: tuple[float, ...] | None  # shares of the win, where the search sees the end of the game
    shares: tuple[float, ...]  # of the win, in the end


def samples_of(
    record: GameRecord, game: int, agent: Agent, rng: np.random.Generator, count: int
) -> Iterator[Sample]:
    """Random positions of a finished game, as an agent values them."""
    states = [step.state for step in replay(record)]
    shares = final_shares(states[-1])
    open_states = [state for state in states if not state.is_terminal and not state.awaits_deal]
    chosen = rng.permutation(len(open_states))[:count]
    for state in (open_states[i] for i in sorted(chosen.tolist())):
        yield _sample(state, game, agent, shares)


def _sample(state: GameState, game: int, agent: Agent, shares: tuple[float, ...]) -> Sample:
    last = last_step(state, agent)
    best = last.moves[0]
    margins = last.margins.get(best.action) or SeatMargins(state).expecting(best.value)
    return Sample(
        game=game,
        progress=progress(state),
        player=state.current_player,
        margins=tuple(margins),
        solved=solved_shares(state, last, best.action),
        shares=shares,
    )


def fitted(samples: Sequence[Sample], knots: tuple[float, ...] = KNOTS) -> ChanceModel:
    """The maximum-likelihood model; positions whose result is solved are left out."""
    unsolved = [sample for sample in samples if sample.solved is None]
    features = np.array([_features(sample, knots) for sample in unsolved])
    shares = np.array([sample.shares for sample in unsolved])
    parameters = np.zeros(features.shape[2])
    for _ in range(MAX_STEPS):
        chances = _softmax(features @ parameters)
        gradient = np.einsum("nsp,ns->p", features, shares - chances) - RIDGE * parameters
        mean = np.einsum("nsp,ns->np", features, chances)
        curvature = np.einsum("nsp,ns,nsq->pq", features, chances, features) - mean.T @ mean
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(parameters)), gradient)
        parameters += step
        if np.abs(step).max() < TOLERANCE:
            break
    scale, bias = parameters.reshape(2, len(knots)).tolist()
    if min(scale) < 0:
        raise ValueError(f"more points would mean worse chances ({scale}): fit to more games")
    return ChanceModel(knots, tuple(scale), tuple(bias))


def predicted(samples: Sequence[Sample], model: ChanceModel) -> Floats:
    """The win chances (sample, seat) by a model; solved positions keep their solved shares."""
    features = np.array([_features(sample, model.knots) for sample in samples])
    chances = _softmax(features @ np.array([*model.scale, *model.bias]))
    for index, sample in enumerate(samples):
        if sample.solved is not None:
            chances[index] = sample.solved
    return chances


def _features(sample: Sample, knots: tuple[float, ...]) -> Floats:
    """Inputs of each seat's logit (seat, parameter): hat functions times the margin, and times 1 for the player to move."""
    hats = [np.interp(sample.progress, knots, unit) for unit in np.eye(len(knots))]
    is_mover = np.arange(len(sample.margins)) == sample.player
    return np.concatenate([np.outer(sample.margins, hats), np.outer(is_mover, hats)], axis=1)


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def brier_score(chances: Floats, shares: Floats) -> float:
    """The mean squared error of the chance of a seat: 0 is perfect, 0.25 is a coin flip between 2 players."""
    return float(((chances - shares) ** 2).mean())


def standard_error(values: Floats, games: NDArray[np.int64]) -> float:
    """The standard error of a mean, clustered by game."""
    _, numbers = np.unique(games, return_inverse=True)
    sums = np.bincount(numbers, values - values.mean())
    return float(np.sqrt((sums**2).sum()) / len(values))


class ReliabilityBin(NamedTuple):
    """Predictions of about the same chance, and how often they came true."""

    positions: int
    predicted: float  # mean
    observed: float  # mean
    error: float  # standard error of `observed`


def reliability(
    chances: Floats, shares: Floats, games: NDArray[np.int64], num_bins: int = 10
) -> list[ReliabilityBin]:
    """One-dimensional predictions in bins of equal width, without empty ones."""
    bins = np.minimum((chances * num_bins).astype(int), num_bins - 1)
    return [
        ReliabilityBin(
            positions=int(own.sum()),
            predicted=float(chances[own].mean()),
            observed=float(shares[own].mean()),
            error=standard_error(shares[own], games[own]),
        )
        for own in (bins == number for number in range(num_bins))
        if own.any()
    ]
