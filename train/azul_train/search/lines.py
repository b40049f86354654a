"""Checks of the JSON that a run reads back from its files: a damaged file is an error of one line."""

import math
from types import NoneType
from typing import Any, Final, NamedTuple


class Each(NamedTuple):
    """An object with any keys, whose values are all of one form."""

    form: Any


NUMBER: Final = (int, float)
RESULT: Final = dict.fromkeys(("win_rate", "low", "high"), NUMBER) | {"games": int}
ERRORS: Final = dict.fromkeys(("margin", "base_rate", "brier"), NUMBER) | {"positions": int}
BIN: Final = dict.fromkeys(("predicted", "observed", "error"), NUMBER) | {"positions": int}
CALIBRATION: Final = {
    part: {"by_round": Each(ERRORS), "reliability": [BIN]} for part in ("ends", "inner")
}
CARD: Final = {"calibration": CALIBRATION}
GENERATION_LINE: Final = {
    "generation": int,
    "steps": int,
    "minutes": NUMBER,
    "played_with": (int, NoneType),
    "calibration": CALIBRATION,
    "best": RESULT,
    "linear": RESULT,
    "kept": bool,
}
CLOCK: Final = {"minutes": NUMBER}


def check_form(data: Any, form: Any, name: str) -> None:
    """Raise ValueError unless data from a file has a form: a type, several, or dicts and lists of forms."""
    is_right = True
    if isinstance(form, dict):
        is_right = isinstance(data, dict)
        for key, part in form.items():
            check_form(data.get(key) if is_right else None, part, f"{name}.{key}" if name else key)
    elif isinstance(form, Each):
        is_right = isinstance(data, dict)
        for key in data if is_right else ():
            check_form(data[key], form.form, f"{name}.{key}")
    elif isinstance(form, list):
        is_right = isinstance(data, list)
        for part in data if is_right else ():
            check_form(part, form[0], name)
    else:
        is_right = isinstance(data, form) and (isinstance(data, bool) == (form is bool))
        is_right = is_right and not (isinstance(data, float) and not math.isfinite(data))
    if not is_right:
        raise ValueError(f"{name or 'its content'} is missing or wrong")


def check_generations(lines: list[dict[str, Any]]) -> None:
    """Raise ValueError unless these are the lines of generations 1, 2, ..., each played with one that was kept."""
    kept: set[int | None] = {None}
    for number, line in enumerate(lines, 1):
        check_form(line, GENERATION_LINE, "")
        if "all" not in line["calibration"]["ends"]["by_round"]:
            raise ValueError("calibration.ends.by_round.all is missing or wrong")
        if line["generation"] != number or line["played_with"] not in kept:
            raise ValueError(f"line {number} is not that of generation {number}")
        if line["kept"]:
            kept.add(number)
