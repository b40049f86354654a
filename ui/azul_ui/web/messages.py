"""The messages of the socket, as docs/WEB_PROTOCOL.md describes them: what a client may send, what the server sends."""

import dataclasses
import json
import math
import re
import types
import typing
from dataclasses import dataclass
from typing import Any, Final

from azul_env import shown
from azul_env.files import parse_json

PROTOCOL: Final = 1
MAX_MESSAGE_BYTES: Final = 16_384
MAX_NUMBER: Final = 2**53  # what every client can hold exactly
MAX_REF_LETTERS: Final = 200
Data = dict[str, Any]
Ref = str | int | None


class RefusedError(Exception):
    """A request that is refused, with a code of the protocol and a line for a person."""

    def __init__(self, code: str, message: str, ref: Ref = None) -> None:
        super().__init__(message)
        self.code = code
        self.ref = ref


# From a client


@dataclass(frozen=True)
class PlayRequest:
    """A person's move in the position of this number."""

    position_number: int
    action: int


@dataclass(frozen=True)
class UndoRequest:
    """Back to the last decision of a person."""


@dataclass(frozen=True)
class RedoRequest:
    """Forward again."""


@dataclass(frozen=True)
class ResignRequest:
    """A person resigns; without a seat, the one to move or the only one."""

    seat: int | None = None


@dataclass(frozen=True)
class PaceRequest:
    """How long agents wait before a move, and whether they wait for `step`."""

    is_paused: bool
    seconds: float


@dataclass(frozen=True)
class StepRequest:
    """In a paused game, one move of the agent to move."""


@dataclass(frozen=True)
class ViewRequest:
    """A position of the game; without a number the last one."""

    number: int | None = None


@dataclass(frozen=True)
class HintRequest:
    """The best move in half a second."""


@dataclass(frozen=True)
class AnalyseRequest:
    """Stream ever better analyses of a position."""

    number: int
    engine: str
    seconds: float | None = None


@dataclass(frozen=True)
class StopRequest:
    """The end of this tab's analysis."""


@dataclass(frozen=True)
class ReviewRequest:
    """A judgement of every move."""

    engine: str


@dataclass(frozen=True)
class StopReviewRequest:
    """The end of the game's review."""


@dataclass(frozen=True)
class GetReviewRequest:
    """The review as far as it is."""


@dataclass(frozen=True)
class TryRequest:
    """Evaluate a move as an alternative to turn `number` + 1."""

    number: int
    action: int


@dataclass(frozen=True)
class PingRequest:
    """A keep-alive."""


Request = (
    PlayRequest
    | UndoRequest
    | RedoRequest
    | ResignRequest
    | PaceRequest
    | StepRequest
    | ViewRequest
    | HintRequest
    | AnalyseRequest
    | StopRequest
    | ReviewRequest
    | StopReviewRequest
    | GetReviewRequest
    | TryRequest
    | PingRequest
)


# From the server. Parts are plain data, made in `views`.


@dataclass(frozen=True)
class WelcomeMessage:
    """The first message."""

    protocol: int
    id: str


@dataclass(frozen=True)
class GameMessage:
    """All of a game but its positions."""

    id: str
    position_number: int
    seats: list[Data]
    turns: list[Data]
    number: int
    is_over: bool
    result: Data | None
    to_move: Data | None
    can_undo: bool
    can_redo: bool
    thinking: int | None
    pace: Data
    is_kept: bool
    can_change: bool
    can_rematch: bool
    warning: str | None
    has_position: bool
    seed: int | None
    engine: str


@dataclass(frozen=True)
class HappenedMessage:
    """A turn that was played just now."""

    turn: Data
    from_number: int
    travel: Data | None
    scoring: Data | None
    words: list[str]


@dataclass(frozen=True)
class PositionMessage:
    """A position with its drawing and its legal moves."""

    number: int
    position: Data
    text: str
    drawing: Data
    last: Data | None
    legal: list[Data]
    can_play: bool


@dataclass(frozen=True)
class AnalysisMessage:
    """What an engine thinks of a position so far."""

    number: int
    engine: str
    status: str
    depth: int | None
    nodes: int | None
    seconds: float
    candidates: list[Data]
    win_chances: list[float]


@dataclass(frozen=True)
class ReviewMessage:
    """A review of the game, or the moves that were reviewed since the last message."""

    engine: str | None
    status: str
    done: int
    total: int
    from_index: int
    moves: list[Data]
    players: list[Data]


@dataclass(frozen=True)
class TriedMessage:
    """The value of an alternative move."""

    number: int
    action: int
    win_chance: float
    best_win_chance: float
    value: float
    best_value: float
    severity: str | None
    is_best: bool


@dataclass(frozen=True)
class HintMessage:
    """The best move."""

    number: int
    action: int
    notation: str
    words: str
    value: float
    win_chance: float
    line: list[Data]


