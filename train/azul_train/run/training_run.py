"""A training run, whichever library learns: the loop of rollouts, evaluations and checkpoints."""

import time
import warnings
from abc import ABC, abstractmethod
from collections import Counter
from pathlib import Path
from typing import Any, Final

import torch

from azul_agents.arena.match import MatchConfig, MatchResult, run_match
from azul_agents.base import Agent
from azul_agents.neural.agent import NeuralAgent, NeuralPolicy
from azul_agents.neural.model_file import read_model
from azul_agents.registry import make_agent
from azul_env import shown
from azul_train.config import TrainConfig
from azul_train.export import export_network, load_network, model_of
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.memory import keep_freed_memory
from azul_train.run.metrics import (
    BEFORE,
    CANDIDATE,
    CHOICE,
    FINAL,
    PROGRESS,
    START,
    TIME,
    UNTRAINED,
    as_metrics,
)
from azul_train.run.progress import EVALUATION, SELF_PLAY, OnProgress, Progress
from azul_train.run.stopwatch import Stopwatch

# Added to the evaluation seed, so that the choice of the best model and its final evaluation use deals of their own.
FINAL_DEALS, CHOICE_DEALS = 1, 2
LEARNER: Final = "learner"  # its name in matches


class TrainingRun(ABC):
    """A learner and its run folder. A subclass plays, learns and saves checkpoints with one library."""

    def __init__(self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress) -> None:
        torch.set_num_threads(config.torch_threads)
        keep_freed_memory()
        self.config, self.folder, self.on_progress = config, folder, on_progress
        self.stopwatch = Stopwatch()
        self.steps = 0  # learner steps so far
        self.scores: dict[int, float] = {}  # mean win rate of every evaluation, by steps
        self.win_rates: dict[str, float] = {}
        self._opponents = {spec: make_agent(spec) for spec in config.evaluation.opponents}
        self._start, self._processor_start = time.monotonic(), time.process_time()

    @property
    @abstractmethod
    def network(self) -> AzulNetwork:
        """The learner's network."""

    @abstractmethod
    def restore(self) -> None:
        """Load the last checkpoint. Raises ValueError if there is none."""

    @abstractmethod
    def play_and_learn(self) -> dict[str, Any]:
        """Collect a rollout, learn from it, advance `steps` and `check_network`; the metrics, `losses` among them."""

    @abstractmethod
    def save(self) -> None:
        """Write a checkpoint."""

    def begin(self) -> None:
        """Keep and evaluate the network with which self-play starts, and write the first checkpoint."""
        self.check_network()
        export_network(self.network, self.folder.start_model, self._card())
        self.evaluate()
        self.save()

    def learn(self) -> list[MatchResult]:
        """Train until all steps are done, then choose the best network and evaluate it, each on new deals."""
        config = self.config
        while self.steps < config.steps:
            before, start = self.steps, time.monotonic()
            metrics = self.play_and_learn()
            speed = (self.steps - before) / (time.monotonic() - start)
            self.write_metrics(PROGRESS, steps_per_second=speed, **metrics)
            self.folder.scalars(self.steps, metrics["losses"] | {"steps_per_second": speed})
            self.report(SELF_PLAY, self.steps, config.steps, speed)
            is_last = self.steps >= config.steps
            if is_last or self.has_passed(config.evaluation.every, before):
                self.evaluate()
            if is_last or self.has_passed(config.checkpoint_every, before):
                self.save()
        return self._finish()

    def check_network(self) -> None:
        """Raise ValueError if learning has diverged, before anything is saved."""
        if not all(bool(weights.isfinite().all()) for weights in self.network.parameters()):
            raise ValueError(
                f"learning has diverged: after {self.steps:,} steps the network's weights are not finite. "
                "Lower the learning rate (ppo.learning_rate, imitation.learning_rate)"
            )

    def has_passed(self, every: int, before: int) -> bool:
        """True if the steps have passed a multiple of `every` since `before`."""
        return self.steps // every > before // every

    def evaluate_untrained(self) -> None:
        """Evaluate the network before a warm start, which is where the learning curve begins."""
        config = self.config.evaluation
        for result in self._matches(self.network, self._opponents, config.games, config.seed):
            self.write_metrics(EVALUATION, **{UNTRAINED: True}, **as_metrics(result))

    def evaluate(self) -> None:
        """Evaluate the learner, also against its own start, and keep its network as a candidate for the best one."""
        network, config = self.network, self.config.evaluation
        results = self._matches(
            network, self._opponents | self._start_agent(), config.games, config.seed
        )
        self.win_rates = {result.agents[1]: result.tallies[0].win_rate for result in results}
        for result in results:
            self.write_metrics(EVALUATION, **as_metrics(result))
            self._warn_of_forfeits(result)
        rates = {f"win_rate/{name}": rate for name, rate in self.win_rates.items()}
        self.folder.scalars(self.steps, rates)
        score = sum(self.win_rates[spec] for spec in self._opponents) / len(self._opponents)
        is_best = score >= max(self.scores.values(), default=0.0)
        self.scores[self.steps] = score
        export_network(network, self.folder.candidate(self.steps), self._card())
        if is_best:
            export_network(network, self.folder.best_model, self._card())

    def _warn_of_forfeits(self, result: MatchResult) -> None:
        """Warn that games were won because the opponent failed, not because it was beaten."""
        reasons = sum((tally.reasons for tally in result.tallies[1:]), Counter())
        for reason, count in reasons.most_common(1):
            forfeits = f"{reasons.total()} of {result.games} games"
            warnings.warn(
                f"{result.agents[1]} forfeited {forfeits}, {count} of them because {reason}",
                stacklevel=2,
            )

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds for any library, as plain data."""
        return {
            "steps": self.steps,
            "minutes": self._minutes,
            "processor_minutes": self._processor_minutes,
            "scores": list(self.scores.items()),
            "win_rates": self.win_rates,
            "seconds": dict(self.stopwatch.seconds),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore `state()`. Raises KeyError, TypeError or ValueError if it is malformed."""
        steps = state["steps"]
        if type(steps) is not int or steps < 0:
            raise ValueError(f"steps must be a whole number from 0 up, not {shown(steps)}")
        scores = {int(step): float(score) for step, score in state["scores"]}
        rates = {str(name): float(rate) for name, rate in state["win_rates"].items()}
        seconds = {str(name): float(time) for name, time in state["seconds"].items()}
        minutes, processor_minutes = float(state["minutes"]), float(state["processor_minutes"])
        self.steps, self.scores, self.win_rates = steps, scores, rates
        self.stopwatch.seconds.update(seconds)
        self._start = time.monotonic() - 60 * minutes
        self._processor_start = time.process_time() - 60 * processor_minutes

    def write_metrics(self, kind: str, **values: Any) -> None:
        """Add a line to the metrics."""
        times = {"minutes": self._minutes, "processor_minutes": self._processor_minutes}
        self.folder.append_metrics({"kind": kind, "steps": self.steps} | times | values)

    def report(self, phase: str, done: int, total: int, speed: float = 0.0) -> None:
        """Report the progress of a phase."""
        self.on_progress(Progress(phase, min(done, total), total, speed, self.win_rates))

    @property
    def _minutes(self) -> float:
        """Training time, including the time before an interruption."""
        return (time.monotonic() - self._start) / 60

    @property
    def _processor_minutes(self) -> float:
        """CPU time of this process over all threads, which a busy machine does not inflate."""
        return (time.process_time() - self._processor_start) / 60

    def _finish(self) -> list[MatchResult]:
        """Export the last network, and evaluate the best one and the start on deals that were not used to choose it."""
        export_network(self.network, self.folder.model, self._card())
        best = self._best_candidate()
        card = read_model(best).card
        network, config = load_network(best), self.config.evaluation
        deals = (config.final_games, config.seed + FINAL_DEALS)
        results = self._matches(network, self._opponents, *deals)
        lines = [as_metrics(result) for result in results]
        if self._has_self_play:
            start = load_network(self.folder.start_model)
            for before in self._matches(start, self._opponents, *deals):
                self.write_metrics(EVALUATION, **{FINAL: True, BEFORE: True}, **as_metrics(before))
            (duel,) = self._matches(network, self._start_agent(), *deals)
            lines.append(as_metrics(duel))
        for line in lines:
            self.write_metrics(EVALUATION, **{FINAL: True}, **line)
        self.write_metrics(TIME, shares=self.stopwatch.shares())
        export_network(network, self.folder.best_model, card | {FINAL: lines})
        self.folder.close()
        return results

    def _best_candidate(self) -> Path:
        """The best of the networks with the best evaluations, by matches on fresh deals."""
        config = self.config.evaluation
        ranked = sorted(self.scores, key=lambda steps: (self.scores[steps], steps), reverse=True)
        top = [self.folder.candidate(steps) for steps in ranked[: config.candidates]]
        if len(top) == 1:
            return top[0]
        means = []
        for candidate in top:
            network, steps = load_network(candidate), read_model(candidate).card["steps"]
            deals = (config.choice_games, config.seed + CHOICE_DEALS)
            lines = [
                as_metrics(result) for result in self._matches(network, self._opponents, *deals)
            ]
            for line in lines:
                self.write_metrics(CHOICE, **{CANDIDATE: steps}, **line)
            means.append(sum(line["win_rate"] for line in lines) / len(lines))
        return top[means.index(max(means))]

    @property
    def _has_self_play(self) -> bool:
        return self.config.steps > 0

    def _start_agent(self) -> dict[str, Agent]:
        """The network with which self-play started, as an opponent; none without self-play."""
        return (
            {START: _as_agent(load_network(self.folder.start_model))} if self._has_self_play else {}
        )

    def _card(self) -> dict[str, Any]:
        """The model card of the current network."""
        return {
            "config": self.config.name,
            "seed": self.config.seed,
            "steps": self.steps,
            "minutes": round(self._minutes, 1),
            "win_rates": self.win_rates,
        }

    def _matches(
        self, network: AzulNetwork, opponents: dict[str, Agent], games: int, seed: int
    ) -> list[MatchResult]:
        """One match per opponent, as `azul eval` plays them: the network always plays its most likely move."""
        agents = {LEARNER: _as_agent(network), **opponents}
        results = []
        with self.stopwatch.measure("evaluation"):
            for number, name in enumerate(opponents):
                self.report(EVALUATION, number, len(opponents))
                table = (LEARNER, *[name] * (self.config.num_players - 1))
                config = MatchConfig(games, seed, jobs=1, variant=self.config.variant)
                results.append(run_match(table, config, make=agents.__getitem__))
        return results


def _as_agent(network: AzulNetwork) -> Agent:
    """A network that plays its most likely moves."""
    return NeuralAgent.of_policy(LEARNER, NeuralPolicy(model_of(network, {})))
