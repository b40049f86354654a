"""MaskablePPO of sb3-contrib on the Gymnasium environment against random opponents, with nothing else of this project.

    pip install -c constraints.txt 'azul-env[train]'
    python examples/train_sb3.py --steps 60000       (a minute; wins 99% against random)

An MLP has to learn each factory separately; the network of `azul train` treats them as a set, and learns by self-play.
"""

import argparse

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

HELD_OUT = 1_000_000  # first seed of the evaluation


def make_env():
    """One game; the reward at the end is 1 for a win, -1 for a loss."""
    return gymnasium.make("azul_env:Azul-v0", num_players=2, reward="outcome")


def win_rate(model, games=200):
    """The win rate against a random opponent, on held-out deals."""
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
    """Train, and print the win rate before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60_000, help="learner steps")
    parser.add_argument("--games", type=int, default=200, help="games of each evaluation")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # more threads are slower for small networks
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
