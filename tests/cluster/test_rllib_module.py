"""The network as RLlib's module: what is illegal has no chance, the rest is the network's."""

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

import torch
from ray.rllib.core.columns import Columns

from azul_train.rllib.env import AzulMultiAgentEnv
from azul_train.rllib.module import MaskedAzulModule


@pytest.fixture(scope="module", params=[(2, "colored"), (3, "colored"), (4, "gray")])
def game(request):
    """A module and a batch of positions of games."""
    num_players, variant = request.param
    env = AzulMultiAgentEnv(num_players, variant=variant)
    module = MaskedAzulModule(
        observation_space=env.get_observation_space("player_0"),
        action_space=env.get_action_space("player_0"),
        model_config={"num_players": num_players, "variant": variant, "size": {"trunk": 32}},
    )
    rng = np.random.default_rng(0)
    seen = []
    for seed in range(4):
        observations, _ = env.reset(seed=seed)
        is_over = False
        while not is_over:
            ((agent, own),) = observations.items()
            seen.append(own)
            action = int(rng.choice(np.flatnonzero(own["action_mask"])))
            observations, _, terminated, _, _ = env.step({agent: action})
            is_over = terminated["__all__"]
    batch = {
        name: torch.from_numpy(np.stack([own[name] for own in seen]))
        for name in ("observations", "action_mask")
    }
    return module, {Columns.OBS: batch}


def test_illegal_actions__are_never_drawn_and_legal_ones_keep_their_logits(game):
    module, batch = game
    is_legal = batch[Columns.OBS]["action_mask"] > 0
    plain, values = module.network(batch[Columns.OBS]["observations"])
    for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
        logits = forward(batch)[Columns.ACTION_DIST_INPUTS]
        assert torch.equal(logits[is_legal], plain[is_legal])
        chances = torch.softmax(logits, 1)
        assert (chances[~is_legal] == 0).all()
        distribution = module.get_exploration_action_dist_cls().from_logits(logits)
        for _ in range(20):
            drawn = distribution.sample()
            assert is_legal[torch.arange(len(drawn)), drawn].all()
        assert torch.isfinite(distribution.entropy()).all()
    assert torch.allclose(module.compute_values(batch), values)


def test_values_while_learning__come_from_the_same_latent_numbers(game):
    module, batch = game
    out = module.forward_train(batch)
    again = module.compute_values(batch, embeddings=out[Columns.EMBEDDINGS])
    assert torch.allclose(again, module.compute_values(batch))
    (again.sum() + out[Columns.ACTION_DIST_INPUTS].clamp(min=-100).sum()).backward()
    assert all(parameter.grad is not None for parameter in module.parameters())
    module.zero_grad()


def test_position_without_legal_actions__gives_no_nan(game):
    """RLlib values the last position of a game, in which there is no legal action."""
    module, batch = game
    last = {name: part[:2].clone() for name, part in batch[Columns.OBS].items()}
    last["action_mask"][:] = 0
    logits = module.forward_train({Columns.OBS: last})[Columns.ACTION_DIST_INPUTS]
    assert torch.isfinite(torch.log_softmax(logits, 1)).all()
