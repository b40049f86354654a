"""The network as a policy of MaskablePPO."""

from typing import Any, Final

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from azul_agents.neural.sampling import sampled
from azul_train.config import NetworkSize
from azul_train.network import AzulNetwork
from azul_train.sb3.spaces import game_seen_in

ILLEGAL: Final = -1e8  # the logit of illegal actions; -inf would make the entropy NaN
NEGLIGIBLE: Final = -80.0  # log probability: the least whose exponential is a normal float32


class AzulPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's own policy around `AzulNetwork`: SB3 sees a latent vector and two heads on it."""

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
        """Make the network and its optimiser; SB3 calls this instead of its own layers."""
        num_players, variant = self.game
        network = AzulNetwork(num_players, self.network_size, variant)
        self.network = network
        self.mlp_extractor: Any = _Latent(network)
        self.action_net: Any = _Head(network.logits)
        self.value_net: Any = _Head(lambda latent: network.values(latent)[:, None])
        make_optimizer: Any = self.optimizer_class
        rate = lr_schedule(1)
        self.optimizer = make_optimizer(network.parameters(), lr=rate, **self.optimizer_kwargs)

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions, values and log probabilities, as of MaskablePPO's own policy; samples have no gradient."""
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
        """Values, log probabilities of actions, and entropies; SB3 normalizes and checks the logits twice for them."""
        logits, values = self.network(obs)
        log_probabilities = _masked_log_softmax(logits, action_masks)
        # Unlikely actions add nothing to the entropy, and exp is slow where it would be 0.
        likely = log_probabilities.clamp(min=NEGLIGIBLE)
        entropies = -(likely.exp() * likely).sum(1)
        chosen = log_probabilities.gather(1, actions.long()[:, None])[:, 0]
        return values[:, None], chosen, entropies


class _Latent(nn.Module):
    """What SB3 asks of the layers between features and heads. Not a parent of the network: its weights appear once."""

    def __init__(self, network: AzulNetwork) -> None:
        super().__init__()
        self._network = [network]  # in a list, so that torch does not count it as a part
        self.latent_dim_pi = self.latent_dim_vf = network.latent_size

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        latent = self.forward_actor(features)
        return latent, latent

    def forward_actor(self, features: Tensor) -> Tensor:
        return self._network[0].latent(features)

    def forward_critic(self, features: Tensor) -> Tensor:
        return self._network[0].latent(features)


class _Head(nn.Module):
    """A head of the network as a module of its own, without weights of its own."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def forward(self, latent: Tensor) -> Tensor:
        return self._function(latent)


def _masked_log_softmax(logits: Tensor, action_masks: Any) -> Tensor:
    """Log probabilities of all actions; those of illegal ones are finite, and their probabilities 0."""
    if action_masks is None:
        return logits.log_softmax(1)
    is_legal = torch.as_tensor(action_masks, dtype=torch.bool).view(logits.shape)
    return logits.masked_fill(~is_legal, ILLEGAL).log_softmax(1)
