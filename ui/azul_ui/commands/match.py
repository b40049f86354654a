"""`azul match`: which of a few agents is better, over many deals."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from azul_agents.arena.match import MatchConfig, MatchResult, num_games, run_match
from azul_agents.arena.tables import milliseconds, percent
from azul_agents.arena.workers import Finished
from azul_env.record_files import record_writer

DEFAULTS = MatchConfig()


def match(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT AGENT [AGENT [AGENT]]", help="See azul agents.")
    ],
    games: Annotated[
        int, typer.Option(min=1, help="Games in all, rounded up to whole deals.")
    ] = DEFAULTS.games,
    seed: Annotated[
        int, typer.Option(min=0, help="Same seed, same deals and same chance for the agents.")
    ] = DEFAULTS.seed,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that play.")] = DEFAULTS.jobs,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write all games (JSON lines); a complete match replaces an old file.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Let agents play each other, every deal once per rotation of the seats.

    azul match greedy random --games 400 --jobs 2

    The luck of the deal cancels: the same seed deals for every rotation. The first round is then the same; later ones
    draw from what the players left in the bag, so they depend on play. Seat 0 always starts, and the rotation brings
    everybody there. With 3 and 4 agents the circular order changes from deal to deal, so that nobody always sits
    behind the weakest.

    A shared win counts as an equal share of a win. The interval is Wilson's, for 95 %. An agent that fails or answers
    illegally loses that game by a forfeit. The first answer in each process is left out of the time per move.
    """
    config = MatchConfig(games, seed, jobs)
    specs = tuple(agents)
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress, ExitStack() as stack:
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
        Console().print(_table(result))


def _table(result: MatchResult) -> Table:
    """The result for people."""
    table = Table(title=f"{result.games} games", caption=f"{result.shared} games shared")
    table.add_column("agent", overflow="fold")
    for name in ("won", "shared", "forfeits", "win rate", "95 %", "points", "ms/move"):
        table.add_column(name, justify="right", no_wrap=True)
    for agent, tally in zip(result.agents, result.tallies, strict=True):
        low, high = tally.interval
        table.add_row(
            Text(agent),
            str(tally.wins),
            str(tally.shared),
            str(tally.forfeits),
            percent(tally.win_rate),
            f"{100 * low:.1f}..{100 * high:.1f}",
            f"{tally.mean_points:.1f}",
            milliseconds(tally.seconds_per_move),
        )
    return table
