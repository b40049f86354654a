"""`azul train`: from nothing to an agent that plays well."""

import json
import shlex
import sys
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from azul_train.config import TrainConfig
    from azul_train.run.folder import RunFolder
    from azul_train.run.progress import OnProgress

ROOT = Path("runs/train")
EXTRA_MODULES = ("matplotlib", "tensorboard", "torch", "stable_baselines3", "sb3_contrib")
RLLIB_MODULES = ("ray", "ray.rllib")
INSTALL = "training needs the extra `train`: pip install -c constraints.txt 'azul-env[train]'"
INSTALL_RLLIB = (
    "the engine rllib needs the extra `rllib`: pip install -c constraints.txt 'azul-env[rllib]'"
)


class Engine(StrEnum):
    """What learns; the names that a config knows."""

    SB3 = "sb3"
    RLLIB = "rllib"


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
    engine: Annotated[
        Engine | None,
        typer.Option(
            help="What learns: as the config says, by default sb3; rllib for many machines."
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="For the engine rllib: the Ray cluster to join (auto: the one of this machine).",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Train an agent by self-play with masked PPO.

    azul train --config configs/train/quick.yaml

    azul train --config configs/train/quick.yaml --set seed=2 --set steps=500000

    azul train --resume runs/train/quick

    azul train --engine rllib --config configs/train/rllib.yaml --address auto

    A run is a folder, and never overwrites another: config, versions, metrics, TensorBoard, checkpoints, models, and
    report.md with the win rates and the learning curve. All budgets are in steps, so the same seed gives the same run.

    The engine sb3 is Stable-Baselines3 with a league of opponents, on one machine. The engine rllib is Ray's RLlib, the
    learner against itself, on as many machines as there are (docs/SCALING.md); its table and its models are the same.
    """
    if resume is not None:
        if config is not None or changes or out is not None or engine is not None:
            raise ValueError("--resume goes on with the run's own settings: give nothing else")
        folder = _resumed(resume, address)
    else:
        changes = [*(changes or []), *([f"engine={engine.value}"] if engine else [])]
        folder = _trained(config, changes, out or ROOT, address)
    if as_json:
        print(json.dumps(_as_data(folder)))
    else:
        _show(folder)


def _trained(
    config: Path | None, changes: list[str], root: Path, address: str | None
) -> "RunFolder":
    """The folder of a new run, after it."""
    from azul_agents.arena.workers import check_specs
    from azul_train.config import read_config
    from azul_train.run.folder import RunFolder

    settings = read_config(config, changes)  # a mistake in it is told before anything heavy begins
    engine = _engine(settings, address)
    check_specs(settings.agents)  # a missing model is an error before anything is written
    folder = RunFolder.create(root, settings, _command())
    _watch(folder, lambda on_progress: engine.train(settings, folder, on_progress))
    return folder


def _resumed(path: Path, address: str | None) -> "RunFolder":
    """The folder of a run that went on, after it."""
    from azul_train.run.folder import RunFolder

    folder = RunFolder.open(path)
    engine = _engine(folder.config, address)
    _watch(folder, lambda on_progress: engine.resume(folder, on_progress, _command()))
    return folder


class _EngineCalls(NamedTuple):
    """The two things that an engine does."""

    train: "Callable[[TrainConfig, RunFolder, OnProgress], object]"
    resume: "Callable[[RunFolder, OnProgress, str], object]"


def _engine(settings: "TrainConfig", address: str | None) -> _EngineCalls:
    """What the config wants to learn with. Raises ImportError that says what to install if it is missing."""
    if settings.engine == Engine.SB3:
        if address is not None:
            raise ValueError("--address is where a Ray cluster is: add --engine rllib")
        _check_modules(EXTRA_MODULES, INSTALL)
        from azul_train.sb3 import training

        return _EngineCalls(training.train, training.resume)
    _check_modules((*EXTRA_MODULES, *RLLIB_MODULES), INSTALL_RLLIB)
    from azul_train.rllib import training as rllib_training

    return _EngineCalls(
        partial(rllib_training.train, address=address),
        partial(rllib_training.resume, address=address),
    )


def _watch(folder: "RunFolder", run: "Callable[[OnProgress], object]") -> None:
    """Run with a bar, then write the report."""
    from azul_train.run.report import write_report
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


def _check_modules(modules: tuple[str, ...], install: str) -> None:
    """Say what to install if a library of an extra is missing: all of them, since some are needed only at the end."""
    for module in modules:
        try:
            import_module(module)
        except ImportError:  # RLlib raises it for a part of Ray that is missing
            raise ImportError(install) from None


def _command() -> str:
    return shlex.join(["azul", *sys.argv[1:]])


def _as_data(folder: "RunFolder") -> dict[str, object]:
    """What came of a run, as plain data."""
    from azul_train.run.results import last_evaluation, length_of, time_shares

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


def _show(folder: "RunFolder") -> None:
    """What came of a run, for people."""
    from azul_train.run.report import EVALUATION_HEADER, evaluation_cells, play_command
    from azul_train.run.results import (
        GAME_PARTS,
        game_share,
        last_evaluation,
        length_of,
        time_shares,
    )

    metrics = folder.read_metrics()
    steps, minutes = length_of(metrics)
    console = Console(highlight=False, soft_wrap=True)
    chance = f"chance is {100 / folder.config.num_players:.1f} %"
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
        parts = ", ".join(f"{name} {share:.1f} %" for name, share in shares.items())
        console.print(f"time: {parts}")
        if not shares.keys().isdisjoint(GAME_PARTS):
            console.print(f"environment, masks and scripted opponents: {game_share(shares):.1f} %")
    console.print(f"report: {folder.report}", markup=False)
    console.print(f"play it: {play_command(folder)}", markup=False)
