"""Recorded games on the terminal: page by page, or verified by the file."""

import sys
import warnings
from pathlib import Path

from rich.console import Console

from azul_env import (
    GameRecord,
    GameState,
    RecordError,
    ansi,
    format_action,
    printable,
    read_records,
    replay,
    verify,
    winners,
)
from azul_env.record_events import event_action
from azul_env.record_files import LostRecordWarning
from azul_env.record_form import Event
from azul_ui.commands.recorded import recorded_game
from azul_ui.terminal.dialogue import CLEAR_SCREEN


def check_games(file: Path) -> bool:
    """Verify every game of a file and print whether it is sound; true if all are, and none is lost."""
    console = Console(highlight=False, soft_wrap=True)
    sound = broken = lost = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", LostRecordWarning)
        try:
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
        except LostRecordWarning as warning:
            lost = 1
            console.print(str(warning), style="red", markup=False)
    console.print(f"{sound} sound, {broken} impossible" + lost * f", {lost} lost")
    return not broken + lost


def _summary(record: GameRecord, state: GameState) -> str:
    turns = sum(event["type"] in ("draft", "tile") for event in record.events)
    if not state.is_terminal:
        return f"{turns} turns, {state.round} rounds, not finished"
    seats = ", ".join(str(seat) for seat in winners(state))
    points = "-".join(str(score) for score in state.scores)
    return (
        f"{turns} turns, {state.round} rounds, {points}, won by seat {seats} ({state.end_reason})"
    )


def show_game(file: Path, game: int) -> None:
    """Show one game of a file, position by position."""
    record = recorded_game(file, game)
    pages = [_page(record, step.state, step.event) for step in replay(record)]
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("\n\n".join(pages))
        return
    number = 0
    while number < len(pages):
        print(f"{CLEAR_SCREEN}{pages[number]}\n")
        answer = input(f"{number + 1}/{len(pages)}  Enter next, b back, q quit > ").strip().lower()
        if answer == "q":
            return
        number = max(0, number - 1) if answer == "b" else number + 1


def _page(record: GameRecord, state: GameState, event: Event | None) -> str:
    """A position, under the move that led to it."""
    move, action, player = "start", None, None
    if event is not None and (action := event_action(state, event)) is not None:
        player = event["player"]
        move = f"player {player}: {format_action(action, state.num_players, state.variant)}"
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
