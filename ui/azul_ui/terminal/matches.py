"""Matches at the terminal: a progress bar while they are played, and tables of their results."""

import json
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from azul_agents import MatchConfig, MatchResult, run_match
from azul_agents.arena.match import num_games
from azul_agents.arena.tables import milliseconds, percent
from azul_agents.arena.workers import Finished, check_specs
from azul_agents.neural.model_file import read_model
from azul_env.record_files import record_writer


def play_match(
    specs: tuple[str, ...], config: MatchConfig, record: Path | None, as_json: bool
) -> None:
    """Play a match, write its games to the file `record` and print the result."""
    with _games_bar() as progress, ExitStack() as stack:
        task = progress.add_task("playing", total=num_games(specs, config))
        write = stack.enter_context(record_writer(record)) if record is not None else None

        def on_game(finished: Finished) -> None:
            if write is not None:
                write(finished.played.record)
            progress.advance(task)

        result = run_match(specs, config, on_game)
    if as_json:
        print(json.dumps(result.to_dict()))
    else:
        Console().print(_match_table(result))


def evaluate_model(
    path: Path, opponents: tuple[str, ...], config: MatchConfig, as_json: bool
) -> None:
    """Let the model in a file play a match against copies of each opponent, and print the results."""
    if "," in str(path):
        raise ValueError(f"{path}: the path of a model must not hold a comma")
    num_players = read_model(path).num_players
    check_specs(opponents)  # before the first of several matches begins
    with _games_bar() as progress:
        results = []
        for spec in opponents:
            specs = (f"neural:path={path}", *[spec] * (num_players - 1))
            task = progress.add_task(f"against {spec}", total=num_games(specs, config))
            results.append(run_match(specs, config, partial(_advance, progress, task)))
    if as_json:
        data = {"model": str(path), "num_players": num_players, "seed": config.seed}
        print(json.dumps(data | {"results": [result.to_dict() for result in results]}))
    else:
        Console().print(_evaluation_table(path, num_players, results))


def _advance(progress: Progress, task: TaskID, finished: Finished) -> None:
    progress.advance(task)


def _games_bar() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _match_table(result: MatchResult) -> Table:
    """One line for each agent."""
    table = Table(title=f"{result.games} games", caption=f"{result.shared} games shared")
    table.add_column("agent", overflow="fold")
    for name in ("won", "shared", "forfeits", "win rate", "95%", "points", "ms/move"):
        table.add_column(name, justify="right", no_wrap=True)
    for agent, tally in zip(result.agents, result.tallies, strict=True):
        low, high = tally.interval
        table.add_row(
            Text(agent),
            str(tally.wins),
            str(tally.shared),
            str(tally.forfeits),
            percent(tally.win_rate),
            f"{100 * low:.1f}..{100 * high:.1f}",
            f"{tally.mean_points:.1f}",
            milliseconds(tally.seconds_per_move),
        )
    return table


def _evaluation_table(path: Path, num_players: int, results: list[MatchResult]) -> Table:
    """One line for each opponent."""
    chance = f"{num_players} players; chance is {percent(1 / num_players)}"
    table = Table(title=str(path), caption=chance)
    table.add_column("opponent", overflow="fold")
    for name in ("games", "win rate", "95%", "points", "opponent's", "ms/move"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        own, *others = result.tallies
        low, high = own.interval
        table.add_row(
            Text(result.agents[1]),
            str(result.games),
            percent(own.win_rate),
            f"{100 * low:.1f}..{100 * high:.1f}",
            f"{own.mean_points:.1f}",
            f"{sum(tally.mean_points for tally in others) / len(others):.1f}",
            milliseconds(own.seconds_per_move),
        )
    return table
