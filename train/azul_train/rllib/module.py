"""The network as an RLModule with action masking."""

# Ray is an optional dependency, not installed where the type checkers run.
# pyright: reportMissingImports=false

from typing import Any, Final

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from azul_train.config import COLORED, NetworkSize
from azul_train.network import AzulNetwork, Latent

# Finite, since 0 * -inf is NaN in the entropy; the softmax of an illegal action is still 0.
ILLEGAL: Final = -1e9


class MaskedAzulModule(TorchRLModule, ValueFunctionAPI):
    """`AzulNetwork` with masked logits.

    `model_config` has `num_players`, and may have `variant`, and `size` with fields of NetworkSize.
    """

    def setup(self) -> None:
        """Build the network; called by RLlib."""
        size = NetworkSize(**self.model_config.get("size", {}))
        variant = self.model_config.get("variant", COLORED)
        self.network = AzulNetwork(self.model_config["num_players"], size, variant)

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """Values of the observations; `embeddings` is the network's trunk if it is already computed."""
        if embeddings is None:
            embeddings = self._latent(batch).trunk
        return self.network.values(embeddings)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Inference and exploration: logits only."""
        return {Columns.ACTION_DIST_INPUTS: self._masked_logits(batch, self._latent(batch))}

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Training: the value head reuses the trunk."""
        latent = self._latent(batch)
        logits = self._masked_logits(batch, latent)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: latent.trunk}

    def _latent(self, batch: dict[str, Any]) -> Latent:
        return self.network.latent(batch[Columns.OBS]["observations"])

    def _masked_logits(self, batch: dict[str, Any], latent: Latent) -> Tensor:
        is_legal = batch[Columns.OBS]["action_mask"] > 0
        return torch.where(is_legal, self.network.logits(latent), ILLEGAL)
