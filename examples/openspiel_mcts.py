"""OpenSpiel's MCTS, through its chance nodes, as an agent of the arena.

cd examples && azul match python:openspiel_mcts:MctsAgent:simulations=50 random --games 4
"""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from openspiel_azul import AzulState


class MctsAgent:
    """UCT with random rollouts to the end of the game; one simulation is about 10 ms."""

    def __init__(self, simulations: int = 50, exploration: float = 1.4) -> None:
        self.simulations, self.exploration = simulations, exploration

    def act(self, state, legal_mask, rng):
        """The most visited move."""
        random = np.random.RandomState(rng.integers(1 << 32))  # OpenSpiel wants this kind
        game = pyspiel.load_game(f"azul(players={state.num_players})")
        bot = mcts.MCTSBot(
            game,
            self.exploration,
            self.simulations,
            mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=random),
            random_state=random,
        )
        return bot.step(AzulState(game, state))
