"""Validate arguments and format them for error messages."""

from operator import index as as_integer
from typing import Any, Final, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from azul_env.core.spec import MAX_PLAYERS, MIN_PLAYERS

# Maximum length of a value, and of a text, in an error message.
SHOWN_LENGTH: Final = 60
BRIEF_LENGTH: Final = 200
# Games in one array: their rows take 380 MB, their observations some GB.
MAX_GAMES: Final = 1_000_000
MAX_THREADS: Final = 256


def shown(value: object, length: int = SHOWN_LENGTH) -> str:
    """The `repr` of a value, truncated for an error message."""
    try:
        text = repr(value[: 2 * length] if isinstance(value, str | bytes) else value)
    except Exception:  # such as an integer of 5,000 digits or a list nested as deeply
        text = f"<{type(value).__name__} that cannot be shown>"
    return _truncated(text, length)


def printable(text: str) -> str:
    """A text with control characters and surrogates replaced, safe to print in a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def brief(text: object, length: int = BRIEF_LENGTH) -> str:
    """A text or an error on one printable line, truncated for an error message."""
    try:
        words = str(text)[: 2 * length].split()
    except Exception:  # a user's exception may have a broken `__str__`
        return f"<{type(text).__name__} that cannot be shown>"
    return _truncated(printable(" ".join(words)), length)


def _truncated(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def whole_number(value: SupportsIndex, name: str) -> int:
    """Convert an integer of any type to int, the only type kernels are compiled for. Raises TypeError, also for bools."""
    if type(value) is int:
        return value
    try:
        if not isinstance(value, bool | np.bool):  # NumPy 2.0 accepts its bool as an index
            return int(as_integer(value))
    except TypeError:
        pass
    raise TypeError(f"{name} must be a whole number, not {shown(value)}")


def int64_number(value: SupportsIndex, name: str) -> int:
    """Convert an integer for a kernel. Numbers beyond 64 bits become -1, which is no action either."""
    number = whole_number(value, name)
    return number if -(1 << 63) <= number < 1 << 63 else -1


def whole_numbers(values: Any, count: int, name: str) -> NDArray[np.int64]:
    """Convert `count` integers to a contiguous int64 array. Raises TypeError or, for a wrong shape, ValueError."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # lists of different lengths, or nested too deeply
        text = f"{name} must be whole numbers of shape ({count},), not {shown(values)}"
        raise TypeError(text) from None
    is_whole = array.dtype.kind in "iu"
    if not is_whole or array.shape != (count,):
        raise (ValueError if is_whole else TypeError)(
            f"{name} must be whole numbers of shape ({count},), not {array.dtype} of shape {array.shape}"
        )
    return np.ascontiguousarray(array, np.int64)


def number_between(value: SupportsIndex, least: int, most: int, name: str) -> int:
    """Convert an integer of any type to int. Raises ValueError if it is out of range."""
    number = whole_number(value, name)
    if not least <= number <= most:
        raise ValueError(f"{name}={shown(number)} is not in {least}..{most}")
    return number


def seed_number(seed: SupportsIndex) -> int:
    """Convert a seed to int. Raises TypeError or ValueError unless it is a non-negative integer."""
    number = whole_number(seed, "a seed")
    if number < 0:
        raise ValueError(f"a seed must be at least 0, not {shown(number)}")
    return number


def game_count(num_games: SupportsIndex, name: str) -> int:
    """Convert a number of games that share an array to int. Raises ValueError for more than MAX_GAMES."""
    return number_between(num_games, 1, MAX_GAMES, name)


def player_count(num_players: SupportsIndex) -> int:
    """Convert a number of players to int. Raises ValueError unless it is 2, 3 or 4."""
    return number_between(num_players, MIN_PLAYERS, MAX_PLAYERS, "num_players")
