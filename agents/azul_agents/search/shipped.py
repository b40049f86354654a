"""The evaluators that come with the package, by name."""

from azul_agents.search.evaluator import Evaluator
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.network.weights_file import network_evaluator, shipped_networks


def evaluator_named(name: str, num_players: int) -> Evaluator:
    """The evaluator of a search: `network`, where there is one for this number of players, or `linear`."""
    if name == "network" and shipped_networks(num_players) is not None:
        return network_evaluator(num_players)
    return linear_evaluator(num_players)
