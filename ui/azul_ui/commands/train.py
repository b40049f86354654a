"""`azul train`: from nothing to an agent that plays well."""

import json
import shlex
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from azul_train.progress import OnProgress
    from azul_train.run_folder import RunFolder

ROOT = Path("runs/train")
EXTRA_MODULES = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")
INSTALL = "training needs the extra `train`: pip install -c constraints.txt 'azul-env[train]'"


def train(
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.yaml", help="Settings that differ from the defaults."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a setting, such as ppo.games=64; repeatable."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help=f"Where the run gets its folder; by default {ROOT}."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Go on with a run from its last checkpoint.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Train an agent by self-play with MaskablePPO.

    azul train --config configs/train/quick.yaml

    azul train --config configs/train/quick.yaml --set seed=2 --set steps=500000

    azul train --resume runs/train/quick

    A run is a folder, and never overwrites another: config, versions, metrics, TensorBoard, checkpoints, models, and
    report.md with the win rates and the learning curve. All budgets are in steps, so the same seed gives the same run.
    """
    if resume is not None:
        if config is not None or changes or out is not None:
            raise ValueError("--resume goes on with the run's own settings: give nothing else")
        folder = _resumed(resume)
    else:
        folder = _trained(config, changes or [], out or ROOT)
    if as_json:
        print(json.dumps(_as_data(folder)))
    else:
        _show(folder)


def _trained(config: Path | None, changes: list[str], root: Path) -> "RunFolder":
    """The folder of a new run, after it."""
    from azul_train.config import read_config
    from azul_train.run_folder import RunFolder

    settings = read_config(config, changes)  # a mistake in it is told before anything heavy begins
    _check_extra()
    from azul_train import training

    folder = RunFolder.create(root, settings, _command())
    _watch(folder, lambda on_progress: training.train(settings, folder, on_progress))
    return folder


def _resumed(path: Path) -> "RunFolder":
    """The folder of a run that went on, after it."""
    from azul_train.run_folder import RunFolder

    folder = RunFolder.open(path)
    _check_extra()
    from azul_train import training

    _watch(folder, lambda on_progress: training.resume(folder, on_progress))
    return folder


def _watch(folder: "RunFolder", run: "Callable[[OnProgress], object]") -> None:
    """Run with a bar, then write the report."""
    from azul_train.report import write_report
    from azul_ui.commands.training_bar import watched

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"training in {folder.path}", markup=False)
    try:
        with folder.locked(), watched(console) as on_progress:
            run(on_progress)
    except KeyboardInterrupt:
        resume = shlex.join(["azul", "train", "--resume", str(folder.path)])
        console.print(f"go on with: {resume}", markup=False)
        raise
    write_report(folder)


def _check_extra() -> None:
    """Say what to install if a library of the extra is missing: all of them, since some are needed only at the end."""
    for module in EXTRA_MODULES:
        try:
            import_module(module)
        except ModuleNotFoundError:
            raise ImportError(INSTALL) from None


def _command() -> str:
    return shlex.join(["azul", *sys.argv[1:]])


def _as_data(folder: "RunFolder") -> dict[str, object]:
    """What came of a run, as plain data."""
    from azul_train.results import final_evaluation, length_of, time_shares

    metrics = folder.read_metrics()
    steps, minutes = length_of(metrics)
    return {
        "folder": str(folder.path),
        "report": str(folder.report),
        "model": str(folder.best_model),
        "steps": steps,
        "minutes": minutes,
        "evaluation": final_evaluation(metrics),
        "time_shares": time_shares(metrics),
    }


def _show(folder: "RunFolder") -> None:
    """What came of a run, for people."""
    from azul_train.report import EVALUATION_HEADER, evaluation_cells, play_command
    from azul_train.results import final_evaluation, game_share, length_of, time_shares

    metrics = folder.read_metrics()
    steps, minutes = length_of(metrics)
    console = Console(highlight=False, soft_wrap=True)
    chance = f"chance is {100 / folder.config.num_players:.1f} %"
    table = Table(title=f"{steps:,} steps, {minutes:.1f} minutes", caption=chance)
    table.add_column(EVALUATION_HEADER[0], overflow="fold")
    for name in EVALUATION_HEADER[1:]:
        table.add_column(name, justify="right")
    for line in final_evaluation(metrics):
        opponent, *cells = evaluation_cells(line)
        table.add_row(Text(opponent), *cells)
    Console().print(table)
    shares = time_shares(metrics)
    if shares:
        parts = ", ".join(f"{name} {share:.1f} %" for name, share in shares.items())
        console.print(f"time: {parts}")
        console.print(f"environment, masks and scripted opponents: {game_share(shares):.1f} %")
    console.print(f"report: {folder.report}", markup=False)
    console.print(f"play it: {play_command(folder)}", markup=False)
