"""`azul eval`: how well a trained model plays."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from azul_agents.arena.match import MatchConfig, MatchResult, num_games, run_match
from azul_agents.arena.tables import milliseconds, percent
from azul_agents.arena.workers import check_specs
from azul_agents.neural.model_file import read_model
from azul_ui.commands.models import model_file

DEFAULT_OPPONENTS = ("random", "greedy")
DEFAULT_SEED = (
    2_000_003  # deals that chose no model either: evaluations in training have a seed of their own
)


def evaluate(
    run_or_model: Annotated[
        Path,
        typer.Argument(metavar="RUN_OR_MODEL", help="The folder of a run, or a model (.npz)."),
    ],
    opponent: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="See azul agents; repeatable; else random and greedy."),
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, help="Games against each, rounded up to whole deals.")
    ] = 400,
    seed: Annotated[
        int, typer.Option(min=0, help="Same seed, same deals and same chance for the agents.")
    ] = DEFAULT_SEED,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that play.")] = 2,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Let a trained model play matches, each against copies of one opponent.

    azul eval runs/train/quick --opponent greedy --opponent alphabeta:nodes=20000

    The model plays the move that it likes best, at a table for as many players as it was trained for. Every deal is
    played once from every seat. A shared win counts as an equal share of a win. The interval is Wilson's, for 95 %.
    """
    path = model_file(run_or_model)
    if "," in str(path):
        raise ValueError(f"{path}: the path of a model must not hold a comma")
    num_players = read_model(path).num_players
    opponents = tuple(dict.fromkeys(opponent or DEFAULT_OPPONENTS))
    check_specs(opponents)  # before the first of several matches begins
    tables = [(f"neural:path={path}", *[spec] * (num_players - 1)) for spec in opponents]
    results = _matches(tables, MatchConfig(games, seed, jobs))
    if as_json:
        data = {"model": str(path), "num_players": num_players, "seed": seed}
        print(json.dumps(data | {"results": [result.to_dict() for result in results]}))
    else:
        Console().print(_table(path, num_players, results))


def _matches(tables: list[tuple[str, ...]], config: MatchConfig) -> list[MatchResult]:
    """Play all matches, with a bar."""
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )

    def played(specs: tuple[str, ...]) -> MatchResult:
        task = progress.add_task(f"against {specs[1]}", total=num_games(specs, config))
        return run_match(specs, config, lambda finished: progress.advance(task))

    with progress:
        return [played(specs) for specs in tables]


def _table(path: Path, num_players: int, results: list[MatchResult]) -> Table:
    """The results for people."""
    chance = f"{num_players} players; chance is {percent(1 / num_players)}"
    table = Table(title=str(path), caption=chance)
    table.add_column("opponent", overflow="fold")
    for name in ("games", "win rate", "95 %", "points", "opponent's", "ms/move"):
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
