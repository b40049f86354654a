"""A tournament at the terminal: live ratings during play, and tables of the results."""

import json
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
from azul_agents.arena.results_file import GameKey, GameLine
from azul_agents.arena.standings import ranked_games, tallies_of
from azul_agents.arena.tables import as_data, as_text, percent
from azul_agents.arena.tournament_config import read_config
from azul_agents.arena.workers import Play, play_all
from azul_env.files import write_atomically
from azul_ui.terminal.result_table import result_table

RAY: Final = "ray"
DEFAULT_JOBS: Final = 2
MAX_JOBS: Final = 4096
LADDER_SECONDS: Final = 1.0  # between two updates of the ladder

Games = dict[GameKey, GameLine]


def tournament_settings(
    agents: tuple[str, ...], config: Path | None, changes: dict[str, Any]
) -> TournamentConfig:
    """The config that arguments and options ask for; changes that are None are left out."""
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
    with _watched(settings) as on_games:
        tables = run_tournament(settings, folder, workers, on_games, play=play)
    data = json.dumps(as_data(tables, settings), indent=2)
    if write_ratings:
        write_atomically(packaged_ratings_path(), data + "\n")
    if as_json:
        print(data)
        return
    print(as_text(tables))
    print(f"results and tables are in {folder}")


def _engine(engine: str, address: str | None, jobs: int | None) -> tuple[int, Play]:
    """The number of workers, and the engine."""
    if engine != RAY:
        if address is not None:
            raise ValueError("--address is the address of a Ray cluster: add --engine ray")
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
