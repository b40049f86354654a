"""Text as SVG paths, so that pictures look the same on machines without fonts.

A glyph is its width and a path of absolute commands: capitals extend from 0 to the baseline at 12, lower-case letters
start at 4, descenders end at 16.
"""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final
from xml.sax.saxutils import quoteattr

from azul_env.render.layout import INK_CLASSES

CAP_HEIGHT: Final = 12.0
LETTER_GAP: Final = 2.7
MAX_TEXTS: Final = 2048  # kept
ELLIPSIS: Final = "..."

GLYPHS: Final[dict[str, tuple[float, str]]] = {
    " ": (2.4, ""),
    "0": (7, "M3.5 0A3.5 3.5 0 0 0 0 3.5V8.5A3.5 3.5 0 0 0 7 8.5V3.5A3.5 3.5 0 0 0 3.5 0Z"),
    "1": (5, "M.6 2.4L3.8 0V12"),
    "2": (7, "M.2 3.5A3.35 3.4 0 0 1 6.9 3.5C6.9 6.4 3 8.6 .2 12H7"),
    "3": (7, "M.6 2.2A2.9 2.9 0 1 1 3.4 5.8A3.1 3.1 0 1 1 .35 9.5"),
    "4": (7.4, "M5.4 12V0L0 8.6H7.4"),
    "5": (7, "M6.3 0H1.2L.7 5.8A3.7 3.7 0 1 1 .2 10.1"),
    "6": (7, "M5.5 0C2.5 2.2 0 5 0 8.5A3.5 3.5 0 1 0 3.5 5A3.5 3.5 0 0 0 0 8.5"),
    "7": (7, "M0 0H7L2.6 12"),
    "8": (7, "M3.5 5.6A2.8 2.8 0 1 1 3.5 0A2.8 2.8 0 1 1 3.5 5.6A3.2 3.2 0 1 0 3.5 12A3.2 3.2 0 1 0 3.5 5.6"),
    "9": (7, "M1.5 12C4.5 9.8 7 7 7 3.5A3.5 3.5 0 1 0 3.5 7A3.5 3.5 0 0 0 7 3.5"),
    "A": (8.4, "M0 12L4.2 0L8.4 12M1.4 8H7"),
    "B": (7, "M0 12V0H3.8A2.9 2.9 0 0 1 3.8 5.8H0M3.8 5.8A3.1 3.1 0 0 1 3.8 12H0"),
    "C": (8, "M8 2.5A4.5 6 0 1 0 8 9.5"),
    "D": (8, "M0 0H2.5A5.5 6 0 0 1 2.5 12H0Z"),
    "E": (6.3, "M6.3 0H0V12H6.3M0 5.8H5.4"),
    "F": (6.2, "M6.2 0H0V12M0 5.8H5.2"),
    "G": (8.8, "M8 2.5A4.5 6 0 1 0 8.8 6.5H5.2"),
    "H": (7.6, "M0 0V12M7.6 0V12M0 5.8H7.6"),
    "I": (1, "M.5 0V12"),
    "J": (5.4, "M5.4 0V8.7A2.7 3.3 0 0 1 0 8.7"),
    "K": (7.3, "M0 0V12M7 0L0 7.3M2.6 4.7L7.3 12"),
    "L": (5.8, "M0 0V12H5.8"),
    "M": (9.6, "M0 12V0L4.8 8L9.6 0V12"),
    "N": (8, "M0 12V0L8 12V0"),
    "O": (9.2, "M4.6 0A4.6 6 0 1 0 4.6 12A4.6 6 0 1 0 4.6 0Z"),
    "P": (7, "M0 12V0H3.7A3.3 3.3 0 0 1 3.7 6.6H0"),
    "Q": (9.2, "M4.6 0A4.6 6 0 1 0 4.6 12A4.6 6 0 1 0 4.6 0ZM5.8 8.8L8.8 12.4"),
    "R": (7.2, "M0 12V0H3.7A3.3 3.3 0 0 1 3.7 6.6H0M3.9 6.6L7.2 12"),
    "S": (7, "M6.7 2.6C6.4 .9 5.2 0 3.5 0C1.6 0 .3 1.2 .3 3C.3 7 7 4.8 7 8.9C7 10.8 5.6 12 3.5 12C1.5 12 .2 10.9 0 9.1"),
    "T": (7.4, "M0 0H7.4M3.7 0V12"),
    "U": (7.6, "M0 0V8A3.8 4 0 0 0 7.6 8V0"),
    "V": (8.4, "M0 0L4.2 12L8.4 0"),
    "W": (12, "M0 0L3 12L6 1.5L9 12L12 0"),
    "X": (7.6, "M0 0L7.6 12M7.6 0L0 12"),
    "Y": (8, "M0 0L4 6.2L8 0M4 6.2V12"),
    "Z": (7.2, "M0 0H7.2L0 12H7.2"),
    "a": (6.6, "M6.6 4V12M6.6 8A3.3 4 0 1 0 0 8A3.3 4 0 1 0 6.6 8"),
    "b": (6.6, "M0 0V12M0 8A3.3 4 0 1 1 6.6 8A3.3 4 0 1 1 0 8"),
    "c": (5.7, "M5.8 5.6A3.3 4 0 1 0 5.8 10.4"),
    "d": (6.6, "M6.6 0V12M6.6 8A3.3 4 0 1 0 0 8A3.3 4 0 1 0 6.6 8"),
    "e": (6.6, "M.1 8H6.6A3.3 4 0 1 0 5.7 10.8"),
    "f": (3.6, "M4.2 .2C2.3 -.3 1.4 .7 1.4 2.5V12M-.4 4H3.8"),
    "g": (6.6, "M6.6 8A3.3 4 0 1 0 0 8A3.3 4 0 1 0 6.6 8M6.6 4V12.2A3.2 3.7 0 0 1 .6 14.2"),
    "h": (6, "M0 0V12M0 7.2A3 3.2 0 0 1 6 7.2V12"),
    "i": (1, "M.5 4V12M.5 .7V.8"),
    "j": (2, "M1.5 4V13.4A2 2.2 0 0 1 -.6 15.6M1.5 .7V.8"),
    "k": (5.6, "M0 0V12M5.3 4L0 9M2 7.2L5.7 12"),
    "l": (1, "M.5 0V12"),
    "m": (10, "M0 4V12M0 6.8A2.5 2.8 0 0 1 5 6.8V12M5 6.8A2.5 2.8 0 0 1 10 6.8V12"),
    "n": (6, "M0 4V12M0 7.2A3 3.2 0 0 1 6 7.2V12"),
    "o": (6.8, "M3.4 4A3.4 4 0 1 0 3.4 12A3.4 4 0 1 0 3.4 4Z"),
    "p": (6.6, "M0 4V16M0 8A3.3 4 0 1 1 6.6 8A3.3 4 0 1 1 0 8"),
    "q": (6.6, "M6.6 4V16M6.6 8A3.3 4 0 1 0 0 8A3.3 4 0 1 0 6.6 8"),
    "r": (3.4, "M0 4V12M0 7.6C.2 5.2 1.6 3.9 3.8 4.1"),
    "s": (5.2, "M4.9 5.6C4.6 4.5 3.8 4 2.6 4C1.2 4 .3 4.8 .3 5.9C.3 8.7 5.2 7.1 5.2 9.8C5.2 11.2 4.2 12 2.7 12C1.2 12 .3 11.3 0 10.2"),
    "t": (3.8, "M1.5 1V9.6C1.5 11.7 2.4 12.3 4 11.8M-.4 4H3.9"),
    "u": (6, "M0 4V8.8A3 3.2 0 0 0 6 8.8M6 4V12"),
    "v": (6.4, "M0 4L3.2 12L6.4 4"),
    "w": (9.6, "M0 4L2.4 12L4.8 5L7.2 12L9.6 4"),
    "x": (6, "M0 4L6 12M6 4L0 12"),
    "y": (6.4, "M0 4L3.2 12M6.4 4L2.6 13.8C2.1 15.2 1.3 15.8 0 15.6"),
    "z": (5.8, "M0 4H5.8L0 12H5.8"),
    ".": (1, "M.5 11.7V11.8"),
    ",": (1.4, "M.9 11.6L.2 13.8"),
    ":": (1, "M.5 5.6V5.7M.5 11.4V11.5"),
    ";": (1.4, "M.8 5.6V5.7M.9 11.4L.2 13.6"),
    "!": (1, "M.5 0V8.2M.5 11.7V11.8"),
    "?": (6, "M0 2.9A3 2.9 0 1 1 4.4 5.6C3.3 6.3 2.9 7 2.9 8.4M2.9 11.7V11.8"),
    "'": (1, "M.5 0V2.8"),
    '"': (3, "M.4 0V2.8M2.6 0V2.8"),
    "`": (2, "M.2 0L1.6 2"),
    "-": (4.6, "M0 7.4H4.6"),
    "+": (6.4, "M0 7H6.4M3.2 3.8V10.2"),
    "=": (6, "M0 5.4H6M0 8.8H6"),
    "_": (6.4, "M0 13H6.4"),
    "*": (5.6, "M2.8 .6V6.2M.4 2L5.2 4.8M5.2 2L.4 4.8"),
    "/": (5, "M0 13.4L5 -1"),
    "\\": (5, "M0 -1L5 13.4"),
    "|": (1, "M.5 -1V14"),
    "(": (2.6, "M2.6 -1C-.6 3.4 -.6 9.8 2.6 14.2"),
    ")": (2.6, "M0 -1C3.2 3.4 3.2 9.8 0 14.2"),
    "[": (2.8, "M2.8 -.8H0V14H2.8"),
    "]": (2.8, "M0 -.8H2.8V14H0"),
    "{": (3.4, "M3.4 -.8C.2 -.8 3.4 6.6 0 6.6C3.4 6.6 .2 14 3.4 14"),
    "}": (3.4, "M0 -.8C3.2 -.8 0 6.6 3.4 6.6C0 6.6 3.2 14 0 14"),
    "<": (6, "M6 3.4L0 7L6 10.6"),
    ">": (6, "M0 3.4L6 7L0 10.6"),
    "~": (6.4, "M0 8C1.8 4.6 4.6 10.2 6.4 6.8"),
    "^": (5.6, "M0 4L2.8 .4L5.6 4"),
    "#": (7, "M2.4 1L1.2 12M5.8 1L4.6 12M.4 4.6H7M0 8.4H6.6"),
    "%": (9.4, "M2 0A2 2.6 0 1 0 2 5.2A2 2.6 0 1 0 2 0ZM7.4 6.8A2 2.6 0 1 0 7.4 12A2 2.6 0 1 0 7.4 6.8ZM8 0L1.4 12"),
    "&": (8.4, "M8.4 12L1.6 4C.2 2 1.4 0 3.4 0C5.6 0 6.4 2.8 4.4 4.4L2 6.2C-.6 8 -.2 12 3.4 12C6.2 12 8 9.6 8.2 7.2"),
    "$": (7, "M6.7 3.4C6.2 1.9 5.2 1.2 3.5 1.2C-.6 1.2 -.6 5.6 3.5 6.1C8.2 6.8 7.8 11 3.5 11C1.7 11 .4 10.2 0 8.8M3.5 -.8V13"),
    "@": (10.4, "M7.4 4.6V7.6C7.4 9.6 10.4 9.4 10.4 6A5.2 6 0 1 0 8 11.2M7.4 6.2A2.3 2.6 0 1 0 2.8 6.2A2.3 2.6 0 1 0 7.4 6.2"),
}  # fmt: skip
UNKNOWN: Final = (6.0, "M0 0H6V12H0Z")  # what a font draws for a character it lacks

