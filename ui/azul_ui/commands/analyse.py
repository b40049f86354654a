"""`azul analyse`: the best moves of a position, or what every move of a recorded game lost."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from azul_agents.analysis import (
    ReviewedMove,
    mean_losses,
    ranked_moves,
    reviewed_moves,
    strongest_spec,
    worst_moves,
)
from azul_agents.base import Agent, MoveValue
from azul_agents.registry import make_agent
from azul_env import (
    GameRecord,
    GameState,
    decode_action,
    describe_action,
    format_action,
    legal_mask,
    parse_state,
    verify,
)
from azul_env.render.scene import scene_of
from azul_ui.commands.recorded import recorded_game
from azul_ui.terminal.words import ranked_lines

POSITION_START: Final = "azul "
NODE_LIMIT: Final = "nodes=50000"  # a limit that gives the same answer on every machine
SLIP, MISTAKE = 1.0, 3.0  # losses from which a move is shown in yellow and in red


@dataclass(frozen=True)
class AnalyseConfig:
    """What `azul analyse` does unless told otherwise."""

    top: int = 5
    """So many best moves of a position, or worst mistakes of a game."""
    game: int = 0
    """Which game of a file, from 0."""


DEFAULTS = AnalyseConfig()


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
        int, typer.Option(min=1, max=300, help="So many best moves, or worst mistakes.")
    ] = DEFAULTS.top,
    game: Annotated[
        int, typer.Option(min=0, help="Which game of the file, from 0.")
    ] = DEFAULTS.game,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Judge the moves of a position or of a whole game.

    For a position: the best moves, each with the points that its player expects to be ahead in the end. For a record:
    every move with what it lost against the best one, the worst mistakes and everybody's mean loss. Where the end is in
    sight, alphabeta adds to the margin what winning is worth to it: a win thrown away shows as a loss of many points.

    azul analyse "azul 2p ..." --top 3

    azul analyse games.jsonl --game 4 --agent alphabeta:time=1
    """
    judge = make_agent(agent or strongest_spec(NODE_LIMIT))
    try:
        text = _position_in(subject)
        if text is not None:
            _analyse_position(parse_state(text), judge, top, as_json)
        else:
            _analyse_record(recorded_game(Path(subject), game), judge, top, game, as_json)
    finally:
        judge.close()


def _position_in(subject: str) -> str | None:
    """The text of the position that is meant; None if it is a file of records."""
    if subject.startswith(POSITION_START):
        return subject
    with open(subject, "rb") as file:
        if file.read(len(POSITION_START)) != POSITION_START.encode():
            return None
    return Path(subject).read_text(encoding="utf-8", errors="replace").strip()


def _analyse_position(state: GameState, judge: Agent, top: int, as_json: bool) -> None:
    ranked = ranked_moves(state, judge)
    if as_json:
        moves = [_move_data(state, move, ranked[0].value) for move in ranked[:top]]
        _print_json(
            {
                "kind": "position",
                "agent": judge.spec,
                "position": repr(state),
                "num_players": state.num_players,
                "player": state.current_player,
                "legal_moves": int(legal_mask(state).sum()),
                "moves": moves,
            }
        )
        return
    shown = min(top, len(ranked))
    print(f"player {state.current_player} to move: the best {shown} moves by {judge.spec}")
    print("\n".join(ranked_lines(state, ranked, top)))


def _move_data(state: GameState, move: MoveValue, best_value: float) -> dict[str, Any]:
    return {
        "action": move.action,
        "move": format_action(move.action, state.num_players),
        "words": _words(move.action, state.num_players),
        "value": move.value,
        "loss": best_value - move.value,
    }


def _analyse_record(record: GameRecord, judge: Agent, top: int, game: int, as_json: bool) -> None:
    final = verify(record)
    moves = _with_progress(record, judge)
    means = mean_losses(moves, record.num_players)
    worst = worst_moves(moves, top)
    if as_json:
        _print_json(
            {
                "kind": "record",
                "agent": judge.spec,
                "game": game,
                "num_players": record.num_players,
                "names": record.agents,
                "moves": [_review_data(move, record.num_players) for move in moves],
                "mean_loss": means,
                "worst": [move.number for move in worst],
            }
        )
        return
    # The names of a scene are fit for a terminal, whatever a file holds.
    names = scene_of(final, None, None, record.agents or None).names
    _print_review(moves, worst, means, names, judge.spec)


def _with_progress(record: GameRecord, judge: Agent) -> list[ReviewedMove]:
    """The moves of a game as the judge sees them; a bar on stderr shows how far it is."""
    total = sum(event["type"] == "draft" for event in record.events)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        return list(progress.track(reviewed_moves(record, judge), total, description="analysing"))


def _review_data(move: ReviewedMove, num_players: int) -> dict[str, Any]:
    return {
        "number": move.number,
        "round": move.round,
        "player": move.player,
        "action": move.action,
        "move": format_action(move.action, num_players),
        "value": move.value,
        "best_action": move.best_action,
        "best_move": format_action(move.best_action, num_players),
        "best_value": move.best_value,
        "loss": move.loss,
    }


def _print_review(
    moves: list[ReviewedMove],
    worst: list[ReviewedMove],
    means: list[float | None],
    names: tuple[str, ...],
    spec: str,
) -> None:
    console = Console(highlight=False, soft_wrap=True)
    width = max(map(len, names))
    print(f"What every move lost, as {spec} sees it")
    print(f"{'move':>4}  {'round':>5}  {'player':<{width + 2}}  played  best  {'loss':>6}")
    for move in moves:
        played, best = (format_action(a, len(names)) for a in (move.action, move.best_action))
        who = f"{move.player} {names[move.player]}"
        line = f"{move.number:>4}  {move.round:>5}  {who:<{width + 2}}  {played:<6}  {best:<4}  "
        console.print(Text(line), Text(f"{move.loss:6.2f}", style=_style(move.loss)), sep="")
    print("\nWorst mistakes" if worst else "\nNo mistakes")
    for place, move in enumerate(worst, 1):
        played, best = (_words(a, len(names)) for a in (move.action, move.best_action))
        print(f"{place:>3}. move {move.number} by {names[move.player]}, {move.loss:.2f} lost:")
        print(f"     {played}; better was {best}")
    print("\nMean loss of a move")
    for seat, mean in enumerate(means):
        print(f"  {seat} {names[seat]:<{width}}  {'-' if mean is None else f'{mean:.2f}':>6}")


def _style(loss: float) -> str:
    if loss >= MISTAKE:
        return "bold red"
    return "yellow" if loss >= SLIP else ""


def _words(action: int, num_players: int) -> str:
    return describe_action(decode_action(action, num_players), num_players)


def _print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, indent=2, allow_nan=False))
