"""`azul render`: pictures of a position and films of a game."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from azul_ui.commands.numbers import finite

if TYPE_CHECKING:
    from azul_env import ReplayStep


def render(
    file: Annotated[
        Path | None, typer.Argument(metavar="RECORD", help="JSON lines, one recorded game each.")
    ] = None,
    gif: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write the whole game as a film.")
    ] = None,
    png: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write one position as a PNG.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write one position as an SVG.")
    ] = None,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Draw this position, in its text form.")
    ] = None,
    game: Annotated[int, typer.Option(min=0, help="Which game of the file, from 0.")] = 0,
    move: Annotated[
        int | None,
        typer.Option(min=0, help="The position after this many moves; the last if left out."),
    ] = None,
    scale: Annotated[
        float,
        typer.Option(min=0.1, max=4.0, callback=finite, help="Scale of the picture in pixels."),
    ] = 0.6,
    seconds: Annotated[
        float,
        typer.Option(min=0.05, max=60.0, callback=finite, help="Time of each position in a film."),
    ] = 0.8,
) -> None:
    """Draw a position or film a game.

    azul render games.jsonl --gif game.gif        the whole game

    azul render games.jsonl --move 12 --png p.png one position of it

    azul render --position "azul 2p ..." --svg p.svg
    """
    from azul_env import ReplayStep, parse_state, replay
    from azul_ui.commands.recorded import recorded_game

    if (file is None) == (position is None):
        raise ValueError("give either a file of records or --position, not both")
    if gif is None and png is None and svg is None:
        raise ValueError("say what to write: --gif, --png or --svg")
    if gif is not None and file is None:
        raise ValueError("a film needs a file of records, a position alone does not move")
    if position is not None:
        names, steps = None, [ReplayStep(parse_state(position), None)]
    else:
        assert file is not None
        record = recorded_game(file, game)
        names, steps = record.agents or None, list(replay(record))
    if gif is not None:
        _film(steps, names, gif, scale, seconds)
    if move is not None and move >= len(steps):
        raise ValueError(f"the game has {len(steps) - 1} moves: there is no position after {move}")
    _draw(steps[-1 if move is None else move], names, png, svg, scale)


def _film(
    steps: "list[ReplayStep]", names: list[str] | None, gif: Path, scale: float, seconds: float
) -> None:
    """Write all positions of a game as a film."""
    from rich.console import Console
    from rich.progress import track

    from azul_env import rgb_array, write_gif

    console = Console(stderr=True)
    frames = [
        rgb_array(step.state, *_last_turn(step), names=names, scale=scale)
        for step in track(steps, "drawing", console=console, transient=True)
    ]
    write_gif(frames, gif, seconds_per_frame=seconds)
    console.print(f"{gif}: {len(frames)} positions")


def _draw(
    step: "ReplayStep",
    names: list[str] | None,
    png: Path | None,
    svg: Path | None,
    scale: float,
) -> None:
    """Write one position as pixels or shapes."""
    from azul_env.files import write_atomically

    if png is not None:
        from azul_env import png_bytes

        picture = png_bytes(step.state, *_last_turn(step), names=names, scale=scale)
        write_atomically(png, picture)
    if svg is not None:
        from azul_env import svg as draw

        write_atomically(svg, draw(step.state, *_last_turn(step), names=names))


def _last_turn(step: "ReplayStep") -> tuple[int | None, int | None]:
    """Action and player of the move that led to a position, if one did."""
    from azul_env.record_events import event_action

    if step.event is None:
        return None, None
    # The state after an event serves as well: players and variant are the same.
    action = event_action(step.state, step.event)
    return (None, None) if action is None else (action, step.event["player"])
