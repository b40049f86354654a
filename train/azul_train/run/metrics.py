"""The lines of `metrics.jsonl`: how a match becomes one, and what a report reads from them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from azul_env import shown
from azul_train.run.progress import EVALUATION, IMITATION

if TYPE_CHECKING:
    from azul_agents import MatchResult

Line = dict[str, Any]

# Values of a line's `kind`, besides the phases IMITATION and EVALUATION.
PROGRESS: Final = "progress"
TIME: Final = "time"
CHOICE: Final = "choice"  # of the best network, between candidates
# Keys set in lines of evaluations.
FINAL: Final = "final"  # the final evaluation
BEFORE: Final = "before"  # of the network with which self-play started
UNTRAINED: Final = "untrained"  # of the network before the warm start
CANDIDATE: Final = "candidate"  # steps of the network in a line of CHOICE
START: Final = "its own start"  # the opponent that is the network with which self-play started
# Keys that reports read, with their types, in all lines and in those of a kind.
_NUMBER: Final = (int, float)
_LINE_KEYS: Final[dict[str, Any]] = {"kind": str, "steps": int, "minutes": _NUMBER}
_KEYS_OF_KIND: Final[dict[str, dict[str, Any]]] = {
    IMITATION: {"samples": int, "accuracy": _NUMBER},
    EVALUATION: {"opponent": str, "games": int}
    | dict.fromkeys(("win_rate", "low", "high", "points", "opponent_points"), _NUMBER),
    TIME: {"shares": dict},
}
GAME_PARTS: Final = ("environment", "masks", "scripted opponents")  # time not spent on learning


def check_metrics(metrics: Iterable[Line], file: Path) -> None:
    """Raise ValueError, with the line number, for a line without the keys that reports read."""
    for number, line in enumerate(metrics, start=1):
        needed = _LINE_KEYS | _KEYS_OF_KIND.get(str(line.get("kind")), {})
        for key, kind in needed.items():
            if not isinstance(line.get(key), kind):
                value = shown(line.get(key))
                raise ValueError(f"{file}, line {number}: {key} is missing or wrong: {value}")
        shares = line["shares"].values() if line["kind"] == TIME else ()
        if not all(isinstance(share, _NUMBER) for share in shares):
            raise ValueError(f"{file}, line {number}: shares must be numbers")


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
    """The evaluations during training by opponent, in order of steps, first that of the untrained network."""
    found: dict[str, dict[tuple[int, bool], Line]] = {}
    for line in metrics:
        if line["kind"] == EVALUATION and not line.get(FINAL):
            key = line["steps"], UNTRAINED not in line
            found.setdefault(line["opponent"], {})[key] = line
    return {opponent: [lines[key] for key in sorted(lines)] for opponent, lines in found.items()}


def final_evaluation(metrics: Iterable[Line]) -> list[Line]:
    """The final evaluation of the best model, one line per opponent; empty before the end of the run."""
    return _final(metrics, of_start=False)


def start_evaluation(metrics: Iterable[Line]) -> list[Line]:
    """The same for the network with which self-play started; empty if there was no self-play."""
    return _final(metrics, of_start=True)


def _final(metrics: Iterable[Line], of_start: bool) -> list[Line]:
    lines = [line for line in metrics if line.get(FINAL) and (BEFORE in line) == of_start]
    return list({line["opponent"]: line for line in lines}.values())


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


def processor_minutes(metrics: Sequence[Line]) -> float | None:
    """Processor time of the run so far; None in runs of older versions."""
    return max(
        (line["processor_minutes"] for line in metrics if "processor_minutes" in line), default=None
    )


def length_of(metrics: Sequence[Line]) -> tuple[int, float]:
    """Learner steps and minutes of a run so far."""
    steps = max((line["steps"] for line in metrics), default=0)
    minutes = max((line["minutes"] for line in metrics), default=0.0)
    return steps, minutes
