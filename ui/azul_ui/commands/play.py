"""`azul play`: a person's game against agents in the terminal."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from azul_env import MAX_PLAYERS, MIN_PLAYERS
from azul_ui.commands.variants import VariantName


def play(
    game: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="With --continue: which game.")
    ] = None,
    vs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="An opponent: a level such as casual, or an agent such as greedy (azul agents lists all); "
            "repeat it for each, or name one for all; if left out, the strongest agent with half a second per move.",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(
            min=MIN_PLAYERS,
            max=MAX_PLAYERS,
            help="Players at the table; 2 if left out, or as many as are named.",
        ),
    ] = None,
    seat: Annotated[
        str | None, typer.Option(metavar="N|random", help="Your seat; seat 0 starts.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Fixes the deals and the opponents' random numbers.")
    ] = None,
    variant: Annotated[
        VariantName | None,
        typer.Option(
            help="The wall: colored, which is the default, or gray, where you choose the column of each tile."
        ),
    ] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on with the last game of a file.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the game here after every move.")
    ] = None,
    continues: Annotated[
        bool,
        typer.Option("--continue", help="Go on with the unfinished game that was played last."),
    ] = False,
    games: Annotated[bool, typer.Option("--games", help="List your games and exit.")] = False,
) -> None:
    """Play in the terminal against agents.

    azul play --vs casual

    azul play --vs beginner --vs expert --seat random

    Moves are written as 1W3 (white from factory 1 to line 3), CB4 (C is the center) or 0KF (F is the floor); type
    [bold]help[/] in the game for everything else: the rules, legal moves, hints, undo, save and load, and an analysis at the end.
    With --variant gray you also choose columns, by their number: 2, or T2.

    Every game is kept as you play, in $AZUL_GAMES or your data folder: [bold]--continue[/] goes on with it.

    A seed fixes the game: each round is dealt by a generator of its own, so after an undo the same deals come again.
    """
    from azul_ui.terminal.dialogue import play_in_terminal, print_games
    from azul_ui.terminal.setup import PlayConfig

    if games:
        print_games()
        return
    if game is not None and not continues:
        raise ValueError(f"{game!r:.40}: an ID goes with --continue")
    own = {
        "--load": load,
        "--seed": seed,
        "--players": players,
        "--seat": seat,
        "--variant": variant,
    }
    clashing = [option for option, value in own.items() if value is not None]
    if continues and clashing:
        raise ValueError(f"{clashing[0]} and --continue: a game goes on as it is")
    if load is not None and seed is not None:
        raise ValueError("--seed and --load: a loaded game goes on with its own seed's deals")
    if load is not None and variant is not None:
        raise ValueError("--variant and --load: a loaded game goes on as it is")
    name = (variant or VariantName.COLORED).value
    config = PlayConfig(tuple(vs or ()), players, _seat_in(seat), seed, name)
    play_in_terminal(config, load, save, continues, game)


def _seat_in(text: str | None) -> int | Literal["random"] | None:
    if text is None or text == "random":
        return text  # type: ignore[return-value]  # the literal it was just compared with
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"--seat must be a number or random, not {text!r:.40}")
    return int(text)
