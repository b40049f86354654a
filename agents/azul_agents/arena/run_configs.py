"""Configs of matches, benchmarks and fits. They load no compiled code, so `--help` shows their defaults at once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from azul_agents.base import check_variant_name
from azul_agents.config_file import MAX_SEED, check_least, check_most
from azul_agents.kinds import MAX_COUNT
from azul_env import MAX_PLAYERS, MIN_PLAYERS

MAX_GAMES: Final = 10**12  # of a match: more than a century of the fastest agents
MAX_JOBS: Final = 256
MAX_RIDGE: Final = 1e12  # at which all weights are 0


@dataclass(frozen=True)
class MatchConfig:
    """Length, seed and processes of a match."""

    games: int = 200
    """Games in all, rounded up to whole deals."""
    seed: int = 7
    """Seed of the deals and of the agents' generators."""
    jobs: int = 2
    """Number of processes; it does not change the games."""
    variant: str = "colored"
    """colored or gray."""

    def __post_init__(self) -> None:
        check_variant_name(self.variant)
        check_least(self, 1, "games", "jobs")
        check_least(self, 0, "seed")
        check_most(self, MAX_GAMES, "games")
        check_most(self, MAX_JOBS, "jobs")
        check_most(self, MAX_SEED, "seed")


@dataclass(frozen=True)
class BenchConfig:
    """Number and length of the trials."""

    trials: int = 20
    """Trials of each benchmark; the best counts."""
    seconds_per_trial: float = 0.1
    """Minimum duration of a trial."""
    yardstick: Path | None = None
    """A Python file with `play_random_game(num_players, seed)`, which returns `{"moves": ...}`, or with
    `search_nodes(position, nodes)`, which chooses a move and returns how many positions it visited, or with both."""


@dataclass(frozen=True)
class FitConfig:
    """How the evaluation is learned."""

    players: int = 2
    """Number of players, 2 to 4."""
    games: int = 50_000
    """Self-play games of every improvement."""
    improvements: int = 3
    """Number of improvements: self-play, a fit and a match each."""
    nodes: int = 0
    """Search limit of the players in self-play; 0 looks one move ahead, which gives most games per second."""
    ridge: float = 30.0
    """Ridge penalty of the regression."""
    duel_games: int = 400
    """Games of the new weights against the old ones; the new ones are kept if they win more than their share."""
    duel_nodes: int = 1_000
    """Search limit in these games."""
    from_scratch: bool = False
    """Begin with weights set by hand instead of those of the package."""
    seed: int = 1
    """Seed of the deals of all games."""
    jobs: int = 2
    """Threads of self-play."""
    variant: str = "colored"
    """colored or gray."""

    def __post_init__(self) -> None:
        check_variant_name(self.variant)
        check_least(self, 1, "games", "improvements", "duel_games", "duel_nodes", "jobs")
        check_least(self, 0, "nodes", "ridge", "seed")
        check_most(self, MAX_COUNT, "games", "improvements", "nodes", "duel_games", "duel_nodes")
        check_most(self, MAX_RIDGE, "ridge")
        check_most(self, MAX_SEED, "seed")
        if not MIN_PLAYERS <= self.players <= MAX_PLAYERS:
            raise ValueError(
                f"players must be from {MIN_PLAYERS} to {MAX_PLAYERS}, not {self.players}"
            )
