"""A match: the same agents over many deals, each played once per rotation of the seats."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from azul_agents.arena.game import GameResult
from azul_agents.arena.lent import named
from azul_agents.arena.run_configs import MatchConfig as MatchConfig
from azul_agents.arena.schedule import ScheduledGame, table_games, whole_deals
from azul_agents.arena.tally import Tally, add_game
from azul_agents.arena.warmup import warm_up
from azul_agents.arena.workers import Finished, MakeAgent, check_specs, play_all
from azul_agents.base import Agent
from azul_agents.registry import make_agent
from azul_env import MAX_PLAYERS, MIN_PLAYERS


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
            "forfeit_reasons": [dict(tally.reasons) for tally in tallies],
        }


def num_games(specs: tuple[str, ...], config: MatchConfig) -> int:
    """Number of games in a match."""
    return whole_deals(config.games, len(specs)) * len(specs)


class RunningMatch:
    """A match whose result so far can be read at any time, also after an exception has ended it."""

    def __init__(
        self, specs: tuple[str, ...], config: MatchConfig, make: MakeAgent = make_agent
    ) -> None:
        if not MIN_PLAYERS <= len(specs) <= MAX_PLAYERS:
            raise ValueError(
                f"a match has {MIN_PLAYERS} to {MAX_PLAYERS} agents, not {len(specs)}: {', '.join(specs)}"
            )
        check_specs(specs, make, config.variant, [len(specs)])
        self.specs, self.config = specs, config
        self.total = num_games(specs, config)
        self._make = make
        self._is_warm = False
        self._games = self._shared = 0
        self._tallies = tuple(Tally() for _ in specs)

    @property
    def result(self) -> MatchResult:
        """The result of the games so far."""
        return MatchResult(self.specs, self._games, self._shared, self._tallies)

    def warm_up(self) -> None:
        """Compile what the games need, before they begin; `play` does it otherwise."""
        if not self._is_warm and self._make is make_agent:  # other factories' agents are unknown
            warm_up(self.specs, len(self.specs), self.config.variant)
        self._is_warm = True

    def play(
        self,
        on_game: Callable[[Finished], None] = lambda finished: None,
        done: Sequence[GameResult] = (),
    ) -> None:
        """Play all games. `on_game` gets each in the order of the schedule; `done` are the results of the first ones."""
        config = self.config
        schedule = table_games(self.specs, config.games, config.seed, variant=config.variant)
        for game, result in zip(islice(schedule, len(done)), done, strict=True):
            self._add(game, result)
        left = self.total - len(done)
        if not left:
            return
        self.warm_up()
        jobs = min(config.jobs, left)
        with closing(play_all(schedule, jobs, self._make)) as finished_games:
            for finished in _in_order(finished_games, first=divmod(len(done), len(self.specs))):
                self._add(finished.game, finished.played.result)
                on_game(finished)

    def _add(self, game: ScheduledGame, result: GameResult) -> None:
        add_game(self._tallies, game.seating, result)
        self._games += 1
        self._shared += len(result.winners) > 1


def run_match(
    agents: Sequence[str | Agent],
    config: MatchConfig,
    on_game: Callable[[Finished], None] = lambda finished: None,
    make: MakeAgent = make_agent,
    done: Sequence[GameResult] = (),
) -> MatchResult:
    """Play a match. `on_game` gets every game, in the order of the schedule for any number of jobs.

    An agent is a spec, for `make`, or an object, which plays in this process, where all games are then played, and is left
    open. `done` are the results of the first games, which are counted and not played again.
    """
    specs, make_named = named(agents, make)
    if make_named is not make:
        config = replace(config, jobs=1)
    match = RunningMatch(specs, config, make_named)
    match.play(on_game, done)
    return match.result


def _in_order(finished_games: Iterator[Finished], first: tuple[int, int]) -> Iterator[Finished]:
    """Reorder finished games by the schedule, from deal and rotation of the first on."""
    waiting: dict[tuple[int, int], Finished] = {}
    next_key = first
    for finished in finished_games:
        waiting[finished.game.deal, finished.game.rotation] = finished
        while next_key in waiting:
            due = waiting.pop(next_key)
            yield due
            deal, rotation = next_key
            is_last = rotation + 1 == due.game.num_players
            next_key = (deal + 1, 0) if is_last else (deal, rotation + 1)
