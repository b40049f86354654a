"""Uses every kernel once and prints a digest of all results; run in processes with other settings."""

import hashlib
import sys

import numpy as np

from azul_env import GameBatch, apply_action, legal_actions, new_game, resign
from azul_env.core.jit import KERNELS


def play_single_games(digest: "hashlib._Hash", games: int) -> None:
    for seed in range(games):
        rng = np.random.Generator(np.random.PCG64(seed))
        num_players = 2 + seed % 3
        state = new_game(num_players, seed % num_players, rng, max_rounds=1 + seed % 9)
        while not state.is_terminal:
            actions = legal_actions(state)
            pick = int(rng.bit_generator.random_raw() % len(actions))
            if pick == 7:  # now and then somebody leaves
                state = resign(state, state.current_player).state
            else:
                state = apply_action(state, actions[pick], rng).state
            digest.update(state.rows.tobytes())


def play_batches(digest: "hashlib._Hash", steps: int) -> None:
    for num_players in (2, 3, 4):
        batch = GameBatch(3, num_players, seed=num_players, starting_player=None, max_rounds=2)
        for _ in range(steps):
            ended = batch.step(batch.random_actions())
            digest.update(batch.rows.tobytes() + batch.legal_masks().tobytes())
            digest.update(batch.final_rows[ended].tobytes())
        digest.update(batch.play_to_round_end().tobytes())
        batch.reset()
        digest.update(batch.play_to_end().tobytes() + batch.rows.tobytes())


def main() -> None:
    digest = hashlib.sha256()
    play_single_games(digest, games=9)
    play_batches(digest, steps=60)
    print("digest", digest.hexdigest())
    for kernel in KERNELS:
        stats = kernel.stats
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
        print("kernel", name, len(kernel.signatures), sum(stats.cache_misses.values()))


if __name__ == "__main__":
    sys.exit(main())
