"""Actions as `Action` tuples and as numbers: `(source * 5 + color) * 6 + destination`.

Where players choose the columns of their tiles (R10.16), five more actions follow those of drafting, with the same
formula: source F + 1 stands for the line to be tiled, and the destination is the column. Their color is always 0.
"""

from typing import NamedTuple, SupportsIndex

from azul_env.core.arguments import player_count, shown, whole_number
from azul_env.core.jit import kernel
from azul_env.core.spec import (
    ACTIONS_PER_SOURCE,
    NUM_COLORS,
    NUM_DESTINATIONS,
    NUM_LINES,
    num_factories,
)
from azul_env.core.variant import COLORED, variant_named


class Action(NamedTuple):
    """Take all tiles of a color from a source and place them on a destination; or place a tile on the gray wall."""

    source: int  # 0..F-1 the factories, F the center; F + 1 the line to be tiled
    color: int  # 0..4; 0 in tiling, whatever the line's color
    destination: int  # 0..4 the pattern lines, 5 the floor; in tiling, 0..4 the columns


AnyAction = tuple[int, int, int] | SupportsIndex  # source, color and destination, or the number


@kernel
def action_index(source: int, color: int, destination: int) -> int:
    """The number of an action; caller guarantees that all three parts are in range."""
    return ACTIONS_PER_SOURCE * source + NUM_DESTINATIONS * color + destination


@kernel
def action_parts(action: int) -> tuple[int, int, int]:
    """Source, color and destination of a numbered action: the inverse of `action_index`."""
    source = action // ACTIONS_PER_SOURCE
    rest = action - ACTIONS_PER_SOURCE * source
    color = rest // NUM_DESTINATIONS
    return source, color, rest - NUM_DESTINATIONS * color


def placement_of(column: int, num_players: int) -> Action:
    """The action that places a tile in a column of the gray wall."""
    return Action(num_factories(num_players) + 1, 0, column)


def placement_column(action: Action, num_players: int) -> int | None:
    """The column in which an action places a tile on the gray wall; None for a draft."""
    return action.destination if action.source > num_factories(num_players) else None


def num_actions(num_players: int, variant: str = COLORED.name) -> int:
    """Number of actions: 180, 240 or 300, and 5 more in gray games (R10.16)."""
    return variant_named(variant).num_actions(player_count(num_players))


def as_action(action: AnyAction, num_players: int, variant: str = COLORED.name) -> Action | None:
    """Convert a number or three parts to an `Action`; None if no such action exists."""
    has_tiling = variant_named(variant).tiles_by_choice
    if not isinstance(action, tuple | list):
        number = whole_number(action, "an action, unless it is three numbers,")
        if not 0 <= number < variant_named(variant).num_actions(num_players):
            return None
        source, rest = divmod(number, ACTIONS_PER_SOURCE)
        return Action(source, *divmod(rest, NUM_DESTINATIONS))
    if len(action) != len(Action._fields):
        raise TypeError(f"an action has three numbers, not {len(action)}: {shown(action)}")
    move = Action(*(whole_number(part, "each part of an action") for part in action))
    exists = (
        0 <= move.source <= num_factories(num_players)
        and 0 <= move.color < NUM_COLORS
        and 0 <= move.destination < NUM_DESTINATIONS
    )
    places = has_tiling and 0 <= move.destination < NUM_LINES
    if places and move == placement_of(move.destination, num_players):
        return move
    return move if exists else None


def decode_action(action: AnyAction, num_players: int, variant: str = COLORED.name) -> Action:
    """Convert an action in either form to an `Action`. Raises ValueError if no such action exists."""
    players = player_count(num_players)
    move = as_action(action, players, variant)
    if move is None:
        raise ValueError(
            f"action {shown(action)} does not exist with {players} players: "
            f"actions are numbered 0 to {variant_named(variant).num_actions(players) - 1}"
        )
    return move


def encode_action(action: AnyAction, num_players: int, variant: str = COLORED.name) -> int:
    """Convert an action in either form to its number. Raises ValueError if no such action exists."""
    source, color, destination = decode_action(action, num_players, variant)
    return ACTIONS_PER_SOURCE * source + NUM_DESTINATIONS * color + destination
