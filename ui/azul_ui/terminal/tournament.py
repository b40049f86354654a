"""A tournament at the terminal: live ratings during play, and tables of the results."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from azul_agents import TournamentConfig, run_tournament
from azul_agents.arena.ratings import packaged_ratings_path, quick_ratings_of
from azul_agents.arena.results_file import GameKey, GameLine, ResultsFile
from azul_agents.arena.run_configs import MAX_JOBS as MAX_LOCAL_JOBS
from azul_agents.arena.standings import ranked_games, standings_of, tallies_of
from azul_agents.arena.tables import as_data, as_text, percent
from azul_agents.arena.tournament import RESULTS_FILE
from azul_agents.arena.tournament_config import read_config
from azul_agents.arena.warmup import warm_up
from azul_agents.arena.workers import Play, play_all
from azul_agents.command_line import azul_command
from azul_env.files import write_atomically
from azul_ui.terminal.compiling import compiling
from azul_ui.terminal.partial_results import fail_of_agent, stopped_after
from azul_ui.terminal.result_table import result_table

RAY: Final = "ray"
DEFAULT_JOBS: Final = 2
MAX_JOBS: Final = 4096  # of a cluster
LADDER_SECONDS: Final = 1.0  # between two updates of the ladder

Games = dict[GameKey, GameLine]


def tournament_settings(
    agents: tuple[str, ...], config: Path | None, changes: dict[str, Any]
) -> TournamentConfig:
    """The config given by arguments and options; changes that are None are left out."""
    if (config is None) == (not agents):
        raise ValueError("give either agents or a --config")
    given = {key: value for key, value in changes.items() if value is not None}
    return read_config(config, **given) if config else TournamentConfig(agents, **given)


def hold_tournament(
    settings: TournamentConfig,
    folder: Path,
    engine: str,
    address: str | None,
    jobs: int | None,
    write_ratings: bool,
    as_json: bool,
) -> None:
    """Play the missing games with live ratings, and print the tables."""
    workers, play = _engine(engine, address, jobs)
    if engine != RAY:
        with compiling():
            for players in settings.players:
                warm_up(settings.agents, players, settings.variant)
    games: Games = {}  # so far
    total = before = 0

    def on_games(done: Games, out_of: int) -> None:
        nonlocal games, total, before
        before = before if total else len(done)  # the first call comes before the first game
        games, total = done, out_of
        show(done, out_of)

    try:
        with _watched(settings) as show:
            tables = run_tournament(settings, folder, workers, on_games, play=play)
    except BaseException as error:
        if total:
            _print_unfinished(settings, _kept_games(settings, folder, games), total, as_json)
        fail_of_agent(error)
        raise
    data = json.dumps(as_data(tables, settings), indent=2)
    if write_ratings:
        write_atomically(packaged_ratings_path(), data + "\n")
    if as_json:
        print(data)
        return
    print(as_text(tables))
    if before == total:
        print(f"{folder} is finished: {before} of {total} games")
    print(f"results and tables are in {folder}")


def _kept_games(settings: TournamentConfig, folder: Path, known: Games) -> Games:
    """The games in the results file: a signal may come after a game is written and before it is counted."""
    try:
        with ResultsFile.open(folder / RESULTS_FILE, settings) as file:
            return file.lines
    except (OSError, ValueError):
        return known


def _print_unfinished(settings: TournamentConfig, games: Games, total: int, as_json: bool) -> None:
    """Print the standings of the games so far, and on stderr how to go on."""
    lines = list(games.values())
    with_games = [
        players for players in settings.players if any(x.players == players for x in lines)
    ]
    tables = [standings_of(lines, settings.agents, players) for players in with_games]
    if as_json:
        print(json.dumps(as_data(tables, settings, is_finished=False), indent=2))
    elif tables:
        print(as_text(tables))
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(
        f"{stopped_after(len(games), total)}; go on with: {azul_command(*sys.argv[1:])}",
        markup=False,
    )


def _engine(engine: str, address: str | None, jobs: int | None) -> tuple[int, Play]:
    """The number of workers, and the engine."""
    if engine != RAY:
        if jobs is not None and jobs > MAX_LOCAL_JOBS:
            raise ValueError(f"--jobs {jobs}: at most {MAX_LOCAL_JOBS} processes, or --engine ray")
        return jobs or DEFAULT_JOBS, play_all
    from azul_agents.arena.ray_games import play_on_ray
    from azul_agents.arena.ray_session import cluster_cpus, needed_ray

    needed_ray()
    if jobs is None:
        jobs = min(MAX_JOBS, cluster_cpus(address)) if address else DEFAULT_JOBS
    return jobs, partial(play_on_ray, address=address)


@contextmanager
def _watched(settings: TournamentConfig) -> Iterator[Callable[[Games, int], None]]:
    """A progress bar and live ratings, updated as games finish."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    progress = Progress(
        TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )
    task = progress.add_task("playing", total=None)
    last_update = float("-inf")
    with Live(progress, console=console, transient=True, refresh_per_second=4) as live:

        def on_games(done: Games, total: int) -> None:
            nonlocal last_update
            progress.update(task, completed=len(done), total=total)
            if done and time.monotonic() - last_update > LADDER_SECONDS:
                live.update(Group(_ladder(done, settings), progress))
                last_update = time.monotonic()

        yield on_games


def _ladder(done: Games, settings: TournamentConfig) -> Table:
    """Ratings without intervals and win rates so far."""
    header, columns = ["agent"], [list(settings.agents)]
    for players in settings.players:
        header += [f"{players} players", "won"]
        lines = [line for line in done.values() if line.players == players]
        tallies = tallies_of(lines, len(settings.agents))
        ratings = quick_ratings_of(ranked_games(lines), settings.agents)
        columns.append([f"{rating:.0f}" for rating in ratings])
        columns.append([percent(tally.win_rate) for tally in tallies])
    return result_table(header, zip(*columns, strict=True), "so far")
