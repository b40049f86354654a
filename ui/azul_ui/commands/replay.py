"""`azul replay`: step through a recorded game, or check whole files."""

from pathlib import Path
from typing import Annotated

import typer

EXIT_FAILED_CHECK = 1


def replay(
    file: Annotated[Path, typer.Argument(help="JSON lines, one recorded game each.")],
    game: Annotated[int, typer.Option(min=0, help="Which game of the file to show, from 0.")] = 0,
    check: Annotated[
        bool, typer.Option("--check", help="Check every game instead of showing one.")
    ] = False,
) -> None:
    """Step through a recorded game, or verify all games of a file.

    In a terminal, Enter shows the next position, b the one before, q quits. Elsewhere all positions are printed.
    """
    from azul_ui.terminal.replay_pages import check_games, show_game

    if not check:
        show_game(file, game)
    elif not check_games(file):
        raise typer.Exit(EXIT_FAILED_CHECK)
