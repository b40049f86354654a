"""A training run with RLlib: masked PPO against itself, on one machine or on many.

The run's folder, its table and its models are those of the other engine. Beside them, `rllib/` holds the checkpoints:
folders named after their steps, of which the newest is kept.
"""

# Ray is an extra that the checkers' environment does not hold.
# pyright: reportMissingImports=false

import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from azul_agents.arena.match import MatchResult
from azul_agents.arena.ray_session import ray_session
from azul_train.config import TrainConfig
from azul_train.network import AzulNetwork
from azul_train.rllib.env import register
from azul_train.rllib.module import MaskedAzulModule
from azul_train.run.folder import RunFolder
from azul_train.run.progress import SELF_PLAY, OnProgress, ignore
from azul_train.run.scorekeeper import Scorekeeper
from azul_train.run.stopwatch import Stopwatch

POLICY: Final = "shared"  # one for all seats
CHECKPOINTS: Final = "rllib"  # the folder, inside the run's
BOOKS: Final = "azul.json"  # the scorekeeper's part of a checkpoint
LOSSES: Final = ("policy_loss", "vf_loss", "entropy", "vf_explained_var")
NO_CLIP: Final = 1e9  # values are never so far off
PLAY_SECONDS: Final = 600.0  # that env runners get for their part; RLlib drops what comes later
MAX_EMPTY: Final = 3  # rounds in a row in which nobody has played


def train(
    config: TrainConfig,
    folder: RunFolder,
    on_progress: OnProgress = ignore,
    address: str | None = None,
) -> list[MatchResult]:
    """Train from the start, on the Ray at an address or a local one; how the best model does in the end."""
    with folder.locked(), _run(config, folder, on_progress, address) as run:
        run.begin()
        return run.learn()


def resume(
    folder: RunFolder,
    on_progress: OnProgress = ignore,
    command: str = "resume",
    address: str | None = None,
) -> list[MatchResult]:
    """Go on from the last checkpoint of a run that was ended, however that happened."""
    with folder.locked(), _run(folder.config, folder, on_progress, address) as run:
        run.go_on()
        folder.note_resume(command, run.keeper.steps)
        return run.learn()


def algorithm_config(config: TrainConfig) -> PPOConfig:
    """The run as RLlib's own config. All processes together play `ppo.games` games and learn from all their steps."""
    ppo, runners, learners = config.ppo, config.rllib.env_runners, config.rllib.learners
    model = {"num_players": config.num_players, "size": vars(config.network)}
    module = RLModuleSpec(module_class=MaskedAzulModule, model_config=model)
    game = {
        "num_players": config.num_players,
        "rewards": config.reward,
        "max_rounds": config.max_rounds,
        "strict": True,
    }
    falling = [[0, ppo.learning_rate], [config.steps, ppo.final_learning_rate]]
    return (
        PPOConfig()
        .environment(register(), env_config=game, disable_env_checking=True, clip_actions=False)
        .env_runners(
            num_env_runners=runners,
            num_envs_per_env_runner=ppo.games // max(1, runners),
            rollout_fragment_length=ppo.rollout_steps,
            sample_timeout_s=PLAY_SECONDS,
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
            lr=falling,
            clip_param=ppo.clip_range,
            vf_loss_coeff=ppo.value_coef,
            vf_clip_param=NO_CLIP,
            grad_clip=ppo.max_grad_norm,
            grad_clip_by="global_norm",
            use_kl_loss=False,
        )
        .debugging(seed=config.seed, log_level="ERROR")
    )


