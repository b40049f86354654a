"""`azul train`: train an agent by self-play."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from azul_ui.stopping import stoppable

ROOT = Path("runs/train")


class Engine(StrEnum):
    """What learns; the names that a config knows."""

    SB3 = "sb3"
    RLLIB = "rllib"


def train(
    config: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.yaml",
            help="Settings that differ from the defaults: a shipped config, such as quick, or a file.",
        ),
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

    azul train --config quick

    azul train --config quick --set seed=2 --set steps=500000

    azul train --resume runs/train/quick

    azul train --engine rllib --config rllib --address auto

    A run is a folder, and never overwrites another: config, versions, metrics, TensorBoard, checkpoints, models, and
    report.md with the win rates and the learning curve. All budgets are in steps, so the same seed gives the same run.

    The engine sb3 is Stable-Baselines3 with a league of opponents, on one machine. The engine rllib is Ray's RLlib in pure
    self-play, on one or many machines (docs/SCALING.md), with the same tables and models.
    """
    from azul_agents.config_file import config_path
    from azul_ui.terminal.training import print_run, resumed_run, trained_run

    if resume is not None:
        if config is not None or changes or out is not None or engine is not None:
            raise ValueError("--resume goes on with the run's own settings: give nothing else")
        with stoppable():
            resumed_run(resume, address, as_json)
        return
    file = config_path("train", config) if config is not None else None
    changes = [*(changes or []), *([f"engine={engine}"] if engine else [])]
    with stoppable():
        print_run(trained_run(file, changes, out or ROOT, address), as_json)
