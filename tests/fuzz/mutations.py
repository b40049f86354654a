"""Bad input for tests: odd values by name, edits of plain data and text, and what a refusal must look like.

Odd values go by name, because some of them (a number of 5,000 digits, a list nested 5,000 deep) cannot be printed.
"""

import copy
import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from azul_env import GameState, errors, to_dict
from properties.walks import NAMES, Walk, states_of

MARKER = "marker"


def nested(depth: int = 5000) -> list[Any]:
    data: list[Any] = []
    for _ in range(depth):
        data = [data]
    return data


ODD: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "true": lambda: True,
    "false": lambda: False,
    "minus one": lambda: -1,
    "zero": lambda: 0,
    "one": lambda: 1,
    "two": lambda: 2,
    "seven": lambda: 7,
    "255": lambda: 255,
    "2**31": lambda: 2**31,
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "-2**63": lambda: -(2**63),
    "5001 digits": lambda: 10**5000,
    "minus 5001 digits": lambda: -(10**5000),
    "float": lambda: 1.0,
    "nan": lambda: math.nan,
    "infinity": lambda: math.inf,
    "complex": lambda: 1j,
    "empty text": lambda: "",
    "blue": lambda: "blue",
    "marker": lambda: MARKER,
    "digit": lambda: "0",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"\x01\x00\x00\x00\x00",
    "empty list": list,
    "list": lambda: [0, 0, 0, 0, 0],
    "tuple": lambda: (0, 0, 0, 0, 0),
    "list of lists": lambda: [[1, 2], [3]],
    "empty dict": dict,
    "dict": lambda: {"type": "draft", "color": None, "count": 0},
    "odd keys": lambda: {None: 1, 2: 3, "x": 4},
    "deep list": nested,
    "set": lambda: {1, 2},
    "object": object,
    "array": lambda: np.arange(5),
    "np.int64": lambda: np.int64(1),
    "np.uint8": lambda: np.uint8(1),
    "np.bool": lambda: np.True_,
    "np.float64": lambda: np.float64(1),
    "np.str": lambda: np.str_("blue"),
}
odd_names = st.sampled_from(sorted(ODD))


def refusal(call: Callable[..., Any], *arguments: Any, allow: tuple[type, ...] = ()) -> Any:
    """The error a call refuses its input with, or None. Any but the documented errors are passed on.

    `allow` names errors of Python itself that this call may raise beside those of `azul_env.errors`.
    """
    try:
        call(*arguments)
    except (ValueError, TypeError) as error:
        documented = type(error).__module__ == errors.__name__ or type(error) in (TypeError, *allow)
        has_message = str(error).strip() and "integer string conversion" not in str(error)
        if not documented or not has_message:
            raise
        return error
    return None


