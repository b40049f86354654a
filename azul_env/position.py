"""Positions as JSON-compatible dicts: conversion from and to rows. `docs/SPEC.md` lists the keys."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Final

import numpy as np

from azul_env.core.spec import (
    COLOR_NAMES,
    FLOOR,
    MARKER_NAME,
    NUM_COLORS,
    NUM_DESTINATIONS,
    NUM_LINES,
    RULESET,
    EndReason,
    num_factories,
)
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows
from azul_env.core.variant import VARIANTS, Variant, variant_of
from azul_env.core.words import LANE_BITS, pack_lanes, unpack_lanes

Position = dict[str, Any]

FACTORY_OFFER: Final = "factory_offer"
WALL_TILING: Final = "wall_tiling"  # only where players choose the columns of their tiles
GAME_OVER: Final = "game_over"
# Numbers that have the same name in a row and in a position.
COUNTERS: Final = (
    "num_players",
    "current_player",
    "starting_player_next_round",
    "round",
    "max_rounds",
)
END_REASONS: Final[dict[int, str | None]] = {
    EndReason.PLAYING: None,
    EndReason.ROW: "row",
    EndReason.NO_TILES: "no_tiles",
    EndReason.MAX_ROUNDS: "max_rounds",
    EndReason.RESIGNATION: "resignation",
}
UNKNOWN: Final = "?"  # for a number without a name, which occurs in corrupt rows only
LINE_SHIFTS: Final = range(0, NIBBLE_BITS * NUM_LINES, NIBBLE_BITS)
TOKEN_NAMES: Final = (UNKNOWN, *COLOR_NAMES, MARKER_NAME)  # by token; 0 is a free slot


def position_of(row: Row) -> Position:
    """The position of a game."""
    players = int(row["num_players"])
    factories = num_factories(players)
    variant = variant_of(row)
    sources = row["sources"].tolist()  # Python's ints are quicker than NumPy's
    return {
        "ruleset": RULESET,
        "variant": variant.name,
        "num_players": players,
        "current_player": int(row["current_player"]),
        "starting_player_next_round": int(row["starting_player_next_round"]),
        "phase": phase_of(row),
        "round": int(row["round"]),
        "max_rounds": int(row["max_rounds"]),
        "end_reason": END_REASONS.get(int(row["end_reason"]), UNKNOWN),
        "bag": list(unpack_lanes(row["bag"])),
        "discard": list(unpack_lanes(row["lid"])),
        "factories": [list(unpack_lanes(word)) for word in sources[:factories]],
        "center": list(unpack_lanes(sources[factories])),
        "center_has_marker": bool(row["marker_in_center"]),
        "players": players_of(row),
    }


def phase_of(row: Row) -> str:
    """The phase of a game."""
    if row["end_reason"] != EndReason.PLAYING:
        return GAME_OVER
    return WALL_TILING if variant_of(row).columns_to_choose(row) else FACTORY_OFFER


def players_of(row: Row) -> list[Position]:
    """The boards of a game by seat."""
    variant = variant_of(row)
    return [_player_of(row, seat, variant) for seat in range(int(row["num_players"]))]


def _player_of(row: Row, seat: int, variant: Variant) -> Position:
    """The board of a player."""
    floor, counts = int(row["floors"][seat]), int(row["line_counts"][seat])
    colors = int(row["line_colors"][seat])
    order = nibble(row["resignations"], seat)
    return {
        "score": int(row["scores"][seat]),
        "wall": variant.wall_data(row, seat),
        "pattern_lines": [
            _line_of(counts >> shift & NIBBLE, colors >> shift & NIBBLE) for shift in LINE_SHIFTS
        ],
        "floor": [_name(TOKEN_NAMES, nibble(floor, slot)) for slot in range(nibbles_in(floor))],
        "resigned": order - 1 if order else None,
    }


def _line_of(count: int, color: int) -> Position:
    return {"color": _name(COLOR_NAMES, color) if count else None, "count": count}


def _name(names: tuple[str, ...], number: int) -> str:
    return names[number] if number < len(names) else UNKNOWN


def rows_of(position: Position) -> Rows:
    """The row of a position, in an array of one. Caller guarantees that `position_problems` finds nothing."""
    position = with_plain_numbers(position)
    variant = VARIANTS[position["variant"]]
    rows = np.zeros(1, variant.dtype)
    row = rows[0]
    for key in COUNTERS:
        row[key] = position[key]
    reason = next(code for code, name in END_REASONS.items() if name == position["end_reason"])
    row["end_reason"] = reason
    row["marker_in_center"] = position["center_has_marker"]
    row["bag"] = pack_lanes(position["bag"])
    row["lid"] = pack_lanes(position["discard"])
    for source, tiles in enumerate([*position["factories"], position["center"]]):
        put_tiles(row, source, tiles)
    if reason != EndReason.PLAYING:
        row["available"] = 0
    for seat, player in enumerate(position["players"]):
        _put_player(row, seat, player, variant)
    if position["phase"] == WALL_TILING:
        player = position["players"][position["current_player"]]
        variant.put_columns(row, columns_to_choose(player, variant))
    return rows


def line_to_tile(player: Position) -> int | None:
    """The topmost full line of a player; None if there is none."""
    lines = enumerate(player["pattern_lines"])
    return next((number for number, line in lines if line["count"] > number), None)


def columns_to_choose(player: Position, variant: Variant) -> list[int]:
    """The legal columns for the topmost full line of a player (R10.3)."""
    line = line_to_tile(player)
    name = None if line is None else player["pattern_lines"][line]["color"]
    if line is None or name is None:  # tiles without a color: a position that no game can reach
        return []
    return variant.open_columns(player["wall"], line, COLOR_NAMES.index(name))


def put_tiles(row: Row, source: int, tiles: Sequence[int]) -> None:
    """Put tiles, counted by color, on an empty source and mark them as available."""
    row["sources"][source] = pack_lanes(tiles)
    for color in range(NUM_COLORS):
        if tiles[color]:
            row["available"] |= 1 << (LANE_BITS * color + source)


def with_plain_numbers(data: Any) -> Any:
    """A copy of a position or a part of it, with Python ints for NumPy's, which overflow in sums and shifts.

    Caller guarantees that its form is valid.
    """
    if isinstance(data, dict):
        return {key: with_plain_numbers(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [with_plain_numbers(value) for value in data]
    return int(data) if isinstance(data, Integral) else data


def _put_player(row: Row, seat: int, player: Position, variant: Variant) -> None:
    """Write a player's board into a row."""
    if player["resigned"] is not None:
        row["resignations"] |= (player["resigned"] + 1) << NIBBLE_BITS * seat
    row["scores"][seat] = player["score"]
    row["legal"][seat] = sum(1 << (NUM_DESTINATIONS * c + FLOOR) for c in range(NUM_COLORS))
    for slot, name in enumerate(player["floor"]):
        row["floors"][seat] |= TOKEN_NAMES.index(name) << NIBBLE_BITS * slot
    variant.put_wall(row, seat, player["wall"])
    for line in range(NUM_LINES):
        count = player["pattern_lines"][line]["count"]
        if count:
            color = COLOR_NAMES.index(player["pattern_lines"][line]["color"])
            row["line_counts"][seat] |= count << NIBBLE_BITS * line
            row["line_colors"][seat] |= color << NIBBLE_BITS * line
            colors = [color] if count <= line else []  # R3.5, R3.6
        else:
            placed = variant.row_colors(player["wall"], line)
            colors = [color for color in range(NUM_COLORS) if color not in placed]  # R3.7
        row["legal"][seat] |= sum(1 << (NUM_DESTINATIONS * c + line) for c in colors)


def nibble(word: int, index: int) -> int:
    """The number in one nibble of a word."""
    return int(word) >> NIBBLE_BITS * index & NIBBLE


def nibbles_in(word: int) -> int:
    """Number of nibbles up to the highest that is not 0."""
    return (int(word).bit_length() + NIBBLE_BITS - 1) // NIBBLE_BITS
