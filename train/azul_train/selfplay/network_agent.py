"""A torch network as an agent: a frozen earlier self of the learner, which plays without torch."""

from azul_agents.neural.agent import NeuralAgent, NeuralPolicy
from azul_agents.neural.outlook import Inputs
from azul_train.export import model_of
from azul_train.network import AzulNetwork


def inputs_of(network: AzulNetwork) -> Inputs:
    """The computation of a network's inputs, with a copy of its current outlook weights."""
    weights = network.outlook.numpy().copy() if network.size.outlook else None
    return Inputs(network.num_players, network.variant, weights)


def frozen(network: AzulNetwork, spec: str, temperature: float = 1.0) -> NeuralAgent:
    """An agent that stays as the network is now; by default it samples its moves from the policy.

    The compiled forward pass is faster than torch's in the small batches of a league with several members.
    """
    model = model_of(network, {})
    policy = NeuralPolicy(model._replace(arrays={k: a.copy() for k, a in model.arrays.items()}))
    return NeuralAgent.of_policy(spec, policy, temperature)
