"""Moves, mistakes and results in words for a person at the terminal."""

from collections.abc import Sequence
from typing import Final

from azul_agents import MoveValue
from azul_env import (
    COLOR_NAMES,
    FLOOR,
    Action,
    GameState,
    IllegalReason,
    decode_action,
    describe_action,
    format_action,
    illegal_reason,
    legal_actions,
    ranking,
    winners,
)
from azul_env.core.variant import variant_of
from azul_env.record import Event
from azul_env.render.scene import END_WORDS

YOU: Final = "You"


def table_names(agents: Sequence[str], person: int) -> list[str]:
    """Short names by seat: You, and the kinds of the opponents, with their seats where there are several."""
    numbered = len(agents) > 2
    return [
        YOU if seat == person else spec.partition(":")[0] + f" {seat}" * numbered
        for seat, spec in enumerate(agents)
    ]


def seating(agents: Sequence[str], person: int, seed: int) -> str:
    """Who sits where."""
    others = [f"seat {seat} is {spec}" for seat, spec in enumerate(agents) if seat != person]
    return f"You have seat {person}, {', '.join(others)}. The deals are those of seed {seed}."


def told_event(before: GameState, event: Event, name: str) -> str:
    """What a player did, in a sentence."""
    if event["type"] == "resign":
        why = f", forfeit: {event['forfeit']}" if event["forfeit"] else ""
        return f"{name} resign{'' if name == YOU else 's'}{why}."
    action = decode_action(event["action"], before.num_players)
    return f"{name}: {format_action(action, before.num_players)}, {_told_move(before, action)}."


def _told_move(before: GameState, action: Action) -> str:
    """A legal move with what it takes and drops, such as `2 white from factory 1 to line 3`."""
    taken = _sources(before)[action.source][action.color]
    tiles = f"{taken} {COLOR_NAMES[action.color]} from {_source_words(before, action.source)}"
    marker = ", with the marker" if _takes_marker(before, action) else ""
    if action.destination == FLOOR:
        return f"{tiles} to the floor{marker}"
    line = before.players[before.current_player].pattern_lines[action.destination]
    fallen = taken - (action.destination + 1 - line.count)
    dropped = f", {fallen} of them to the floor" if fallen > 0 else ""
    return f"{tiles} to line {action.destination}{dropped}{marker}"


def told_round(before: GameState, after: GameState, names: Sequence[str]) -> str | None:
    """What a round that has just ended brought; None if it goes on, or the game is over."""
    if after.round == before.round or after.is_terminal:
        return None
    changes = ", ".join(
        f"{name} {new - old:+d} to {new}"
        for name, old, new in zip(names, before.scores, after.scores, strict=True)
    )
    starter = names[after.current_player]
    starts = "You start" if starter == YOU else f"{starter} starts"
    return f"Round {after.round} is over: {changes}. {starts} the next one."


def why_illegal(state: GameState, action: Action) -> str | None:
    """What is wrong with a move of the player to move; None if nothing is."""
    reason = illegal_reason(state, action)
    if reason is None:
        return None
    color = COLOR_NAMES[action.color]
    line = action.destination
    if reason is IllegalReason.SOURCE_EMPTY:
        return _why_not_there(state, action)
    if reason is IllegalReason.PATTERN_LINE_COMPLETE:
        return f"line {line} is full already"
    if reason is IllegalReason.COLOR_MISMATCH:
        held = state.players[state.current_player].pattern_lines[line].color
        assert held is not None
        return f"line {line} holds {COLOR_NAMES[held]} already, {color} cannot join it"
    if reason is IllegalReason.WALL_CONFLICT:
        return f"row {line} of your wall has its {color} already, so line {line} takes no {color}"
    return "the game is over"


def _why_not_there(state: GameState, action: Action) -> str:
    source = _source_words(state, action.source)
    tiles = _sources(state)[action.source]
    if not any(tiles):
        return f"{source} is empty"
    held = " and ".join(
        f"{count} {name}" for count, name in zip(tiles, COLOR_NAMES, strict=True) if count
    )
    return f"{source} has no {COLOR_NAMES[action.color]}, it has {held}"


def moves_table(state: GameState) -> list[str]:
    """All legal moves, a line for each color of each source."""
    groups: dict[tuple[int, int], list[str]] = {}
    for action in legal_actions(state):
        name = format_action(action, state.num_players)
        groups.setdefault((action.source, action.color), []).append(name)
    lines = []
    for (source, color), names in groups.items():
        words = _source_words(state, source).removeprefix("the ")
        tiles = f"{_sources(state)[source][color]} {COLOR_NAMES[color]}"
        marker = " and the marker" if _takes_marker(state, Action(source, color, FLOOR)) else ""
        lines.append(f"  {words:<10} {tiles:<9}  {' '.join(names)}{marker}")
    return lines


def hint_lines(state: GameState, spec: str, ranked: Sequence[MoveValue], count: int) -> list[str]:
    """The best moves, with values and words."""
    return [
        f"{spec} would play, with the value it sees in each:",
        *ranked_lines(state, ranked, count),
    ]


def ranked_lines(state: GameState, ranked: Sequence[MoveValue], count: int) -> list[str]:
    """The first of ranked moves, numbered, with values and words."""
    return [
        f"{number:>3}. {format_action(action, state.num_players)}  {value:+7.2f}  "
        f"{describe_action(action, state.num_players)}"
        for number, (action, value) in enumerate(ranked[:count], 1)
    ]


def result_lines(state: GameState, names: Sequence[str]) -> list[str]:
    """What everybody's points are made of, the winner first."""
    lines = [f"  {'':<16}{'rows':>9}{'columns':>9}{'colors':>9}{'points':>9}"]
    ranks = ranking(state)
    variant = variant_of(state.rows)
    for seat in sorted(range(state.num_players), key=lambda seat: ranks[seat]):
        board = state.players[seat]
        bonuses = "".join(f"{points:>+9d}" for points in variant.bonuses(board.wall))
        gone = "  resigned" if board.resigned is not None else ""
        lines.append(f"{ranks[seat]}. {names[seat][:15]:<15}{bonuses}{board.score:>9d}{gone}")
    return [*lines, "Points include the bonuses for complete rows, columns and colors."]


def winner_words(state: GameState, names: Sequence[str]) -> str:
    """Who won and why the game is over."""
    assert state.end_reason is not None
    first, *others = (names[seat] for seat in winners(state))
    win = "You win" if first == YOU else f"{first} wins"
    if others:
        win = f"{' and '.join([first, *others])} share the win"
    return f"{win}: {END_WORDS[state.end_reason]}."


def _sources(state: GameState) -> list[tuple[int, ...]]:
    return [*state.factories, state.center]


def _source_words(state: GameState, source: int) -> str:
    return "the center" if source == len(state.factories) else f"factory {source}"


def _takes_marker(state: GameState, action: Action) -> bool:
    return action.source == len(state.factories) and state.center_has_marker
