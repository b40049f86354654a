"""Variants of the game: the wall's pattern, where a color may go, and what players choose when tiling.

Only this module knows the pattern of a wall. Python code uses a `Variant`, looked up by name in `VARIANTS` or from rows
with `variant_of`. The kernels below implement the colored wall: they take a player's wall as returned by `wall_of`, whose
low 25 bits are the occupied cells, as in `azul_env.core.scoring`. Those of the gray wall are in `azul_env.core.gray`, and
`azul_env.core.walls` has those that work for rows of any variant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import shown
from azul_env.core.intrinsics import lowest_bit, popcount
from azul_env.core.jit import kernel
from azul_env.core.moves import full_lines
from azul_env.core.scoring import (
    FULL_ROW,
    column_cells,
    complete_rows,
    placement_points,
    row_cells,
)
from azul_env.core.spec import (
    COLOR_BONUS,
    COLUMN_BONUS,
    NUM_COLORS,
    NUM_DESTINATIONS,
    NUM_LINES,
    ROW_BONUS,
    num_actions,
)
from azul_env.core.state import GRAY_STATE, NIBBLE, NIBBLE_BITS, STATE, Row, Rows
from azul_env.core.words import LANE_BITS, as_int64

# A wall as data: a datum for each cell, by row and column; 0 if empty.
Wall = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Variant:
    """The rules of one kind of wall. Wall row r belongs to pattern line r, so `line` numbers both."""

    name: str
    # The dtype of its rows. It must not begin with all fields of another variant's dtype: Numba would treat its rows as a
    # subtype and run code compiled for the other variant on them.
    dtype: np.dtype[Any]
    pattern: tuple[tuple[int, ...], ...]  # the color printed on each cell (R1.5); empty if none is
    max_datum: int  # largest datum of a wall cell; 1 in the colored game: the tile is there
    num_tiling_actions: int  # columns to choose from at the end of a round; 0: automatic (R4.2)

    @property
    def tiles_by_choice(self) -> bool:
        """True if players choose the columns of their tiles."""
        return self.num_tiling_actions > 0

    def num_actions(self, num_players: int) -> int:
        """Number of actions: drafting, then tiling."""
        return num_actions(num_players) + self.num_tiling_actions

    def tile_color(self, datum: int, line: int, column: int) -> int | None:
        """The color of the tile on a wall cell; None if the cell is empty."""
        return self.pattern[line][column] if datum else None  # the datum only says that it is there

    def printed_color(self, line: int, column: int) -> int | None:
        """The color printed on a wall cell; None in a variant without printed colors."""
        return self.pattern[line][column]

    def datum_of(self, color: int, line: int, column: int) -> int | None:
        """The datum of a wall cell with a tile of a color; None if the cell cannot hold that color."""
        return 1 if self.pattern[line][column] == color else None

    def row_colors(self, wall: Wall, line: int) -> list[int]:
        """The colors already in a wall row, which its pattern line no longer accepts (R3.7)."""
        return [color for color, datum in zip(self.pattern[line], wall[line], strict=True) if datum]

    def open_columns(self, wall: Wall, line: int, color: int) -> list[int]:
        """The columns where a full line of a color may place its tile (R4.2)."""
        return [
            column
            for column, datum in enumerate(wall[line])
            if not datum and self.datum_of(color, line, column) is not None
        ]

    def misplaced(self, wall: Wall) -> list[tuple[int, int]]:
        """The cells, by row and column, whose tile may not be there: never in the colored game."""
        return []

    def bonuses(self, wall: Wall) -> tuple[int, int, int]:
        """Points for complete rows, columns and colors (R5.4)."""
        rows = sum(all(row) for row in wall)
        columns = sum(all(column) for column in zip(*wall, strict=True))
        tiles = [color for line in range(NUM_LINES) for color in self.row_colors(wall, line)]
        colors = sum(tiles.count(color) == NUM_LINES for color in range(NUM_COLORS))
        return ROW_BONUS * rows, COLUMN_BONUS * columns, COLOR_BONUS * colors

    def wall_data(self, row: Row, player: int) -> list[list[int]]:
        """A player's wall as data."""
        wall = int(row["walls"][player])
        return [
            [wall >> (NUM_LINES * line + column) & 1 for column in range(NUM_LINES)]
            for line in range(NUM_LINES)
        ]

    def put_wall(self, row: Row, player: int, wall: Wall) -> None:
        """Write a player's wall into a row: the inverse of `wall_data`."""
        cells = [datum for line in wall for datum in line]
        row["walls"][player] = sum(datum << cell for cell, datum in enumerate(cells))

    def columns_to_choose(self, row: Row) -> tuple[int, ...]:
        """The columns that the player to move may choose; none unless a wall is being tiled."""
        return ()

    def put_columns(self, row: Row, columns: Sequence[int]) -> None:
        """Write the columns that the player to move may choose; there are none in the colored game."""


