"""Rows of numbers that no game has, offered to every door that takes rows."""

import numpy as np

from azul_env import (
    AzulTurnsVectorEnv,
    AzulVectorEnv,
    GameState,
    InvalidPositionError,
    legal_mask,
    observe,
)
from soak.chores import Chore
from soak.environments import choice


def rows(chore: Chore) -> None:
    """Rows with flipped bits or of noise: refused, or a position that can be played to its end."""
    envs = {n: (AzulVectorEnv(1, n), AzulTurnsVectorEnv(1, n)) for n in (2, 3, 4)}
    while chore.goes_on():
        num_players = chore.rng.choice((2, 3, 4))
        turns = envs[num_players][1]
        turns.reset(seed=chore.rng.randrange(2**40))
        rng = np.random.default_rng(chore.rng.randrange(2**32))
        for _ in range(chore.rng.randrange(60)):
            turns.step([choice(turns.action_masks()[0], rng)])
        row = turns.get_state()
        data = row.view(np.uint8).reshape(-1)
        for _ in range(chore.rng.choice((1, 1, 2, 8))):
            data[chore.rng.randrange(len(data))] ^= 1 << chore.rng.randrange(8)
        if chore.rng.random() < 0.1:
            data[:] = rng.integers(0, 256, len(data))
        for env in envs[num_players]:
            try:
                env.set_state(row)
            except (ValueError, TypeError):
                chore.count("refused by environments")
            else:
                chore.count("accepted")
                for _ in range(200):
                    env.step([choice(env.action_masks()[0], rng)])
        try:
            state = GameState(row.copy())
        except (InvalidPositionError, ValueError):
            chore.count("refused by GameState")
        else:
            legal_mask(state), observe(state, 0), repr(state)
