"""Patterns on the walls: additional inputs of the network, so that it need not learn to count.

Two fixed layers with ReLU, the same for every model. The first finds the tiles that will be on a wall after this round,
already placed or in full pattern lines, and also the free slots of the floors and the rounds played. The second finds
runs of neighboring tiles, which placements score, and rows, columns and colors that are nearly complete. On the gray
wall, where the columns of full lines are not known, the first finds the placed tiles of any color, and counts those of
each color. A unit is an AND of n cells: the ReLU of their sum minus n - 1. As in `forward`, the first row of a matrix is
the bias.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env import COLOR_NAMES, NUM_LINES
from azul_env.core.variant import COLORED
from azul_env.observation import observation_parts, observation_size
from azul_env.observation.layout import Part

Matrix = NDArray[np.float32]
Cells = list[int]  # of a wall, 5 * row + column

ROUNDS: Final = 6  # distinguished
# Thresholds beyond which the tiles of a row, column or color count; colors have one more.
NEARLY: Final = (2, 3)


@cache
def placed_layer(num_players: int, variant: str = COLORED.name) -> Matrix:
    """The first layer, of an observation: 25 cells and 7 floor slots for each player, and the rounds."""
    parts, size = observation_parts(num_players, variant), observation_size(num_players, variant)
    names = ["own", *(f"next_{place}" for place in range(1, num_players))]
    board_units = _board_units if variant == COLORED.name else _gray_board_units
    units = [unit for name in names for unit in board_units(parts, name)]
    start, high = parts["round"].start, parts["round"].high[0]
    units += [({start: high}, -played) for played in range(ROUNDS)]
    return _matrix(units, size)


@cache
def pattern_layer(num_players: int, variant: str = COLORED.name) -> Matrix:
    """The second layer, of the outputs of the first."""
    inputs = placed_layer(num_players, variant).shape[1]
    cells = NUM_LINES * NUM_LINES
    per_board = (inputs - ROUNDS) // num_players
    assert per_board > cells
    units = [
        ({per_board * board + cell: 1 for cell in pattern}, -most)
        for board in range(num_players)
        for pattern, most in _patterns(variant)
    ]
    return _matrix(units, inputs)


def num_patterns(num_players: int, variant: str = COLORED.name) -> int:
    """Units of both layers, which the trunk sees."""
    game = num_players, variant
    return placed_layer(*game).shape[1] + pattern_layer(*game).shape[1]


Unit = tuple[dict[int, int], int]  # weights by input, and the bias
Parts = Mapping[str, Part]


def _board_units(parts: Parts, name: str) -> list[Unit]:
    """The units of one player's board in the first layer."""
    units: list[Unit] = []
    for line in range(NUM_LINES):
        capacity = line + 1
        for column in range(NUM_LINES):
            color = COLORED.printed_color(line, column)
            assert color is not None  # the colored wall has one on every cell
            cell = parts[f"{name}_wall"].start + NUM_LINES * line + column
            in_line = parts[f"{name}_line_{line}"].start + color
            units.append(({cell: capacity, in_line: capacity}, 1 - capacity))
    return units + _floor_units(parts, name)


def _gray_board_units(parts: Parts, name: str) -> list[Unit]:
    """The units of one player's board in the first layer: as above, and the number of tiles of each color."""
    walls = [parts[f"{name}_wall_{color}"] for color in COLOR_NAMES]
    cells = [({wall.start + cell: 1 for wall in walls}, 0) for cell in range(walls[0].size)]
    colors = [(dict.fromkeys(range(wall.start, wall.stop), 1), 0) for wall in walls]
    return cells + colors + _floor_units(parts, name)


def _floor_units(parts: Parts, name: str) -> list[Unit]:
    """The free slots of a player's floor."""
    floor = parts[f"{name}_floor"]
    return [({slot: -floor.high[0]}, 1) for slot in range(floor.start, floor.stop)]


def _color_cells(variant: str, color: int) -> Cells:
    """The units of the first layer that count the tiles of a color: its cells, or on the gray wall the count."""
    if variant != COLORED.name:
        return [NUM_LINES * NUM_LINES + color]
    empty = [[0] * NUM_LINES] * NUM_LINES
    return [
        NUM_LINES * line + place
        for line in range(NUM_LINES)
        for place in COLORED.open_columns(empty, line, color)
    ]


def _patterns(variant: str) -> list[tuple[Cells, int]]:
    """The cells of each pattern, and how many tiles do not count: all but one in a run, which has to be complete."""
    patterns: list[tuple[Cells, int]] = []
    for number in range(NUM_LINES):
        row = [NUM_LINES * number + column for column in range(NUM_LINES)]
        column = [NUM_LINES * line + number for line in range(NUM_LINES)]
        color = _color_cells(variant, number)
        for first in range(NUM_LINES):
            for last in range(first + 1, NUM_LINES):
                runs = row[first : last + 1], column[first : last + 1]
                patterns += [(run, last - first) for run in runs]
        patterns += [(cells, most) for most in NEARLY for cells in (row, column)]
        patterns += [(color, most) for most in (*NEARLY, NUM_LINES - 1)]
    return patterns


def _matrix(units: list[Unit], inputs: int) -> Matrix:
    matrix = np.zeros((1 + inputs, len(units)), np.float32)
    for number, (weights, bias) in enumerate(units):
        matrix[0, number] = bias
        for place, weight in weights.items():
            matrix[1 + place, number] = weight
    return matrix
