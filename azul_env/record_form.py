"""The form of a record: its keys and the types of their values, checked before its events are replayed."""

from collections.abc import Callable
from typing import Any, Final

from azul_env.core.arguments import shown
from azul_env.core.spec import RULESET
from azul_env.core.variant import VARIANTS
from azul_env.errors import RecordError
from azul_env.position import END_REASONS

FORMAT: Final = 1
NUMBER_LIMIT: Final = 1 << 256  # larger than any seed; Python refuses to print 5,000 digits
Event = dict[str, Any]

FIELD_KEYS: Final = [  # of a record, beside "format" and "ruleset"
    "variant",
    "num_players",
    "starting_player",
    "max_rounds",
    "seed",
    "agents",
    "events",
]
SUPPORTED: Final[dict[str, tuple[object, ...]]] = {  # values that this version can read
    "format": (FORMAT,),
    "ruleset": (RULESET,),
    "variant": tuple(VARIANTS),
}
EVENT_KEYS: Final = {
    "deal": ["factories"],
    "draft": ["player", "action"],
    "tile": ["player", "line", "column"],
    "resign": ["player", "forfeit"],
    "end": ["reason", "scores", "winners"],
}


def check_form(data: object) -> None:
    """Raise RecordError unless data has the keys and types of a record."""
    if not isinstance(data, dict):
        raise RecordError(f"a record is a JSON object, not {type(data).__name__}")
    _check_keys(data, ["format", "ruleset", *FIELD_KEYS], "the record")
    for key, known in SUPPORTED.items():
        value = data[key]
        if not any(type(value) is type(one) and value == one for one in known):  # True is not 1
            supported = " or ".join(map(repr, known))
            raise RecordError(f"{key} is {shown(value)}, this version reads {supported}")
    for key in ("num_players", "starting_player", "max_rounds"):
        if not _is_count(data[key]):
            raise RecordError(f"{key} must be a whole number, not {shown(data[key])}")
    if data["seed"] is not None and not _is_count(data["seed"]):
        raise RecordError(f"seed must be a whole number or null, not {shown(data['seed'])}")
    agents = data["agents"]
    if not isinstance(agents, list) or not all(isinstance(name, str) for name in agents):
        raise RecordError(f"agents must be a list of names, not {shown(agents)}")
    if len(agents) not in (0, data["num_players"]):
        raise RecordError(f"{len(agents)} agents for {data['num_players']} players")
    if not isinstance(data["events"], list):
        raise RecordError("events must be a list")
    for index, event in enumerate(data["events"]):
        _check_event_form(event, index)
        if event["type"] == "tile" and not VARIANTS[data["variant"]].tiles_by_choice:
            raise RecordError(
                f"event {index} (tile): in the variant {data['variant']!r} nobody chooses a column",
                index,
            )


def _check_event_form(event: object, index: int) -> None:
    """Raise RecordError unless data has the form of an event; `replay` checks whether it is possible."""
    where = f"event {index}"
    event_type = event.get("type") if isinstance(event, dict) else None
    keys = EVENT_KEYS.get(event_type) if isinstance(event_type, str) else None
    if not isinstance(event, dict) or keys is None:
        raise RecordError(
            f"{where} must be an object with a type of {', '.join(EVENT_KEYS)}", index
        )
    _check_keys(event, ["type", *keys], where, index)
    for key in keys:
        if not EVENT_VALUES[key](event[key]):
            raise RecordError(f"{where} ({event_type}): {key} cannot be {shown(event[key])}", index)


def _check_keys(data: Event, keys: list[str], where: str, index: int | None = None) -> None:
    for key in keys:
        if key not in data:
            raise RecordError(f"{where} lacks the key {key!r}", index)
    for key in data:
        if key not in keys:
            raise RecordError(
                f"{where} has an unknown key {shown(key)}; known: {', '.join(keys)}", index
            )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < NUMBER_LIMIT


def _is_counts(value: object) -> bool:
    return isinstance(value, list) and all(_is_count(entry) for entry in value)


EVENT_VALUES: Final[dict[str, Callable[[Any], bool]]] = {
    "factories": lambda value: isinstance(value, list) and all(map(_is_counts, value)),
    "player": _is_count,
    "action": _is_count,
    "line": _is_count,
    "column": _is_count,
    "forfeit": lambda value: value is None or isinstance(value, str),
    "reason": lambda value: isinstance(value, str) and value in END_REASONS.values(),
    "scores": _is_counts,
    "winners": _is_counts,
}
