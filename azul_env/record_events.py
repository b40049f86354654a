"""Events of a record as actions."""

from azul_env.core.actions import encode_action, placement_of
from azul_env.record_form import Event
from azul_env.state import GameState


def event_action(before: GameState, event: Event) -> int | None:
    """The number of the action that an event of a verified record plays: a draft or a tile; None for any other event."""
    if event["type"] == "draft":
        number: int = event["action"]
        return number
    if event["type"] == "tile":
        placement = placement_of(event["column"], before.num_players)
        return encode_action(placement, before.num_players, before.variant)
    return None