COMMAND: Final = re.compile(r"([MLHVACZ])([^MLHVACZ]*)")
NUMBER: Final = re.compile(r"-?\d*\.?\d+")
# Indices of the x coordinates among the arguments of a path command.
X_INDICES: Final = {"M": (0,), "L": (0,), "H": (0,), "V": (), "A": (5,), "C": (0, 2, 4), "Z": ()}


def plain(string: str) -> str:
    """The string without accents, for which there are no glyphs."""
    letters = unicodedata.normalize("NFKD", string)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def text_width(string: str, size: float) -> float:
    """The width of a string whose capitals are `size` high."""
    widths = [GLYPHS.get(c, UNKNOWN)[0] for c in string]
    gaps = LETTER_GAP * max(0, len(widths) - 1)
    return (sum(widths) + gaps) * size / CAP_HEIGHT


def fitted(string: str, size: float, max_width: float) -> str:
    """The string, truncated with an ellipsis if it is wider than `max_width`."""
    drawn = plain(string)
    if text_width(drawn, size) <= max_width:
        return drawn
    while drawn and text_width(drawn + ELLIPSIS, size) > max_width:
        drawn = drawn[:-1]
    return drawn.rstrip() + ELLIPSIS


@lru_cache(MAX_TEXTS)  # most texts of a drawing stand in the next one, too
def text(
    x: float,
    y: float,
    string: str,
    size: float,
    ink: str,
    weight: float = 1.5,
    anchor: float = 0.0,
) -> str:
    """A string with its baseline at `y`; `anchor` is the fraction of its width left of `x`."""
    drawn = plain(string)
    scale = size / CAP_HEIGHT
    left = x - anchor * text_width(drawn, size)
    pen, strokes = 0.0, []
    for letter in drawn:
        width, path = GLYPHS.get(letter, UNKNOWN)
        strokes.append(_shifted(path, round(pen, 2)))
        pen += width + LETTER_GAP
    transform = f"translate({left:.1f} {y - size:.1f}) scale({scale:.3f})"
    name = f" {INK_CLASSES[ink]}" if ink in INK_CLASSES else ""
    return (
        f'<path class="text{name}" role="img" aria-label={quoteattr(drawn)} fill="none" stroke="{ink}" '
        f'stroke-width="{weight:g}" stroke-linecap="round" stroke-linejoin="round" '
        f'transform="{transform}" d="{"".join(strokes)}"/>'
    )


@cache
def _shifted(path: str, offset: float) -> str:
    """A path shifted to the right."""
    parts = []
    for command, arguments in COMMAND.findall(path):
        numbers = [float(number) for number in NUMBER.findall(arguments)]
        for index in X_INDICES[command]:
            numbers[index] += offset
        parts.append(command + " ".join(f"{round(number, 2):g}" for number in numbers))
    return "".join(parts)
