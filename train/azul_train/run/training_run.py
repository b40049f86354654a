"""A training run, whichever library learns: the loop of rollouts, evaluations and checkpoints."""

import time
from abc import ABC, abstractmethod
from typing import Any, Final

import torch

from azul_agents.arena.match import MatchConfig, MatchResult, run_match
from azul_agents.base import Agent
from azul_agents.neural.agent import NeuralAgent, NeuralPolicy
from azul_agents.neural.model_file import read_model
from azul_agents.registry import make_agent
from azul_train.config import TrainConfig
from azul_train.export import export_network, load_network, model_of
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.metrics import FINAL, PROGRESS, TIME, as_metrics
from azul_train.run.progress import EVALUATION, SELF_PLAY, OnProgress, Progress
from azul_train.run.stopwatch import Stopwatch

# Added to the evaluation seed for the final evaluation: the best model was selected on the other deals.
FINAL_DEALS: Final = 1
LEARNER: Final = "learner"  # its name in matches


class TrainingRun(ABC):
    """A learner and its run folder. A subclass plays, learns and saves checkpoints with one library."""

    def __init__(self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress) -> None:
        torch.set_num_threads(config.torch_threads)
        self.config, self.folder, self.on_progress = config, folder, on_progress
        self.stopwatch = Stopwatch()
        self.steps = 0  # learner steps so far
        self.best_score = -1.0
        self.win_rates: dict[str, float] = {}
        self._opponents = {spec: make_agent(spec) for spec in config.evaluation.opponents}
        self._start = time.monotonic()

    @property
    @abstractmethod
    def network(self) -> AzulNetwork:
        """The learner's network."""

    @abstractmethod
    def restore(self) -> None:
        """Load the last checkpoint. Raises ValueError if there is none."""

    @abstractmethod
    def play_and_learn(self) -> dict[str, Any]:
        """Collect a rollout, learn from it and advance `steps`; the metrics, `losses` among them."""

    @abstractmethod
    def save(self) -> None:
        """Write a checkpoint."""

    def begin(self) -> None:
        """Evaluate the untrained network and write the first checkpoint."""
        self.evaluate()
        self.save()

    def learn(self) -> list[MatchResult]:
        """Train until all steps are done, then evaluate the best model on new deals."""
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

    def has_passed(self, every: int, before: int) -> bool:
        """True if the steps have passed a multiple of `every` since `before`."""
        return self.steps // every > before // every

    def evaluate(self) -> None:
        """Evaluate the learner, and save its network if the mean win rate is the best so far."""
        network, config = self.network, self.config.evaluation
        results = self._matches(network, config.games, config.seed)
        self.win_rates = {result.agents[1]: result.tallies[0].win_rate for result in results}
        for result in results:
            self.write_metrics(EVALUATION, **as_metrics(result))
        rates = {f"win_rate/{name}": rate for name, rate in self.win_rates.items()}
        self.folder.scalars(self.steps, rates)
        score = sum(self.win_rates.values()) / len(self.win_rates)
        if score >= self.best_score:
            self.best_score = score
            export_network(network, self.folder.best_model, self._card())

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds for any library, as plain data."""
        return {
            "steps": self.steps,
            "minutes": self._minutes,
            "best_score": self.best_score,
            "win_rates": self.win_rates,
            "seconds": dict(self.stopwatch.seconds),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore `state()`; metrics measured after it are dropped."""
        self.steps = state["steps"]
        self.best_score, self.win_rates = state["best_score"], state["win_rates"]
        self.stopwatch.seconds.update(state["seconds"])
        self._start = time.monotonic() - 60 * state["minutes"]
        self.folder.keep_metrics_until(self.steps)

    def write_metrics(self, kind: str, **values: Any) -> None:
        """Add a line to the metrics."""
        line = {"kind": kind, "steps": self.steps, "minutes": self._minutes}
        self.folder.append_metrics(line | values)

    def report(self, phase: str, done: int, total: int, speed: float = 0.0) -> None:
        """Report the progress of a phase."""
        self.on_progress(Progress(phase, min(done, total), total, speed, self.win_rates))

    @property
    def _minutes(self) -> float:
        """Training time, including the time before an interruption."""
        return (time.monotonic() - self._start) / 60

    def _finish(self) -> list[MatchResult]:
        """Export the last network, and evaluate the best one on deals that did not select it."""
        export_network(self.network, self.folder.model, self._card())
        config = self.config.evaluation
        best = load_network(self.folder.best_model)
        results = self._matches(best, config.final_games, config.seed + FINAL_DEALS)
        lines = [as_metrics(result) for result in results]
        for line in lines:
            self.write_metrics(EVALUATION, **{FINAL: True}, **line)
        self.write_metrics(TIME, shares=self.stopwatch.shares())
        card = read_model(self.folder.best_model).card  # written when it became the best
        export_network(best, self.folder.best_model, card | {FINAL: lines})
        self.folder.close()
        return results

    def _card(self) -> dict[str, Any]:
        """The model card of the current network."""
        return {
            "config": self.config.name,
            "seed": self.config.seed,
            "steps": self.steps,
            "minutes": round(self._minutes, 1),
            "win_rates": self.win_rates,
        }

    def _matches(self, network: AzulNetwork, games: int, seed: int) -> list[MatchResult]:
        """One match per opponent, as `azul eval` plays them: the network always plays its most likely move."""
        policy = NeuralPolicy(model_of(network, {}))
        learner = NeuralAgent(LEARNER, lambda num_players: policy)
        agents: dict[str, Agent] = {LEARNER: learner, **self._opponents}
        results = []
        with self.stopwatch.measure("evaluation"):
            for number, spec in enumerate(self._opponents):
                self.report(EVALUATION, number, len(self._opponents))
                table = (LEARNER, *[spec] * (self.config.num_players - 1))
                config = MatchConfig(games, seed, jobs=1)
                results.append(run_match(table, config, make=agents.__getitem__))
        return results
