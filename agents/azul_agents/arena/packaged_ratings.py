"""The ratings that come with the package."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Final

RATINGS_FILE: Final = "ratings.json"


def packaged_ratings_path() -> Path:
    """Where the ratings that come with the package are, or would be."""
    return Path(str(files("azul_agents.arena"))) / RATINGS_FILE


def packaged_ratings(path: Path | None = None) -> dict[str, dict[int, float]]:
    """Ratings by agent and number of players; empty if none come with the package."""
    source = packaged_ratings_path() if path is None else path
    if not source.is_file():
        return {}
    ratings: dict[str, dict[int, float]] = {}
    for table in json.loads(source.read_text(encoding="utf-8"))["tables"]:
        for standing in table["standings"]:
            ratings.setdefault(standing["agent"], {})[table["players"]] = standing["rating"]
    return ratings
