"""The evaluators that come with the package, by name."""

from azul_agents.kinds import LINEAR
from azul_agents.search.evaluator import Evaluator
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.network.weights_file import network_evaluator, shipped_networks


def evaluator_named(name: str, num_players: int, variant: str = "colored") -> Evaluator:
    """The evaluator of a search, one of EVALUATIONS; `linear` if there are no networks for this game."""
    if name == LINEAR or variant != "colored" or shipped_networks(num_players, name) is None:
        return linear_evaluator(num_players, variant=variant)
    return network_evaluator(num_players, shipped_networks(num_players, name))