@cache
def sound_positions() -> tuple[GameState, ...]:
    """Positions of several games, among them the end of each."""
    walks = [
        Walk(2, 0, 1, "uniform", 50),
        Walk(2, 1, 2, "floor", 3),
        Walk(2, 1, 3, "uniform", 50, ((9, 0),)),
        Walk(3, 2, 4, "greedy", 50, ((4, 1),)),
        Walk(3, 0, 5, "floor", 5, ((1, 1),)),
        Walk(4, 3, 6, "uniform", 50, ((2, 0), (2, 3))),
        Walk(4, 1, 7, "uniform", 50, ((12, 0), (13, 3), (14, 1))),
        *(Walk(4, 0, seed, "patient", 50, is_late=True) for seed in range(6)),
    ]
    games = [states_of(walk) for walk in walks]
    return tuple(state for game in games for state in [game[0], game[len(game) // 2], *game[-2:]])


class Edit(NamedTuple):
    """One change of plain data: in which of its places, what, and with which value if any."""

    place: int
    how: str
    value: str


EDITS = ("replace", "drop", "add", "rename", "raise", "lower", "repeat", "swap")
edits = st.lists(
    st.builds(Edit, st.integers(0, 10**4), st.sampled_from(EDITS), odd_names),
    min_size=1,
    max_size=3,
)


def places_in(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every entry of nested dicts and lists, as its container and its key."""
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in list(keys):
        yield data, key
        yield from places_in(data[key])


def edited(data: Any, changes: list[Edit]) -> Any:
    """A copy of plain data with the changes made."""
    result = copy.deepcopy(data)
    odd: list[Any] = []  # put in last: later edits must not have to walk through them
    for change in changes:
        places = list(places_in(result))
        if not places:
            continue
        container, key = places[change.place % len(places)]
        other, other_key = places[change.place * 7 % len(places)]
        match change.how:
            case "replace":
                odd.append((container, key, change.value))
            case "drop":
                del container[key]
            case "add" if isinstance(container, dict):
                odd.append((container, f"{key}_", change.value))
            case "add":
                container.append(0)
            case "rename" if isinstance(container, dict):
                container[str(key).upper()] = container.pop(key)
            case "raise" | "lower" if isinstance(container[key], int):
                container[key] += 1 if change.how == "raise" else -1
            case "repeat" if isinstance(container, list):
                container.insert(key, copy.deepcopy(container[key]))
            case "swap" if other is not result:
                container[key], other[other_key] = copy.deepcopy((other[other_key], container[key]))
    for container, key, name in odd:
        if isinstance(container, dict) or key < len(container):
            container[key] = ODD[name]()
    return result


def shuffled_tiles(position: dict[str, Any], moves: list[tuple[int, int, int]]) -> dict[str, Any]:
    """A copy with tiles moved from place to place, so that their totals stay right: (color, from, to)."""
    result = copy.deepcopy(position)
    for color, source, target in moves:
        places = list(tile_places(result, color))
        if places[source % len(places)](-1):
            places[target % len(places)](+1)
    return result


def tile_places(position: dict[str, Any], color: int) -> Iterator[Callable[[int], bool]]:
    """For every place of the game a function that adds a tile of a color to it or takes it, if it can."""
    supplies = [position["bag"], position["discard"], position["center"], *position["factories"]]
    for counts in supplies:
        yield lambda change, counts=counts: _count(counts, color, change)
    for player in position["players"]:
        yield lambda change, floor=player["floor"]: _lay(floor, NAMES[color], change)
        for row in range(5):
            cells, line = player["wall"][row], player["pattern_lines"][row]
            column = (color + row) % 5
            yield lambda change, cells=cells, column=column: _count(cells, column, change)
            yield lambda change, line=line: _fill(line, NAMES[color], change)


def _count(counts: list[int], place: int, change: int) -> bool:
    counts[place] += change
    return True


def _lay(floor: list[str], name: str, change: int) -> bool:
    if change > 0:
        floor.append(name)
    elif name in floor:
        floor.remove(name)
    else:
        return False
    return True


def _fill(line: dict[str, Any], name: str, change: int) -> bool:
    if change < 0 and line["color"] != name:
        return False
    line["count"] += change
    line["color"] = name if line["count"] else None
    return True


def impossibilities(state: GameState) -> list[str]:
    """What no game can reach about a position that was accepted, judged apart from the engine's own test."""
    position = to_dict(state)
    players = position["players"]
    on, reason = position["phase"] == "factory_offer", position["end_reason"]
    supply = [*position["bag"], *position["discard"]]
    table = [*position["factories"], position["center"]]
    lines = [line for player in players for line in player["pattern_lines"]]
    rows = [row for player in players for row in player["wall"]]
    holders = [seat for seat, p in enumerate(players) for name in p["floor"] if name == MARKER]
    starter = players[position["starting_player_next_round"]]
    orders = [player["resigned"] for player in players]
    left = orders.count(None)
    counts = [*supply, *itertools.chain(*table), *(line["count"] for line in lines)]
    markers = len(holders) + position["center_has_marker"]
    is_cut_short = reason == "resignation"  # R8.5: the round is left as it is
    claims = {
        "negative": min(counts) < 0 or min(p["score"] for p in players) < 0,
        "display above 4": any(sum(tiles) > 4 for tiles in position["factories"]),
        "line overfull": any(line["count"] > i % 5 + 1 for i, line in enumerate(lines)),
        "line without color": any((ln["color"] is None) != (ln["count"] == 0) for ln in lines),
        "floor overfull": any(len(player["floor"]) > 7 for player in players),
        "markers": markers > 1,
        "marker of another": holders not in ([], [position["starting_player_next_round"]]),
        "no marker": markers == 0 and (on or is_cut_short) and len(starter["floor"]) < 7,
        "nothing to take": (on or is_cut_short) and not any(map(any, table)),
        "table not cleared": not (on or is_cut_short) and any(map(any, table)),
        "row in play": (reason != "row") == any(map(all, rows)),
        "orders": sorted(o for o in orders if o is not None) != list(range(len(orders) - left)),
        "one left": (left == 1) != is_cut_short or left == 0,
        "resigned to move": orders[position["current_player"]] is not None and not is_cut_short,
        "not last to resign": is_cut_short
        and orders[position["current_player"]] != len(orders) - 2,
        "phase": on != (reason is None),
        "cap": position["round"] > position["max_rounds"]
        or (position["round"] == position["max_rounds"] and (on or is_cut_short)),
        "supply": reason in ("no_tiles", "max_rounds") and any(supply) == (reason == "no_tiles"),
    }
    return [claim for claim, is_impossible in claims.items() if is_impossible]
