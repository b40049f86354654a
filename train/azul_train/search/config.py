"""Settings of a run that learns the networks of the search."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from azul_agents.config_file import (
    MAX_SEED,
    check_least,
    check_most,
    check_positive,
    check_share,
    load_config,
)
from azul_agents.kinds import EVALUATIONS, OFFERS
from azul_env import MAX_PLAYERS, MIN_PLAYERS, shown
from azul_train.config import is_folder_name

DEFAULT_NAME: Final = "search"
MAX_GAMES: Final = 10**9
MAX_FILES: Final = 100_000  # of a generation
MAX_EPOCHS: Final = 10**6
MAX_BATCH: Final = 1 << 24
MAX_JOBS: Final = 1024


@dataclass(frozen=True)
class SelfPlayConfig:
    """The games that the networks learn from."""

    games: int = 120_000
    """Games of every generation."""
    games_per_file: int = 2_000
    """Games that are played and saved together; a kill loses at most these per thread, Ctrl-C none."""
    nodes: int = 200
    """Search limit of the players."""
    breadth: int = 16
    """Moves that they search per node below the root."""
    random_moves: float = 0.04
    """Share of the moves that are drawn from the best eight."""
    random_openings: float = 0.25
    """Share of the games whose first two moves are uniformly random."""
    inner_positions: float = 0.15
    """Share of the positions inside rounds that are recorded."""
    jobs: int = 2
    """Threads; the games are the same for any number."""

    def __post_init__(self) -> None:
        check_least(self, 1, "games", "games_per_file", "nodes", "breadth", "jobs")
        check_most(self, MAX_GAMES, "games", "games_per_file", "nodes", "breadth")
        check_most(self, MAX_JOBS, "jobs")
        check_share(self, "random_moves", "random_openings", "inner_positions")
        if self.games > MAX_FILES * self.games_per_file:
            raise ValueError(
                f"games must be at most {MAX_FILES:,} times games_per_file, not {shown(self.games)}"
            )


@dataclass(frozen=True)
class FittingConfig:
    """How the networks are trained."""

    offers: bool = False
    """The network inside rounds also gets how offers fit lines: better values, but fewer of them in the same time."""
    goes_on: bool = False
    """Continue training the networks that played the games, if networks did, instead of starting from scratch."""
    outcome_epochs: int = 2
    """Passes over the ends of rounds, on how the games ended; skipped if training continues from networks."""
    end_epochs: int = 4
    """Passes over the ends of rounds, on the value of the next end; 0 (only with `goes_on`) keeps that network as it is."""
    inner_epochs: int = 3
    """Passes over the positions inside rounds."""
    outcome_share: float = 0.15
    """Weight of the game's result in targets; the rest is the value of the next end of a round."""
    search_share: float = 0.8
    """Weight of the value that the search found in margin targets inside rounds."""
    batch_size: int = 2048
    """Minibatch size in positions."""
    learning_rate: float = 0.004
    """Highest learning rate of AdamW in the one-cycle schedule."""
    weight_decay: float = 0.1
    """Weight decay of AdamW."""
    round_decay: float = 1.0
    """Weight decay of the parameters that differ by round."""
    max_samples: int = 6_000_000
    """Most positions to learn from, sampled from all."""

    def __post_init__(self) -> None:
        check_least(self, 1, "outcome_epochs", "inner_epochs", "batch_size")
        check_least(self, 0 if self.goes_on else 1, "end_epochs")
        check_most(self, MAX_EPOCHS, "outcome_epochs", "end_epochs", "inner_epochs")
        check_most(self, MAX_BATCH, "batch_size")
        check_least(self, 1000, "max_samples")
        check_least(self, 0, "weight_decay", "round_decay")
        check_positive(self, "learning_rate")
        check_share(self, "outcome_share", "search_share")


@dataclass(frozen=True)
class DuelConfig:
    """The matches that decide whether new networks are kept."""

    games: int = 200
    """Games of a match, rounded up to whole deals."""
    time: float | None = 0.02
    """Seconds per move; null if `nodes` is the limit: one of the two must be null."""
    nodes: int | None = None
    """Positions per move; null if `time` is the limit."""

    def __post_init__(self) -> None:
        check_least(self, 1, "games")
        check_most(self, MAX_GAMES, "games")
        check_positive(self, "time", "nodes")
        if (self.time is None) == (self.nodes is None):
            raise ValueError("duel needs either time or nodes")


@dataclass(frozen=True)
class SearchConfig:
    """A run that learns networks: play, learn, compare, again. Raises ValueError for a value that is not allowed."""

    name: str | None = None
    """Name of the run folder; null: the name of the config file."""
    num_players: int = 2
    """2, 3 or 4."""
    seed: int = 1
    """Seed of deals, random moves and initial weights."""
    start: str = "linear"
    """Evaluation in the first games: `linear`, or the packaged networks, `network` or `offers`."""
    generations: int = 4
    """Number of generations: self-play, training and matches each."""
    memory: int = 2
    """Number of latest generations whose games are learned from."""
    self_play: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    """The games."""
    fitting: FittingConfig = field(default_factory=FittingConfig)
    """The training."""
    duel: DuelConfig = field(default_factory=DuelConfig)
    """The matches."""

    def __post_init__(self) -> None:
        if self.name is not None and not is_folder_name(self.name):
            raise ValueError(f"name must be the name of a folder, not {shown(self.name)}")
        if not MIN_PLAYERS <= self.num_players <= MAX_PLAYERS:
            raise ValueError(
                f"num_players must be from {MIN_PLAYERS} to {MAX_PLAYERS}, not {shown(self.num_players)}"
            )
        if self.start not in EVALUATIONS:
            raise ValueError(
                f"start must be one of {', '.join(EVALUATIONS)}, not {shown(self.start)}"
            )
        if self.start == OFFERS and not self.fitting.offers:
            raise ValueError(f"start={OFFERS} needs fitting.offers=true")
        check_least(self, 1, "generations", "memory")
        check_most(self, MAX_GAMES, "generations", "memory")
        check_least(self, 0, "seed")
        check_most(self, MAX_SEED, "seed")

    @property
    def match_games(self) -> int:
        """Games of a match: whole deals."""
        return -(-self.duel.games // self.num_players) * self.num_players


def read_search_config(path: Path | None, changes: Sequence[str] = ()) -> SearchConfig:
    """The config in a YAML file (None: the defaults), with changes such as `self_play.nodes=300` applied."""
    config = load_config(SearchConfig, path, changes)
    if config.name is not None:
        return config
    return dataclasses.replace(config, name=DEFAULT_NAME if path is None else path.stem)
