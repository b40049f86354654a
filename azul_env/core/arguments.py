"""Values from outside: numbers are checked and made plain, whatever else comes is made fit to be shown."""

from operator import index as as_integer
from typing import Final, SupportsIndex

from azul_env.core.spec import MAX_PLAYERS, MIN_PLAYERS

SHOWN_LENGTH: Final = 60


def shown(value: object) -> str:
    """A value in an error message, cut to a readable length."""
    try:
        text = repr(value)
    except Exception:  # Python prints no integer of 5,000 digits and no list nested as deep
        text = f"<{type(value).__name__} that cannot be shown>"
    return text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 3] + "..."


def printable(text: str) -> str:
    """A text without control characters and surrogates, which no terminal takes well."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def whole_number(value: SupportsIndex, name: str) -> int:
    """A number as a plain int, since kernels compile anew for every other type. Raises TypeError for bools, too."""
    if type(value) is int:
        return value
    try:
        if not isinstance(value, bool):
            return int(as_integer(value))
    except TypeError:
        pass
    raise TypeError(f"{name} must be a whole number, not {shown(value)}")


def int64_number(value: SupportsIndex, name: str) -> int:
    """A whole number for kernels. What is beyond 64 bits becomes -1: no such action exists either."""
    number = whole_number(value, name)
    return number if -(1 << 63) <= number < 1 << 63 else -1


def number_between(value: SupportsIndex, least: int, most: int, name: str) -> int:
    """A whole number as a plain int. Raises ValueError if it is out of range."""
    number = whole_number(value, name)
    if not least <= number <= most:
        raise ValueError(f"{name}={shown(number)} is not in {least}..{most}")
    return number


def player_count(num_players: SupportsIndex) -> int:
    """A number of players as a plain int. Raises ValueError if the game cannot be played by so many."""
    return number_between(num_players, MIN_PLAYERS, MAX_PLAYERS, "num_players")
