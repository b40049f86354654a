"""A match: the same agents over many deals, each played once per rotation of the seats."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from azul_agents.arena.schedule import table_games, whole_deals
from azul_agents.arena.tally import Tally, add_game
from azul_agents.arena.workers import Finished, MakeAgent, check_specs, play_all
from azul_agents.registry import make_agent
from azul_env import MAX_PLAYERS, MIN_PLAYERS


@dataclass(frozen=True)
class MatchConfig:
    """Length, seed and processes of a match."""

    games: int = 200
    """Games in all, rounded up to whole deals."""
    seed: int = 7
    """Seed of the deals and of the agents' generators."""
    jobs: int = 2
    """Number of processes; it does not change the games."""


@dataclass(frozen=True)
class MatchResult:
    """The result of a match, in the order of the specs."""

    agents: tuple[str, ...]
    games: int
    shared: int  # games with several winners
    tallies: tuple[Tally, ...]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        tallies = self.tallies
        return {
            "agents": list(self.agents),
            "games": self.games,
            "wins": [tally.wins for tally in tallies],
            "shared": self.shared,
            "forfeits": [tally.forfeits for tally in tallies],
            "points": [tally.mean_points for tally in tallies],
            "seconds_per_move": [tally.seconds_per_move for tally in tallies],
            "win_rate": [tally.win_rate for tally in tallies],
            "interval": [list(tally.interval) for tally in tallies],
        }


def num_games(specs: tuple[str, ...], config: MatchConfig) -> int:
    """Number of games in a match."""
    return whole_deals(config.games, len(specs)) * len(specs)


def run_match(
    specs: tuple[str, ...],
    config: MatchConfig,
    on_game: Callable[[Finished], None] = lambda finished: None,
    make: MakeAgent = make_agent,
) -> MatchResult:
    """Play a match. `on_game` gets every game, in the order of the schedule for any number of jobs."""
    if not MIN_PLAYERS <= len(specs) <= MAX_PLAYERS:
        raise ValueError(
            f"a match has {MIN_PLAYERS} to {MAX_PLAYERS} agents, not {len(specs)}: {', '.join(specs)}"
        )
    check_specs(specs, make)
    tallies = tuple(Tally() for _ in specs)
    games = shared = 0
    jobs = min(config.jobs, num_games(specs, config))
    schedule = table_games(specs, config.games, config.seed)
    with closing(play_all(schedule, jobs, make)) as finished_games:
        for finished in _in_order(finished_games):
            result = finished.played.result
            add_game(tallies, finished.game.seating, result)
            games += 1
            shared += len(result.winners) > 1
            on_game(finished)
    return MatchResult(specs, games, shared, tallies)


def _in_order(finished_games: Iterator[Finished]) -> Iterator[Finished]:
    """Reorder finished games by the schedule."""
    waiting: dict[tuple[int, int], Finished] = {}
    next_key = (0, 0)
    for finished in finished_games:
        waiting[finished.game.deal, finished.game.rotation] = finished
        while next_key in waiting:
            due = waiting.pop(next_key)
            yield due
            deal, rotation = next_key
            is_last = rotation + 1 == due.game.num_players
            next_key = (deal + 1, 0) if is_last else (deal, rotation + 1)
