"""The features of the networks, computed slowly from positions as plain data; and random weights."""

from typing import Any

import numpy as np

from azul_agents.search.network import offers
from azul_agents.search.network.features import (
    CENTER,
    COLOR,
    COLOR_TILES,
    COLOR_WAITING,
    COLUMN,
    COLUMN_WAITING,
    DEAD,
    FACTORIES,
    FLOOR,
    LEFT,
    LINE,
    POINTS,
    ROW,
    ROW_LINE,
    STARTER,
    TURN,
)
from azul_agents.search.network.layers import OFFERS, OFFERS_SHAPE, SHAPES, Layers
from azul_env import GameState, to_dict

PENALTIES = (0, 1, 2, 4, 6, 8, 11, 14)


def random_layers(seed: int, scale: float = 0.2, sees_offers: bool = False) -> Layers:
    """Layers of random numbers that float16 holds exactly enough."""
    rng = np.random.default_rng(seed)
    shapes = SHAPES | ({OFFERS: OFFERS_SHAPE} if sees_offers else {})
    return {
        name: (scale * rng.normal(size=shape)).astype(np.float16).astype(np.float32)
        for name, shape in shapes.items()
    }


def column_of(line: int, color: int) -> int:
    return (line + color) % 5


def run_points(wall: list[list[int]], line: int, column: int) -> int:
    """The points of the tile at (line, column), counted cell by cell."""
    total = 0
    for step_line, step_column in ((0, 1), (1, 0)):
        length = 1
        for sign in (1, -1):
            at, beside = line + sign * step_line, column + sign * step_column
            while 0 <= at < 5 and 0 <= beside < 5 and wall[at][beside]:
                length += 1
                at, beside = at + sign * step_line, beside + sign * step_column
        total += length if length > 1 else 0
    return max(1, total)


def expected_deal(data: dict[str, Any], num_players: int) -> list[int]:
    drawn = 4 * (2 * num_players + 1)
    bag, lid = data["bag"], data["discard"]
    from_bag = min(drawn, sum(bag))
    from_lid = min(drawn - from_bag, sum(lid))
    return [
        b * from_bag // max(1, sum(bag)) + d * from_lid // max(1, sum(lid))
        for b, d in zip(bag, lid, strict=True)
    ]


def supply(count: int, share: int) -> int:
    return 0 if 10 * count < 6 * share else 1 if count <= share else 2


def board_and_points(state: GameState, seat: int) -> tuple[list[int], int]:
    """The features of a board, sorted, and its points as if the round ended now."""
    data = to_dict(state)
    players, board = state.num_players, state.players[seat]
    wall = [[int(cell) for cell in row] for row in board.wall]
    points = board.score - PENALTIES[len(board.floor)]
    for line, (color, count) in enumerate(board.pattern_lines):
        if count == line + 1:
            wall[line][column_of(line, color)] = 1
            points += run_points(wall, line, column_of(line, color))
    table = [sum(tiles) for tiles in zip(*state.factories, state.center, strict=True)]
    is_inside = sum(table) > 0
    deal = expected_deal(data, players)
    share = 2 * players + 1
    waiting = {
        (line, color): count
        for line, (color, count) in enumerate(board.pattern_lines)
        if 0 < count <= line
    }
    found: list[int] = []

    def ternary(cells: list[tuple[int, int]]) -> int:
        """Cells by line and color as digits: 0 empty, 1 waiting, 2 tiled."""
        digits = [
            2 if wall[line][column_of(line, color)] else int((line, color) in waiting)
            for line, color in cells
        ]
        return sum(digit * 3**place for place, digit in enumerate(digits))

    def bits(cells: list[int]) -> int:
        return sum(bool(cell) << place for place, cell in enumerate(cells))

    for color in range(5):
        cells = bits([wall[line][column_of(line, color)] for line in range(5)])
        found.append(COLOR + 3 * cells + supply(deal[color], share))
        found.append(COLOR_WAITING + ternary([(line, color) for line in range(5)]))
    for column in range(5):
        cells = bits([wall[line][column] for line in range(5)])
        found.append(COLUMN + 32 * column + cells)
        found.append(
            COLUMN_WAITING
            + 243 * column
            + ternary([(line, (column - line) % 5) for line in range(5)])
        )
    for line, (color, count) in enumerate(board.pattern_lines):
        present = 0 if count == line + 1 else count
        cells = bits(wall[line])
        found += [ROW + 32 * line + cells, ROW_LINE + 5 * (32 * line + cells) + present]
        if present:
            if is_inside:
                held = table[color]
                level = 0 if held == 0 else 1 if held < line + 1 - count else 2
            else:
                level = supply(deal[color], share)
            tiled = [list(row) for row in wall]
            tiled[line][column_of(line, color)] = 1
            gained = run_points(tiled, line, column_of(line, color))
            found.append(LINE + 3 * (5 * (5 * line + color) + count) + level)
            found.append(POINTS + 11 * (5 * line + count) + gained)
    found += rest_of_board(state, seat, table, is_inside)
    return sorted(found), max(0, points)


