"""Sampling of moves from logits, compiled: one pass over the legal actions of each game."""

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel


@kernel
def write_samples(
    logits: NDArray[np.float32],
    legal_masks: NDArray[np.bool_],
    temperature: float,
    uniforms: NDArray[np.float64],
    actions: NDArray[np.int64],
    log_probabilities: NDArray[np.float64],
) -> None:
    """Write a sampled action and its log probability for each game; the caller guarantees a legal action in each."""
    for game in range(len(logits)):
        scores, is_legal = logits[game], legal_masks[game]
        best = 0
        highest = -np.inf
        for action in range(len(scores)):
            if is_legal[action] and scores[action] > highest:
                best, highest = action, float(scores[action])
        total = 0.0
        for action in range(len(scores)):
            if is_legal[action]:
                total += np.exp((float(scores[action]) - highest) / temperature)
        threshold = uniforms[game] * total
        chosen = best  # rounding may leave the sum at the threshold
        cumulative = 0.0
        for action in range(len(scores)):
            if is_legal[action]:
                cumulative += np.exp((float(scores[action]) - highest) / temperature)
                if cumulative > threshold:
                    chosen = action
                    break
        actions[game] = chosen
        log_probabilities[game] = (float(scores[chosen]) - highest) / temperature - np.log(total)


def sampled(
    logits: NDArray[np.float32],
    legal_masks: NDArray[np.bool_],
    uniforms: NDArray[np.float64],
    temperature: float = 1.0,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Actions from the softmax over the legal ones, and their log probabilities; `uniforms` are numbers in [0, 1)."""
    actions, log_probabilities = np.empty(len(logits), np.int64), np.empty(len(logits))
    write_samples(
        np.ascontiguousarray(logits),
        np.ascontiguousarray(legal_masks),
        float(temperature),
        uniforms,
        actions,
        log_probabilities,
    )
    return actions, log_probabilities
