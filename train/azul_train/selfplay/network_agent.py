"""A torch network as an agent: a frozen earlier self of the learner, which plays without torch."""

import numpy as np
from numpy.typing import NDArray

from azul_agents.neural.agent import NeuralAgent, NeuralPolicy
from azul_env.core.state import Rows
from azul_env.envs.kernels import publish
from azul_env.observation import observation_size
from azul_env.state import variant_name
from azul_train.export import model_of
from azul_train.network import AzulNetwork


def observed(rows: Rows, masks: NDArray[np.bool_]) -> NDArray[np.float32]:
    """What the players to move see; their legal actions are written into `masks`."""
    size = observation_size(int(rows["num_players"][0]), variant_name(rows))
    observations = np.empty((len(rows), size), np.float32)
    movers = rows["current_player"].astype(np.int64)
    publish(rows, movers, masks, observations.view(np.uint8), 0, len(rows))
    return observations


def frozen(network: AzulNetwork, spec: str, temperature: float = 1.0) -> NeuralAgent:
    """An agent that stays as the network is now; by default it samples its moves from the policy.

    The compiled forward pass is faster than torch's in the small batches of a league with several members.
    """
    model = model_of(network, {})
    policy = NeuralPolicy(model._replace(arrays={k: a.copy() for k, a in model.arrays.items()}))
    return NeuralAgent.of_policy(spec, policy, temperature)
