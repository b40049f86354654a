"""`azul eval`: how well a trained model plays."""

from pathlib import Path
from typing import Annotated

import typer

from azul_ui.stopping import stoppable

DEFAULT_OPPONENTS = ("random", "greedy")
# Evaluations in training have a seed of their own, so these deals did not choose the model.
DEFAULT_SEED = 2_000_003


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
    """Let a trained model play matches against copies of one agent.

    azul eval runs/train/quick --opponent greedy --opponent alphabeta:nodes=20000

    The model plays its most likely move, at a table for as many players as it was trained for. Every deal is
    played once from every seat. A shared win counts as an equal share of a win. The interval is Wilson's, for 95%.
    """
    from azul_agents import MatchConfig
    from azul_ui.commands.models import model_file
    from azul_ui.terminal.matches import evaluate_model

    opponents = tuple(dict.fromkeys(opponent or DEFAULT_OPPONENTS))
    with stoppable():
        evaluate_model(model_file(run_or_model), opponents, MatchConfig(games, seed, jobs), as_json)
