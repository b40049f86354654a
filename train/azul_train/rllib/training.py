"""Training with RLlib: masked PPO in self-play, on one machine or on a cluster.

The run folder is the same as that of the engine sb3, except for the checkpoint: RLlib writes folders, `rllib/STEPS`, of
which the newest is kept.
"""

# Ray is an optional dependency, not installed where the type checkers run.
# pyright: reportMissingImports=false

import json
import logging
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from azul_agents.arena.ray_session import ray_session
from azul_env import brief
from azul_env.files import read_json
from azul_train.config import TrainConfig
from azul_train.network import AzulNetwork
from azul_train.rllib.env import register
from azul_train.rllib.module import MaskedAzulModule
from azul_train.run.folder import RunFolder
from azul_train.run.progress import OnProgress
from azul_train.run.training_run import TrainingRun

POLICY: Final = "shared"  # by all seats
CHECKPOINTS: Final = "rllib"  # in the run folder
CHECKPOINT_NAME: Final = re.compile(r"\d{12}")  # its steps
RUN_STATE: Final = "azul.json"  # in a checkpoint: `TrainingRun.state`
LOSSES: Final = ("policy_loss", "vf_loss", "entropy", "vf_explained_var")
NO_CLIP: Final = 1e9  # of the value loss
SAMPLE_TIMEOUT_SECONDS: Final = 600.0  # RLlib drops what env runners return later
MAX_EMPTY_ITERATIONS: Final = 3  # in a row


def algorithm_config(config: TrainConfig) -> PPOConfig:
    """RLlib's config of the run. `ppo.games` and `ppo.batch_size` are totals over all processes."""
    ppo, runners, learners = config.ppo, config.rllib.env_runners, config.rllib.learners
    model = {
        "num_players": config.num_players,
        "variant": config.variant,
        "size": vars(config.network),
    }
    module = RLModuleSpec(module_class=MaskedAzulModule, model_config=model)
    game = {
        "num_players": config.num_players,
        "rewards": config.reward,
        "max_rounds": config.max_rounds,
        "strict": True,
        "variant": config.variant,
    }
    schedule = [[0, ppo.learning_rate], [config.steps, ppo.final_learning_rate]]
    return (
        PPOConfig()
        .environment(register(), env_config=game, disable_env_checking=True, clip_actions=False)
        .env_runners(
            num_env_runners=runners,
            num_envs_per_env_runner=ppo.games // max(1, runners),
            rollout_fragment_length=ppo.rollout_steps,
            sample_timeout_s=SAMPLE_TIMEOUT_SECONDS,
        )
        .learners(num_learners=learners, num_cpus_per_learner=config.torch_threads)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda *_, **__: POLICY)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={POLICY: module}))
        .training(
            train_batch_size_per_learner=ppo.games * ppo.rollout_steps // max(1, learners),
            minibatch_size=ppo.batch_size // max(1, learners),
            num_epochs=ppo.epochs,
            gamma=ppo.gamma,
            lambda_=ppo.gae_lambda,
            entropy_coeff=ppo.entropy,
            lr=schedule,
            clip_param=ppo.clip_range,
            vf_loss_coeff=ppo.value_coef,
            vf_clip_param=NO_CLIP,
            grad_clip=ppo.max_grad_norm,
            grad_clip_by="global_norm",
            use_kl_loss=False,
        )
        .debugging(seed=config.seed, log_level="ERROR")
    )


class RllibRun(TrainingRun):
    """RLlib's PPO algorithm, the learner playing itself."""

    def __init__(self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress) -> None:
        super().__init__(config, folder, on_progress)
        self.checkpoints = folder.path / CHECKPOINTS
        self.algorithm: Any = algorithm_config(config).build_algo()

    @property
    def network(self) -> AzulNetwork:
        """A copy of the learner's network."""
        weights = self.algorithm.learner_group.get_weights()[POLICY]
        config = self.config
        network = AzulNetwork(config.num_players, config.network, config.variant)
        network.load_state_dict(
            {name.removeprefix("network."): torch.tensor(part) for name, part in weights.items()}
        )
        return network

    def restore(self) -> None:
        """Load the last checkpoint. Raises ValueError if there is none or its `azul.json` cannot be used."""
        finished = _finished_in(self.checkpoints)
        if not finished:
            raise ValueError(f"{self.checkpoints} has no checkpoint yet: start a new run")
        self.folder.check_results()
        newest = max(finished, key=lambda path: int(path.name))
        state = read_json(newest / RUN_STATE)
        try:
            self.set_state(state)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            text = f"{newest / RUN_STATE} is broken: {brief(repr(error))}: start a new run"
            raise ValueError(text) from None
        self.algorithm.restore_from_path(newest.resolve())
        self.folder.keep_metrics_until(self.steps)

    def play_and_learn(self) -> dict[str, Any]:
        """One iteration of RLlib."""
        with self.stopwatch.measure("rllib"):
            result = self._iterate()
        self.steps = int(result["num_env_steps_sampled_lifetime"])
        self.check_network()
        learned = result["learners"][POLICY]
        return {
            "losses": {name: float(learned[name]) for name in LOSSES},
            "learning_rate": float(learned["default_optimizer_learning_rate"]),
        }

    def save(self) -> None:
        """Write a checkpoint, rename it once it is complete, then remove the older ones."""
        self.checkpoints.mkdir(exist_ok=True)
        unfinished = self.checkpoints / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        self.algorithm.save_to_path(unfinished.resolve())
        (unfinished / RUN_STATE).write_text(json.dumps(self.state()), encoding="utf-8")
        finished = self.checkpoints / f"{self.steps:012d}"
        shutil.rmtree(finished, ignore_errors=True)  # left by a run that was resumed before it
        os.rename(unfinished, finished)
        for other in _finished_in(self.checkpoints):  # leaves anything else alone
            if other != finished:
                shutil.rmtree(other)

    def close(self) -> None:
        """Stop RLlib's processes and remove its log folder, which stays empty."""
        self.algorithm.stop()
        with suppress(OSError):
            os.rmdir(self.algorithm.logdir)

    def _iterate(self) -> dict[str, Any]:
        """The result of an iteration. If all env runners die, RLlib restarts them and returns an empty result."""
        for _ in range(MAX_EMPTY_ITERATIONS):
            result: dict[str, Any] = self.algorithm.train()
            if POLICY in result.get("learners", {}):
                return result
        raise ChildProcessError(
            f"RLlib's env runners died {MAX_EMPTY_ITERATIONS} times in a row: see Ray's logs in /tmp/ray"
        )


def _finished_in(checkpoints: Path) -> list[Path]:
    """The checkpoints in a folder, which have their number of steps as a name."""
    return [path for path in checkpoints.glob("*") if CHECKPOINT_NAME.fullmatch(path.name)]


@contextmanager
def open_run(
    config: TrainConfig, folder: RunFolder, on_progress: OnProgress, address: str | None
) -> Iterator[RllibRun]:
    """A run on the Ray cluster at an address, or on a local one with a CPU per process."""
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    processes = config.rllib.env_runners + config.rllib.learners * config.torch_threads
    with ray_session(address, max(1, processes)):
        run = RllibRun(config, folder, on_progress)
        try:
            yield run
        finally:
            run.close()
