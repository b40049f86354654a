"""The action as three numbers and as one: `(source * 5 + color) * 6 + destination`."""

from operator import index as as_integer
from typing import NamedTuple, SupportsIndex

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


def encode_action(action: tuple[int, int, int], num_players: int) -> int:
    """The number of an action. Raises ValueError if there is no such action."""
    checked = Action(*(as_integer(part) for part in action))
    if not in_range(checked, num_players):
        raise ValueError(f"{checked} does not exist with {num_players} players")
    return (
        checked.source * ACTIONS_PER_SOURCE + checked.color * NUM_DESTINATIONS + checked.destination
    )


def decode_action(index: SupportsIndex, num_players: int) -> Action:
    """The action of a number. Raises ValueError if there is no such number."""
    number = as_integer(index)
    if not 0 <= number < num_actions(num_players):
        raise ValueError(
            f"action {number} does not exist with {num_players} players: "
            f"actions are numbered 0 to {num_actions(num_players) - 1}"
        )
    source, rest = divmod(number, ACTIONS_PER_SOURCE)
    return Action(source, *divmod(rest, NUM_DESTINATIONS))


def action_number(action: tuple[int, int, int] | SupportsIndex, num_players: int) -> int:
    """The number of an action that is given as an `Action` or as its number already."""
    if isinstance(action, tuple):
        return encode_action(action, num_players)
    return encode_action(decode_action(action, num_players), num_players)
