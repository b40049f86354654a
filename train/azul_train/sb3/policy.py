"""The network as a policy of MaskablePPO."""

from typing import Any

from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from azul_env.observation import observation_size
from azul_train.config import VARIANT, NetworkSize
from azul_train.network import AzulNetwork


class AzulPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's own policy around `AzulNetwork`: SB3 sees a latent vector and two heads on it."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        network_size: NetworkSize | None = None,
        **arguments: Any,
    ) -> None:
        self.network_size = network_size
        super().__init__(observation_space, action_space, lr_schedule, **arguments)

    def _build(self, lr_schedule: Schedule) -> None:
        """Make the network and its optimiser; SB3 calls this instead of its own layers."""
        network = AzulNetwork(_players_of(self.observation_space), self.network_size)
        self.network = network
        self.mlp_extractor: Any = _Latent(network)
        self.action_net: Any = _Head(network.logits)
        self.value_net: Any = _Head(lambda latent: network.values(latent)[:, None])
        make_optimizer: Any = self.optimizer_class
        rate = lr_schedule(1)
        self.optimizer = make_optimizer(network.parameters(), lr=rate, **self.optimizer_kwargs)


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


def _players_of(observation_space: spaces.Space[Any]) -> int:
    """The number of players whose observations have this shape. Raises ValueError for a variant without a network."""
    for num_players in (2, 3, 4):
        if observation_space.shape == (observation_size(num_players, VARIANT),):
            return num_players
        if observation_space.shape == (observation_size(num_players, "gray"),):
            raise ValueError(f"networks do not learn the variant 'gray' yet, only {VARIANT!r}")
    raise ValueError(f"{observation_space} is no observation of 2, 3 or 4 players")
