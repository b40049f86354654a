"""The terms of the softmax over legal actions that a PPO update needs, each direction in one compiled pass.

Few actions are legal; torch makes several passes over all actions and takes many times as long.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from azul_env.core.jit import kernel

Floats = NDArray[np.float32]
Masks = NDArray[np.bool_]
Actions = NDArray[np.int64]


@kernel
def write_terms(
    logits: Floats,
    legal_masks: Masks,
    actions: Actions,
    normalizers: Floats,
    log_probabilities: Floats,
    entropies: Floats,
) -> None:
    """Write the log of each row's sum of exponentials, the log probability of its action, and its entropy.

    Caller guarantees that every row has a legal action. The log probability of an illegal one is -inf.
    """
    for row in range(len(logits)):
        scores, is_legal = logits[row], legal_masks[row]
        highest = -np.inf
        for action in range(len(scores)):
            if is_legal[action]:
                highest = max(highest, float(scores[action]))
        total = 0.0
        weighted = 0.0
        for action in range(len(scores)):
            if is_legal[action]:
                below = float(scores[action]) - highest
                weight = np.exp(below)
                total += weight
                weighted += weight * below
        normalizer = highest + np.log(total)
        chosen = actions[row]
        normalizers[row] = normalizer
        log_probabilities[row] = scores[chosen] - normalizer if is_legal[chosen] else -np.inf
        entropies[row] = np.log(total) - weighted / total


@kernel
def write_gradients(
    logits: Floats,
    legal_masks: Masks,
    actions: Actions,
    normalizers: Floats,
    entropies: Floats,
    of_log_probabilities: Floats,
    of_entropies: Floats,
    gradients: Floats,
) -> None:
    """Write the gradient of every logit from those of the log probabilities and the entropies; it is 0 for illegal actions."""
    for row in range(len(logits)):
        scores, is_legal, of_logits = logits[row], legal_masks[row], gradients[row]
        of_chosen, of_entropy = of_log_probabilities[row], of_entropies[row]
        for action in range(len(scores)):
            gradient = np.float32(0)
            if is_legal[action]:
                log_probability = scores[action] - normalizers[row]
                surprise = of_entropy * (log_probability + entropies[row])
                gradient = -np.exp(log_probability) * (of_chosen + surprise)
            of_logits[action] = gradient
        if is_legal[actions[row]]:
            of_logits[actions[row]] += of_chosen


class _LegalSoftmax(torch.autograd.Function):
    """Log probabilities of actions, and entropies; differentiable once."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, legal_masks: Tensor, actions: Tensor) -> Any:
        given = logits.contiguous().numpy(), legal_masks.numpy(), actions.numpy()
        normalizers, chosen, entropies = np.empty((3, len(logits)), np.float32)
        write_terms(*given, normalizers, chosen, entropies)
        ctx.terms = *given, normalizers, entropies
        return torch.from_numpy(chosen), torch.from_numpy(entropies)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        of_chosen, of_entropies = (gradient.contiguous().numpy() for gradient in grad_outputs)
        logits, legal_masks, actions, normalizers, entropies = ctx.terms
        gradients = np.empty_like(logits)
        write_gradients(
            logits, legal_masks, actions, normalizers, entropies, of_chosen, of_entropies, gradients
        )
        return torch.from_numpy(gradients), None, None


def log_probabilities_and_entropies(
    logits: Tensor, actions: Tensor, action_masks: Any
) -> tuple[Tensor, Tensor]:
    """Log probabilities (batch,) of actions and entropies (batch,) of the softmax over legal actions.

    `action_masks` may be numbers, or None if all actions are legal. Raises ValueError if a row has no legal action, or if an
    action is out of range.
    """
    legal_masks = torch.ones(logits.shape, dtype=torch.bool)
    if action_masks is not None:
        legal_masks = torch.as_tensor(action_masks, dtype=torch.bool).reshape(logits.shape)
    if not legal_masks.any(1).all():
        raise ValueError("a position has no legal action: its mask is all false")
    actions = actions.long().flatten()
    if len(actions) != len(logits) or not ((actions >= 0) & (actions < logits.shape[1])).all():
        raise ValueError(f"actions must be {len(logits)} numbers from 0 to {logits.shape[1] - 1}")
    softmax: Any = _LegalSoftmax
    return softmax.apply(logits.float(), legal_masks.contiguous(), actions.contiguous())
