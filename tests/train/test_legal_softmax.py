"""The softmax over legal actions: the same numbers and gradients as torch's, which takes many passes."""

import numpy as np
import pytest
import torch

from azul_train.sb3.legal_softmax import log_probabilities_and_entropies

ROWS, ACTIONS = 50, 180


@pytest.fixture
def logits() -> torch.Tensor:
    torch.manual_seed(4)
    return torch.randn(ROWS, ACTIONS) * 3


@pytest.fixture
def masks() -> np.ndarray:
    masks = np.random.default_rng(5).random((ROWS, ACTIONS)) < 0.15
    masks[np.arange(ROWS), np.arange(ROWS)] = True
    masks[0] = np.arange(ACTIONS) == 0  # a single legal action
    return masks


def by_torch(logits: torch.Tensor, actions: torch.Tensor, masks: np.ndarray):
    """The same terms by torch's own operations, in double precision."""
    legal = torch.from_numpy(masks)
    logs = logits.double().masked_fill(~legal, -1e8).log_softmax(1)
    entropies = -(logs.exp() * logs).masked_fill(~legal, 0).sum(1)
    return logs.gather(1, actions[:, None])[:, 0], entropies


@pytest.mark.parametrize("form", [np.bool_, np.float32])  # SB3 stores masks as numbers
def test_terms_and_gradients__are_those_of_torch(logits, masks, form):
    actions = torch.arange(ROWS)
    weights = torch.randn(2, ROWS)
    found = []
    for terms in (
        lambda own: log_probabilities_and_entropies(own, actions, masks.astype(form)),
        lambda own: by_torch(own, actions, masks),
    ):
        own = logits.clone().requires_grad_()
        log_probabilities, entropies = terms(own)
        ((log_probabilities * weights[0]).sum() + (entropies * weights[1]).sum()).backward()
        found.append((log_probabilities.detach(), entropies.detach(), own.grad))
    for ours, torchs in zip(*found, strict=True):
        torch.testing.assert_close(ours.double(), torchs.double(), rtol=1e-4, atol=1e-5)
    assert not found[0][2][torch.from_numpy(~masks)].any()


def test_no_masks__make_all_actions_legal(logits, masks):
    actions = torch.arange(ROWS)
    ours = log_probabilities_and_entropies(logits, actions, None)
    expected = by_torch(logits, actions, np.ones_like(masks))
    for own, other in zip(ours, expected, strict=True):
        torch.testing.assert_close(own.double(), other, rtol=1e-4, atol=1e-5)


def test_illegal_action__has_no_probability(logits, masks):
    masks[3, 7] = False
    actions = torch.full((ROWS,), 7)
    log_probabilities, _ = log_probabilities_and_entropies(logits, actions, masks)
    assert log_probabilities[3] == -torch.inf


def test_wrong_rows__are_refused(logits, masks):
    empty = masks.copy()
    empty[8] = False
    with pytest.raises(ValueError, match="no legal action"):
        log_probabilities_and_entropies(logits, torch.arange(ROWS), empty)
    for wrong in (torch.full((ROWS,), ACTIONS), torch.full((ROWS,), -1), torch.arange(ROWS - 1)):
        with pytest.raises(ValueError, match="actions must be 50 numbers from 0 to 179"):
            log_probabilities_and_entropies(logits, wrong, masks)
