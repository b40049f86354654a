"""Training with Stable-Baselines3: an optional warm start, then MaskablePPO against the league."""

from typing import Any, Final

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from azul_agents.registry import make_agent
from azul_env import shown
from azul_env.core.arguments import whole_number
from azul_train.config import TrainConfig
from azul_train.export import export_network, load_network, load_start
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.progress import IMITATION, OnProgress
from azul_train.run.training_run import TrainingRun
from azul_train.sb3.checkpoint import (
    check_finite,
    load_checkpoint,
    pack_games,
    random_states,
    restore_optimizer,
    save_checkpoint,
    set_random_states,
    unpack_games,
    valid_checkpoint,
)
from azul_train.sb3.league_env import LeagueVecEnv
from azul_train.sb3.policy import AzulPolicy
from azul_train.selfplay.imitation import warm_start
from azul_train.selfplay.league import League
from azul_train.selfplay.network_agent import frozen, inputs_of

ADAM_EPSILON: Final = 1e-5  # what SB3 uses unless the optimizer has settings
LOSSES: Final = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")


class Sb3Run(TrainingRun):
    """MaskablePPO, its games and its league."""

    def __init__(self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress) -> None:
        super().__init__(config, folder, on_progress)
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
            inputs_of(AzulNetwork(config.num_players, config.network, config.variant)),
            config.variant,
        )
        self.model = _learner(config, self.env)

    @property
    def network(self) -> AzulNetwork:
        """The learner's network."""
        policy = self.model.policy
        assert isinstance(policy, AzulPolicy)
        return policy.network

    def begin(self) -> None:
        """Load a model and imitate the teacher, if configured, and start the games against a first snapshot."""
        load_start(self.config, self.network)
        if self.config.imitation.teacher is not None and self.config.imitation.samples:
            self.evaluate_untrained()
            self._imitate()
        self._add_snapshot()
        self._start_games()
        super().begin()

    def restore(self) -> None:
        """Load the last checkpoint. Raises ValueError in one line if there is none or it cannot be used."""
        saved = load_checkpoint(self.folder.checkpoint)
        self.folder.check_results()
        with valid_checkpoint(self.folder.checkpoint):
            names = [str(member["name"]) for member in saved["league"] if member["is_snapshot"]]
            wrong = [name for name in names if not name.isdecimal()]
            if wrong:
                raise ValueError(f"no snapshot has the name {shown(wrong[0])}")
        for name in names:
            network = load_network(
                self.folder.snapshots / f"{name}.npz"
            )  # its errors name the file
            self.league.add_snapshot(name, frozen(network, name))
        with valid_checkpoint(self.folder.checkpoint):
            self._restore(saved)
        self.folder.keep_metrics_until(self.steps)

    def _restore(self, saved: dict[str, Any]) -> None:
        """Continue from the content of a checkpoint. Raises one of UNUSABLE if it does not fit this run."""
        self.set_state(saved)
        self.league.set_state(saved["league"])
        self.network.load_state_dict(saved["network"])
        for name, weights in self.network.state_dict().items():
            check_finite(weights, name)
        self._start_games()
        restore_optimizer(self.model.policy.optimizer, saved["optimizer"])
        self.model.num_timesteps = self.steps
        self.model._n_updates = whole_number(saved["updates"], "updates")
        dtype = self.env.games.rows.dtype
        self.model._last_obs = self.env.set_state(unpack_games(saved["games"], dtype))
        starts = saved["episode_starts"].numpy()
        if starts.shape != (self.env.num_envs,) or starts.dtype != np.bool_:
            raise ValueError(f"episode_starts has shape {starts.shape} and type {starts.dtype}")
        self.model._last_episode_starts = starts
        set_random_states(saved["random"])

    def play_and_learn(self) -> dict[str, Any]:
        """Collect a rollout and learn from it; a snapshot joins the league when one is due."""
        model, before = self.model, self.steps
        model._update_current_progress_remaining(before, self.config.steps)
        with self.stopwatch.measure("policy"):
            model.collect_rollouts(self.env, self._callback, model.rollout_buffer, model.n_steps)
        with self.stopwatch.measure("gradient"):
            model.train()
        self.steps = model.num_timesteps
        self.check_network()
        losses = {name: float(model.logger.name_to_value[f"train/{name}"]) for name in LOSSES}
        model.logger.dump(self.steps)
        if self.has_passed(self.config.league.snapshot_every, before):
            self._add_snapshot()
        return {"losses": losses, "league": self.league.standings()}

    def save(self) -> None:
        """Write a checkpoint."""
        model = self.model
        content = {
            **self.state(),
            "updates": model._n_updates,
            "network": self.network.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "games": pack_games(self.env.get_state()),
            "episode_starts": torch.from_numpy(model._last_episode_starts),
            "league": self.league.state(),
            "random": random_states(),
        }
        save_checkpoint(self.folder.checkpoint, content)

    def _imitate(self) -> None:
        with self.stopwatch.measure(IMITATION):
            result = warm_start(
                self.network,
                self.config,
                lambda done, total: self.report(IMITATION, done, total),
            )
        self.write_metrics(IMITATION, samples=self.config.imitation.samples, **result)

    def _start_games(self) -> None:
        """Let SB3 set up learning, which resets the environment; by now the network has its initial weights."""
        self.env.inputs = inputs_of(self.network)
        self._callback = self.model._setup_learn(self.config.steps, _NoCallback())[1]

    def _add_snapshot(self) -> None:
        name = f"{self.steps:09d}"
        export_network(self.network, self.folder.snapshots / f"{name}.npz", {"steps": self.steps})
        self.league.add_snapshot(name, frozen(self.network, name))


def _learner(config: TrainConfig, env: LeagueVecEnv) -> MaskablePPO:
    """MaskablePPO with our policy; this seeds the global generators."""
    ppo = config.ppo
    fall = ppo.learning_rate - ppo.final_learning_rate
    model = _Learner(
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
        policy_kwargs={
            "network_size": config.network,
            "game": (config.num_players, config.variant),
            "optimizer_kwargs": {"eps": ADAM_EPSILON, "fused": True},
        },
        seed=config.seed,
        device="cpu",
    )
    model.set_logger(Logger(None, []))  # recorded values are read back, not printed
    return model


class _Learner(MaskablePPO):
    """MaskablePPO without statistics of episodes, which our games do not report."""

    def _update_info_buffer(self, infos: Any, dones: Any = None) -> None:
        pass


class _NoCallback(BaseCallback):
    """No-op callback, which SB3 requires."""

    def _on_step(self) -> bool:
        return True
