"""`azul web`: play, watch, review and analyse in the browser."""

from pathlib import Path
from typing import Annotated, Final

import typer

from azul_env.extras import install_command

DEFAULT_PORT: Final = 8137


def web(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[GAME.jsonl]", help="Open the last game of a file for review."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes any free port.")
    ] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen on; at the default only this machine connects.")
    ] = "127.0.0.1",
    opens: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
    games: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep games here; by default where `azul play` does."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="An agent of your own to offer, as in neural:path=model.npz; repeat it for each.",
        ),
    ] = None,
) -> None:
    """Play, watch, review and analyse in the browser.

    azul web                                   opens the page

    azul web game.jsonl                        opens a recorded game for review

    azul web --agent python:my_bot:MyBot       lets your own agent play

    Every game is kept as it is played, together with those of [bold]azul play[/].
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        raise ModuleNotFoundError(
            f"azul web needs {error.name}: {install_command('web')}"
        ) from None
    from azul_ui.commands.recorded import last_game
    from azul_ui.web.app import WebConfig
    from azul_ui.web.server import serve

    record = None if file is None else last_game(file)
    serve(WebConfig(host, games, tuple(agent or ())), port, record, opens)
