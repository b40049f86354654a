"""`azul tournament`: a round robin with ratings, which goes on where it was stopped."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from azul_agents.arena.ratings import quick_ratings_of
from azul_agents.arena.results_file import GameKey, GameLine
from azul_agents.arena.standings import ranked_games, tallies_of
from azul_agents.arena.tables import as_data, as_text, packaged_ratings_path, percent
from azul_agents.arena.tournament import run_tournament
from azul_agents.arena.tournament_config import TournamentConfig, read_config
from azul_agents.arena.workers import Play, play_all
from azul_env.files import write_atomically

FOLDER = Path("runs/tournament")
DEFAULT_JOBS = 2
MAX_JOBS = 4096
LIVE_SECONDS = 1.0  # between two looks at the ladder

Games = dict[GameKey, GameLine]


class Engine(StrEnum):
    """What runs the processes that play."""

    LOCAL = "local"
    RAY = "ray"


def tournament(
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT...", help="See azul agents.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE.yaml", help="Agents and settings from a file.")
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option(min=2, max=4, help="Number of players; may be given more than once."),
    ] = None,
    games_per_pairing: Annotated[
        int | None,
        typer.Option(min=1, help="Games of every table, rounded up to whole deals."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Same seed, same deals and same chance.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_JOBS,
            help=f"Processes that play; by default {DEFAULT_JOBS}, with --address the cluster's CPUs.",
        ),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="Who runs the processes: this program, or Ray.")
    ] = Engine.LOCAL,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="With --engine ray: the cluster to join (auto: the one of this machine); else Ray is started here.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where results go; by default under runs/tournament."),
    ] = None,
    write_ratings: Annotated[
        bool, typer.Option("--write-ratings", help="Make these the ratings of azul agents.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Let all agents play all others and rate them.

    azul tournament random greedy --players 2 --players 3

    azul tournament --config configs/tournament/baselines.yaml

    Every table plays every deal once per rotation of the seats. Finished games are kept in results.jsonl: the same
    command goes on where it was stopped, however that happened.

    azul tournament --config configs/tournament/baselines.yaml --engine ray --address auto

    With --engine ray, Ray actors play: here, or on every machine of a cluster (docs/SCALING.md). Agents limited by
    nodes, depth or simulations play the same games on either engine, and a folder that one began the other finishes.

    Ratings are on the Elo scale, random at 1000 (without it, a mean of 1500), by maximum likelihood: Bradley-Terry for
    2 players, Plackett-Luce for more. The folder gets ratings.txt, .md and .json and a picture of who beats whom.
    """
    changes = {
        "players": tuple(players) if players else None,
        "games_per_pairing": games_per_pairing,
        "seed": seed,
    }
    settings = _settings(tuple(agents or ()), config, changes)
    workers, play = _engine(engine, address, jobs)
    folder = out if out is not None else FOLDER / _folder_name(settings, config)
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


def _engine(engine: Engine, address: str | None, jobs: int | None) -> tuple[int, Play]:
    """How many workers play, and what runs them."""
    if engine is Engine.LOCAL:
        if address is not None:
            raise ValueError("--address is where a Ray cluster is: add --engine ray")
        return jobs or DEFAULT_JOBS, play_all
    from azul_agents.arena.ray_games import play_on_ray
    from azul_agents.arena.ray_session import cluster_cpus, needed_ray

    needed_ray()
    if jobs is None:
        jobs = min(MAX_JOBS, cluster_cpus(address)) if address else DEFAULT_JOBS
    return jobs, partial(play_on_ray, address=address)


def _settings(
    agents: tuple[str, ...], config: Path | None, changes: dict[str, Any]
) -> TournamentConfig:
    """The config that arguments and options ask for."""
    if (config is None) == (not agents):
        raise ValueError("name the agents or give a --config, one of the two")
    given = {key: value for key, value in changes.items() if value is not None}
    return read_config(config, **given) if config else TournamentConfig(agents, **given)


def _folder_name(settings: TournamentConfig, config: Path | None) -> str:
    """A folder for each tournament: named after its file, else after what is in it."""
    if config is not None:
        return config.stem
    return hashlib.sha256(json.dumps(settings.to_dict()).encode()).hexdigest()[:10]


@contextmanager
def _watched(settings: TournamentConfig) -> Iterator[Callable[[Games, int], None]]:
    """A bar and the ladder so far, on the terminal's side, brought up to date as games finish."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    progress = Progress(
        TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )
    task = progress.add_task("playing", total=None)
    last_look = float("-inf")
    with Live(progress, console=console, transient=True, refresh_per_second=4) as live:

        def on_games(done: Games, total: int) -> None:
            nonlocal last_look
            progress.update(task, completed=len(done), total=total)
            if done and time.monotonic() - last_look > LIVE_SECONDS:
                live.update(Group(_ladder(done, settings), progress))
                last_look = time.monotonic()

        yield on_games


def _ladder(done: Games, settings: TournamentConfig) -> Table:
    """Ratings without intervals and win rates so far."""
    table = Table(title="so far")
    table.add_column("agent", overflow="fold")
    columns: list[list[str]] = []
    for players in settings.players:
        table.add_column(f"{players} players", justify="right", no_wrap=True)
        table.add_column("won", justify="right", no_wrap=True)
        lines = [line for line in done.values() if line.players == players]
        tallies = tallies_of(lines, len(settings.agents))
        ratings = quick_ratings_of(ranked_games(lines), settings.agents)
        columns.append([f"{rating:.0f}" for rating in ratings])
        columns.append([percent(tally.win_rate) for tally in tallies])
    for agent, *cells in zip(settings.agents, *columns, strict=True):
        table.add_row(Text(agent), *cells)
    return table
