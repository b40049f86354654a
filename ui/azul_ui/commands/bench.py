"""`azul bench`: how fast the engine is here."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from azul_agents.arena.bench import BenchConfig, run_bench

DEFAULTS = BenchConfig()


def bench(
    trials: Annotated[
        int, typer.Option(min=1, max=1000, help="Trials of each contender; the best counts.")
    ] = DEFAULTS.trials,
    seconds: Annotated[
        float, typer.Option(min=0.01, max=60.0, help="Least duration of a trial.")
    ] = DEFAULTS.seconds_per_trial,
    yardstick: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.py",
            help="Also time an engine of your own: a file with play_random_game(num_players, seed).",
        ),
    ] = DEFAULTS.yardstick,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Measure speeds side by side in one run.

    Contenders take turns and the best trial of each counts, so that the ratios mean something on a busy machine.
    The engine plays uniformly random games from the deal to the end.
    """
    config = BenchConfig(trials, seconds, yardstick)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=None)

        def on_trial(key: str) -> None:
            progress.update(task, advance=1, description=key)

        result = run_bench(config, on_trial)
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        Console().print(_table(result))


def _table(result: dict[str, Any]) -> Table:
    """The speeds for people, beside the first one as a ratio."""
    machine, commit = result["machine"], result["commit"]
    table = Table(
        title="Speeds",
        caption=f"{machine['cpu']}, {machine['cores']} cores, commit {(commit or 'unknown')[:10]}",
    )
    table.add_column("what")
    table.add_column("per second", justify="right")
    table.add_column("of playout", justify="right")
    base = result["playout_moves_per_second"]
    for key, value in result.items():
        if key.endswith("_ratio"):
            table.add_row(key.removesuffix("_ratio").replace("_", " "), f"{value:.3g} x", "")
        elif isinstance(value, float):
            table.add_row(key.replace("_", " "), f"{value:,.0f}", f"{value / base:.3g}")
    return table
