"""The exceptions for bad input. All of them are ValueErrors; wrong types raise TypeError."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from azul_env.core.spec import IllegalReason

if TYPE_CHECKING:
    from azul_env.state import GameState


class IllegalActionError(ValueError):
    """An action that the rules forbid (R9). The position is unchanged."""

    def __init__(self, described: str, reason: IllegalReason, state: "GameState") -> None:
        super().__init__(f'illegal {described}: {reason} in "{state!r}"')
        self.described = described
        self.reason = reason
        self.state = state

    def __reduce__(self) -> tuple[type, tuple[str, IllegalReason, "GameState"]]:
        return type(self), (self.described, self.reason, self.state)


class MissingDealError(ValueError):
    """A round ended, and neither a generator nor a deal was given for the next one."""


class ImpossibleDealError(ValueError):
    """A deal that cannot be drawn from the bag and lid (R2.1-R2.3)."""


class NotationError(ValueError):
    """A text that is not a position or move."""


class ProblemReason(StrEnum):
    """Reasons why a position is impossible."""

    WRONG_TYPE = "WRONG_TYPE"
    WRONG_LENGTH = "WRONG_LENGTH"
    MISSING_KEY = "MISSING_KEY"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    UNKNOWN_NAME = "UNKNOWN_NAME"
    NEGATIVE = "NEGATIVE"
    OUT_OF_RANGE = "OUT_OF_RANGE"
    TILE_TOTAL = "TILE_TOTAL"
    FACTORY_OVERFULL = "FACTORY_OVERFULL"
    LINE_OVERFULL = "LINE_OVERFULL"
    LINE_COLOR = "LINE_COLOR"
    LINE_ON_WALL = "LINE_ON_WALL"
    WALL_COLOR = "WALL_COLOR"
    FLOOR_OVERFULL = "FLOOR_OVERFULL"
    MARKER_COUNT = "MARKER_COUNT"
    NEXT_STARTER = "NEXT_STARTER"
    RESIGNED = "RESIGNED"
    EMPTY_TABLE = "EMPTY_TABLE"
    TILING = "TILING"
    ROW_IN_PLAY = "ROW_IN_PLAY"
    END_MISMATCH = "END_MISMATCH"
    STALE_WORD = "STALE_WORD"


class Problem(NamedTuple):
    """One reason why a position is impossible, where in the position, and the details."""

    reason: ProblemReason
    where: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} at {self.where}: {self.detail}"


class InvalidPositionError(ValueError):
    """A position that no game can reach; `problems` lists the reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("impossible position: " + "; ".join(map(str, problems)))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type, tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class RecordError(ValueError):
    """A game record that cannot be read or replayed; `event` is the index of the offending event, if any."""

    def __init__(self, message: str, event: int | None = None) -> None:
        super().__init__(message)
        self.event = event

    def __reduce__(self) -> tuple[type, tuple[str, int | None]]:
        return type(self), (str(self), self.event)
