"""`azul train-search`: learn the networks of the search."""

from pathlib import Path
from typing import Annotated

import typer

from azul_ui.commands.engines import ClusterAddress, Engine, check_address
from azul_ui.stopping import stoppable

ROOT = Path("runs/train-search")


def train_search(
    config: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.yaml",
            help="Settings that differ from the defaults: a shipped config, such as search, or a file.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting, such as generations=6; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help=f"Where the run gets its folder; by default {ROOT}."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Go on with a run where it was stopped.")
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="What plays the games: threads of this program, or Ray.")
    ] = Engine.LOCAL,
    address: ClusterAddress = None,
) -> None:
    """Learn the networks of the search.

    Self-play with the best networks so far, training on the games, and a match at equal time that decides whether the
    new networks are kept, again and again. The first games are played with the linear evaluation, or with the packaged
    networks: --set start=network.

    azul train-search --config search

    azul train-search --resume runs/train-search/search

    azul train-search --config search --engine ray --address auto

    With --engine ray, Ray workers play the games, here or on every machine of a cluster (docs/SCALING.md). They are the same
    games, so a run may change its engine when it is resumed.

    A run is a folder, which keeps games, networks and matches as they are made: a run that was stopped or killed resumes
    from it. Copy its networks.npz to agents/azul_agents/search/weights/N_players_network.npz, or N_players_offers.npz for
    networks with offers, and alphabeta plays with them.
    """
    from azul_agents.config_file import config_path
    from azul_ui.terminal.search_training import new_run, ray_engine, resumed_run

    check_address(engine, address)
    play = ray_engine(address) if engine == Engine.RAY else None
    if resume is not None:
        if config is not None or changes or out is not None:
            raise ValueError("--resume goes on with the run's own settings: give nothing else")
        with stoppable():
            resumed_run(resume, play)
        return
    with stoppable():
        path = None if config is None else config_path("train_search", config)
        new_run(path, changes or [], out or ROOT, play)
