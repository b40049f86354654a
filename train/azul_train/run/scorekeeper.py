"""What a run measures and writes down, whoever learns: evaluations, metrics, the best model, the final table."""

import time
from typing import Any, Final

from azul_agents.neural.model_file import read_model
from azul_train.config import TrainConfig
from azul_train.export import export_network, load_network
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.progress import EVALUATION, OnProgress, Progress
from azul_train.run.stopwatch import Stopwatch
from azul_train.selfplay.evaluation import Evaluation, evaluate
from azul_train.selfplay.opponents import NetworkPlayer, scripted_opponent

# Added to the evaluation's seed for the final one: the best model was chosen on the other deals.
FINAL_DEALS: Final = 1


class Scorekeeper:
    """Measures the learner and keeps the books of a run; `steps` is brought up to date by whoever learns."""

    def __init__(
        self, config: TrainConfig, folder: RunFolder, on_progress: OnProgress, watch: Stopwatch
    ) -> None:
        self.config, self.folder, self.on_progress, self.watch = config, folder, on_progress, watch
        self.steps = 0
        self.best_score = -1.0
        self.win_rates: dict[str, float] = {}
        self._opponents = {spec: scripted_opponent(spec) for spec in config.evaluation.opponents}
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
        self.win_rates = {result.opponent: result.win_rate for result in results}
        for result in results:
            self.note("evaluation", **as_metrics(result))
        rates = {f"win_rate/{name}": rate for name, rate in self.win_rates.items()}
        self.folder.scalars(self.steps, rates)
        score = sum(self.win_rates.values()) / len(self.win_rates)
        if score >= self.best_score:
            self.best_score = score
            export_network(network, self.folder.best_model, self.card())

    def finish(self, network: AzulNetwork) -> list[Evaluation]:
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

    def _measured(self, network: AzulNetwork, games: int, seed: int) -> list[Evaluation]:
        """How a network's best moves do against each opponent of the evaluation."""
        player = NetworkPlayer(network, is_sampling=False)
        results = []
        config = self.config
        with self.watch.measure("evaluation"):
            for number, (spec, opponent) in enumerate(self._opponents.items()):
                self.tell(EVALUATION, number, len(self._opponents))
                table = (spec, config.num_players, games, seed, config.max_rounds)
                results.append(evaluate(player, opponent, *table))
        return results


def as_metrics(result: Evaluation) -> dict[str, Any]:
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
