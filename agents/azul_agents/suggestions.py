"""What a mistyped name was probably meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

MAX_NAME_LETTERS: Final = 100  # comparing takes the square of the length


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question such as ` (did you mean greedy?)`; empty if no known name is close."""
    if len(name) > MAX_NAME_LETTERS:
        return ""
    close = get_close_matches(name.lower(), list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
