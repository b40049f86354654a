"""`azul fit-evaluation`: learn the evaluation of the search agents."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from azul_agents import Agent, MatchConfig, run_match
from azul_agents.arena.tally import Tally
from azul_agents.search.improvement import FitConfig, improve, write_card

DEFAULTS = FitConfig()


def fit_evaluation(
    out: Annotated[Path, typer.Option(metavar="CARD.json", help="Where to write the weights.")],
    players: Annotated[
        int, typer.Option(min=2, max=4, help="Number of players.")
    ] = DEFAULTS.players,
    games: Annotated[
        int, typer.Option(min=100, help="Self-play games of every improvement.")
    ] = DEFAULTS.games,
    improvements: Annotated[
        int, typer.Option(min=1, help="How often to play, fit and compare.")
    ] = DEFAULTS.improvements,
    nodes: Annotated[
        int, typer.Option(min=0, help="Search limit in self-play; 0 looks one turn ahead.")
    ] = DEFAULTS.nodes,
    ridge: Annotated[
        float, typer.Option(min=0.0, help="Strength of the pull towards 0.")
    ] = DEFAULTS.ridge,
    duel_games: Annotated[
        int, typer.Option(min=2, help="Games against the weights before.")
    ] = DEFAULTS.duel_games,
    duel_nodes: Annotated[
        int, typer.Option(min=10, help="Search limit in these games.")
    ] = DEFAULTS.duel_nodes,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Begin with weights set by hand.")
    ] = DEFAULTS.from_scratch,
    seed: Annotated[int, typer.Option(min=0, help="Where the deals come from.")] = DEFAULTS.seed,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Threads of self-play.")] = DEFAULTS.jobs,
) -> None:
    """Learn the evaluation of the search.

    Self-play, ridge regression on the final margin, and a match against the weights before, again and again.
    The agents alphabeta and mcts play with the cards in the package, agents/azul_agents/search/weights/N_players.json.
    """
    config = FitConfig(
        players, games, improvements, nodes, ridge, duel_games, duel_nodes, from_scratch, seed, jobs
    )
    if not out.resolve().parent.is_dir():
        raise ValueError(f"--out {out}: there is no folder {out.resolve().parent}")
    console = Console(stderr=True, highlight=False)
    with Progress(console=console, transient=True) as progress:
        tasks: dict[tuple[str, int], TaskID] = {}

        def advance(what: str, done: int, total: int) -> None:
            key = (what, total)
            task = tasks.get(key)
            if task is None or progress.tasks[progress.task_ids.index(task)].finished:
                task = tasks[key] = progress.add_task(what, total=total)
            progress.update(task, advance=done)

        def play(
            specs: tuple[str, ...],
            games: int,
            seed: int,
            on_game: Callable[[], None],
            make: Callable[[str], Agent],
        ) -> Tally:
            match = MatchConfig(games, seed, jobs=1)
            return run_match(specs, match, lambda _: on_game(), make).tallies[0]

        card = improve(config, console.print, advance, play)
    write_card(card, out)
    console.print(f"{out}: weights for {players} players")
