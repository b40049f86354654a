"""The chores by name, and the clock and tally that each of them gets."""

import random
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

WARM_SHARE = 0.5  # of a chore's time, after which its memory should have settled

# Functions by module, imported by the process that runs them.
CHORES = {
    "engines": "soak.games:engines",
    "aec": "soak.environments:aec",
    "single": "soak.environments:single",
    "vector": "soak.environments:vector",
    "turns": "soak.environments:turns",
    "rows": "soak.rows:rows",
    "records": "soak.files:records",
    "positions": "soak.files:positions",
    "models": "soak.files:models",
    "configs": "soak.files:configs",
    "checkpoints": "soak.files:checkpoints",
    "recordings": "soak.runs:recordings",
    "kept-games": "soak.runs:kept_games",
    "bots": "soak.games:bots",
    "killed-training": "soak.kills:training",
    "killed-search": "soak.kills:search",
    "killed-tournament": "soak.kills:tournament",
}


@dataclass
class Chore:
    """What a chore works with: chance, a folder, the time that is left, and the tally of what it did."""

    rng: random.Random
    folder: Path
    seconds: float
    started: float = field(default_factory=time.monotonic)
    counts: dict[str, int] = field(default_factory=dict)
    warm_mb: float | None = None

    def goes_on(self) -> bool:
        """True until the time is over. Called between two things that are done."""
        elapsed = time.monotonic() - self.started
        if self.warm_mb is None and elapsed > WARM_SHARE * self.seconds:
            self.warm_mb = resident_mb()
        return elapsed < self.seconds

    def count(self, what: str, number: int = 1) -> None:
        """Add to the tally."""
        self.counts[what] = self.counts.get(what, 0) + number

    def report(self) -> dict[str, Any]:
        """The tally, and by how much memory grew since the chore was warm."""
        growth = 0.0 if self.warm_mb is None else resident_mb() - self.warm_mb
        return {"counts": self.counts, "growth_mb": round(growth, 1)}


def resident_mb() -> float:
    """The memory that this process occupies now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def chore_function(name: str) -> Callable[[Chore], None]:
    """The function of a chore."""
    module, _, function = CHORES[name].partition(":")
    return getattr(import_module(module), function)