class GrayVariant(Variant):
    """The gray wall: any column for a color that neither the row nor the column has. A tile's datum is its color + 1."""

    def tile_color(self, datum: int, line: int, column: int) -> int | None:
        """The color of the tile on a wall cell; None if the cell is empty."""
        return datum - 1 if datum else None

    def printed_color(self, line: int, column: int) -> int | None:
        """None: no color is printed."""
        return None

    def datum_of(self, color: int, line: int, column: int) -> int | None:
        """The datum of a wall cell with a tile of a color, which any cell can hold; None if there is no such color."""
        return color + 1 if 0 <= color < NUM_COLORS else None

    def row_colors(self, wall: Wall, line: int) -> list[int]:
        """The colors already in a wall row, which its pattern line no longer accepts (R3.7)."""
        return [datum - 1 for datum in wall[line] if datum]

    def open_columns(self, wall: Wall, line: int, color: int) -> list[int]:
        """The columns where a full line of a color may place its tile (R10.3)."""
        if color in self.row_colors(wall, line):
            return []
        columns = list(zip(*wall, strict=True))
        return [
            column
            for column, datum in enumerate(wall[line])
            if not datum and color + 1 not in columns[column]
        ]

    def misplaced(self, wall: Wall) -> list[tuple[int, int]]:
        """The cells, by row and column, whose color occurs twice in a row or column (R10.1)."""
        columns = list(zip(*wall, strict=True))
        return [
            (line, column)
            for line, cells in enumerate(wall)
            for column, datum in enumerate(cells)
            if datum and (cells.count(datum) > 1 or columns[column].count(datum) > 1)
        ]

    def wall_data(self, row: Row, player: int) -> list[list[int]]:
        """A player's wall as data."""
        data = [0] * NUM_LINES * NUM_LINES
        for color, cells in enumerate(row["wall_colors"][player].tolist(), start=1):
            left = cells & (1 << len(data)) - 1
            while left:
                lowest = left & -left
                # The last color, if a corrupt row has two on a cell.
                data[lowest.bit_length() - 1] = color
                left ^= lowest
        return [data[NUM_LINES * line : NUM_LINES * (line + 1)] for line in range(NUM_LINES)]

    def put_wall(self, row: Row, player: int, wall: Wall) -> None:
        """Write a player's wall into a row: the inverse of `wall_data`."""
        cells = [datum for line in wall for datum in line]
        row["walls"][player] = sum(1 << cell for cell, datum in enumerate(cells) if datum)
        for color in range(NUM_COLORS):
            row["wall_colors"][player, color] = sum(
                1 << cell for cell, datum in enumerate(cells) if datum == color + 1
            )

    def columns_to_choose(self, row: Row) -> tuple[int, ...]:
        """The columns that the player to move may choose; none unless a wall is being tiled (R10.5)."""
        bits = int(row["columns"])
        return tuple(column for column in range(NUM_LINES) if bits >> column & 1)

    def put_columns(self, row: Row, columns: Sequence[int]) -> None:
        """Write the columns that the player to move may choose."""
        row["columns"] = sum(1 << column for column in columns)


COLORED: Final = Variant(
    name="colored",
    dtype=STATE,
    pattern=tuple(
        tuple((column - line) % NUM_COLORS for column in range(NUM_LINES))
        for line in range(NUM_LINES)
    ),
    max_datum=1,
    num_tiling_actions=0,
)
GRAY: Final = GrayVariant(
    name="gray",
    dtype=GRAY_STATE,
    pattern=(),
    max_datum=NUM_COLORS,
    num_tiling_actions=NUM_LINES,
)
VARIANTS: Final[dict[str, Variant]] = {variant.name: variant for variant in (COLORED, GRAY)}


def variant_named(name: str) -> Variant:
    """Look up a variant by name. Raises ValueError if there is none."""
    variant = VARIANTS.get(name) if isinstance(name, str) else None
    if variant is None:
        raise ValueError(f"variant={shown(name)} is not one of {', '.join(VARIANTS)}")
    return variant


