"""A torch network as an agent: a frozen earlier self of the learner, playing many games in one forward pass."""

import copy
from collections.abc import Sequence
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray

from azul_agents.base import Agent, answers
from azul_env import GameState
from azul_env.core.state import Rows
from azul_env.envs.kernels import publish
from azul_env.observation import observation_size
from azul_train.network import AzulNetwork


def observed(rows: Rows, masks: NDArray[np.bool_]) -> NDArray[np.float32]:
    """What the players to move see; their legal actions are written into `masks`."""
    size = observation_size(int(rows["num_players"][0]))
    observations = np.empty((len(rows), size), np.float32)
    movers = rows["current_player"].astype(np.int64)
    publish(rows, movers, masks, observations.view(np.uint8), 0, len(rows))
    return observations


class NetworkAgent(Agent):
    """Samples its moves from the network's policy."""

    def __init__(self, network: AzulNetwork, spec: str = "network") -> None:
        self.network = network
        self.spec = spec

    @classmethod
    def frozen(cls, network: AzulNetwork, spec: str) -> Self:
        """An agent that stays as the network is now."""
        still = copy.deepcopy(network).requires_grad_(False)
        return cls(still.eval(), spec)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """A sampled action."""
        return int(answers(self, [state], legal_mask.reshape(1, -1), [rng])[0])

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """Sampled actions for many games."""
        masks = np.empty_like(legal_masks)
        with torch.no_grad():
            observations = torch.from_numpy(observed(np.ascontiguousarray(rows), masks))
            logits = self.network(observations)[0]
            logits = logits.masked_fill(~torch.from_numpy(masks), -torch.inf)
            cumulated = logits.softmax(1).double().cumsum(1).numpy()
        thresholds = np.array([rng.random() for rng in rngs]) * cumulated[:, -1]
        return (cumulated > thresholds[:, None]).argmax(axis=1)
