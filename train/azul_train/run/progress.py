"""Progress reports of a training run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

IMITATION: Final = "imitation"
SELF_PLAY: Final = "self-play"
EVALUATION: Final = "evaluation"


@dataclass(frozen=True)
class Progress:
    """The progress of a run; reported often enough for a progress bar."""

    phase: str
    """`imitation`, `self-play` or `evaluation`."""
    done: int
    """Units of the phase so far: samples, learner steps or opponents."""
    total: int
    """Units of the whole phase."""
    steps_per_second: float = 0.0
    """Learner steps per second since the last report; 0 outside of self-play."""
    win_rates: dict[str, float] = field(default_factory=dict)
    """Win rate by opponent in the last evaluation, from 0 to 1; empty before the first."""


OnProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """No-op callback."""
