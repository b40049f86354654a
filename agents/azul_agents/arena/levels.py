"""The levels for people, with their ratings.

A level whose agent took part in the packaged tournament has its rating from there. The others are rated by their matches
against the neighbouring level (docs/measure_levels.py), from the nearest rated one outwards.
"""

import math
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Final

from azul_agents import kinds
from azul_agents.arena.ratings import ELO, MAX_RATINGS_BYTES, VIRTUAL_WINS, packaged_ratings
from azul_agents.registry import Level
from azul_env.files import read_json

MATCHES_PATH: Final = Path(str(files("azul_agents.arena"))) / "levels.json"


def rated_levels(
    levels: tuple[Level, ...],
    known: dict[str, float],
    matches: dict[tuple[str, str], tuple[float, int]],
) -> tuple[Level, ...]:
    """Levels with ratings from `known`, by spec, or from matches: wins, shared ones as halves, and games of a pair of specs."""
    ratings = [known.get(level.spec) for level in levels]
    steps = [
        _advantage(*matches[upper.spec, lower.spec])
        if (upper.spec, lower.spec) in matches
        else None
        for lower, upper in pairwise(levels)
    ]
    upwards = [(index, index + 1, 1) for index in range(len(steps))]
    downwards = [(index + 1, index, -1) for index in reversed(range(len(steps)))]
    for here, there, sign in upwards + downwards:
        rating, step = ratings[here], steps[min(here, there)]
        if ratings[there] is None and rating is not None and step is not None:
            ratings[there] = rating + sign * step
    return tuple(
        level._replace(rating=rating) for level, rating in zip(levels, ratings, strict=True)
    )


def _advantage(won: float, games: int) -> float:
    """Rating points between two agents."""
    return ELO * math.log((won + VIRTUAL_WINS) / (games - won + VIRTUAL_WINS))


def _packaged_matches() -> dict[tuple[str, str], tuple[float, int]]:
    if not MATCHES_PATH.is_file():
        return {}
    data = read_json(MATCHES_PATH, MAX_RATINGS_BYTES)
    return {
        (match["agents"][0], match["agents"][1]): (match["won"], match["games"])
        for match in data["matches"]
    }


_TOURNAMENT: Final = {
    spec: by_players[2] for spec, by_players in packaged_ratings().items() if 2 in by_players
}
LEVELS: Final = rated_levels(kinds.LEVELS, _TOURNAMENT, _packaged_matches())
