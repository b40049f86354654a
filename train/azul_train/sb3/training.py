"""A training run: a warm start if wanted, then MaskablePPO against the league until its steps are done."""

import time
from typing import Final

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from azul_agents.arena.match import MatchResult
from azul_agents.registry import make_agent
from azul_train.config import TrainConfig
from azul_train.export import export_network, load_network
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.progress import IMITATION, SELF_PLAY, OnProgress, ignore
from azul_train.run.scorekeeper import Scorekeeper
from azul_train.run.stopwatch import Stopwatch
from azul_train.sb3.checkpoint import (
    load_checkpoint,
    pack_games,
    random_states,
    save_checkpoint,
    set_random_states,
    unpack_games,
)
from azul_train.sb3.league_env import LeagueVecEnv
from azul_train.sb3.policy import AzulPolicy
from azul_train.selfplay.imitation import SharedOut, collect_samples, imitate
from azul_train.selfplay.league import League
from azul_train.selfplay.network_agent import NetworkAgent

LOSSES: Final = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")


def train(
    config: TrainConfig, folder: RunFolder, on_progress: OnProgress = ignore
) -> list[MatchResult]:
    """Train from the start; how the best model does in the end."""
    with folder.locked():
        run = Run(config, folder, on_progress)
        run.warm_up()
        run.begin()
        return run.learn()


def resume(
    folder: RunFolder, on_progress: OnProgress = ignore, command: str = "resume"
) -> list[MatchResult]:
    """Go on from the last checkpoint of a run that was ended, however that happened."""
    with folder.locked():
        run = Run(folder.config, folder, on_progress)
        run.go_on()
        folder.note_resume(command, run.steps)
        return run.learn()


