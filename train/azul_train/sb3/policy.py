"""The network as a policy of MaskablePPO."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from azul_agents.neural.sampling import sampled
from azul_train.config import NetworkSize
from azul_train.network import AzulNetwork, Latent
from azul_train.sb3.legal_softmax import log_probabilities_and_entropies
from azul_train.sb3.spaces import game_seen_in


class AzulPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's own policy around `AzulNetwork`, whose `Latent` SB3 hands to two heads."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        network_size: NetworkSize | None = None,
        game: tuple[int, str] | None = None,
        **arguments: Any,
    ) -> None:
        """`game` is the number of players and the variant; without it, the game that has such observations."""
        self.network_size = network_size
        self.game = game or game_seen_in(observation_space)
        super().__init__(observation_space, action_space, lr_schedule, **arguments)

    def _build(self, lr_schedule: Schedule) -> None:
        """Build the network and its optimizer; overrides SB3's own layers."""
        num_players, variant = self.game
        network = AzulNetwork(num_players, self.network_size, variant)
        self.network = network
        self.mlp_extractor: Any = _Latent(network)
        self.action_net: Any = _Head(network.logits)
        self.value_net: Any = _Head(lambda latent: network.values(latent.trunk)[:, None])
        make_optimizer: Any = self.optimizer_class
        rate = lr_schedule(1)
        self.optimizer = make_optimizer(network.parameters(), lr=rate, **self.optimizer_kwargs)

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions, values and log probabilities, as in MaskablePPO's own policy; samples have no gradient."""
        if deterministic or action_masks is None:
            return super().forward(obs, deterministic, action_masks)
        logits, values = self.network(obs)
        uniforms = torch.rand(len(logits), dtype=torch.float64).numpy()
        masks = np.asarray(action_masks, np.bool_).reshape(logits.shape)
        actions, log_probabilities = sampled(logits.detach().numpy(), masks, uniforms)
        chosen = torch.from_numpy(log_probabilities.astype(np.float32))
        return torch.from_numpy(actions), values[:, None], chosen

    def evaluate_actions(
        self, obs: Any, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values, log probabilities of actions, and entropies, without the checks and copies of SB3's own distributions."""
        logits, values = self.network(obs)
        chosen, entropies = log_probabilities_and_entropies(logits, actions, action_masks)
        return values[:, None], chosen, entropies


class _Latent(nn.Module):
    """SB3's interface to the layers between features and heads. It does not own the network, whose weights appear once."""

    def __init__(self, network: AzulNetwork) -> None:
        super().__init__()
        self._network = [network]  # in a list, so that torch does not register it as a submodule

    def forward(self, features: Tensor) -> tuple[Latent, Latent]:
        latent = self.forward_actor(features)
        return latent, latent

    def forward_actor(self, features: Tensor) -> Latent:
        return self._network[0].latent(features)

    def forward_critic(self, features: Tensor) -> Latent:
        return self._network[0].latent(features)


class _Head(nn.Module):
    """A head of the network as a separate module without weights."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def forward(self, latent: Latent) -> Tensor:
        return self._function(latent)
