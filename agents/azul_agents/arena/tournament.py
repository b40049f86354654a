"""A round robin of many agents, which can be interrupted and resumed."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from azul_agents.arena.ratings import RATINGS_FILE
from azul_agents.arena.results_file import GameKey, GameLine, ResultsFile
from azul_agents.arena.schedule import ScheduledGame, Seating, table_games, tables_of, whole_deals
from azul_agents.arena.standings import Standings, standings_of
from azul_agents.arena.tables import as_data, as_markdown, as_text, win_rate_matrix
from azul_agents.arena.tournament_config import MAX_GAMES, TournamentConfig
from azul_agents.arena.warmup import warm_up
from azul_agents.arena.workers import Finished, MakeAgent, Play, check_specs, play_all
from azul_agents.registry import make_agent
from azul_env import shown
from azul_env.files import write_atomically

RESULTS_FILE = "results.jsonl"


class Schedule:
    """All games of a tournament, by key."""

    def __init__(self, config: TournamentConfig) -> None:
        self.config = config
        self.tables: dict[int, list[Seating]] = {
            players: tables_of(len(config.agents), players, config.max_tables, config.seed)
            for players in config.players
        }
        total = sum(
            len(tables) * players * whole_deals(config.games_per_pairing, players)
            for players, tables in self.tables.items()
        )
        if total > MAX_GAMES:
            raise ValueError(
                f"the tournament has {total:,} games, at most {MAX_GAMES:,} are possible: "
                "name fewer agents or games_per_pairing"
            )
        self.games: dict[GameKey, ScheduledGame] = dict(self._all_games())

    def _all_games(self) -> Iterator[tuple[GameKey, ScheduledGame]]:
        for players, tables in self.tables.items():
            for number, table in enumerate(tables):
                specs = tuple(self.config.agents[agent] for agent in table)
                config = self.config
                length, seed, variant = config.games_per_pairing, config.seed, config.variant
                for game in table_games(specs, length, seed, (players, number), variant):
                    yield (players, number, game.deal, game.rotation), game

    def missing(self, done: dict[GameKey, GameLine]) -> list[ScheduledGame]:
        """The games left to play, one deal of every table before the next, for early ratings."""
        left = [(key, game) for key, game in self.games.items() if key not in done]
        return [game for _, game in sorted(left, key=lambda entry: (entry[0][2], entry[0]))]

    def line_of(self, finished: Finished) -> GameLine:
        """A finished game as a line of the results file."""
        game = finished.game
        players, number = game.table
        table = self.tables[players][number]
        agents = tuple(table[i] for i in game.seating)
        numbers = (players, number, game.deal, game.rotation, game.deal_seed)
        return GameLine(*numbers, agents, finished.played.result)


def run_tournament(
    config: TournamentConfig,
    folder: Path,
    jobs: int = 1,
    on_games: Callable[[dict[GameKey, GameLine], int], None] = lambda done, total: None,
    make: MakeAgent = make_agent,
    play: Play = play_all,
) -> list[Standings]:
    """Play the games missing in the results file of the folder, then write the tables; a finished tournament is unchanged.

    `on_games` gets the games so far and the total number, at the start and after every game. `play` is the engine, by
    default local processes.
    """
    check_specs(config.agents, make, config.variant, config.players)
    schedule = Schedule(config)
    with ResultsFile.open(folder / RESULTS_FILE, config) as file:
        unknown = file.lines.keys() - schedule.games.keys()
        if unknown:
            raise ValueError(
                f"{file.path} has games that are not in this tournament: {shown(unknown)}"
            )
        on_games(file.lines, len(schedule.games))
        missing = schedule.missing(file.lines)
        if missing:
            if play is play_all and make is make_agent:
                for players in config.players:
                    warm_up(config.agents, players, config.variant)
            with closing(play(missing, min(jobs, len(missing)), make)) as finished_games:
                for finished in finished_games:
                    file.add(schedule.line_of(finished))
                    on_games(file.lines, len(schedule.games))
        lines = list(file.lines.values())
    tables = [standings_of(lines, config.agents, players) for players in config.players]
    files = table_files(tables, config)
    if missing or not all((folder / name).is_file() for name in files):
        for name, content in files.items():
            write_atomically(folder / name, content)
    return tables


def table_files(tables: list[Standings], config: TournamentConfig) -> dict[str, str]:
    """The standings by file name: text, Markdown and JSON, and an SVG for every number of players."""
    return {
        RATINGS_FILE: json.dumps(as_data(tables, config), indent=2) + "\n",
        "ratings.txt": as_text(tables),
        "ratings.md": as_markdown(tables),
        **{f"win_rates_{table.players}_players.svg": win_rate_matrix(table) for table in tables},
    }
