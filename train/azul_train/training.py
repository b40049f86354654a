"""A training run: a warm start if wanted, then MaskablePPO against the league until its steps are done."""

import time
from typing import Any, Final

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from azul_agents.model_file import read_model
from azul_train.checkpoint import (
    load_checkpoint,
    pack_games,
    random_states,
    save_checkpoint,
    set_random_states,
    unpack_games,
)
from azul_train.config import TrainConfig
from azul_train.evaluation import Evaluation, evaluate
from azul_train.export import export_network, load_network
from azul_train.imitation import collect_samples, imitate
from azul_train.league import League
from azul_train.league_env import LeagueVecEnv
from azul_train.network import AzulNetwork
from azul_train.opponents import NetworkPlayer, scripted_opponent
from azul_train.policy import AzulPolicy
from azul_train.progress import EVALUATION, IMITATION, SELF_PLAY, OnProgress, Progress, ignore
from azul_train.run_folder import RunFolder
from azul_train.stopwatch import Stopwatch

FINAL_DEALS: Final = (
    1  # added to the seed of the evaluation: the best model was chosen on the other deals
)
LOSSES: Final = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")


def train(
    config: TrainConfig, folder: RunFolder, on_progress: OnProgress = ignore
) -> list[Evaluation]:
    """Train from the start; how the best model does in the end."""
    with folder.locked():
        run = Run(config, folder, on_progress)
        run.warm_up()
        run.begin()
        return run.learn()


