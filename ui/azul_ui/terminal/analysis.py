"""What `azul analyse` prints: the best moves of a position, or what every move of a recorded game lost."""

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from azul_agents import (
    SEVERITIES,
    Agent,
    Candidate,
    PlayerSummary,
    ReviewedMove,
    analysis_of,
    make_agent,
    parse_spec,
    reviewed_moves,
    strongest_spec,
    summaries,
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
from azul_env.files import open_regular
from azul_env.notation import MAX_LETTERS
from azul_env.render.scene import scene_of
from azul_ui.commands.recorded import recorded_game
from azul_ui.terminal.bars import bar_console
from azul_ui.terminal.compiling import compile_analysis
from azul_ui.terminal.words import line_text, percent, ranked_lines

POSITION_START: Final = "azul "
STYLES: Final = dict(zip(SEVERITIES, ("bold red", "red", "yellow"), strict=True))


def print_analysis(subject: str, spec: str | None, top: int, game: int, as_json: bool) -> None:
    """Analyse a position (its text, or a file that holds one) or a game of a file of records."""
    if spec is not None:
        parse_spec(spec)
    text = _position_in(subject)
    if text is not None:
        state = parse_state(text)
        with _judge(spec, state.num_players, state.variant) as judge:
            _analyse_position(state, judge, top, as_json)
    else:
        record = recorded_game(Path(subject), game)
        with _judge(spec, record.num_players, record.variant) as judge:
            _analyse_record(record, judge, top, game, as_json)


def print_mistakes(record: GameRecord, names: Sequence[str], top: int = 3) -> None:
    """Print the worst mistakes of a game, and a summary of each player."""
    with _judge(None, record.num_players, record.variant) as judge:
        moves = _with_progress(record, judge)
    _print_worst(worst_moves(moves, top), names, record.variant)
    _print_summaries(summaries(moves, record.num_players), names)


def _judge(
    spec: str | None, num_players: int, variant: str
) -> contextlib.AbstractContextManager[Agent]:
    """The agent that analyses, compiled and to be closed; None: the strongest for such a table."""
    spec = spec or strongest_spec(num_players, variant)
    compile_analysis(spec, num_players, variant)
    return contextlib.closing(make_agent(spec))


def _position_in(subject: str) -> str | None:
    """The text of the position that is given or in a file; None if it is a file of records."""
    if subject.startswith(POSITION_START):
        return subject
    if not os.path.isfile(subject):  # a pipe can be read only once, as records
        return None
    with open_regular(subject) as file:
        text = file.read(MAX_LETTERS + 1).decode(errors="replace")
    return text.strip() if text.startswith(POSITION_START) else None


def _analyse_position(state: GameState, judge: Agent, top: int, as_json: bool) -> None:
    analysis = analysis_of(state, judge)
    shown = analysis.candidates[:top]
    if as_json:
        _print_json(
            {
                "kind": "position",
                "agent": judge.spec,
                "position": repr(state),
                "num_players": state.num_players,
                "player": state.current_player,
                "legal_moves": int(legal_mask(state).sum()),
                "moves": [_move_data(state, move, analysis.candidates[0].value) for move in shown],
                "win_chances": analysis.win_chances,
                "depth": analysis.depth,
                "nodes": analysis.nodes,
            }
        )
        return
    player = state.current_player
    print(f"player {player} to move: the best {len(shown)} moves by {judge.spec}")
    print("\n".join(ranked_lines(state, [(m.action, m.value, m.win_chance) for m in shown])))
    print(f"expected: {line_text(shown[0].line, state.num_players, state.variant)}")
    seats = ", ".join(f"player {i} {percent(p)}" for i, p in enumerate(analysis.win_chances))
    print(f"chances to win: {seats}")


def _move_data(state: GameState, move: Candidate, best_value: float) -> dict[str, Any]:
    return {
        "action": move.action,
        "move": format_action(move.action, state.num_players, state.variant),
        "words": describe_action(move.action, state.num_players, state.variant),
        "value": move.value,
        "loss": best_value - move.value,
        "win_chance": move.win_chance,
        "line": line_text(move.line, state.num_players, state.variant).split(),
    }


def _analyse_record(record: GameRecord, judge: Agent, top: int, game: int, as_json: bool) -> None:
    final = verify(record)
    moves = _with_progress(record, judge)
    players = summaries(moves, record.num_players)
    worst = worst_moves(moves, top)
    if as_json:
        _print_json(
            {
                "kind": "record",
                "agent": judge.spec,
                "game": game,
                "num_players": record.num_players,
                "names": record.agents,
                "moves": [_review_data(move, record) for move in moves],
                "mean_loss": [player.mean_loss for player in players],
                "worst": [move.number for move in worst],
                "players": [player._asdict() for player in players],
            }
        )
        return
    # The names of a scene are fit for a terminal, whatever a file holds.
    names = scene_of(final, None, None, record.agents or None).names
    _print_moves(moves, names, judge.spec, record.variant)
    _print_worst(worst, names, record.variant)
    _print_summaries(players, names)


def _with_progress(record: GameRecord, judge: Agent) -> list[ReviewedMove]:
    """The moves of a game as the judge values them, with a progress bar on stderr."""
    total = sum(event["type"] in ("draft", "tile") for event in record.events)
    with Progress(console=bar_console(), transient=True) as progress:
        return list(progress.track(reviewed_moves(record, judge), total, description="analysing"))


def _review_data(move: ReviewedMove, record: GameRecord) -> dict[str, Any]:
    num_players, variant = record.num_players, record.variant
    return {
        "number": move.number,
        "round": move.round,
        "player": move.player,
        "action": move.action,
        "move": format_action(move.action, num_players, variant),
        "value": move.value,
        "best_action": move.best_action,
        "best_move": format_action(move.best_action, num_players, variant),
        "best_value": move.best_value,
        "loss": move.loss,
        "win_chance": move.win_chance,
        "best_win_chance": move.best_win_chance,
        "win_chance_loss": move.win_chance_loss,
        "severity": move.severity,
        "win_chances": move.win_chances,
        "line": line_text(move.best_line, num_players, variant).split(),
    }


def _print_moves(moves: list[ReviewedMove], names: Sequence[str], spec: str, variant: str) -> None:
    """Every move with what it lost, and the win chances after it."""
    console = Console(highlight=False, soft_wrap=True)
    width = max(map(len, names))
    seats = "  ".join(f"win {seat}" for seat in range(len(names)))
    print(f"What every move lost in points and in win chance, as {spec} sees it")
    print(
        f"{'move':>4}  {'round':>5}  {'player':<{width + 2}}  played  best  {seats}  "
        f"{'loss':>6}  chance"
    )
    for move in moves:
        actions = (move.action, move.best_action)
        played, best = (format_action(a, len(names), variant) for a in actions)
        who = f"{move.player} {names[move.player]}"
        chances = "  ".join(f"{percent(chance):>5}" for chance in move.win_chances)
        line = f"{move.number:>4}  {move.round:>5}  {who:<{width + 2}}  {played:<6}  {best:<4}  {chances}  "
        loss = f"{move.loss:6.2f}  {f'{move.win_chance_loss:.0%}':>6}  {move.severity or ''}"
        console.print(Text(line), Text(loss.rstrip(), style=_style(move)), sep="")


def _print_worst(worst: list[ReviewedMove], names: Sequence[str], variant: str) -> None:
    print("\nWorst mistakes" if worst else "\nNo mistakes")
    for number, move in enumerate(worst, 1):
        actions = (move.action, move.best_action)
        played, best = (describe_action(a, len(names), variant) for a in actions)
        name = f", {move.severity}" if move.severity else ""
        print(
            f"{number:>3}. move {move.number} by {names[move.player]}, {move.loss:.2f} lost, "
            f"{percent(move.best_win_chance)} to win fell to {percent(move.win_chance)}{name}:"
        )
        print(f"     {played}; better was {best}")
        print(f"     expected: {line_text(move.best_line, len(names), variant)}")


def _print_summaries(players: list[PlayerSummary], names: Sequence[str]) -> None:
    width = max(map(len, names))
    print("\nMean loss of a move in points and in win chance, and moves without a mistake")
    for seat, player in enumerate(players):
        counts = ", ".join(f"{n} {_plural(name, n)}" for name, n in player.severities.items())
        numbers = "-"
        if player.moves:
            numbers = f"{player.mean_loss:6.2f}  {player.mean_win_chance_loss:6.1%}  {player.accuracy:4.0%}  {counts}"
        print(f"  {seat} {names[seat]:<{width}}  {numbers}")


def _plural(name: str, count: int) -> str:
    if count == 1:
        return name
    return f"{name.removesuffix('y')}ies" if name.endswith("y") else f"{name}s"


def _style(move: ReviewedMove) -> str:
    return "" if move.severity is None else STYLES[move.severity]


def _print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, indent=2, allow_nan=False))
