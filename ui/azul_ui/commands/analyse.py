"""`azul analyse`: the best moves of a position, or what every move of a recorded game lost."""

from typing import Annotated

import typer


def analyse(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="POSITION|RECORD",
            help="A position in its text form or a file that holds one, or a file of recorded games.",
        ),
    ],
    agent: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="Who judges; the strongest agent if left out."),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, max=300, help="How many best moves, or worst mistakes.")
    ] = 5,
    game: Annotated[int, typer.Option(min=0, help="Which game of the file, from 0.")] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Judge the moves of a position or of a whole game.

    For a position: the best moves, each with the points that its player expects to be ahead in the end and the chance to
    win, and the moves that are expected to follow. For a record: every move with what it lost against the best one in
    points and in win chance, the worst mistakes and a summary of each player. A move that loses 5% of win chance is an
    inaccuracy, 10% a mistake, 20% a blunder. Where the end is in sight, alphabeta adds a bonus for winning to the margin,
    so a win thrown away shows as a loss of many points.

    azul analyse "azul 2p ..." --top 3

    azul analyse games.jsonl --game 4 --agent alphabeta:time=1
    """
    from azul_ui.terminal.analysis import print_analysis

    print_analysis(subject, agent, top, game, as_json)