def rest_of_board(state: GameState, seat: int, table: list[int], is_inside: bool) -> list[int]:
    """Floor, dead tiles, marker and turn."""
    board, players = state.players[seat], state.num_players
    dead = 0
    for color in range(5):
        fits = any(
            (line.color in (None, color) or line.count == 0)
            and line.count < number + 1
            and not board.wall[number][column_of(number, color)]
            for number, line in enumerate(board.pattern_lines)
        )
        dead += 0 if fits else table[color]
    starter = 0
    if is_inside and not state.center_has_marker:
        starter = 1 if state.starting_player_next_round == seat else 2
    turn = (seat - state.current_player) % players if players > 2 else 0
    return [
        FLOOR + len(board.floor),
        DEAD + (min(7, dead) if is_inside else 0),
        STARTER + starter,
        TURN + turn,
    ]


def table_features(state: GameState) -> list[int]:
    """The features of the table, sorted."""
    table = [sum(tiles) for tiles in zip(*state.factories, state.center, strict=True)]
    is_inside = sum(table) > 0
    tiles = table if is_inside else expected_deal(to_dict(state), state.num_players)
    marker = int(is_inside and state.center_has_marker)
    return sorted(
        [COLOR_TILES + min(15, count) for count in tiles]
        + [
            CENTER + 2 * min(7, sum(state.center)) + marker,
            LEFT + min(39, sum(tiles)),
            FACTORIES + sum(any(factory) for factory in state.factories),
        ]
    )


def offer_features(state: GameState, viewer: int) -> list[int]:
    """The features of the offers as a seat sees them, sorted."""
    sources = [*state.factories, state.center]
    sizes = [[min(7, tiles[color]) for tiles in sources if tiles[color]] for color in range(5)]
    found = [offers.CENTER + min(7, count) for count in state.center]
    found.append(offers.LEFT + min(20, sum(map(len, sizes))))
    players = state.num_players
    for seat in range(players):
        turns = (seat - state.current_player) % players if players > 2 else 0
        side = offers.SIDES + offers.NUM_SIDE_FEATURES * (2 * turns + (seat != viewer))
        for line in range(5):
            feature = offer_feature_of_line(state, seat, line, sizes)
            found.append(side + offers.NUM_LINE_FEATURES * line + feature)
        for color in range(5):
            room = max(
                (line + 1 - held for line, held in open_lines(state, seat, color)), default=0
            )
            smallest = min(4, min(sizes[color], default=0))
            largest = min(5, max(sizes[color], default=0))
            found.append(side + offers.ROOMS + 6 * (6 * smallest + largest) + room)
    return sorted(found)


def open_lines(state: GameState, seat: int, color: int) -> list[tuple[int, int]]:
    """The lines that take a color, with the tiles they have."""
    board = state.players[seat]
    return [
        (line, held)
        for line, (its_color, held) in enumerate(board.pattern_lines)
        if held <= line
        and (held == 0 or its_color == color)
        and not board.wall[line][column_of(line, color)]
    ]


def offer_feature_of_line(state: GameState, seat: int, line: int, sizes: list[list[int]]) -> int:
    """What the offers can do for a line, in words turned into a number."""
    color, held = state.players[seat].pattern_lines[line]
    missing = line + 1 - held
    if missing == 0:
        return offers.FULL
    if held == 0:
        fitting = [
            size
            for color in range(5)
            if (line, 0) in open_lines(state, seat, color)
            for size in sizes[color]
            if size <= missing
        ]
        largest = max(fitting, default=0)
        return offers.EMPTY + 2 * largest + (fitting.count(largest) > 1)
    of_color = sizes[color]
    table = sum(tiles[color] for tiles in (*state.factories, state.center))
    if of_color.count(missing) > 1:
        fit = offers.EXACT_TWICE
    elif missing in of_color:
        fit = offers.EXACT
    elif max(of_color, default=0) > missing:
        fit = offers.TO_SPARE
    elif table >= missing:
        fit = offers.IN_PARTS
    else:
        fit = offers.TOO_FEW if table else offers.NONE
    return offers.BEGUN + offers.NUM_FITS * (missing - 1) + fit
