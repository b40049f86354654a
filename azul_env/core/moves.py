"""A drafting move: taking tiles and placing them (R3)."""

from typing import Final

from azul_env.core.intrinsics import bit_length
from azul_env.core.jit import kernel
from azul_env.core.spec import FLOOR, FLOOR_SLOTS, NUM_COLORS, NUM_DESTINATIONS, NUM_LINES
from azul_env.core.state import MARKER_TOKEN, NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.words import LANE_BITS, LANE_ONES, lane, nonzero_lanes

CAPACITIES: Final = sum((line + 1) << NIBBLE_BITS * line for line in range(NUM_LINES))
NIBBLE_TOPS: Final = 0x88888  # of the nibbles of all lines
NIBBLE_BELOW_TOPS: Final = 0x77777
LINE_NIBBLES: Final = (1 << NIBBLE_BITS * NUM_LINES) - 1
FLOOR_NIBBLES: Final = (1 << NIBBLE_BITS * FLOOR_SLOTS) - 1
FLOOR_ONES: Final = FLOOR_NIBBLES // NIBBLE  # 1 in every slot
EVERY_COLOR: Final = sum(1 << NUM_DESTINATIONS * color for color in range(NUM_COLORS))
ONLY_LINES: Final = ~(EVERY_COLOR << FLOOR)  # R3.10: the floor is always legal


@kernel
def draft(row: Row, source: int, color: int, destination: int) -> bool:
    """Play a move; true if it took the last tile of the round. Caller guarantees that it is legal.

    The turn passes to the next player unless the round is over.
    """
    player = row["current_player"]
    taken = _take(row, source, color)
    floor = row["floors"][player]
    if source == center_of(row) and row["marker_in_center"]:  # R3.3
        row["marker_in_center"] = 0
        row["starting_player_next_round"] = player
        floor |= (MARKER_TOKEN << NIBBLE_BITS * floor_tokens(floor)) & FLOOR_NIBBLES  # R3.9
    fallen = _place_in_line(row, player, color, destination, taken)
    drop_tiles(row, player, floor, color, fallen)
    if row["available"] == 0:
        return True
    row["current_player"] = next_seat(row, player)
    return False


@kernel
def next_seat(row: Row, player: int) -> int:
    """The next seat clockwise that has not resigned (R2.5, R8.2)."""
    player = player + 1 if player + 1 < row["num_players"] else 0
    if row["resignations"]:
        while has_resigned(row, player):
            player = player + 1 if player + 1 < row["num_players"] else 0
    return player


@kernel
def first_seat(row: Row) -> int:
    """The seat that starts the next round (R4.5, R8.4)."""
    starter = row["starting_player_next_round"]
    if has_resigned(row, starter):
        starter = next_seat(row, starter)
    return starter


@kernel
def has_resigned(row: Row, player: int) -> bool:
    """True if a player has resigned."""
    return (row["resignations"] >> NIBBLE_BITS * player) & NIBBLE != 0


@kernel
def floor_tokens(floor: int) -> int:
    """Number of occupied floor slots."""
    return (bit_length(floor) + NIBBLE_BITS - 1) // NIBBLE_BITS


@kernel
def full_lines(counts: int) -> int:
    """The top bit of the nibble of each full line."""
    return ~((CAPACITIES - counts) + NIBBLE_BELOW_TOPS) & NIBBLE_TOPS


@kernel
def drop_tiles(row: Row, player: int, floor: int, color: int, count: int) -> None:
    """Drop tiles of a color onto a floor, given as a word, and store it; those that do not fit go to the lid (R3.8)."""
    free_slots = FLOOR_SLOTS - floor_tokens(floor)
    row["floors"][player] = _with_fallen(floor, color, min(count, free_slots))
    row["lid"] += max(0, count - free_slots) << LANE_BITS * color


@kernel
def _take(row: Row, source: int, color: int) -> int:
    """Take a color from a source and move the rest to the center; returns the number of tiles taken (R3.1, R3.2)."""
    sources = row["sources"]
    center = center_of(row)
    tiles = sources[source]
    taken = lane(tiles, color)
    sources[source] = 0  # first, because the source may be the center itself
    in_center = sources[center] + tiles - (taken << LANE_BITS * color)
    sources[center] = in_center
    elsewhere = row["available"] & ~((LANE_ONES << source) | (LANE_ONES << center))
    row["available"] = elsewhere | (nonzero_lanes(in_center) >> (LANE_BITS - 1 - center))
    return taken


@kernel
def _place_in_line(row: Row, player: int, color: int, destination: int, taken: int) -> int:
    """Place the tiles that fit into a line; returns the number that fall (R3.4). The floor is a line without spaces."""
    nibble = NIBBLE_BITS * destination
    counts = row["line_counts"][player]
    space = ((CAPACITIES - counts) >> nibble) & NIBBLE
    placed = min(taken, space)
    row["line_counts"][player] = counts + (placed << nibble)
    others = row["line_colors"][player] & ~(NIBBLE << nibble)
    row["line_colors"][player] = (others | (color << nibble)) & LINE_NIBBLES
    # The line now accepts no other color (R3.6), and not even its own once it is full (R3.5).
    same_color = (1 if placed < space else 0) << (NUM_DESTINATIONS * color + destination)
    row["legal"][player] &= ~((EVERY_COLOR << destination) & ONLY_LINES) | same_color
    return taken - placed


@kernel
def _with_fallen(floor: int, color: int, count: int) -> int:
    """The floor with `count` more tiles of a color. Caller guarantees that they fit."""
    run = FLOOR_ONES * (color + 1) & ((1 << NIBBLE_BITS * count) - 1)
    return floor | (run << NIBBLE_BITS * floor_tokens(floor))
