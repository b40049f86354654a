"""The gray wall: where a color may go, and tiling, which stops wherever a player has to choose a column (R10).

A seat that has tiled has no full line and an empty floor, and tiling it again changes nothing. So the row need not store
how far tiling has come: it resumes at the seat to move and goes round the table.
"""

from typing import Final

from azul_env.core.intrinsics import lowest_bit, popcount
from azul_env.core.jit import kernel
from azul_env.core.moves import draft, drop_tiles, first_seat, full_lines, has_resigned
from azul_env.core.scoring import (
    FULL_ROW,
    clear_floor,
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
    EndReason,
)
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.words import LANE_BITS, as_int64

PLAYING: Final = int(EndReason.PLAYING)
ALL_CELLS: Final = (1 << NUM_LINES * NUM_LINES) - 1


@kernel
def columns_to_choose(row: Row) -> int:
    """The columns that the player to move may choose, as bits; 0 if no wall is being tiled."""
    return row["columns"]


@kernel
def num_columns(row: Row) -> int:
    """Number of actions that follow those of drafting (R10.16)."""
    return as_int64(NUM_LINES)


@kernel
def may_place_in(row: Row, source: int, column: int) -> bool:
    """True if the source is the one reserved for tiling, and the column may be chosen."""
    return source > center_of(row) and (row["columns"] >> column) & 1 == 1


@kernel
def clear_gray(row: Row) -> None:
    """Clear the fields that only gray games have."""
    row["columns"] = 0
    for seat in range(len(row["scores"])):
        for color in range(NUM_COLORS):
            row["wall_colors"][seat, color] = 0


@kernel
def stop_tiling(row: Row) -> None:
    """Leave no column to choose: the game is over."""
    row["columns"] = 0


@kernel
def columns_with(cells: int) -> int:
    """The columns that contain at least one of a set of cells, as bits."""
    return (cells | cells >> 5 | cells >> 10 | cells >> 15 | cells >> 20) & FULL_ROW


@kernel
def legal_columns(row: Row, player: int, line: int, color: int) -> int:
    """The columns where a full line of a color may place its tile, as bits (R10.3)."""
    taken = row_cells(row["walls"][player], line) | columns_with(row["wall_colors"][player, color])
    return ~taken & FULL_ROW


@kernel
def gray_open_line(row: Row, player: int, line: int) -> int:
    """The legal bits of an empty line: the colors not yet in its wall row (R3.7)."""
    bits = as_int64(0)
    for color in range(NUM_COLORS):
        if row_cells(row["wall_colors"][player, color], line) == 0:
            bits |= 1 << (NUM_DESTINATIONS * color + line)
    return bits


@kernel
def gray_color_tiles(row: Row, player: int, color: int) -> int:
    """Number of tiles of a color on a wall."""
    return popcount(row["wall_colors"][player, color])


@kernel
def gray_bonus_points(row: Row, player: int) -> int:
    """Points for complete rows, columns and colors at the end of the game (R5.4)."""
    wall = as_int64(row["walls"][player])
    points = ROW_BONUS * complete_rows(wall)
    for column in range(NUM_LINES):
        if column_cells(wall, column) == FULL_ROW:
            points += COLUMN_BONUS
    for color in range(NUM_COLORS):
        if gray_color_tiles(row, player, color) == NUM_LINES:
            points += COLOR_BONUS
    return points


@kernel
def is_gray_wall(row: Row, player: int) -> bool:
    """True if a player's wall in an unchecked row is valid (R10.1)."""
    occupied = as_int64(0)
    for color in range(NUM_COLORS):
        cells = row["wall_colors"][player, color]
        if not 0 <= cells <= ALL_CELLS or cells & occupied:
            return False
        # As many distinct columns and rows as tiles: no row or column holds the color twice.
        rows = 0
        for line in range(NUM_LINES):
            rows += 1 if row_cells(cells, line) else 0
        tiles = popcount(cells)
        if popcount(columns_with(cells)) != tiles or rows != tiles:
            return False
        occupied |= cells
    return occupied == row["walls"][player]


@kernel
def other_words(row: Row, player: int) -> int:
    """0 if the fields of a player that only gray games have are empty."""
    bits = as_int64(0)
    for color in range(NUM_COLORS):
        bits |= row["wall_colors"][player, color]
    return bits


@kernel
def has_tiled(row: Row, player: int) -> bool:
    """True if a player has no full line and nothing on the floor, as after tiling."""
    return full_lines(row["line_counts"][player]) | row["floors"][player] == 0


