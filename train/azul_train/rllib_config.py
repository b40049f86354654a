"""How RLlib shares a training run out over processes and machines."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RllibConfig:
    """The processes of a run. However many there are, they play and learn from the same number of steps."""

    env_runners: int = 1
    """Processes that play, each its part of the games; 0: the one that learns also plays."""
    learners: int = 0
    """Processes that learn, each from its part of every batch; 0: the run's own process learns."""

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            if number < 0:
                raise ValueError(f"{name} must be at least 0, not {number}")
