"""The guided evaluator: the search's own evaluator, with the policy network for positions that are visited often."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.kinds import OFFERS
from azul_agents.neural.agent import packaged_policy
from azul_agents.neural.forward import Layers, write_forward
from azul_agents.neural.outlook import Outlook, new_outlook, write_outlook
from azul_agents.search.evaluator import (
    Evaluator,
    EvaluatorKernels,
    Gains,
    Moves,
    afterstate_value,
    prepare,
    value,
    write_gains,
)
from azul_agents.search.moves import action_of
from azul_agents.search.network.layers import NUM_WEIGHTS
from azul_agents.search.shipped import evaluator_named
from azul_env import num_actions
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.state import Row
from azul_env.observation import write_observation

# Factor of the logits: the policy is sharper than a prior should be.
SOFTNESS: Final = 0.3


class GuidedEvaluator(NamedTuple):
    """An evaluator, a policy network, and the arrays that the kernels work with."""

    judge: Evaluator  # of positions, and of moves before the policy is asked
    layers: Layers  # of the policy
    outlook: Outlook  # unused by a policy that sees none
    inputs: NDArray[np.float32]  # of the policy; scratch space
    observation_size: NDArray[np.int64]  # how many inputs are the observation
    logits: NDArray[np.float32]

    @staticmethod
    def kernels() -> EvaluatorKernels:
        """The kernels below."""
        return EvaluatorKernels(
            guided_prepare,
            guided_value,
            guided_afterstate_value,
            write_guided_gains,
            write_policy,
        )


def guided_evaluator(num_players: int) -> GuidedEvaluator:
    """An evaluator with the networks that come with the package. Raises ModelFileError if there is no policy."""
    policy = packaged_policy(num_players)
    return GuidedEvaluator(
        judge=evaluator_named(OFFERS, num_players),
        layers=policy.layers,
        outlook=policy.inputs.outlook or new_outlook(np.zeros(NUM_WEIGHTS, np.float32)),
        inputs=np.zeros(policy.inputs.size, np.float32),
        observation_size=np.array([policy.inputs.observation_size]),
        logits=np.zeros(num_actions(num_players), np.float32),
    )


@kernel
def guided_prepare(evaluator: GuidedEvaluator, row: Row) -> None:
    """Tell the judge that a search of this position begins."""
    prepare(evaluator.judge, row)


@kernel
def guided_value(evaluator: GuidedEvaluator, row: Row, seat: int) -> float:
    """Value of a position within a round to a seat."""
    return value(evaluator.judge, row, seat)


@kernel
def guided_afterstate_value(evaluator: GuidedEvaluator, row: Row, seat: int) -> float:
    """Value to a seat of a position between rounds."""
    return afterstate_value(evaluator.judge, row, seat)


@kernel
def write_guided_gains(
    evaluator: GuidedEvaluator, row: Row, moves: Moves, count: int, gains: Gains
) -> None:
    """Write what the judge expects moves to gain."""
    write_gains(evaluator.judge, row, moves, count, gains)


@called_kernel
def write_policy(
    evaluator: GuidedEvaluator, row: Row, moves: Moves, count: int, logits: Gains
) -> bool:
    """Write the softened logits of the policy."""
    inputs, size = evaluator.inputs, evaluator.observation_size[0]
    write_observation(row, row["current_player"], inputs.view(np.uint8))
    if len(inputs) > size:
        write_outlook(evaluator.outlook, row, inputs, size)
    write_forward(evaluator.layers, inputs, evaluator.logits)
    for slot in range(count):
        logits[slot] = SOFTNESS * evaluator.logits[action_of(moves[slot])]
    return True