def variant_of(rows: Rows | Row) -> Variant:
    """The variant of an array of rows or of one row, by dtype. Raises TypeError if there is none."""
    for variant in VARIANTS.values():
        if rows.dtype == variant.dtype:
            return variant
    raise TypeError(f"an array of {rows.dtype} holds no game")


def _column_table() -> NDArray[np.int64]:
    """The wall column of a color, at index 5 * line + color."""
    empty = [[0] * NUM_LINES] * NUM_LINES
    columns = [
        COLORED.open_columns(empty, line, color)
        for line in range(NUM_LINES)
        for color in range(NUM_COLORS)
    ]
    return np.array(columns, np.int64).ravel()


def _open_line_table() -> NDArray[np.int64]:
    """Legal bits of an empty line, at index 32 * line + wall row: the colors not yet in the row (R3.7)."""
    table = np.zeros(NUM_LINES * 32, np.int64)
    for line, printed in enumerate(COLORED.pattern):
        for cells in range(32):
            for column, color in enumerate(printed):
                if not cells >> column & 1:
                    table[32 * line + cells] |= 1 << (NUM_DESTINATIONS * color + line)
    return table


def _color_cells() -> NDArray[np.int64]:
    """The five wall cells of each color, as a bit mask."""
    cells = np.zeros(NUM_COLORS, np.int64)
    for line, printed in enumerate(COLORED.pattern):
        for column, color in enumerate(printed):
            cells[color] |= 1 << (NUM_LINES * line + column)
    return cells


WALL_COLUMN: Final = _column_table()
OPEN_LINE: Final = _open_line_table()
COLOR_CELLS: Final = _color_cells()
ALL_CELLS: Final = (1 << NUM_LINES * NUM_LINES) - 1


@kernel
def wall_of(row: Row, player: int) -> int:
    """A player's wall, as the kernels below expect it."""
    return as_int64(row["walls"][player])


@kernel
def is_wall(wall: int) -> bool:
    """True if an unchecked word is a valid wall."""
    return 0 <= wall <= ALL_CELLS


@kernel
def placement(wall: int, line: int, color: int) -> tuple[int, int, int]:
    """Tile a full line of a color: the new wall, the tile's column and its points (R4.2, R5.1)."""
    column = as_int64(WALL_COLUMN[NUM_COLORS * line + color])
    tiled = wall | (1 << (NUM_LINES * line + column))
    return tiled, column, placement_points(tiled, line, column)


@kernel
def open_line(wall: int, line: int) -> int:
    """The legal bits of an empty line (R3.7)."""
    return OPEN_LINE[32 * line + row_cells(wall, line)]


@kernel
def color_tiles(wall: int, color: int) -> int:
    """Number of tiles of a color on a wall."""
    return popcount(wall & COLOR_CELLS[color])


@kernel
def bonus_points(wall: int) -> int:
    """Points for complete rows, columns and colors at the end of the game (R5.4)."""
    points = ROW_BONUS * complete_rows(wall)
    for column in range(NUM_LINES):
        if column_cells(wall, column) == FULL_ROW:
            points += COLUMN_BONUS
    for color in range(NUM_COLORS):
        if color_tiles(wall, color) == NUM_LINES:
            points += COLOR_BONUS
    return points


@kernel
def tile_wall(row: Row, player: int) -> None:
    """Move the tiles of a player's full lines to the wall and score them (R4.2)."""
    counts = row["line_counts"][player]
    colors = row["line_colors"][player]
    wall = wall_of(row, player)
    legal = row["legal"][player]
    lid = row["lid"]
    points = 0
    full = full_lines(counts)
    while full:
        line = lowest_bit(full) // NIBBLE_BITS
        full &= full - 1
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        wall, _, gained = placement(wall, line, color)
        points += gained
        # Line r holds r + 1 tiles; all but the one on the wall go to the lid.
        lid += line << LANE_BITS * color
        counts &= ~(NIBBLE << NIBBLE_BITS * line)
        colors &= ~(NIBBLE << NIBBLE_BITS * line)
        legal |= open_line(wall, line)
    row["line_counts"][player] = counts
    row["line_colors"][player] = colors
    row["walls"][player] = wall
    row["legal"][player] = legal
    row["lid"] = lid
    row["scores"][player] += points
