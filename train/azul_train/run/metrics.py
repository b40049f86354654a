"""The lines of `metrics.jsonl`: how a match becomes one, and what a report reads from them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from azul_train.run.progress import EVALUATION, IMITATION

if TYPE_CHECKING:
    from azul_agents import MatchResult

Line = dict[str, Any]

# Values of a line's `kind`, besides the phases IMITATION and EVALUATION.
PROGRESS: Final = "progress"
TIME: Final = "time"
FINAL: Final = "final"  # key set in the lines of the final evaluation
GAME_PARTS: Final = ("environment", "masks", "scripted opponents")  # time not spent on learning


def as_metrics(result: "MatchResult") -> Line:
    """A match of the learner, which is the first agent, against copies of one opponent."""
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


def curves(metrics: Iterable[Line]) -> dict[str, list[Line]]:
    """The evaluations during training by opponent, in order of steps."""
    found: dict[str, dict[int, Line]] = {}
    for line in metrics:
        if line["kind"] == EVALUATION and not line.get(FINAL):
            found.setdefault(line["opponent"], {})[line["steps"]] = line
    return {
        opponent: [lines[steps] for steps in sorted(lines)] for opponent, lines in found.items()
    }


def final_evaluation(metrics: Sequence[Line]) -> list[Line]:
    """The final evaluation of the best model, one line per opponent; empty before the end of the run."""
    return list({line["opponent"]: line for line in metrics if line.get(FINAL)}.values())


def last_evaluation(metrics: Sequence[Line]) -> list[Line]:
    """The final evaluation or, if the run is not over, the last one so far."""
    return final_evaluation(metrics) or [lines[-1] for lines in curves(metrics).values()]


def imitation_of(metrics: Sequence[Line]) -> Line | None:
    """The metrics of the warm start; None if there was none."""
    return next((line for line in reversed(metrics) if line["kind"] == IMITATION), None)


def time_shares(metrics: Sequence[Line]) -> dict[str, float]:
    """Percent of the time by activity, the largest first; empty before the end of the run."""
    shares: dict[str, float] = next(
        (line["shares"] for line in reversed(metrics) if line["kind"] == TIME), {}
    )
    return dict(sorted(shares.items(), key=lambda part: -part[1]))


def game_share(shares: dict[str, float]) -> float:
    """Percent of the time spent on the game: environment, masks and scripted opponents."""
    return sum(shares.get(part, 0.0) for part in GAME_PARTS)


def length_of(metrics: Sequence[Line]) -> tuple[int, float]:
    """Learner steps and minutes of a run so far."""
    steps = max((line["steps"] for line in metrics), default=0)
    minutes = max((line["minutes"] for line in metrics), default=0.0)
    return steps, minutes
