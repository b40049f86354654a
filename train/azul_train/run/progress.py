"""What a run tells whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

IMITATION: Final = "imitation"
SELF_PLAY: Final = "self-play"
EVALUATION: Final = "evaluation"


@dataclass(frozen=True)
class Progress:
    """How far a run is; said often, so that a bar moves."""

    phase: str
    """`imitation`, `self-play` or `evaluation`."""
    done: int
    """What the phase counts, so far: samples, learner steps or opponents."""
    total: int
    """What `done` will be at the end of the phase."""
    steps_per_second: float = 0.0
    """Learner steps a second of late; 0 where that says nothing."""
    win_rates: dict[str, float] = field(default_factory=dict)
    """Win rate by opponent in the last evaluation, from 0 to 1; empty before the first."""


OnProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Nobody watches."""
