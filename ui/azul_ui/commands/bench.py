"""`azul bench`: how fast the engine is here."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from azul_agents.arena.run_configs import BenchConfig
from azul_ui.commands.numbers import finite
from azul_ui.stopping import stoppable
from azul_ui.terminal.bars import bar_console

DEFAULTS = BenchConfig()
BASE = "playout_moves_per_second"  # measured first; the others are shown as shares of it


def bench(
    trials: Annotated[
        int, typer.Option(min=1, max=1000, help="Trials of each contender; the best counts.")
    ] = DEFAULTS.trials,
    seconds: Annotated[
        float, typer.Option(min=0.01, max=60.0, callback=finite, help="Least duration of a trial.")
    ] = DEFAULTS.seconds_per_trial,
    yardstick: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.py",
            help="Also time an engine of your own: a file that defines play_random_game.",
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
    from azul_agents.arena.bench import measured_on

    config = BenchConfig(trials, seconds, yardstick)
    speeds: dict[str, float] = {}  # the best so far
    with stoppable():
        try:
            result = _with_progress(config, speeds)
        except KeyboardInterrupt:
            _show(speeds | measured_on(), False, as_json)
            raise
        _show(result, True, as_json)


def _with_progress(config: BenchConfig, speeds: dict[str, float]) -> dict[str, Any]:
    """Measure, and note the best speeds as they come."""
    from azul_agents.arena.bench import run_bench

    with Progress(console=bar_console(), transient=True) as progress:
        task = progress.add_task("measuring", total=None)

        def on_trial(key: str, best: float) -> None:
            speeds[key] = best
            progress.update(task, advance=1, description=key)

        return run_bench(config, on_trial)


def _show(result: dict[str, Any], is_finished: bool, as_json: bool) -> None:
    """Print the speeds; after a stop, those measured so far."""
    if as_json:
        print(json.dumps(result | {"finished": is_finished}, indent=2))
        return
    if BASE in result:
        Console().print(_table(result))
    if not is_finished:
        print(
            "stopped before all trials were done: the best so far"
            if BASE in result
            else "stopped before the first trial"
        )


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
    base = result[BASE]
    for key, value in result.items():
        if key.endswith("_ratio"):
            table.add_row(key.removesuffix("_ratio").replace("_", " "), f"{value:.3g} x", "")
        elif isinstance(value, float):
            table.add_row(key.replace("_", " "), f"{value:,.0f}", f"{value / base:.3g}")
    return table
