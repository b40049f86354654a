"""What `azul analyse` prints: the best moves of a position, or what every move of a recorded game lost."""

import contextlib
import json
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from azul_agents import (
    Agent,
    MoveValue,
    ReviewedMove,
    make_agent,
    mean_losses,
    ranked_moves,
    reviewed_moves,
    strongest_spec,
    worst_moves,
)
from azul_env import (
    GameRecord,
    GameState,
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


def print_analysis(subject: str, spec: str | None, top: int, game: int, as_json: bool) -> None:
    """Analyse a position (its text, or a file that holds one) or a game of a file of records."""
    with contextlib.closing(make_agent(spec or strongest_spec(NODE_LIMIT))) as judge:
        text = _position_in(subject)
        if text is not None:
            _analyse_position(parse_state(text), judge, top, as_json)
        else:
            _analyse_record(recorded_game(Path(subject), game), judge, top, game, as_json)


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
        "words": describe_action(move.action, state.num_players),
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
    for number, move in enumerate(worst, 1):
        played, best = (describe_action(a, len(names)) for a in (move.action, move.best_action))
        print(f"{number:>3}. move {move.number} by {names[move.player]}, {move.loss:.2f} lost:")
        print(f"     {played}; better was {best}")
    print("\nMean loss of a move")
    for seat, mean in enumerate(means):
        print(f"  {seat} {names[seat]:<{width}}  {'-' if mean is None else f'{mean:.2f}':>6}")


def _style(loss: float) -> str:
    if loss >= MISTAKE:
        return "bold red"
    return "yellow" if loss >= SLIP else ""


def _print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, indent=2, allow_nan=False))
