"""Uniformly random legal moves."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import VARIANTS, Agent, answers
from azul_agents.registry import NoOptions
from azul_env import GameState, Rows


class RandomAgent(Agent):
    """The baseline without any strategy."""

    variants = VARIANTS

    def __init__(self, spec: str = "random", options: NoOptions | None = None) -> None:
        self.spec = spec

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """A uniformly random legal action."""
        return int(answers(self, [state], legal_mask.reshape(1, -1), [rng])[0])

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """A uniformly random legal action per game, with one random number from each generator."""
        fractions = np.array([rng.random() for rng in rngs])
        ranks = (fractions * legal_masks.sum(axis=1)).astype(np.int64)
        return (legal_masks.cumsum(axis=1) > ranks[:, None]).argmax(axis=1)
