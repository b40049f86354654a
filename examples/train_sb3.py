"""MaskablePPO of sb3-contrib on the Gymnasium environment, against random opponents, with nothing else of this project.

    pip install -c constraints.txt 'azul-env[train]'
    python examples/train_sb3.py --steps 60000       (a minute; wins 99 % against random)

A plain network has to learn every factory on its own; `azul train` knows that they are alike, and plays itself.
"""

import argparse

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

HELD_OUT = 1_000_000  # deals for evaluation begin at this seed


def make_env():
    """One game; the reward is 1 for a win, -1 for a loss, and covers what the opponent answers."""
    return gymnasium.make("azul_env:Azul-v0", num_players=2, reward="outcome")


def win_rate(model, games=200):
    """The share of games won from both seats against a random opponent."""
    env, wins = make_env(), 0
    for game in range(games):
        observation, info = env.reset(seed=HELD_OUT + game)
        over, reward = False, 0.0
        while not over:
            mask = info["action_mask"]
            action, _ = model.predict(observation, action_masks=mask, deterministic=True)
            observation, reward, terminated, truncated, info = env.step(int(action))
            over = terminated or truncated
        wins += reward > 0
    return wins / games


def main():
    """Train, and say what it helped."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60_000, help="moves to learn from")
    parser.add_argument("--games", type=int, default=200, help="games of each evaluation")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # for networks this small, more threads are slower
    env = make_vec_env(make_env, n_envs=8, seed=1)
    network = {"policy_kwargs": {"net_arch": [256, 256]}, "device": "cpu", "seed": 1}
    batches = {"n_steps": 256, "batch_size": 512, "n_epochs": 4}
    model = MaskablePPO(
        "MlpPolicy", env, gamma=1.0, ent_coef=0.01, learning_rate=5e-4, **batches, **network
    )
    print(f"before: wins {win_rate(model, arguments.games):.0%} of {arguments.games} games")
    model.learn(arguments.steps)
    print(f"after: wins {win_rate(model, arguments.games):.0%} of {arguments.games} games")
    model.save("azul_maskable_ppo")


if __name__ == "__main__":
    main()