@dataclass(frozen=True)
class NoticeMessage:
    """Something about the server that a person should know."""

    code: str
    message: str


@dataclass(frozen=True)
class ErrorMessage:
    """A refused request."""

    code: str
    message: str


@dataclass(frozen=True)
class PongMessage:
    """The answer to a ping."""


Message = (
    WelcomeMessage
    | GameMessage
    | HappenedMessage
    | PositionMessage
    | AnalysisMessage
    | ReviewMessage
    | TriedMessage
    | HintMessage
    | NoticeMessage
    | ErrorMessage
    | PongMessage
)


def type_name(message: type) -> str:
    """The `type` of a request or message, from the name of its class: `StopReviewRequest` is `stop_review`."""
    name = message.__name__.removesuffix("Request").removesuffix("Message")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


REQUESTS: Final[dict[str, type]] = {type_name(each): each for each in typing.get_args(Request)}
MESSAGES: Final[dict[str, type]] = {type_name(each): each for each in typing.get_args(Message)}
NOTICE_CODES: Final = ("compiling", "ready", "closing", "elsewhere")
ERROR_CODES: Final = (
    "malformed",
    "unknown_type",
    "too_large",
    "too_fast",
    "illegal_action",
    "stale",
    "not_allowed",
    "not_found",
    "busy",
    "failed",
)
RENAMED: Final = {"from_index": "from"}  # a Python keyword


def encoded(message: Message, ref: Ref = None) -> str:
    """A message as the text of a frame; `ref` is that of the request it answers."""
    data: Data = {"type": type_name(type(message))}
    for field in dataclasses.fields(message):
        data[RENAMED.get(field.name, field.name)] = getattr(message, field.name)
    if ref is not None:
        data["ref"] = ref
    return json.dumps(data, separators=(",", ":"))


def parsed_request(text: str) -> tuple[Request, Ref]:
    """The request in a frame, and its `ref`. Raises RefusedError."""
    if len(text) > MAX_MESSAGE_BYTES or len(text.encode(errors="replace")) > MAX_MESSAGE_BYTES:
        raise RefusedError("too_large", f"a message has at most {MAX_MESSAGE_BYTES:,} bytes")
    try:
        data = parse_json(text)
    except ValueError as error:
        raise RefusedError("malformed", f"the message is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise RefusedError("malformed", f"a message is an object, not {shown(data)}")
    ref = data.pop("ref", None)
    if not _is_ref(ref):
        raise RefusedError("malformed", "ref is a short text or a whole number")
    name = data.pop("type", None)
    if not isinstance(name, str) or name not in REQUESTS:
        known = ", ".join(REQUESTS)
        raise RefusedError("unknown_type", f"the type is {shown(name)}, not one of {known}", ref)
    try:
        return typing.cast(Request, from_data(REQUESTS[name], data)), ref
    except ValueError as error:
        raise RefusedError("malformed", f"{name}: {error}", ref) from None


def from_data(shape: type, data: Data) -> Any:
    """An instance of a dataclass from an object of JSON. Raises ValueError for unknown, missing and wrong values."""
    fields = {field.name: field for field in dataclasses.fields(shape)}
    unknown = [key for key in data if key not in fields]
    if unknown:
        raise ValueError(
            f"there is no key {shown(unknown[0])}; keys: {', '.join(fields) or 'none'}"
        )
    types_of = typing.get_type_hints(shape)
    values = {}
    for name, field in fields.items():
        if name in data:
            values[name] = _checked(data[name], types_of[name], name)
        elif field.default is dataclasses.MISSING:
            raise ValueError(f"the key {name} is missing")
    return shape(**values)


def _is_ref(ref: object) -> bool:
    if isinstance(ref, str):
        return len(ref) <= MAX_REF_LETTERS
    return ref is None or (type(ref) is int and abs(ref) <= MAX_NUMBER)


def _checked(value: Any, expected: Any, name: str) -> Any:
    """A value of the expected type: int, float, bool, str, list, dict, and unions of them. Raises ValueError."""
    union = isinstance(expected, types.UnionType)
    options = typing.get_args(expected) if union else (expected,)
    plain = [typing.get_origin(option) or option for option in options]
    if value is None and types.NoneType in plain:
        return None
    if type(value) is int and float in plain and int not in plain:
        value = float(value) if abs(value) <= MAX_NUMBER else math.inf
    if type(value) not in plain or value is None:
        wanted = " or ".join("null" if each is types.NoneType else each.__name__ for each in plain)
        raise ValueError(f"{name} must be {wanted}, not {shown(value)}")
    if isinstance(value, int | float) and not abs(value) <= MAX_NUMBER:
        raise ValueError(f"{name} is out of range: {shown(value)}")
    return value
