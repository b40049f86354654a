"""The messages of the bot protocol as lines of JSON; `docs/BOT_PROTOCOL.md` describes them."""

import json
from typing import Any, Final, TypeGuard

PROTOCOL: Final = 1
Message = dict[str, Any]


class MalformedMessageError(ValueError):
    """A line that is no message."""


def to_line(message: Message) -> bytes:
    """A message as one line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Message:
    """The message in a line: an object whose type is a text. Raises MalformedMessageError."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise MalformedMessageError(f"no JSON: {line!r:.100}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise MalformedMessageError(f"no JSON object with a type: {line!r:.100}")
    return message


def is_whole_number(value: object) -> TypeGuard[int]:
    """Whether a value of JSON is a whole number; Python counts true and false among them."""
    return type(value) is int
