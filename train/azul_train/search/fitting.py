"""Training of the two networks on samples of games.

First the network for ends of rounds is trained on how the games ended; then again, mostly on its own value of the next
round's end, which has less variance; last the network inside rounds, on the other's value of the round's end and on the
values that searches found.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from azul_agents.search.network.layers import Layers
from azul_agents.search.self_play import NO_END
from azul_train.search.calibration import calibration_of
from azul_train.search.config import FittingConfig
from azul_train.search.model import Inputs, SearchNetwork
from azul_train.search.progress import Report, ignore
from azul_train.search.samples import Samples

# Factor of the squared error of the margin, beside the cross-entropy of the win.
MARGIN_LOSS: Final = 1 / 200
PREDICTED_AT_ONCE: Final = 1 << 16
HELD_OUT: Final = 20  # one game in this many is held out for evaluation

REPORT_EVERY: Final = 100  # minibatches


class Targets(NamedTuple):
    """The targets of each sample."""

    margin: NDArray[np.float32]
    share: NDArray[np.float32]


class Fitted(NamedTuple):
    """Two networks, and how well they predict games that they were not fitted to."""

    inner: SearchNetwork
    ends: SearchNetwork
    calibration: dict[str, Any]


def fit(
    samples: Samples,
    config: FittingConfig,
    seed: int,
    report: Report = ignore,
    start: tuple[Layers, Layers] | None = None,
) -> Fitted:
    """Train both networks from scratch, or from `start`: those inside rounds and for their ends."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    judged = samples.game % HELD_OUT == 0
    is_used = ~judged & (rng.random(len(judged)) < config.max_samples / len(judged))
    at_ends, inside = (np.flatnonzero(is_used & own) for own in (samples.is_end, ~samples.is_end))
    for own in (samples.is_end, ~samples.is_end):
        if not (is_used & own).any() or not (judged & own).any():
            raise ValueError("there are too few positions to learn from: play more games")
    outcome = Targets(samples.margin, samples.share)
    first, ends, inner = SearchNetwork(), SearchNetwork(), SearchNetwork(config.offers)
    if start is None:
        _learn(first, samples, outcome, at_ends, config.outcome_epochs, config, rng, report)
    else:
        first.take_over(start[1], samples.points.shape[1])
    values = values_of_ends(first, samples, config.outcome_share)
    ends.load_state_dict(first.state_dict())
    _learn(ends, samples, values, at_ends, config.end_epochs, config, rng, report)
    values = values_of_ends(ends, samples, config.outcome_share)
    values = with_searched(values, samples, config.search_share)
    if start is None:
        inner.load_state_dict(ends.state_dict(), strict=False)  # only this network may have offers
    else:
        inner.take_over(start[0], samples.points.shape[1])
    _learn(inner, samples, values, inside, config.inner_epochs, config, rng, report)
    calibration = {}
    for name, network, own in (("ends", ends, samples.is_end), ("inner", inner, ~samples.is_end)):
        chosen = np.flatnonzero(judged & own)
        calibration[name] = calibration_of(samples, chosen, *predicted(network, samples, chosen))
    return Fitted(inner, ends, calibration)


def batch_of(samples: Samples, chosen: NDArray[np.int64]) -> Inputs:
    """The inputs of some samples."""
    return Inputs(
        boards=torch.from_numpy(samples.boards[chosen].astype(np.int32)),
        table=torch.from_numpy(samples.table[chosen].astype(np.int32)),
        offers=torch.from_numpy(samples.offers[chosen].astype(np.int32)),
        points=torch.from_numpy(samples.points[chosen].astype(np.float32)),
        rounds=torch.from_numpy(samples.rounds[chosen].astype(np.int64)),
    )


def predicted(
    network: SearchNetwork, samples: Samples, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Margins and win chances of some samples."""
    margins, chances = [], []
    with torch.no_grad():
        for first in range(0, len(chosen), PREDICTED_AT_ONCE):
            batch = batch_of(samples, chosen[first : first + PREDICTED_AT_ONCE])
            margin, logit = network(batch)
            margins.append(margin.numpy())
            chances.append(torch.sigmoid(logit).numpy())
    return np.concatenate(margins), np.concatenate(chances)


def values_of_ends(network: SearchNetwork, samples: Samples, outcome_share: float) -> Targets:
    """Targets that are mostly a network's value of the next end of a round; the game's result where there is none."""
    ends = np.flatnonzero(samples.is_end)
    margins = np.zeros(len(samples.game), np.float32)
    chances = np.zeros(len(samples.game), np.float32)
    margins[ends], chances[ends] = predicted(network, samples, ends)
    follows = samples.next_end != NO_END
    margin = np.where(follows, samples.sign * margins[samples.next_end], samples.margin)
    chance = chances[samples.next_end]
    chance = np.where(samples.sign > 0, chance, 1 - chance)
    share = np.where(follows, chance, samples.share)
    return Targets(
        (outcome_share * samples.margin + (1 - outcome_share) * margin).astype(np.float32),
        (outcome_share * samples.share + (1 - outcome_share) * share).astype(np.float32),
    )


def with_searched(targets: Targets, samples: Samples, search_share: float) -> Targets:
    """Targets whose margins are blended with those that searches found, where there are any."""
    mixed = search_share * samples.searched + (1 - search_share) * targets.margin
    return targets._replace(margin=np.where(np.isnan(samples.searched), targets.margin, mixed))


def _learn(
    network: SearchNetwork,
    samples: Samples,
    targets: Targets,
    chosen: NDArray[np.int64],
    epochs: int,
    config: FittingConfig,
    rng: np.random.Generator,
    report: Report,
) -> None:
    """Train a network on some samples."""
    batches_per_epoch = -(-len(chosen) // config.batch_size)
    optimizer = torch.optim.AdamW(_parameter_groups(network, config), lr=config.learning_rate)
    total = epochs * batches_per_epoch
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, config.learning_rate, total_steps=total + 1
    )
    done = 0
    for _ in range(epochs):
        for batch in _batches(rng.permutation(chosen), config.batch_size):
            margin, logit = network(batch_of(samples, batch))
            loss = loss_of(margin, logit, targets, batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            done += 1
            if done % REPORT_EVERY == 0:
                report("training", done, total)


def _parameter_groups(network: SearchNetwork, config: FittingConfig) -> list[dict[str, object]]:
    """The parameters, grouped by weight decay."""
    groups: dict[float, list[Tensor]] = {0.0: [], config.weight_decay: [], config.round_decay: []}
    for name, parameter in network.named_parameters():
        decay = config.weight_decay
        if name.startswith("output_bias"):
            decay = 0.0
        elif name.endswith("of_round"):
            decay = config.round_decay
        groups[decay].append(parameter)
    return [{"params": params, "weight_decay": decay} for decay, params in groups.items() if params]


def loss_of(margin: Tensor, logit: Tensor, targets: Targets, batch: NDArray[np.int64]) -> Tensor:
    """Cross-entropy of the win plus squared error of the margin."""
    share = torch.from_numpy(targets.share[batch])
    squares = (margin - torch.from_numpy(targets.margin[batch])) ** 2
    return binary_cross_entropy_with_logits(logit, share) + MARGIN_LOSS * squares.mean()


def _batches(order: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    for first in range(0, len(order), size):
        yield order[first : first + size]
