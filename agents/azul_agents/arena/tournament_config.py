"""What a tournament is: a frozen dataclass, or a YAML file with what differs from its defaults."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from azul_env.core.spec import MAX_PLAYERS, MIN_PLAYERS


@dataclass(frozen=True)
class TournamentConfig:
    """Who plays, at which tables, and how often. Anything wrong raises ValueError."""

    agents: tuple[str, ...] = ()
    """Specs, at least two and all different."""
    players: tuple[int, ...] = (2,)
    """Numbers of players; each has its own tables and ratings."""
    games_per_pairing: int = 100
    """Games of every table of 2, 3 or 4 agents, rounded up to whole deals."""
    seed: int = 7
    """Same seed, same deals and same generators of the agents."""
    max_tables: int = 100
    """Most tables of 3 or of 4 players; more are thinned out so that all pairs meet about equally often."""

    def __post_init__(self) -> None:
        for name in ("games_per_pairing", "seed", "max_tables"):
            least = 0 if name == "seed" else 1
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ValueError(f"{name} must be a whole number from {least} on, not {value!r}")
        self._check_list("agents", str, "texts")
        self._check_list("players", int, "whole numbers")
        if len(self.agents) < 2:
            raise ValueError("agents: a tournament needs at least two")
        for number in self.players:
            if not MIN_PLAYERS <= number <= MAX_PLAYERS:
                raise ValueError(f"players: {number} is not in {MIN_PLAYERS}..{MAX_PLAYERS}")
        if not self.players:
            raise ValueError("players: name at least one number of players")

    def _check_list(self, name: str, kind: type, words: str) -> None:
        values = getattr(self, name)
        if not isinstance(values, tuple) or any(type(value) is not kind for value in values):
            raise ValueError(f"{name} must be a list of {words}, not {values!r}")
        for place, value in enumerate(values):
            if value in values[:place]:
                raise ValueError(f"{name}: {value} is named twice")

    def to_dict(self) -> dict[str, Any]:
        """The config as plain data, as in a YAML or JSON file."""
        data = dataclasses.asdict(self)
        return {key: list(v) if isinstance(v, tuple) else v for key, v in data.items()}


def read_config(path: Path, **changes: Any) -> TournamentConfig:
    """The config in a YAML file, with changes on top. Raises ValueError, which names the file and the key."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not YAML: {error}") from None
    if not isinstance(data, dict):
        raise ValueError(f"{path}: a tournament's config is a mapping, not {type(data).__name__}")
    known = [field.name for field in dataclasses.fields(TournamentConfig)]
    for key in data:
        if key not in known:
            raise ValueError(f"{path}: unknown key {key!r}; known: {', '.join(known)}")
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    try:
        return TournamentConfig(**(values | changes))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
