"""From weights to better weights: self-play, a fit, and a match that decides whether the new ones are kept."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from azul_agents.base import Agent
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.provenance import commit, versions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.features import FEATURE_NAMES
from azul_agents.search.fitting import SelfPlay, first_weights, self_play
from azul_agents.search.linear import Weights, linear_evaluator, load_weights
from azul_env.files import write_atomically

HELD_OUT = 10  # one game in this many is played only to judge the fit


@dataclass(frozen=True)
class FitConfig:
    """How the evaluation is learned."""

    players: int = 2
    """Number of players, 2 to 4."""
    games: int = 50_000
    """Self-play games of every improvement."""
    improvements: int = 3
    """How often to play, fit and compare."""
    nodes: int = 0
    """Search limit of the players in self-play; 0 looks one move ahead, which gives most games per second."""
    ridge: float = 30.0
    """Strength of the regression's pull towards 0."""
    duel_games: int = 400
    """Games of the new weights against the ones before; the new ones are kept if they win more than their share."""
    duel_nodes: int = 1_000
    """Search limit in these games."""
    from_scratch: bool = False
    """Begin with weights set by hand instead of those of the package."""
    seed: int = 1
    """Where the deals of all games come from."""
    jobs: int = 2
    """Threads of self-play."""


class Score(Protocol):
    """What the new weights did in a match."""

    games: int

    @property
    def win_rate(self) -> float:
        """Mean share of a win."""
        ...

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the win rate."""
        ...


Report = Callable[[str], None]
Advance = Callable[[str, int, int], None]  # what is being done, how much was added, of how much
# Plays specs against each other: number of games, seed, called after each game, and how agents are made. Returns the
# score of the first.
PlayMatch = Callable[[tuple[str, ...], int, int, Callable[[], None], Callable[[str], Agent]], Score]


def improve(
    config: FitConfig, report: Report, advance: Advance, play_match: PlayMatch
) -> dict[str, Any]:
    """Run all improvements; the card of the best weights found: the weights and how they were made."""
    weights = first_weights() if config.from_scratch else _package_weights(config.players)
    steps = []
    for number in range(config.improvements):
        seed = np.random.SeedSequence(config.seed, spawn_key=(number,)).generate_state(3)
        played = _play(config, weights, int(seed[0]), config.games, advance)
        judges = _play(config, weights, int(seed[1]), max(1, config.games // HELD_OUT), advance)
        fitted = played.fit(config.ridge)
        agents = {
            name: AlphaBetaAgent(
                name,
                AlphaBetaOptions(nodes=config.duel_nodes),
                partial(linear_evaluator, weights=own),
            )
            for name, own in (("new", fitted), ("old", weights))
        }
        score = play_match(
            ("new", *["old"] * (config.players - 1)),
            config.duel_games,
            int(seed[2]),
            lambda: advance("match", 1, config.duel_games),
            agents.__getitem__,
        )
        is_kept = score.win_rate > 1 / config.players
        steps.append(
            {
                "games": config.games,
                "unexplained_before": round(judges.unexplained(weights), 4),
                "unexplained_after": round(judges.unexplained(fitted), 4),
                "duel": _as_data(score, config.duel_nodes),
                "kept": is_kept,
            }
        )
        report(f"improvement {number + 1}: {_told(steps[-1])}")
        weights = fitted if is_kept else weights
    return {
        "players": config.players,
        "made_by": "azul fit-evaluation",
        "config": asdict(config),
        "steps": steps,
        "versions": versions(),
        "commit": commit(),
        "features": list(FEATURE_NAMES),
        "weights": np.round(weights, 4).tolist(),
    }


def _as_data(score: Score, nodes: int) -> dict[str, Any]:
    interval = [round(end, 4) for end in score.interval]
    win_rate = round(score.win_rate, 4)
    return {"games": score.games, "nodes": nodes, "win_rate": win_rate, "interval": interval}


def _told(step: dict[str, Any]) -> str:
    """An improvement in words."""
    match = step["duel"]
    low, high = (100 * end for end in match["interval"])
    return (
        f"held-out variance unexplained {step['unexplained_before']} -> {step['unexplained_after']}, "
        f"{100 * match['win_rate']:.1f}% ({low:.1f}–{high:.1f}) of {match['games']} games against the weights before"
        + ("" if step["kept"] else ": not kept")
    )


def write_card(card: dict[str, Any], path: Path) -> None:
    """Write a card, a line for every bucket's weights."""
    lines = ",\n".join("  " + json.dumps(bucket) for bucket in card["weights"])
    rest = json.dumps({key: card[key] for key in card if key != "weights"}, indent=1)
    write_atomically(path, rest[:-2] + f',\n "weights": [\n{lines}\n ]\n}}\n')


def _package_weights(num_players: int) -> Weights:
    """The weights of the package, or those set by hand where it has none yet."""
    try:
        return load_weights(num_players)
    except (FileNotFoundError, ValueError):
        return first_weights()


def _play(config: FitConfig, weights: Weights, seed: int, games: int, advance: Advance) -> SelfPlay:
    """Self-play shared out over threads, each with a seed of its own."""
    shares = [games * part // config.jobs for part in range(config.jobs + 1)]
    seeds = np.random.SeedSequence(seed).generate_state(config.jobs).tolist()

    def play(part: int) -> SelfPlay:
        return self_play(
            config.players,
            shares[part + 1] - shares[part],
            weights,
            seeds[part],
            config.nodes,
            on_games=lambda played: advance("self-play", played, games),
        )

    with ThreadPoolExecutor(config.jobs) as pool:
        total = SelfPlay.nothing()
        for sums in pool.map(play, range(config.jobs)):
            total += sums
    return total
