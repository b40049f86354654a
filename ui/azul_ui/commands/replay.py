"""`azul replay`: step through a recorded game, or check whole files."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from azul_env import GameRecord, GameState, RecordError, format_action, read_records, winners
from azul_env import replay as replay_steps
from azul_env.core.arguments import printable
from azul_env.record import Event, verify
from azul_ui.commands.recorded import recorded_game

EXIT_FAILED_CHECK = 1


def replay(
    file: Annotated[Path, typer.Argument(help="JSON lines, one recorded game each.")],
    game: Annotated[int, typer.Option(min=0, help="Which game of the file to show, from 0.")] = 0,
    check: Annotated[
        bool, typer.Option("--check", help="Check every game instead of showing one.")
    ] = False,
) -> None:
    """Step through a recorded game, or verify all games of a file with [bold]--check[/].

    In a terminal, Enter shows the next position, b the one before, q quits. Elsewhere all positions are printed.
    """
    if check:
        sys.exit(0 if _check_all(file) else EXIT_FAILED_CHECK)
    _show(file, game)


def _check_all(file: Path) -> bool:
    """Verify every game and say how each fared; true if all are sound."""
    console = Console(highlight=False, soft_wrap=True)
    sound = broken = 0
    for number, record in enumerate(read_records(file)):
        try:
            state = verify(record)
        except RecordError as error:
            broken += 1
            console.print(f"[red]game {number}: impossible[/]", end=" ")
            console.print(str(error), markup=False)
        else:
            sound += 1
            console.print(f"[green]game {number}: sound[/] {_summary(record, state)}")
    console.print(f"{sound} sound, {broken} impossible")
    return broken == 0


def _summary(record: GameRecord, state: GameState) -> str:
    turns = sum(event["type"] == "draft" for event in record.events)
    if not state.is_terminal:
        return f"{turns} turns, {state.round} rounds, not finished"
    seats = ", ".join(str(seat) for seat in winners(state))
    points = "-".join(str(score) for score in state.scores)
    return (
        f"{turns} turns, {state.round} rounds, {points}, won by seat {seats} ({state.end_reason})"
    )


def _show(file: Path, game: int) -> None:
    """Show one game of a file, position by position."""
    record = recorded_game(file, game)
    pages = [_page(record, step.state, step.event) for step in replay_steps(record)]
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("\n\n".join(pages))
        return
    place = 0
    while True:
        print(f"\033[2J\033[H{pages[place]}\n")
        answer = input(f"{place + 1}/{len(pages)}  Enter next, b back, q quit > ").strip().lower()
        if answer == "q":
            return
        place = max(0, place - 1) if answer == "b" else place + 1
        if place == len(pages):
            return


def _page(record: GameRecord, state: GameState, event: Event | None) -> str:
    """A position, under the move that led to it."""
    from azul_env.render import ansi

    move, action, player = "start", None, None
    if event is not None and event["type"] == "draft":
        action, player = event["action"], event["player"]
        move = f"player {player}: {format_action(action, state.num_players)}"
    elif event is not None:
        why = f" ({printable(event['forfeit'])})" if event["forfeit"] else ""
        move = f"player {event['player']} resigns{why}"
    board = ansi(
        state,
        last_action=action,
        last_player=player,
        names=record.agents or None,
        color=sys.stdout.isatty(),
    )
    return f"{move}\n{board}"
