"""Play `alphabeta` as it ships against itself without one of its steps: what does each bring by itself?

    python docs/measure_search_steps.py table --games 400 --time 0.03 --record table.jsonl

2 players, equal processor time, every deal from both seats.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from azul_agents import Agent, MatchConfig, run_match
from azul_agents.kinds import OFFERS, AlphaBetaOptions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.deepening import begin
from azul_agents.search.evaluator import EvaluatorKernels, Gains, Moves
from azul_agents.search.linear import LinearEvaluator, linear_evaluator, note_walls
from azul_agents.search.linear import write_gains as write_linear_gains
from azul_agents.search.lookahead import DEFAULT_DEALS
from azul_agents.search.network.evaluator import NetworkEvaluator
from azul_agents.search.network.evaluator import value as network_value
from azul_agents.search.network.weights_file import network_evaluator, shipped_networks
from azul_env import GameState
from azul_env.core.jit import kernel
from azul_env.core.state import Row
from azul_env.files import write_atomically

SHIPPED: Final = "as it ships"


class OrderedByHand(NamedTuple):
    """The networks' values, with moves ordered by the hand-made gains of the linear evaluation."""

    network: NetworkEvaluator
    linear: LinearEvaluator

    @staticmethod
    def kernels() -> EvaluatorKernels:
        """The kernels below."""
        return EvaluatorKernels(prepare, value, value, write_gains)


@kernel
def prepare(evaluator: OrderedByHand, row: Row) -> None:
    """A search of this position begins."""
    note_walls(evaluator.linear, row)


@kernel
def value(evaluator: OrderedByHand, row: Row, seat: int) -> float:
    """Value of a position to a seat, by the networks."""
    return network_value(evaluator.network, row, seat)


@kernel
def write_gains(evaluator: OrderedByHand, row: Row, moves: Moves, count: int, gains: Gains) -> None:
    """A quick estimate of the points that each move gains the mover's board."""
    write_linear_gains(evaluator.linear, row, moves, count, gains)


def ordered_by_hand(num_players: int, variant: str = "colored") -> OrderedByHand:
    """The evaluator above."""
    network = network_evaluator(num_players, shipped_networks(num_players, OFFERS))
    return OrderedByHand(network, linear_evaluator(num_players))


class ForgetfulAgent(AlphaBetaAgent):
    """Begins every move with an empty table."""

    def _begin(self, state: GameState, exact_values: bool, node_limit: int | None) -> None:
        super()._begin(state, exact_values, node_limit)
        self._memory.control["keeps_table"] = 0
        begin(self._memory, state.current_player)


def without(step: str, options: AlphaBetaOptions) -> Callable[[], Agent]:
    """How to make the agent without a step."""
    values = vars(options)
    deals = DEFAULT_DEALS[2]  # an evaluator of one's own has none by default
    return {
        "order": lambda: AlphaBetaAgent(
            "order", AlphaBetaOptions(**values | {"deals": deals}), ordered_by_hand
        ),
        "widening": lambda: AlphaBetaAgent(
            "widening", AlphaBetaOptions(**values | {"widest": options.breadth})
        ),
        "table": lambda: ForgetfulAgent("table", options),
        "deals": lambda: AlphaBetaAgent("deals", AlphaBetaOptions(**values | {"deals": 0})),
    }[step]


def main() -> None:
    """Play a match and print its result as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("order", "widening", "table", "deals"))
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--time", type=float, default=0.03, help="seconds of processor time a move")
    parser.add_argument("--seed", type=int, default=3_600_000)
    parser.add_argument("--record", type=Path, help="write all games to this file")
    arguments = parser.parse_args()
    options = AlphaBetaOptions(time=arguments.time, clock="cpu")
    makers = {
        SHIPPED: lambda: AlphaBetaAgent(SHIPPED, options),
        f"without {arguments.step}": without(arguments.step, options),
    }
    records: list[str] = []
    result = run_match(
        tuple(makers),
        MatchConfig(arguments.games, arguments.seed, jobs=1),
        lambda finished: records.append(finished.played.record.to_json() + "\n"),
        make=lambda spec: makers[spec](),
    )
    if arguments.record:
        write_atomically(arguments.record, "".join(records))
    print(json.dumps(result.to_dict()))


if __name__ == "__main__":
    main()
