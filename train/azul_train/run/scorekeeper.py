"""What a run measures and writes down, whoever learns: evaluations, metrics, the best model, the final table."""

import time
from typing import Any, Final

from azul_agents.arena.match import MatchConfig, MatchResult, run_match
from azul_agents.base import Agent
from azul_agents.neural.agent import NeuralAgent, NeuralPolicy
from azul_agents.neural.model_file import read_model
from azul_agents.registry import make_agent
from azul_train.config import TrainConfig
from azul_train.export import export_network, load_network, model_of
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.progress import EVALUATION, OnProgress, Progress
from azul_train.run.stopwatch import Stopwatch

# Added to the evaluation's seed for the final one: the best model was chosen on the other deals.
FINAL_DEALS: Final = 1
LEARNER: Final = "learner"  # its name in matches


class Scorekeeper:
    """Measures the learner and keeps the books of a run; `steps` is brought up to date by whoever learns."""

    def __init__(
        self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress, watch: Stopwatch
    ) -> None:
        self.config, self.folder, self.on_progress, self.watch = config, folder, on_progress, watch
        self.steps = 0
        self.best_score = -1.0
        self.win_rates: dict[str, float] = {}
        self._opponents = {spec: make_agent(spec) for spec in config.evaluation.opponents}
        self._start = time.monotonic()

    @property
    def minutes(self) -> float:
        """How long the run has taken, the time before an interruption included."""
        return (time.monotonic() - self._start) / 60

    def state(self) -> dict[str, Any]:
        """All that a checkpoint has to hold, as plain data."""
        return {
            "steps": self.steps,
            "minutes": self.minutes,
            "best_score": self.best_score,
            "win_rates": self.win_rates,
            "seconds": dict(self.watch.seconds),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint: what was measured after it is dropped."""
        self.steps = state["steps"]
        self.best_score, self.win_rates = state["best_score"], state["win_rates"]
        self.watch.seconds.update(state["seconds"])
        self._start = time.monotonic() - 60 * state["minutes"]
        self.folder.keep_metrics_until(self.steps)

    def evaluate(self, network: AzulNetwork) -> None:
        """Measure the learner, and keep it if it is the best so far: by its mean win rate."""
        config = self.config.evaluation
        results = self._measured(network, config.games, config.seed)
        self.win_rates = {result.agents[1]: result.tallies[0].win_rate for result in results}
        for result in results:
            self.note("evaluation", **as_metrics(result))
        rates = {f"win_rate/{name}": rate for name, rate in self.win_rates.items()}
        self.folder.scalars(self.steps, rates)
        score = sum(self.win_rates.values()) / len(self.win_rates)
        if score >= self.best_score:
            self.best_score = score
            export_network(network, self.folder.best_model, self.card())

    def finish(self, network: AzulNetwork) -> list[MatchResult]:
        """Measure the best model on deals that nothing was chosen by, and write both models."""
        export_network(network, self.folder.model, self.card())
        config = self.config.evaluation
        best = load_network(self.folder.best_model)
        results = self._measured(best, config.final_games, config.seed + FINAL_DEALS)
        for result in results:
            self.note("evaluation", final=True, **as_metrics(result))
        self.note("time", shares=self.watch.shares())
        card = read_model(self.folder.best_model).card  # of the steps when it was the best
        card["final"] = [as_metrics(result) for result in results]
        export_network(best, self.folder.best_model, card)
        self.folder.close()
        return results

    def note_progress(self, speed: float, losses: dict[str, float], **values: Any) -> None:
        """Write down how the learning goes."""
        self.note("progress", steps_per_second=speed, losses=losses, **values)
        self.folder.scalars(self.steps, losses | {"steps_per_second": speed})

    def note(self, kind: str, **values: Any) -> None:
        """Add a line to the metrics."""
        line = {"kind": kind, "steps": self.steps, "minutes": self.minutes}
        self.folder.append_metrics(line | values)

    def tell(self, phase: str, done: int, total: int, speed: float = 0.0) -> None:
        """Say how far a phase is."""
        self.on_progress(Progress(phase, min(done, total), total, speed, self.win_rates))

    def card(self) -> dict[str, Any]:
        """Where a model comes from."""
        return {
            "config": self.config.name,
            "seed": self.config.seed,
            "steps": self.steps,
            "minutes": round(self.minutes, 1),
            "win_rates": self.win_rates,
        }

    def _measured(self, network: AzulNetwork, games: int, seed: int) -> list[MatchResult]:
        """How a network's likeliest moves do in a match against each opponent, as `azul eval` would play it."""
        policy = NeuralPolicy(model_of(network, {}))
        learner = NeuralAgent(LEARNER, lambda num_players: policy)
        agents: dict[str, Agent] = {LEARNER: learner, **self._opponents}
        results = []
        with self.watch.measure("evaluation"):
            for number, spec in enumerate(self._opponents):
                self.tell(EVALUATION, number, len(self._opponents))
                table = (LEARNER, *[spec] * (self.config.num_players - 1))
                config = MatchConfig(games, seed, jobs=1)
                results.append(run_match(table, config, make=agents.__getitem__))
        return results


def as_metrics(result: MatchResult) -> dict[str, Any]:
    """A match of the learner as a line of the metrics holds it."""
    own, *others = result.tallies
    low, high = own.interval
    return {
        "opponent": result.agents[1],
        "games": own.games,
        "wins": own.won,
        "win_rate": own.win_rate,
        "low": low,
        "high": high,
        "points": own.mean_points,
        "opponent_points": sum(tally.mean_points for tally in others) / len(others),
    }
