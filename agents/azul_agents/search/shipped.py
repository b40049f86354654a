"""The evaluators that come with the package, by name."""

from azul_agents.search.evaluator import Evaluator
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.network.weights_file import network_evaluator, shipped_networks


def evaluator_named(name: str, num_players: int, variant: str = "colored") -> Evaluator:
    """The evaluator of a search: `network`, where there is one for these players and this variant, or `linear`."""
    has_network = variant == "colored" and shipped_networks(num_players) is not None
    if name == "network" and has_network:
        return network_evaluator(num_players)
    return linear_evaluator(num_players, variant=variant)
