"""A training run at the terminal: started or resumed under a progress bar, its results printed."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from azul_agents.arena.workers import check_specs
from azul_train import RunFolder, check_engine, read_config, resume, train, write_report
from azul_train.run.progress import OnProgress
from azul_train.run.report import EVALUATION_HEADER, evaluation_cells, play_command
from azul_train.run.results import GAME_PARTS, game_share, last_evaluation, length_of, time_shares
from azul_ui.terminal.training_bar import watched


def trained_run(
    config: Path | None, changes: list[str], root: Path, address: str | None
) -> RunFolder:
    """Train from the start; the folder of the run."""
    settings = read_config(config, changes)
    check_engine(settings, address)
    check_specs(settings.agents)  # a missing model is an error before a folder is made
    folder = RunFolder.create(root, settings, _command())
    _watch(folder, lambda on_progress: train(settings, folder, on_progress, address))
    return folder


def resumed_run(path: Path, address: str | None) -> RunFolder:
    """Continue a run from its last checkpoint; its folder."""
    folder = RunFolder.open(path)
    check_engine(folder.config, address)
    _watch(folder, lambda on_progress: resume(folder, on_progress, _command(), address))
    return folder


def print_run(folder: RunFolder, as_json: bool) -> None:
    """Print the results of a run as tables, or as one JSON object."""
    if as_json:
        print(json.dumps(_as_data(folder)))
    else:
        _print_tables(folder)


def _watch(folder: RunFolder, run: Callable[[OnProgress], object]) -> None:
    """Run under a progress bar, then write the report."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"training in {folder.path}", markup=False)
    try:
        with folder.locked(), watched(console) as on_progress:
            run(on_progress)
    except KeyboardInterrupt:
        command = shlex.join(["azul", "train", "--resume", str(folder.path)])
        console.print(f"go on with: {command}", markup=False)
        raise
    write_report(folder)


def _command() -> str:
    return shlex.join(["azul", *sys.argv[1:]])


def _as_data(folder: RunFolder) -> dict[str, object]:
    metrics = folder.read_metrics()
    steps, minutes = length_of(metrics)
    return {
        "folder": str(folder.path),
        "report": str(folder.report),
        "model": str(folder.best_model),
        "steps": steps,
        "minutes": minutes,
        "evaluation": last_evaluation(metrics),
        "time_shares": time_shares(metrics),
    }


def _print_tables(folder: RunFolder) -> None:
    metrics = folder.read_metrics()
    steps, minutes = length_of(metrics)
    console = Console(highlight=False, soft_wrap=True)
    chance = f"chance is {100 / folder.config.num_players:.1f}%"
    table = Table(title=f"{steps:,} steps, {minutes:.1f} minutes", caption=chance)
    table.add_column(EVALUATION_HEADER[0], overflow="fold")
    for name in EVALUATION_HEADER[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for line in last_evaluation(metrics):
        opponent, *cells = evaluation_cells(line)
        table.add_row(Text(opponent), *cells)
    Console().print(table)
    shares = time_shares(metrics)
    if shares:
        parts = ", ".join(f"{name} {share:.1f}%" for name, share in shares.items())
        console.print(f"time: {parts}")
        if not shares.keys().isdisjoint(GAME_PARTS):
            console.print(f"environment, masks and scripted opponents: {game_share(shares):.1f}%")
    console.print(f"report: {folder.report}", markup=False)
    console.print(f"play it: {play_command(folder)}", markup=False)
