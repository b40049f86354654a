"""Validation of positions: first their form as data, then the rules they break."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, Final

from azul_env.core.arguments import shown
from azul_env.core.spec import (
    COLOR_NAMES,
    COUNTER_LIMIT,
    FACTORY_CAPACITY,
    FLOOR_SLOTS,
    MARKER_NAME,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_COLORS,
    NUM_LINES,
    RULESET,
    TILES_PER_COLOR,
    num_factories,
)
from azul_env.core.variant import COLORED, VARIANTS, Variant
from azul_env.errors import Problem
from azul_env.errors import ProblemReason as Why
from azul_env.position import (
    END_REASONS,
    FACTORY_OFFER,
    GAME_OVER,
    WALL_TILING,
    Position,
    with_plain_numbers,
)
from azul_env.tiling import has_table, has_tiled, is_round_open, is_tiling, tiling_problems

POSITION_KEYS: Final = [
    "ruleset",
    "variant",
    "num_players",
    "current_player",
    "starting_player_next_round",
    "phase",
    "round",
    "max_rounds",
    "end_reason",
    "bag",
    "discard",
    "factories",
    "center",
    "center_has_marker",
    "players",
]
PLAYER_KEYS: Final = ["score", "wall", "pattern_lines", "floor", "resigned"]
LINE_KEYS: Final = ["color", "count"]


def position_problems(position: object, may_await_deal: bool = False) -> list[Problem]:
    """All errors in the form of a position or, if there are none, all rules it breaks.

    With `may_await_deal`, the table may be empty as it is between two rounds, before the next deal.
    """
    found = form_problems(position)
    return found or list(_rule_problems(with_plain_numbers(position), may_await_deal))


def form_problems(position: object) -> list[Problem]:
    """All errors in the form of a position, which make it malformed whatever the rules say."""
    return list(_form_problems(position))


def _form_problems(position: Any) -> Iterator[Problem]:
    where = "position"
    problems = list(_key_problems(position, POSITION_KEYS, where))
    if problems:
        yield from problems
        return
    yield from _name_problems(position["ruleset"], (RULESET,), "ruleset")
    problems = list(_name_problems(position["variant"], tuple(VARIANTS), "variant"))
    yield from problems
    variant = COLORED if problems else VARIANTS[position["variant"]]
    tiling = (WALL_TILING,) if variant.tiles_by_choice else ()
    yield from _name_problems(position["phase"], (FACTORY_OFFER, *tiling, GAME_OVER), "phase")
    yield from _name_problems(position["end_reason"], tuple(END_REASONS.values()), "end_reason")
    if type(position["center_has_marker"]) is not bool:
        yield Problem(Why.WRONG_TYPE, "center_has_marker", "must be true or false")
    yield from _number_problems(position["round"], "round")
    yield from _number_problems(position["max_rounds"], "max_rounds", least=1)
    for key in ("bag", "discard", "center"):
        yield from _count_problems(position[key], key)
    problems = list(
        _number_problems(position["num_players"], "num_players", MIN_PLAYERS, MAX_PLAYERS)
    )
    yield from problems
    if problems:
        return
    seats = position["num_players"]
    for key in ("current_player", "starting_player_next_round"):
        yield from _number_problems(position[key], key, most=seats - 1)
    factories = position["factories"]
    yield from _list_problems(factories, num_factories(seats), "factories")
    for number, counts in _entries(factories):
        yield from _count_problems(counts, f"factories[{number}]")
    players = position["players"]
    yield from _list_problems(players, seats, "players")
    for seat, player in _entries(players):
        yield from _player_form_problems(player, seats, variant, f"players[{seat}]")


def _player_form_problems(
    player: Any, seats: int, variant: Variant, where: str
) -> Iterator[Problem]:
    problems = list(_key_problems(player, PLAYER_KEYS, where))
    if problems:
        yield from problems
        return
    yield from _number_problems(player["score"], f"{where}.score")
    if player["resigned"] is not None:
        yield from _number_problems(player["resigned"], f"{where}.resigned", most=seats - 2)
    yield from _grid_problems(player["wall"], variant.max_datum, f"{where}.wall")
    lines = player["pattern_lines"]
    yield from _list_problems(lines, NUM_LINES, f"{where}.pattern_lines")
    for number, line in _entries(lines):
        here = f"{where}.pattern_lines[{number}]"
        problems = list(_key_problems(line, LINE_KEYS, here))
        yield from problems
        if not problems:
            yield from _name_problems(line["color"], (None, *COLOR_NAMES), f"{here}.color")
            yield from _number_problems(line["count"], f"{here}.count")
    floor = player["floor"]
    yield from _list_problems(floor, None, f"{where}.floor")
    for slot, name in _entries(floor):
        yield from _name_problems(name, (*COLOR_NAMES, MARKER_NAME), f"{where}.floor[{slot}]")


def _entries(data: Any) -> Iterator[tuple[int, Any]]:
    """The numbered entries of a list; none if it is not a list, which `_list_problems` reports."""
    return enumerate(data if isinstance(data, list | tuple) else ())


def _grid_problems(wall: Any, max_datum: int, where: str) -> Iterator[Problem]:
    yield from _list_problems(wall, NUM_LINES, where)
    for number, row in _entries(wall):
        here = f"{where}[{number}]"
        yield from _list_problems(row, NUM_LINES, here)
        for column, cell in _entries(row):
            yield from _number_problems(cell, f"{here}[{column}]", most=max_datum)


def _key_problems(data: Any, keys: list[str], where: str) -> Iterator[Problem]:
    if not isinstance(data, dict):
        yield Problem(Why.WRONG_TYPE, where, f"must be an object with keys, not {shown(data)}")
        return
    for key in keys:
        if key not in data:
            yield Problem(Why.MISSING_KEY, where, f"{key!r} is missing")
    for key in data:
        if key not in keys:
            yield Problem(Why.UNKNOWN_KEY, where, f"{shown(key)} is not one of {', '.join(keys)}")


def _name_problems(name: Any, known: tuple[str | None, ...], where: str) -> Iterator[Problem]:
    if name is not None and not isinstance(name, str):
        yield Problem(Why.WRONG_TYPE, where, f"must be a name, not {shown(name)}")
    elif name not in known:
        names = ", ".join("null" if one is None else one for one in known)
        yield Problem(Why.UNKNOWN_NAME, where, f"{shown(name)} is not one of {names}")


def _number_problems(
    number: Any, where: str, least: int = 0, most: int = COUNTER_LIMIT
) -> Iterator[Problem]:
    if isinstance(number, bool) or not isinstance(number, Integral):
        yield Problem(Why.WRONG_TYPE, where, f"must be a whole number, not {shown(number)}")
    elif int(number) < 0:
        yield Problem(Why.NEGATIVE, where, f"{shown(number)} is below 0")
    elif not least <= int(number) <= most:
        yield Problem(Why.OUT_OF_RANGE, where, f"{shown(number)} is not in {least}..{most}")


def _count_problems(counts: Any, where: str) -> Iterator[Problem]:
    problems = list(_list_problems(counts, NUM_COLORS, where))
    yield from problems
    if not problems:
        for color, count in enumerate(counts):
            yield from _number_problems(count, f"{where}[{color}]")


def _list_problems(data: Any, length: int | None, where: str) -> Iterator[Problem]:
    if not isinstance(data, list | tuple):
        yield Problem(Why.WRONG_TYPE, where, f"must be a list, not {shown(data)}")
    elif length is not None and len(data) != length:
        yield Problem(Why.WRONG_LENGTH, where, f"has {len(data)} entries, not {length}")


def _rule_problems(position: Any, may_await_deal: bool) -> Iterator[Problem]:
    variant = VARIANTS[position["variant"]]
    yield from _tile_problems(position, variant)
    for number, factory in enumerate(position["factories"]):
        if sum(factory) > FACTORY_CAPACITY:
            detail = f"holds {sum(factory)} tiles, more than {FACTORY_CAPACITY}"
            yield Problem(Why.FACTORY_OVERFULL, f"factories[{number}]", detail)
    for seat, player in enumerate(position["players"]):
        yield from _board_problems(player, variant, f"players[{seat}]")
    yield from _marker_problems(position)
    yield from _resignation_problems(position)
    yield from _phase_problems(position, may_await_deal)


def _tile_problems(position: Position, variant: Variant) -> Iterator[Problem]:
    """R1.2"""
    totals = [position["bag"][c] + position["discard"][c] for c in range(NUM_COLORS)]
    for source in [*position["factories"], position["center"]]:
        totals = [total + count for total, count in zip(totals, source, strict=True)]
    for player in position["players"]:
        for name in player["floor"]:
            if name != MARKER_NAME:
                totals[COLOR_NAMES.index(name)] += 1
        for line in player["pattern_lines"]:
            if line["color"] is not None:
                totals[COLOR_NAMES.index(line["color"])] += line["count"]
        for number in range(NUM_LINES):
            for color in variant.row_colors(player["wall"], number):
                totals[color] += 1
    for color, total in enumerate(totals):
        if total != TILES_PER_COLOR:
            detail = f"{total} tiles instead of {TILES_PER_COLOR}"
            yield Problem(Why.TILE_TOTAL, COLOR_NAMES[color], detail)


def _board_problems(player: Position, variant: Variant, where: str) -> Iterator[Problem]:
    """R1.4, R3.5-R3.8, R10.1"""
    for row, column in variant.misplaced(player["wall"]):
        detail = "its color is there twice in this row or column"
        yield Problem(Why.WALL_COLOR, f"{where}.wall[{row}][{column}]", detail)
    for number, line in enumerate(player["pattern_lines"]):
        here = f"{where}.pattern_lines[{number}]"
        color, count = line["color"], line["count"]
        if count > number + 1:
            yield Problem(Why.LINE_OVERFULL, here, f"holds {count} tiles, more than {number + 1}")
        if (color is None) != (count == 0):
            yield Problem(Why.LINE_COLOR, here, f"{count} tiles of color {shown(color)}")
        elif color is not None and COLOR_NAMES.index(color) in variant.row_colors(
            player["wall"], number
        ):
            yield Problem(Why.LINE_ON_WALL, here, f"{color} is already in this row of the wall")
    if len(player["floor"]) > FLOOR_SLOTS:
        detail = f"holds {len(player['floor'])} tokens, more than {FLOOR_SLOTS}"
        yield Problem(Why.FLOOR_OVERFULL, f"{where}.floor", detail)


def _marker_problems(position: Position) -> Iterator[Problem]:
    """R1.6, R3.3, R3.9"""
    holders = [
        seat
        for seat, player in enumerate(position["players"])
        for name in player["floor"]
        if name == MARKER_NAME
    ]
    markers = len(holders) + position["center_has_marker"]
    starter = position["starting_player_next_round"]
    board = position["players"][starter]
    is_scored = is_tiling(position) and has_tiled(board)  # R10.9
    may_be_gone = is_scored or len(board["floor"]) >= FLOOR_SLOTS
    if markers > 1:
        yield Problem(Why.MARKER_COUNT, "position", f"{markers} markers on the table")
    elif holders and holders[0] != starter:
        detail = f"is {starter}, but player {holders[0]} has the marker"
        yield Problem(Why.NEXT_STARTER, "starting_player_next_round", detail)
    elif not markers and is_round_open(position) and not may_be_gone:
        detail = f"no marker, though the floor of player {starter} had a slot for it"
        yield Problem(Why.MARKER_COUNT, "position", detail)


def _resignation_problems(position: Position) -> Iterator[Problem]:
    """R8.1, R8.2, R8.5, R10.13"""
    orders = [player["resigned"] for player in position["players"]]
    resigned = sorted(order for order in orders if order is not None)
    if resigned != list(range(len(resigned))):
        yield Problem(Why.RESIGNED, "players", f"orders of resigning are {resigned}")
    is_by_resignation = position["end_reason"] == "resignation"
    order = orders[position["current_player"]]
    if is_by_resignation and order != len(orders) - 2:
        yield Problem(Why.RESIGNED, "current_player", "is not the last player to resign")
    # A player who resigns instead of choosing a column may have moved last in the game.
    tiles_by_choice = VARIANTS[position["variant"]].tiles_by_choice
    may_be_last = tiles_by_choice and position["end_reason"] and order == len(resigned) - 1
    if not is_by_resignation and order is not None and not may_be_last:
        yield Problem(Why.RESIGNED, "current_player", "has resigned")
    is_left_alone = len(orders) - len(resigned) <= 1
    if is_left_alone != is_by_resignation:
        detail = f"{len(resigned)} of {len(orders)} players resigned"
        yield Problem(Why.END_MISMATCH, "end_reason", detail)


def _phase_problems(position: Position, may_await_deal: bool) -> Iterator[Problem]:
    """R4.1, R6, R10.10"""
    reason, is_open = position["end_reason"], is_round_open(position)
    if (position["phase"] == GAME_OVER) != (reason is not None):
        detail = f"{position['phase']} with end reason {shown(reason)}"
        yield Problem(Why.END_MISMATCH, "phase", detail)
        return
    table, tiles = has_table(position), is_tiling(position)
    is_said = position["phase"] == WALL_TILING
    if (is_said and not tiles) or (tiles and not is_said and reason is None):
        detail = f"{position['phase']}, but {'no' if is_said else 'a'} wall is being tiled"
        yield Problem(Why.TILING, "phase", detail)
        return
    full_row = any(all(row) for player in position["players"] for row in player["wall"])
    rounds, cap = position["round"], position["max_rounds"]
    supply = any([*position["bag"], *position["discard"]])
    if tiles:
        yield from tiling_problems(position)
    elif is_open and not table and may_await_deal:
        yield from _undealt_problems(position, supply)
    elif is_open and not table:
        detail = "there is no tile to take, but the round is not over"
        yield Problem(Why.EMPTY_TABLE, "position", detail)
    if full_row and reason != "row" and not tiles:
        why = Why.ROW_IN_PLAY if reason is None else Why.END_MISMATCH
        yield Problem(why, "players", "a complete row ends the game")
    if rounds > cap or (rounds == cap and is_open):
        yield Problem(
            Why.OUT_OF_RANGE, "round", f"{rounds} rounds are over, at most {cap} are played"
        )
    if not is_open:
        yield from _finished_round_problems(position, table)
    if reason == "row" and not full_row:
        yield Problem(Why.END_MISMATCH, "end_reason", "there is no complete row")
    if reason == "max_rounds" and rounds != cap:
        yield Problem(Why.END_MISMATCH, "end_reason", f"{rounds} of {cap} rounds are over")
    if reason in ("no_tiles", "max_rounds") and supply != (reason == "max_rounds"):
        yield Problem(Why.END_MISMATCH, "end_reason", "does not fit the tiles in bag and lid")


def _undealt_problems(position: Position, supply: bool) -> Iterator[Problem]:
    """R2, R4: between two rounds the marker is in the center, and there are tiles for the next deal."""
    yield from _finished_round_problems(position, table=False)
    if not position["center_has_marker"]:
        detail = "is false, though the next round is not dealt yet"
        yield Problem(Why.MARKER_COUNT, "center_has_marker", detail)
    if not supply:
        yield Problem(Why.EMPTY_TABLE, "position", "there is no tile to take and none to deal")


def _finished_round_problems(position: Position, table: bool) -> Iterator[Problem]:
    """R4.2, R4.3: after a round, the table and the floors are empty and full lines are tiled."""
    if table:
        yield Problem(Why.END_MISMATCH, "position", "the last round left tiles on the table")
    for seat, player in enumerate(position["players"]):
        if player["floor"]:
            yield Problem(Why.END_MISMATCH, f"players[{seat}].floor", "was not cleared")
        for number, line in enumerate(player["pattern_lines"]):
            if line["count"] > number:
                where = f"players[{seat}].pattern_lines[{number}]"
                yield Problem(Why.END_MISMATCH, where, "is full but not tiled")
