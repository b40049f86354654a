"""`azul fit-evaluation`: learn the evaluation of the search agents."""

from pathlib import Path
from typing import Annotated

import typer

from azul_agents.arena.run_configs import FitConfig
from azul_ui.commands.numbers import finite
from azul_ui.commands.variants import VariantName, VariantOption
from azul_ui.stopping import stoppable

ROOT = Path("runs/fit-evaluation")
DEFAULTS = FitConfig()


def fit_evaluation(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option(metavar="CARD.json", help="Where to write the weights.")
    ] = None,
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
        float, typer.Option(min=0.0, callback=finite, help="Strength of the pull towards 0.")
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
    variant: VariantOption = VariantName.COLORED,
    runs: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the run gets its folder.")
    ] = ROOT,
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Go on with a run where it was stopped.")
    ] = None,
) -> None:
    """Learn the evaluation of the search.

    Self-play, ridge regression on the final margin, and a match against the weights before, again and again.
    The linear evaluation of alphabeta and mcts comes from the cards in the package,
    agents/azul_agents/search/weights/N_players.json, or gray_N_players.json for the gray wall.

    azul fit-evaluation --out mine.json --games 20000

    azul fit-evaluation --resume runs/fit-evaluation/mine

    A run is a folder that keeps games and fits as they are made: a run that was stopped or killed resumes from it and ends
    with the same weights.
    """
    from azul_ui.terminal.fitting import new_run, resumed_run

    if resume is not None:
        if any(name != "resume" and _is_given(context, name) for name in context.params):
            raise ValueError("--resume goes on with the run's own settings: give nothing else")
        with stoppable():
            resumed_run(resume)
        return
    if out is None:
        raise ValueError("give --out CARD.json, or --resume RUN")
    config = FitConfig(
        players,
        games,
        improvements,
        nodes,
        ridge,
        duel_games,
        duel_nodes,
        from_scratch,
        seed,
        jobs,
        variant.value,
    )
    if not out.resolve().parent.is_dir():
        raise ValueError(f"--out {out}: there is no folder {out.resolve().parent}")
    with stoppable():
        new_run(config, out, runs)


def _is_given(context: typer.Context, name: str) -> bool:
    """True if an option is on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
