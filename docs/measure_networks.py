"""Play `alphabeta` with the networks of a run of `azul train-search` against itself with those that ship, 2 players.

    python docs/measure_networks.py runs/train-search/search/networks.npz --games 2000 --nodes 1000

Equal nodes, every deal from both seats.
"""

import argparse
from functools import partial
from pathlib import Path

from azul_agents import MatchConfig, run_match
from azul_agents.arena.tally import wilson_interval
from azul_agents.kinds import OFFERS, AlphaBetaOptions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.network.weights_file import (
    network_evaluator,
    read_networks,
    shipped_networks,
)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", type=Path)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=1000, help="positions per move")
    parser.add_argument("--seed", type=int, default=4_200_002)
    arguments = parser.parse_args()
    shipped = shipped_networks(2, OFFERS)
    assert shipped is not None
    weights = {"new": read_networks(arguments.networks), "shipped": shipped}

    def agent(name: str) -> AlphaBetaAgent:
        options = AlphaBetaOptions(nodes=arguments.nodes)
        return AlphaBetaAgent(name, options, partial(network_evaluator, weights=weights[name]))

    match = MatchConfig(arguments.games, arguments.seed, jobs=1)
    tally = run_match(("new", "shipped"), match, lambda _: None, agent).tallies[0]
    low, high = wilson_interval(tally.won, tally.games)
    share = tally.won / tally.games
    print(f"{share:.1%} ({100 * low:.1f}–{100 * high:.1f}) of {tally.games} games")


if __name__ == "__main__":
    main()
