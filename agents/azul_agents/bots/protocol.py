"""Messages of the bot protocol in `docs/BOT_PROTOCOL.md` as JSON lines."""

import json
from typing import Any, Final, TypeGuard

from azul_env import shown
from azul_env.files import parse_json

PROTOCOL: Final = 1
Message = dict[str, Any]


class MalformedMessageError(ValueError):
    """A line that is not a message."""


def to_line(message: Message) -> bytes:
    """A message as one line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Message:
    """Parse a message: a JSON object with a type. Raises MalformedMessageError."""
    try:
        message = parse_json(line)
    except ValueError:
        raise MalformedMessageError(f"invalid JSON: {shown(line, 100)}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise MalformedMessageError(f"JSON that is not an object with a type: {shown(line, 100)}")
    return message


def is_whole_number(value: object) -> TypeGuard[int]:
    """True for a JSON integer; excludes bool, a subclass of int."""
    return type(value) is int
