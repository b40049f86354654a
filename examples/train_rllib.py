"""Masked PPO in self-play with RLlib's own config, using the environment and the module of azul_train.

python examples/train_rllib.py [ITERATIONS]
"""

import sys
from pathlib import Path

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from azul_train.rllib.env import register
from azul_train.rllib.module import MaskedAzulModule

PLAYERS = 2


def main(iterations: int) -> None:
    """Train for some iterations, and print the progress after each."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    module = RLModuleSpec(module_class=MaskedAzulModule, model_config={"num_players": PLAYERS})
    config = (
        PPOConfig()
        .environment(
            register("azul"),  # the name in RLlib's registry
            env_config={
                "num_players": PLAYERS,
                "rewards": {"outcome": 0.5, "round_margin": 0.03},
            },
        )
        .env_runners(num_env_runners=1, num_envs_per_env_runner=16)
        # One policy plays and learns from both seats.
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(
            train_batch_size_per_learner=1024,
            minibatch_size=256,
            num_epochs=3,
            lr=5e-4,
            gamma=1.0,
            entropy_coeff=0.005,
            use_kl_loss=False,  # it would be NaN for masked actions
        )
    )
    algorithm = config.build_algo()
    for iteration in range(1, iterations + 1):
        result = algorithm.train()
        moves = result["env_runners"]["episode_len_mean"]
        entropy = result["learners"]["shared"]["entropy"]
        print(f"iteration {iteration}: {moves:.1f} moves per game, entropy {entropy:.2f}")
    print("checkpoint:", algorithm.save_to_path(Path("rllib_checkpoint").resolve()))
    algorithm.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
