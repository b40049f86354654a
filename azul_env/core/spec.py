"""The game's vocabulary: colors, sizes and names. Rule numbers refer to docs/RULES.md."""

from enum import IntEnum, StrEnum
from typing import Final

RULESET: Final = "azul-base-2024-next-move"

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 4
NUM_COLORS: Final = 5  # R1.1
TILES_PER_COLOR: Final = 20  # R1.2
FACTORY_CAPACITY: Final = 4  # R1.3
MAX_FACTORIES: Final = 9  # R1.3
MAX_SOURCES: Final = MAX_FACTORIES + 1  # the factories and the center
NUM_LINES: Final = 5  # R1.4; also the number of wall rows and columns
FLOOR_SLOTS: Final = 7  # R1.4
NUM_DESTINATIONS: Final = NUM_LINES + 1  # the lines and the floor
FLOOR: Final = NUM_LINES  # destination number of the floor
ACTIONS_PER_SOURCE: Final = NUM_COLORS * NUM_DESTINATIONS

FLOOR_PENALTIES: Final = (1, 1, 2, 2, 2, 3, 3)  # R5.2, by slot
ROW_BONUS: Final = 2  # R5.4
COLUMN_BONUS: Final = 7  # R5.4
COLOR_BONUS: Final = 10  # R5.4

DEFAULT_MAX_ROUNDS: Final = 50  # R6.3
# Largest score and largest `max_rounds` of a valid position; real games stay far below.
COUNTER_LIMIT: Final = 9_999

COLOR_NAMES: Final = ("blue", "yellow", "red", "black", "white")
COLOR_LETTERS: Final = "BYRKW"
MARKER_NAME: Final = "marker"


class Color(IntEnum):
    """A tile color; the number is its index in every list of counts by color."""

    BLUE = 0
    YELLOW = 1
    RED = 2
    BLACK = 3
    WHITE = 4


class EndReason(IntEnum):
    """Why a game ended, as stored in the state; PLAYING until then."""

    PLAYING = 0
    ROW = 1  # R6.1
    NO_TILES = 2  # R6.2
    MAX_ROUNDS = 3  # R6.3
    RESIGNATION = 4  # R8.5


class IllegalReason(StrEnum):
    """Why an action is illegal, in the order in which the reasons are checked (R9)."""

    OUT_OF_RANGE = "OUT_OF_RANGE"
    WRONG_PHASE = "WRONG_PHASE"
    NOT_PLAYERS_TURN = "NOT_PLAYERS_TURN"
    SOURCE_EMPTY = "SOURCE_EMPTY"
    PATTERN_LINE_COMPLETE = "PATTERN_LINE_COMPLETE"
    COLOR_MISMATCH = "COLOR_MISMATCH"
    WALL_CONFLICT = "WALL_CONFLICT"
    ALREADY_RESIGNED = "ALREADY_RESIGNED"


def num_factories(num_players: int) -> int:
    """Number of factories (R1.3)."""
    return 2 * num_players + 1


def num_actions(num_players: int) -> int:
    """Number of drafting actions: 180, 240 or 300."""
    return (num_factories(num_players) + 1) * ACTIONS_PER_SOURCE