class Run:
    """A run in its folder: the learner, its games, and when to look at them."""

    def __init__(self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress) -> None:
        torch.set_num_threads(config.torch_threads)
        self.config, self.folder = config, folder
        self.stopwatch = Stopwatch()
        self.score = Scorekeeper(config, folder, on_progress, self.stopwatch)
        scripted = {spec: make_agent(spec) for spec in config.league.scripted}
        self.league = League(config.league, scripted)
        self.env = LeagueVecEnv(
            config.ppo.games,
            config.num_players,
            self.league,
            config.reward,
            config.seed,
            config.max_rounds,
            self.stopwatch,
        )
        self.model = _learner(config, self.env)

    @property
    def network(self) -> AzulNetwork:
        """The learner's network."""
        policy = self.model.policy
        assert isinstance(policy, AzulPolicy)
        return policy.network

    @property
    def steps(self) -> int:
        """Learner steps so far."""
        return self.model.num_timesteps

    def warm_up(self) -> None:
        """Imitate the teacher, if there is one."""
        config = self.config.imitation
        if config.teacher is None or config.samples == 0:
            return
        total = config.samples * (1 + config.epochs)
        with self.stopwatch.measure("imitation"):
            samples = collect_samples(
                SharedOut(config.teacher, config.threads),
                self.config.num_players,
                config.samples,
                config.random_moves,
                self.config.reward,
                self.config.max_rounds,
                self.config.seed,
                lambda done: self.score.tell(IMITATION, done, total),
            )
            result = imitate(
                self.network,
                samples,
                config.epochs,
                config.batch_size,
                config.learning_rate,
                self.config.ppo.value_coef,
                self.config.seed,
                lambda done: self.score.tell(IMITATION, config.samples + done, total),
            )
        self.score.note("imitation", samples=config.samples, **result)

    def begin(self) -> None:
        """Deal the first games against a first snapshot, and write the first checkpoint."""
        self._add_snapshot()
        self._deal()
        self.score.evaluate(self.network)
        self._save()

    def go_on(self) -> None:
        """Take everything from the checkpoint."""
        saved = load_checkpoint(self.folder.checkpoint)
        for member in saved["league"]:
            if member["is_snapshot"]:
                frozen = load_network(self.folder.snapshots / f"{member['name']}.npz")
                self.league.add_snapshot(
                    member["name"], NetworkAgent.frozen(frozen, member["name"])
                )
        self.league.set_state(saved["league"])
        self._deal()
        self.network.load_state_dict(saved["network"])
        self.model.policy.optimizer.load_state_dict(saved["optimizer"])
        self.model.num_timesteps = saved["steps"]
        self.model._n_updates = saved["updates"]
        self.model._last_obs = self.env.set_state(unpack_games(saved["games"]))
        self.model._last_episode_starts = saved["episode_starts"].numpy()
        self.score.set_state(saved)
        set_random_states(saved["random"])

    def _deal(self) -> None:
        """Let SB3 get ready, which starts the games."""
        self._callback = self.model._setup_learn(self.config.steps, _NoCallback())[1]

    def learn(self) -> list[MatchResult]:
        """Play and learn until the steps are done, then measure the best model on fresh deals."""
        config, model = self.config, self.model
        while self.steps < config.steps:
            before, since = self.steps, time.monotonic()
            model._update_current_progress_remaining(before, config.steps)
            with self.stopwatch.measure("policy"):
                model.collect_rollouts(
                    self.env, self._callback, model.rollout_buffer, model.n_steps
                )
            with self.stopwatch.measure("gradient"):
                model.train()
            self.score.steps = self.steps
            speed = (self.steps - before) / (time.monotonic() - since)
            self._note_progress(speed)
            self.score.tell(SELF_PLAY, self.steps, config.steps, speed)
            is_last = self.steps >= config.steps
            if is_last or self._is_due(before, config.evaluation.every):
                self.score.evaluate(self.network)
            if self._is_due(before, config.league.snapshot_every):
                self._add_snapshot()
            if is_last or self._is_due(before, config.checkpoint_every):
                self._save()
        return self.score.finish(self.network)

    def _is_due(self, before: int, every: int) -> bool:
        """Whether a multiple of `every` steps was passed."""
        return self.steps // every > before // every

    def _add_snapshot(self) -> None:
        name = f"{self.steps:09d}"
        export_network(self.network, self.folder.snapshots / f"{name}.npz", {"steps": self.steps})
        self.league.add_snapshot(name, NetworkAgent.frozen(self.network, name))

    def _save(self) -> None:
        """Write a checkpoint."""
        model = self.model
        content = {
            **self.score.state(),
            "updates": model._n_updates,
            "network": self.network.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "games": pack_games(self.env.get_state()),
            "episode_starts": torch.from_numpy(model._last_episode_starts),
            "league": self.league.state(),
            "random": random_states(),
        }
        save_checkpoint(self.folder.checkpoint, content)

    def _note_progress(self, speed: float) -> None:
        values = self.model.logger.name_to_value
        losses = {name: float(values[f"train/{name}"]) for name in LOSSES}
        self.model.logger.dump(self.steps)
        self.score.note_progress(speed, losses, league=self.league.standings())


def _learner(config: TrainConfig, env: LeagueVecEnv) -> MaskablePPO:
    """MaskablePPO around our policy; from here on SB3's generators go by the seed of the run."""
    ppo = config.ppo
    fall = ppo.learning_rate - ppo.final_learning_rate
    model = MaskablePPO(
        AzulPolicy,
        env,
        learning_rate=lambda left: ppo.final_learning_rate + fall * left,
        n_steps=ppo.rollout_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.entropy,
        vf_coef=ppo.value_coef,
        max_grad_norm=ppo.max_grad_norm,
        policy_kwargs={"network_size": config.network},
        seed=config.seed,
        device="cpu",
    )
    model.set_logger(Logger(None, []))  # what it records is read from it, not printed
    return model


class _NoCallback(BaseCallback):
    """SB3 wants a callback; nothing has to be done in one."""

    def _on_step(self) -> bool:
        return True
