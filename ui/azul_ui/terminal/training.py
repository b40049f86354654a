"""Training at the terminal: a progress bar, and tables of the results."""

import json
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from azul_agents.arena.tables import percent
from azul_agents.arena.warmup import warm_up
from azul_agents.arena.workers import check_specs
from azul_agents.command_line import azul_command
from azul_train import (
    RunFolder,
    check_engine,
    check_start,
    read_config,
    resume,
    train,
    write_report,
)
from azul_train.engine import is_finished
from azul_train.run.metrics import (
    GAME_PARTS,
    game_share,
    last_evaluation,
    length_of,
    start_evaluation,
    time_shares,
)
from azul_train.run.progress import OnProgress
from azul_train.run.report import (
    EVALUATION_HEADER,
    evaluation_cells,
    evaluations,
    gain_of_self_play,
    play_command,
)
from azul_ui.stopping import this_command
from azul_ui.terminal.compiling import compiling
from azul_ui.terminal.result_table import grouped_table
from azul_ui.terminal.training_bar import watched


def trained_run(
    config: Path | None, changes: list[str], root: Path, address: str | None
) -> RunFolder:
    """Train from the start; the run folder."""
    settings = read_config(config, changes)
    check_engine(settings, address)
    with compiling():
        # Before a folder is created.
        players, variant = settings.num_players, settings.variant
        check_specs(settings.agents, variant=variant, players=[players])
        check_start(settings)
        warm_up(settings.agents, players, variant)
    folder = RunFolder.create(root, settings, this_command())
    _watch(folder, lambda on_progress: train(settings, folder, on_progress, address))
    return folder


def resumed_run(path: Path, address: str | None, as_json: bool) -> None:
    """Resume a run from its last checkpoint and print its results; a finished run is left as it is."""
    folder = RunFolder.open(path)
    folder.check_config()
    if not is_finished(folder):
        check_engine(folder.config, address)
        _watch(folder, lambda on_progress: resume(folder, on_progress, this_command(), address))
    elif not as_json:
        steps, _ = length_of(folder.read_metrics())
        wanted = folder.config.steps
        print(f"{path} is finished: {steps:,} of {wanted:,} steps; report: {folder.report}")
        return
    print_run(folder, as_json)


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
        command = azul_command("train", "--resume", folder.path)
        console.print(f"resume with: {command}", markup=False)
        raise
    write_report(folder)


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
        "before_self_play": start_evaluation(metrics),
        "time_shares": time_shares(metrics),
    }


def _print_tables(folder: RunFolder) -> None:
    metrics = folder.read_metrics()
    steps, minutes = length_of(metrics)
    console = Console(highlight=False, soft_wrap=True)  # paths and commands stay whole
    wrapping = Console(highlight=False)
    groups = {
        name: list(map(evaluation_cells, lines)) for name, lines in evaluations(metrics).items()
    }
    title = f"{steps:,} steps, {minutes:.1f} minutes"
    chance = f"chance level is {percent(1 / folder.config.num_players)}"
    wrapping.print(grouped_table(EVALUATION_HEADER, groups, title, chance))
    if gain := gain_of_self_play(metrics):
        wrapping.print(gain, markup=False)
    shares = time_shares(metrics)
    if shares:
        parts = ", ".join(f"{name} {share:.1f}%" for name, share in shares.items())
        wrapping.print(f"time: {parts}", markup=False)
        if not shares.keys().isdisjoint(GAME_PARTS):
            wrapping.print(f"environment, masks and scripted opponents: {game_share(shares):.1f}%")
    console.print(f"report: {folder.report}", markup=False)
    console.print(f"play against it: {play_command(folder)}", markup=False)
