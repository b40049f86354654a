"""Kernels about walls and tiling that work for rows of any variant: see `by_variant`."""

from typing import Final

from azul_env.core.by_variant import by_variant
from azul_env.core.gray import (
    clear_gray,
    columns_to_choose,
    gray_bonus_points,
    gray_color_tiles,
    gray_open_line,
    has_tiled,
    is_gray_wall,
    is_sound_tiling,
    may_place_in,
    num_columns,
    other_words,
    stop_tiling,
    take_gray_turn,
    tile_until_choice,
)
from azul_env.core.jit import kernel
from azul_env.core.moves import draft
from azul_env.core.scoring import clear_floor
from azul_env.core.state import Row
from azul_env.core.variant import (
    bonus_points,
    color_tiles,
    is_wall,
    open_line,
    tile_wall,
    wall_of,
)
from azul_env.core.words import as_bool, as_int64


@kernel
def _zero(row: Row) -> int:
    return as_int64(0)


@kernel
def _zero_for(row: Row, player: int) -> int:
    return as_int64(0)


@kernel
def _no_placement(row: Row, source: int, column: int) -> bool:
    return as_bool(False)


@kernel
def _never(row: Row) -> bool:
    return as_bool(False)


@kernel
def _never_for(row: Row, player: int) -> bool:
    return as_bool(False)


@kernel
def _nothing(row: Row) -> None:
    pass


@kernel
def _nothing_for(row: Row, player: int) -> None:
    pass


@kernel
def _all_tiled(row: Row, first: int) -> bool:
    return as_bool(True)


@kernel
def _is_colored_wall(row: Row, player: int) -> bool:
    return is_wall(wall_of(row, player))


@kernel
def _colored_open_line(row: Row, player: int, line: int) -> int:
    return open_line(wall_of(row, player), line)


@kernel
def _colored_color_tiles(row: Row, player: int, color: int) -> int:
    return color_tiles(wall_of(row, player), color)


@kernel
def _colored_bonus_points(row: Row, player: int) -> int:
    return bonus_points(wall_of(row, player))


@kernel
def _settle_colored_board(row: Row, player: int) -> None:
    tile_wall(row, player)
    clear_floor(row, player)


# The columns that the player to move may choose, as bits; 0 if no wall is being tiled.
columns_of: Final = by_variant(_zero, columns_to_choose)
# Number of actions that follow those of drafting (R10.16).
tiling_actions: Final = by_variant(_zero, num_columns)
# True if a source is the one reserved for tiling, and the tile may go to this column.
may_place: Final = by_variant(_no_placement, may_place_in)
# Clear the fields that only rows of this variant have.
clear_extras: Final = by_variant(_nothing, clear_gray)
# Leave nothing to choose: the game is over.
stop_choices: Final = by_variant(_nothing, stop_tiling)
# Play a legal move; true if the round is over except for `settle_board`.
take_turn: Final = by_variant(draft, take_gray_turn)
# Tile from a seat on, up to a choice; true if nothing is left to choose.
continue_tiling: Final = by_variant(_all_tiled, tile_until_choice)
# Tile a player's wall and score the floor, in variants where tiling is automatic (R4.2, R4.3).
settle_board: Final = by_variant(_settle_colored_board, _nothing_for)
# True if a player's wall in an unchecked row is valid.
has_wall: Final = by_variant(_is_colored_wall, is_gray_wall)
# 0 if the fields of a player that only rows of this variant have are empty.
extra_words_of: Final = by_variant(_zero_for, other_words)
# True if a player may be done tiling while others still tile, so that the marker has left the floor (R10.9).
may_have_tiled: Final = by_variant(_never_for, has_tiled)
# True if a position with an empty table and full lines can be one in the middle of tiling (R10.18).
may_be_tiling: Final = by_variant(_never, is_sound_tiling)
# The legal bits of an empty line (R3.7).
open_line_of: Final = by_variant(_colored_open_line, gray_open_line)
# Number of tiles of a color on a player's wall.
color_tiles_of: Final = by_variant(_colored_color_tiles, gray_color_tiles)
# Points for complete rows, columns and colors at the end of the game (R5.4).
bonus_points_of: Final = by_variant(_colored_bonus_points, gray_bonus_points)