def resume(
    folder: RunFolder, on_progress: OnProgress = ignore, command: str = "resume"
) -> list[Evaluation]:
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
        self.config, self.folder, self.on_progress = config, folder, on_progress
        self.stopwatch = Stopwatch()
        scripted = {spec: scripted_opponent(spec) for spec in config.league.scripted}
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
        self._opponents = {spec: scripted_opponent(spec) for spec in config.evaluation.opponents}
        self.best_score = -1.0
        self.win_rates: dict[str, float] = {}
        self._start = time.monotonic()

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

    @property
    def minutes(self) -> float:
        """How long the run has taken, the time before an interruption included."""
        return (time.monotonic() - self._start) / 60

    def warm_up(self) -> None:
        """Imitate the teacher, if there is one."""
        config = self.config.imitation
        if config.teacher is None or config.samples == 0:
            return
        total = config.samples * (1 + config.epochs)
        with self.stopwatch.measure("imitation"):
            samples = collect_samples(
                scripted_opponent(config.teacher, config.threads),
                self.config.num_players,
                config.samples,
                config.random_moves,
                self.config.reward,
                self.config.max_rounds,
                self.config.seed,
                lambda done: self._tell(IMITATION, done, total),
            )
            result = imitate(
                self.network,
                samples,
                config.epochs,
                config.batch_size,
                config.learning_rate,
                self.config.ppo.value_coef,
                self.config.seed,
                lambda done: self._tell(IMITATION, config.samples + done, total),
            )
        self._note("imitation", samples=config.samples, **result)

    def begin(self) -> None:
        """Deal the first games against a first snapshot, and write the first checkpoint."""
        self._add_snapshot()
        self._deal()
        self._evaluate()
        self._save()

    def go_on(self) -> None:
        """Take everything from the checkpoint."""
        saved = load_checkpoint(self.folder.checkpoint)
        for member in saved["league"]:
            if member["is_snapshot"]:
                frozen = load_network(self.folder.snapshots / f"{member['name']}.npz")
                self.league.add_snapshot(member["name"], NetworkPlayer.frozen(frozen))
        self.league.set_state(saved["league"])
        self._deal()
        self.network.load_state_dict(saved["network"])
        self.model.policy.optimizer.load_state_dict(saved["optimizer"])
        self.model.num_timesteps = saved["steps"]
        self.model._n_updates = saved["updates"]
        self.model._last_obs = self.env.set_state(unpack_games(saved["games"]))
        self.model._last_episode_starts = saved["episode_starts"].numpy()
        self.best_score, self.win_rates = saved["best_score"], saved["win_rates"]
        self.stopwatch.seconds.update(saved["seconds"])
        self._start = time.monotonic() - 60 * saved["minutes"]
        self.folder.keep_metrics_until(saved["steps"])
        set_random_states(saved["random"])

    def _deal(self) -> None:
        """Let SB3 get ready, which starts the games."""
        self._callback = self.model._setup_learn(self.config.steps, _NoCallback())[1]

    def learn(self) -> list[Evaluation]:
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
            speed = (self.steps - before) / (time.monotonic() - since)
            self._note_progress(speed)
            self._tell(SELF_PLAY, self.steps, config.steps, speed)
            is_last = self.steps >= config.steps
            if is_last or self._is_due(before, config.evaluation.every):
                self._evaluate()
            if self._is_due(before, config.league.snapshot_every):
                self._add_snapshot()
            if is_last or self._is_due(before, config.checkpoint_every):
                self._save()
        return self._finish()

    def _is_due(self, before: int, every: int) -> bool:
        """Whether a multiple of `every` steps was passed."""
        return self.steps // every > before // every

    def _add_snapshot(self) -> None:
        name = f"{self.steps:09d}"
        export_network(self.network, self.folder.snapshots / f"{name}.npz", {"steps": self.steps})
        self.league.add_snapshot(name, NetworkPlayer.frozen(self.network))

    def _evaluate(self) -> None:
        """Measure the learner, and keep it if it is the best so far: by its mean win rate."""
        config = self.config.evaluation
        results = self._measured(self.network, config.games, config.seed)
        self.win_rates = {result.opponent: result.win_rate for result in results}
        for result in results:
            self._note("evaluation", **_as_metrics(result))
        self.folder.scalars(
            self.steps, {f"win_rate/{name}": rate for name, rate in self.win_rates.items()}
        )
        score = sum(self.win_rates.values()) / len(self.win_rates)
        if score >= self.best_score:
            self.best_score = score
            export_network(self.network, self.folder.best_model, self._card())

    def _measured(self, network: AzulNetwork, games: int, seed: int) -> list[Evaluation]:
        """How a network's best moves do against each opponent of the evaluation."""
        player = NetworkPlayer(network, is_sampling=False)
        results = []
        opponents = self.config.evaluation.opponents
        with self.stopwatch.measure("evaluation"):
            for number, spec in enumerate(opponents):
                self._tell(EVALUATION, number, len(opponents))
                results.append(
                    evaluate(
                        player,
                        self._opponents[spec],
                        spec,
                        self.config.num_players,
                        games,
                        seed,
                        self.config.max_rounds,
                    )
                )
        return results

    def _save(self) -> None:
        """Write a checkpoint."""
        model = self.model
        content = {
            "steps": self.steps,
            "minutes": self.minutes,
            "updates": model._n_updates,
            "network": self.network.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "games": pack_games(self.env.get_state()),
            "episode_starts": torch.from_numpy(model._last_episode_starts),
            "league": self.league.state(),
            "random": random_states(),
            "best_score": self.best_score,
            "win_rates": self.win_rates,
            "seconds": dict(self.stopwatch.seconds),
        }
        save_checkpoint(self.folder.checkpoint, content)

    def _finish(self) -> list[Evaluation]:
        """Measure the best model on deals that nothing was chosen by, and write both models."""
        export_network(self.network, self.folder.model, self._card())
        config = self.config.evaluation
        best = load_network(self.folder.best_model)
        results = self._measured(best, config.final_games, config.seed + FINAL_DEALS)
        for result in results:
            self._note("evaluation", final=True, **_as_metrics(result))
        self._note("time", shares=self.stopwatch.shares())
        card = read_model(self.folder.best_model).card  # of the steps when it was the best
        card["final"] = [_as_metrics(result) for result in results]
        export_network(best, self.folder.best_model, card)
        self.folder.close()
        return results

    def _card(self) -> dict[str, Any]:
        """Where a model comes from."""
        return {
            "config": self.config.name,
            "seed": self.config.seed,
            "steps": self.steps,
            "minutes": round(self.minutes, 1),
            "win_rates": self.win_rates,
        }

    def _note_progress(self, speed: float) -> None:
        values = self.model.logger.name_to_value
        losses = {name: float(values[f"train/{name}"]) for name in LOSSES}
        self.model.logger.dump(self.steps)
        self._note(
            "progress", steps_per_second=speed, losses=losses, league=self.league.standings()
        )
        self.folder.scalars(self.steps, losses | {"steps_per_second": speed})

    def _note(self, kind: str, **values: Any) -> None:
        line = {"kind": kind, "steps": self.steps, "minutes": self.minutes}
        self.folder.append_metrics(line | values)

    def _tell(self, phase: str, done: int, total: int, speed: float = 0.0) -> None:
        self.on_progress(Progress(phase, min(done, total), total, speed, self.win_rates))


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


def _as_metrics(result: Evaluation) -> dict[str, Any]:
    """An evaluation as a line of the metrics holds it."""
    low, high = result.interval
    return {
        "opponent": result.opponent,
        "games": result.games,
        "wins": result.wins,
        "win_rate": result.win_rate,
        "low": low,
        "high": high,
        "points": result.points,
        "opponent_points": result.opponent_points,
    }


class _NoCallback(BaseCallback):
    """SB3 wants a callback; nothing has to be done in one."""

    def _on_step(self) -> bool:
        return True
