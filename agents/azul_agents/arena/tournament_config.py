"""Tournament configs: a frozen dataclass, and YAML files with the values that differ from the defaults."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from azul_agents.base import check_variant_name
from azul_agents.config_file import (
    MAX_SEED,
    check_least,
    check_most,
    load_config,
    plain_data,
)
from azul_env import MAX_PLAYERS, MIN_PLAYERS, brief, shown

MAX_GAMES: Final = 1_000_000  # of a tournament, which keeps the results of all in memory


@dataclass(frozen=True)
class TournamentConfig:
    """The agents, tables and games of a tournament. Raises ValueError for a value that is not allowed."""

    agents: tuple[str, ...] = ()
    """Specs, at least two and all different."""
    players: tuple[int, ...] = (2,)
    """Numbers of players, each with its own tables and ratings."""
    games_per_pairing: int = 100
    """Games of every table of 2, 3 or 4 agents, rounded up to whole deals."""
    seed: int = 7
    """Seed of the deals and of the agents' generators."""
    max_tables: int = 100
    """Limit for tables of 3 and of 4 players; beyond it, all pairs meet about equally often."""
    variant: str = "colored"
    """colored or gray."""

    def __post_init__(self) -> None:
        check_variant_name(self.variant)
        check_least(self, 1, "games_per_pairing", "max_tables")
        check_least(self, 0, "seed")
        check_most(self, MAX_GAMES, "games_per_pairing", "max_tables")
        check_most(self, MAX_SEED, "seed")
        for name in ("agents", "players"):
            values = getattr(self, name)
            for index, value in enumerate(values):
                if value in values[:index]:
                    raise ValueError(f"{name}: {brief(value)} is named twice")
        if len(self.agents) < 2:
            raise ValueError("agents: a tournament needs at least two")
        if not self.players:
            raise ValueError("players: name at least one number of players")
        for number in self.players:
            if not MIN_PLAYERS <= number <= MAX_PLAYERS:
                raise ValueError(
                    f"players must be from {MIN_PLAYERS} to {MAX_PLAYERS}, not {shown(number)}"
                )

    def to_dict(self) -> dict[str, Any]:
        """The config as plain data, as in a YAML or JSON file."""
        return plain_data(self)


def read_config(path: Path, **changes: Any) -> TournamentConfig:
    """The config in a YAML file, with changes applied. Raises ValueError, which names the file and the key."""
    return dataclasses.replace(load_config(TournamentConfig, path), **changes)
