"""The network as a module of RLlib that gives illegal actions no chance."""

# Ray is an extra that the checkers' environment does not hold.
# pyright: reportMissingImports=false

from typing import Any, Final

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from azul_train.config import NetworkSize
from azul_train.network import AzulNetwork

# Finite, so that no product with a probability of 0 becomes NaN; yet exp(ILLEGAL) is 0 beside any legal action.
ILLEGAL: Final = -1e9


class MaskedAzulModule(TorchRLModule, ValueFunctionAPI):
    """`AzulNetwork` with masked logits. Its `model_config`: `num_players`, and `size` with what a NetworkSize takes."""

    def setup(self) -> None:
        """Make the network; RLlib calls this."""
        size = NetworkSize(**self.model_config.get("size", {}))
        self.network = AzulNetwork(self.model_config["num_players"], size)

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """What the positions are worth; `embeddings` are what a forward pass has computed already."""
        if embeddings is None:
            embeddings = self.network.latent(batch[Columns.OBS]["observations"])
        return self.network.values(embeddings)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Acting, exploring or not: only the logits."""
        return {Columns.ACTION_DIST_INPUTS: self._masked_logits(batch, self._latent(batch))}

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Learning: the value head goes on from the same latent numbers."""
        latent = self._latent(batch)
        logits = self._masked_logits(batch, latent)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: latent}

    def _latent(self, batch: dict[str, Any]) -> Tensor:
        return self.network.latent(batch[Columns.OBS]["observations"])

    def _masked_logits(self, batch: dict[str, Any], latent: Tensor) -> Tensor:
        is_legal = batch[Columns.OBS]["action_mask"] > 0
        return torch.where(is_legal, self.network.logits(latent), ILLEGAL)
