"""Plays any legal action, all equally likely."""

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent
from azul_agents.registry import NoOptions
from azul_env import GameState
from azul_env.core.state import Rows


class RandomAgent(Agent):
    """The weakest player that knows the rules."""

    def __init__(self, spec: str = "random", options: NoOptions | None = None) -> None:
        self.spec = spec

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """Any legal action."""
        return int(random_actions(state.rows, legal_mask.reshape(1, -1), rng)[0])


def random_actions(
    rows: Rows, masks: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64]:
    """A random legal action for every game of a batch, as vector environments ask their opponents."""
    ranks = (rng.random(len(masks)) * masks.sum(axis=1)).astype(np.int64)
    return (masks.cumsum(axis=1) > ranks[:, None]).argmax(axis=1)
