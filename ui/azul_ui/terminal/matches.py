"""Matches at the terminal: a progress bar during play, and tables of the results."""

import json
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from azul_agents import MatchConfig, MatchResult, run_match
from azul_agents.arena.match import num_games
from azul_agents.arena.tables import milliseconds, percent, percent_range
from azul_agents.arena.workers import Finished, check_specs
from azul_agents.neural.model_file import read_model
from azul_env.record_files import record_writer
from azul_train.run.metrics import as_metrics
from azul_train.run.report import EVALUATION_HEADER, evaluation_cells
from azul_ui.terminal.result_table import result_table


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
    """Play a match between a model and copies of each opponent, and print the results."""
    if "," in str(path):
        raise ValueError(f"{path}: the path of a model must not contain a comma")
    num_players = read_model(path).num_players
    check_specs(opponents)  # before the first match
    with _games_bar() as progress:
        results = []
        for spec in opponents:
            specs = (f"neural:path={path}", *[spec] * (num_players - 1))
            progress.add_task(f"against {spec}", total=num_games(specs, config))
            results.append(
                run_match(specs, config, lambda _: progress.advance(progress.task_ids[-1]))
            )
    if as_json:
        data = {"model": str(path), "num_players": num_players, "seed": config.seed}
        print(json.dumps(data | {"results": [result.to_dict() for result in results]}))
    else:
        Console().print(_evaluation_table(path, num_players, results))


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
    """One row per agent."""
    header = ("agent", "won", "shared", "forfeits", "win rate", "95%", "points", "ms/move")
    rows = [
        (
            agent,
            str(tally.wins),
            str(tally.shared),
            str(tally.forfeits),
            percent(tally.win_rate),
            percent_range(tally.interval),
            f"{tally.mean_points:.1f}",
            milliseconds(tally.seconds_per_move),
        )
        for agent, tally in zip(result.agents, result.tallies, strict=True)
    ]
    return result_table(header, rows, f"{result.games} games", f"{result.shared} games shared")


def _evaluation_table(path: Path, num_players: int, results: list[MatchResult]) -> Table:
    """One row per opponent."""
    header = (*EVALUATION_HEADER, "ms/move")
    rows = [
        (*evaluation_cells(as_metrics(result)), milliseconds(result.tallies[0].seconds_per_move))
        for result in results
    ]
    chance = f"{num_players} players; chance level is {percent(1 / num_players)}"
    return result_table(header, rows, str(path), chance)
