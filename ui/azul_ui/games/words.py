"""Moves and results in words for a person, at the terminal or in the browser."""

from collections.abc import Sequence

from azul_env import (
    COLOR_NAMES,
    FLOOR,
    Action,
    GameState,
    IllegalReason,
    MovePreview,
    RoundScoring,
    format_action,
    illegal_reason,
    move_preview,
    num_factories,
    winners,
)
from azul_env.record_events import event_action
from azul_env.record_form import Event
from azul_env.render.scene import END_WORDS, YOU
from azul_ui.games.session import PERSON


def table_names(seats: Sequence[str]) -> list[str]:
    """Short names by seat: You, or people by seat if there are several; the kinds of the agents."""
    numbered = len(seats) > 2 or seats.count(PERSON) > 1
    return [
        YOU
        if name == PERSON and seats.count(PERSON) == 1
        else short_name(name) + f" {seat}" * numbered
        for seat, name in enumerate(seats)
    ]


def short_name(spec: str) -> str:
    """The kind of an agent, without its options."""
    return spec.partition(":")[0]


def told_event(
    before: GameState, event: Event, name: str, preview: MovePreview | None = None
) -> str:
    """What a player did, in a sentence; `preview` is that of the move if it is known already."""
    if event["type"] == "resign":
        why = f", forfeit: {event['forfeit']}" if event["forfeit"] else ""
        return f"{name} resign{'' if name == YOU else 's'}{why}."
    action = event_action(before, event)
    assert action is not None
    preview = preview or move_preview(before, action)
    notation = format_action(preview.action, before.num_players, before.variant)
    return f"{name}: {notation}, {move_words(preview, before.num_players)}."


def move_words(preview: MovePreview, num_players: int) -> str:
    """A legal move with what it takes and drops, such as `2 white from factory 1 to line 3`, or the tile it places."""
    action = preview.action
    if preview.wall_cell is not None:
        row, column = preview.wall_cell
        return f"line {row} to column {column} of the wall, {preview.points:+d}"
    source = _named_source(action.source, num_factories(num_players))
    tiles = f"{preview.taken} {COLOR_NAMES[action.color]} from {source}"
    marker = ", with the marker" if preview.takes_marker else ""
    if action.destination == FLOOR:
        return f"{tiles} to the floor{marker}"
    fallen = preview.taken - len(preview.line_columns)
    dropped = f", {fallen} of them to the floor" if fallen else ""
    return f"{tiles} to line {action.destination}{dropped}{marker}"


def told_scoring(
    scoring: RoundScoring, names: Sequence[str], is_over: bool = True, is_spoken: bool = False
) -> list[str]:
    """The scoring of a round or game that has just ended: a heading, and a line for each player.

    Where the round is not over, because others still tile gray walls: a line for each player who has scored.
    `is_spoken` is for screen readers, which skip signs.
    """
    heading = "The game is over:" if scoring.is_final else f"Round {scoring.round} is over:"
    if not is_over:
        heading = "Tiled:"
    lines = [heading]
    for name, seat in zip(names, scoring.seats, strict=True):
        if not is_over and not (seat.tiles or seat.floor):
            continue
        items = [(f"line {tile.row}", tile.points) for tile in seat.tiles]
        items += [
            ("floor", seat.floor),
            ("never below 0", seat.clamp),
            ("rows", seat.row_bonus),
            ("columns", seat.column_bonus),
            ("colors", seat.color_bonus),
        ]
        signed = _spoken if is_spoken else "{:+d}".format
        told = ", ".join(f"{words} {signed(points)}" for words, points in items if points)
        score = f"{seat.before} to" if is_spoken else f"{seat.before} ->"
        lines.append(f"{name}: {told or 'nothing'}: {score} {seat.after}")
    return lines


def _spoken(points: int) -> str:
    return f"{'plus' if points > 0 else 'minus'} {abs(points)}"


def told_starter(after: GameState, names: Sequence[str]) -> str:
    """Who starts the round that was just dealt."""
    starter = names[after.current_player]
    return f"{'You start' if starter == YOU else f'{starter} starts'} the next round."


def told_choice(after: GameState, names: Sequence[str]) -> str:
    """The player whose gray wall is being tiled, and the next line."""
    line = after.line_to_tile
    assert line is not None
    color = after.players[after.current_player].pattern_lines[line].color
    assert color is not None
    name = names[after.current_player]
    chooses = "You choose" if name == YOU else f"{name} chooses"
    return f"{chooses} a column for the {COLOR_NAMES[color]} line {line}."


def why_illegal(state: GameState, action: Action) -> str | None:
    """What is wrong with a move of the player to move; None if nothing is."""
    reason = illegal_reason(state, action)
    if reason is None:
        return None
    if reason is IllegalReason.WRONG_PHASE and not state.is_terminal:
        return _why_wrong_phase(state)
    if placement_column(state, action) is not None:
        return _why_not_in_column(state, action.destination)
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


def placement_column(state: GameState, action: Action) -> int | None:
    """The column in which an action places a tile on the gray wall; None for a draft."""
    return action.destination if action.source > len(state.factories) else None


def _why_wrong_phase(state: GameState) -> str:
    if state.line_to_tile is None:
        return "tiles are being taken, no wall is being tiled yet"
    columns = ", ".join(map(str, state.columns_to_choose))
    return f"your line {state.line_to_tile} is to be tiled: choose a column, {columns}"


def _why_not_in_column(state: GameState, column: int) -> str:
    line = state.line_to_tile
    assert line is not None
    board = state.players[state.current_player]
    if board.wall[line][column]:
        return f"row {line} of your wall has a tile in column {column} already"
    color = board.pattern_lines[line].color
    assert color is not None
    return f"column {column} of your wall has its {COLOR_NAMES[color]} already"


def _why_not_there(state: GameState, action: Action) -> str:
    source = source_words(state, action.source)
    tiles = sources(state)[action.source]
    if not any(tiles):
        return f"{source} is empty"
    held = " and ".join(
        f"{count} {name}" for count, name in zip(tiles, COLOR_NAMES, strict=True) if count
    )
    return f"{source} has no {COLOR_NAMES[action.color]}, it has {held}"


def winner_words(state: GameState, names: Sequence[str]) -> str:
    """Who won and why the game is over."""
    assert state.end_reason is not None
    return f"{win_words([names[seat] for seat in winners(state)])}: {END_WORDS[state.end_reason]}."


def win_words(names: Sequence[str]) -> str:
    """Who won."""
    if len(names) > 1:
        return f"{' and '.join(names)} share the win"
    return "You win" if names[0] == YOU else f"{names[0]} wins"


def sources(state: GameState) -> list[tuple[int, ...]]:
    """Tiles by color on the factories and, last, in the center."""
    return [*state.factories, state.center]


def source_words(state: GameState, source: int) -> str:
    """A source in a sentence."""
    return _named_source(source, len(state.factories))


def _named_source(source: int, factories: int) -> str:
    return "the center" if source == factories else f"factory {source}"


def takes_marker(state: GameState, action: Action) -> bool:
    """True if a move takes the first-player marker."""
    return action.source == len(state.factories) and state.center_has_marker