@kernel
def is_sound_choice(row: Row, player: int, resignations: int) -> bool:
    """True if a player may be the one who chooses a column, with these resignations (R10.4, R10.18).

    Caller guarantees sound boards.
    """
    full = full_lines(row["line_counts"][player])
    if not full or (resignations >> NIBBLE_BITS * player) & NIBBLE:
        return False
    line = lowest_bit(full) // NIBBLE_BITS
    color = (row["line_colors"][player] >> NIBBLE_BITS * line) & NIBBLE
    columns = legal_columns(row, player, line, color)
    if columns & (columns - 1) == 0:
        return False
    if row["end_reason"] == PLAYING and row["columns"] != columns:
        return False
    seat = row["starting_player_next_round"]
    is_first_found = False
    is_before = True
    for _ in range(row["num_players"]):
        is_before = is_before and seat != player
        is_first_found = is_first_found or (resignations >> NIBBLE_BITS * seat) & NIBBLE == 0
        must_be_done = (is_first_found and is_before) or complete_rows(row["walls"][seat]) > 0
        if seat != player and must_be_done and not has_tiled(row, seat):
            return False
        seat = seat + 1 if seat + 1 < row["num_players"] else 0
    return True


@kernel
def is_sound_tiling(row: Row) -> bool:
    """True if a position with an empty table and full lines can be one in the middle of tiling (R10.18).

    If a resignation ended the game there (R10.15), any player may have been the one to choose. Caller guarantees sound
    boards and resignations.
    """
    player, resignations = row["current_player"], row["resignations"]
    if row["end_reason"] == PLAYING:
        return is_sound_choice(row, player, resignations)
    before = resignations & ~(NIBBLE << NIBBLE_BITS * player)
    for seat in range(row["num_players"]):
        if is_sound_choice(row, seat, before):
            return row["columns"] == 0
    return False


@kernel
def take_gray_turn(row: Row, source: int, color: int, destination: int) -> bool:
    """Draft, or place a tile in a column; true if the round is over and all players have tiled.

    Caller guarantees that the move is legal.
    """
    player = row["current_player"]
    if source > center_of(row):
        line = lowest_bit(full_lines(row["line_counts"][player])) // NIBBLE_BITS
        line_color = (row["line_colors"][player] >> NIBBLE_BITS * line) & NIBBLE
        _place_tile(row, player, line, line_color, destination)
    elif draft(row, source, color, destination):
        player = first_seat(row)  # R10.4
    else:
        return False
    return tile_until_choice(row, player)


@kernel
def tile_until_choice(row: Row, first: int) -> bool:
    """Tile seat by seat, up to a choice; true if there is none and all players have tiled (R10.4).

    Caller guarantees that all seats from the start of the order to `first` have tiled.
    """
    row["columns"] = 0
    seat = first
    for _ in range(row["num_players"]):
        if not _tile_lines(row, seat):
            row["current_player"] = seat
            return False
        clear_floor(row, seat)  # R10.9
        seat = seat + 1 if seat + 1 < row["num_players"] else 0
    return True


@kernel
def _tile_lines(row: Row, player: int) -> bool:
    """Tile a player's full lines from the top; false, with `columns` set, where the player has to choose."""
    full = full_lines(row["line_counts"][player])
    while full:
        line = lowest_bit(full) // NIBBLE_BITS
        full &= full - 1
        color = (row["line_colors"][player] >> NIBBLE_BITS * line) & NIBBLE
        columns = legal_columns(row, player, line, color)
        if columns == 0:  # R10.7
            _empty_line(row, player, line)
            drop_tiles(row, player, row["floors"][player], color, line + 1)
        elif columns & (columns - 1) and not has_resigned(row, player):  # R10.5
            row["columns"] = columns
            return False
        else:  # R10.6, R10.12
            _place_tile(row, player, line, color, lowest_bit(columns))
    return True


@kernel
def _place_tile(row: Row, player: int, line: int, color: int, column: int) -> None:
    """Move a tile of a full line to the wall, the others to the lid, and score it (R10.8)."""
    cell = 1 << (NUM_LINES * line + column)
    wall = as_int64(row["walls"][player]) | cell
    row["walls"][player] = wall
    row["wall_colors"][player, color] |= cell
    row["scores"][player] += placement_points(wall, line, column)
    row["lid"] += line << LANE_BITS * color  # line r holds r + 1 tiles
    _empty_line(row, player, line)


@kernel
def _empty_line(row: Row, player: int, line: int) -> None:
    """Clear a line, which then accepts all colors that its wall row lacks."""
    row["line_counts"][player] &= ~(NIBBLE << NIBBLE_BITS * line)
    row["line_colors"][player] &= ~(NIBBLE << NIBBLE_BITS * line)
    row["legal"][player] |= gray_open_line(row, player, line)