class RllibRun:
    """A run in its folder: RLlib's algorithm, and when to look at it."""

    def __init__(self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress) -> None:
        torch.set_num_threads(config.torch_threads)
        self.config = config
        self.checkpoints = folder.path / CHECKPOINTS
        self.watch = Stopwatch()
        self.keeper = Scorekeeper(config, folder, on_progress, self.watch)
        self.algorithm: Any = algorithm_config(config).build_algo()

    @property
    def network(self) -> AzulNetwork:
        """A copy of the learner's network."""
        weights = self.algorithm.learner_group.get_weights()[POLICY]
        network = AzulNetwork(self.config.num_players, self.config.network)
        network.load_state_dict(
            {name.removeprefix("network."): torch.tensor(part) for name, part in weights.items()}
        )
        return network

    def begin(self) -> None:
        """Measure the untrained network, and write the first checkpoint."""
        self.keeper.evaluate(self.network)
        self._save()

    def go_on(self) -> None:
        """Take everything from the newest checkpoint."""
        found = _newest(self.checkpoints)
        if found is None:
            raise ValueError(f"{self.checkpoints} has no checkpoint to go on from: start a new run")
        self.algorithm.restore_from_path(found.resolve())
        self.keeper.set_state(json.loads((found / BOOKS).read_text(encoding="utf-8")))

    def learn(self) -> list[MatchResult]:
        """Play and learn until the steps are done, then measure the best model on fresh deals."""
        config, keeper = self.config, self.keeper
        while keeper.steps < config.steps:
            before, since = keeper.steps, time.monotonic()
            with self.watch.measure("rllib"):
                result = self._next_round()
            keeper.steps = int(result["num_env_steps_sampled_lifetime"])
            speed = (keeper.steps - before) / (time.monotonic() - since)
            self._note_progress(result, speed)
            keeper.tell(SELF_PLAY, keeper.steps, config.steps, speed)
            is_last = keeper.steps >= config.steps
            if is_last or self._is_due(before, config.evaluation.every):
                keeper.evaluate(self.network)
            if is_last or self._is_due(before, config.checkpoint_every):
                self._save()
        return keeper.finish(self.network)

    def close(self) -> None:
        """End the processes, and remove the folder that RLlib made for logs that nobody writes."""
        self.algorithm.stop()
        with suppress(OSError):
            os.rmdir(self.algorithm.logdir)

    def _next_round(self) -> dict[str, Any]:
        """Let RLlib play and learn once. Where all env runners have died it starts others, and has nothing to tell."""
        for _ in range(MAX_EMPTY):
            result: dict[str, Any] = self.algorithm.train()
            if POLICY in result.get("learners", {}):
                return result
        raise ChildProcessError(
            f"RLlib's env runners died {MAX_EMPTY} times in a row: the reason is in Ray's logs, under /tmp/ray"
        )

    def _is_due(self, before: int, every: int) -> bool:
        """Whether a multiple of `every` steps was passed."""
        return self.keeper.steps // every > before // every

    def _note_progress(self, result: dict[str, Any], speed: float) -> None:
        learned = result["learners"][POLICY]
        losses = {name: float(learned[name]) for name in LOSSES}
        rate = float(learned["default_optimizer_learning_rate"])
        self.keeper.note_progress(speed, losses, learning_rate=rate)

    def _save(self) -> None:
        """Write a checkpoint; only a complete one gets its name, and then the older ones go."""
        self.checkpoints.mkdir(exist_ok=True)
        unfinished = self.checkpoints / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        self.algorithm.save_to_path(unfinished.resolve())
        (unfinished / BOOKS).write_text(json.dumps(self.keeper.state()), encoding="utf-8")
        finished = self.checkpoints / f"{self.keeper.steps:012d}"
        shutil.rmtree(finished, ignore_errors=True)  # of a run that went back before it
        os.rename(unfinished, finished)
        for other in self.checkpoints.iterdir():
            if other != finished:
                shutil.rmtree(other)


@contextmanager
def _run(
    config: TrainConfig, folder: RunFolder, on_progress: OnProgress, address: str | None
) -> Iterator[RllibRun]:
    """A run on a Ray with as many CPUs as it has processes; all of them are gone afterwards."""
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    processes = config.rllib.env_runners + config.rllib.learners * config.torch_threads
    with ray_session(address, max(1, processes)):
        run = RllibRun(config, folder, on_progress)
        try:
            yield run
        finally:
            run.close()


def _newest(checkpoints: Path) -> Path | None:
    """The checkpoint with the most steps."""
    finished = [path for path in checkpoints.glob("*") if path.name.isdecimal()]
    return max(finished, key=lambda path: int(path.name), default=None)
