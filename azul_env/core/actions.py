"""The action as three numbers and as one: `(source * 5 + color) * 6 + destination`."""

from typing import NamedTuple, SupportsIndex

from azul_env.core.arguments import player_count, shown, whole_number
from azul_env.core.jit import kernel
from azul_env.core.spec import (
    ACTIONS_PER_SOURCE,
    NUM_COLORS,
    NUM_DESTINATIONS,
    num_actions,
    num_factories,
)


class Action(NamedTuple):
    """Take all tiles of a color from a source and put them on a destination."""

    source: int  # 0..F-1 the factories, F the center
    color: int  # 0..4
    destination: int  # 0..4 the pattern lines, 5 the floor


AnyAction = tuple[int, int, int] | SupportsIndex  # three numbers, in a list if need be, or the one


@kernel
def action_index(source: int, color: int, destination: int) -> int:
    """The number of an action; the numbers must be in range."""
    return ACTIONS_PER_SOURCE * source + NUM_DESTINATIONS * color + destination


@kernel
def action_parts(action: int) -> tuple[int, int, int]:
    """Source, color and destination of an action's number: the inverse of `action_index`."""
    source = action // ACTIONS_PER_SOURCE
    rest = action - ACTIONS_PER_SOURCE * source
    color = rest // NUM_DESTINATIONS
    return source, color, rest - NUM_DESTINATIONS * color


def in_range(action: Action, num_players: int) -> bool:
    """Whether every number of an action exists for this number of players."""
    return (
        0 <= action.source <= num_factories(num_players)
        and 0 <= action.color < NUM_COLORS
        and 0 <= action.destination < NUM_DESTINATIONS
    )


def as_action(action: AnyAction, num_players: int) -> Action | None:
    """The action that three numbers or one number stand for; None if there is no such action."""
    if not isinstance(action, tuple | list):
        number = whole_number(action, "an action, unless it is three numbers,")
        if not 0 <= number < num_actions(num_players):
            return None
        source, rest = divmod(number, ACTIONS_PER_SOURCE)
        return Action(source, *divmod(rest, NUM_DESTINATIONS))
    if len(action) != len(Action._fields):
        raise TypeError(f"an action has three numbers, not {len(action)}: {shown(action)}")
    turn = Action(*(whole_number(part, "each part of an action") for part in action))
    return turn if in_range(turn, num_players) else None


def decode_action(action: AnyAction, num_players: int) -> Action:
    """The action of a number; an action stands for itself. Raises ValueError if there is no such action."""
    players = player_count(num_players)
    turn = as_action(action, players)
    if turn is None:
        raise ValueError(
            f"action {shown(action)} does not exist with {players} players: "
            f"actions are numbered 0 to {num_actions(players) - 1}"
        )
    return turn


def encode_action(action: AnyAction, num_players: int) -> int:
    """The number of an action; a number stands for itself. Raises ValueError if there is no such action."""
    source, color, destination = decode_action(action, num_players)
    return ACTIONS_PER_SOURCE * source + NUM_DESTINATIONS * color + destination
