"""`azul play`: a person's game against agents in the terminal."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from azul_env import MAX_PLAYERS, MIN_PLAYERS


def play(
    vs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="An opponent, as in alphabeta:time=0.5; repeat it for each, or name one for all.",
        ),
    ] = None,
    players: Annotated[
        int | None, typer.Option(min=MIN_PLAYERS, max=MAX_PLAYERS, help="Players at the table.")
    ] = None,
    seat: Annotated[
        str | None, typer.Option(metavar="N|random", help="Your seat; seat 0 starts.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Fixes the deals and the opponents' random numbers.")
    ] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on with the last game of a file.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the game here after every move.")
    ] = None,
) -> None:
    """Play in the terminal against agents.

    Moves are written as 1W3 (white from factory 1 to line 3), CB4 (C is the center) or 0KF (F is the floor); type
    [bold]help[/] in the game for everything else: legal moves, hints, undo, save and load.

    A seed fixes the game: each round is dealt by a generator of its own, so after an undo the same deals come again.
    """
    from azul_ui.terminal.dialogue import play_in_terminal
    from azul_ui.terminal.session import PlayConfig

    play_in_terminal(PlayConfig(tuple(vs or ()), players, _seat_in(seat), seed), load, save)


def _seat_in(text: str | None) -> int | Literal["random"] | None:
    if text is None or text == "random":
        return text  # type: ignore[return-value]  # the literal it was just compared with
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"--seat must be a number or random, not {text!r:.40}")
    return int(text)
