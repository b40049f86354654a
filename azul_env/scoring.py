"""The scoring of a round item by item: every tile placed, the floor, and the bonuses at the end of the game."""

from collections.abc import Sequence
from typing import NamedTuple

from azul_env.core.actions import AnyAction
from azul_env.core.spec import FLOOR, FLOOR_PENALTIES
from azul_env.core.variant import Variant, variant_of
from azul_env.preview import move_preview
from azul_env.rules import afterstate, resign
from azul_env.state import GameState, PatternLine, PlayerBoard


class PlacedTile(NamedTuple):
    """A tile that moved from a full line to the wall."""

    row: int  # also the number of the line
    column: int
    color: int
    points: int


class SeatScoring(NamedTuple):
    """One seat's items: `before`, all items and `after` add up."""

    before: int  # score before the items
    tiles: tuple[PlacedTile, ...]  # in order of placing, from the top
    floor: int  # 0 or less
    clamp: int  # what the floor would have taken below 0 points (R5.3), given back
    row_bonus: int  # the bonuses are 0 unless the game is over
    column_bonus: int
    color_bonus: int
    after: int


class RoundScoring(NamedTuple):
    """The scoring of a round that is over, by seat."""

    round: int  # number of rounds completed, this one included
    is_final: bool  # true if the game is over, so that bonuses are scored
    seats: tuple[SeatScoring, ...]


def round_scoring(before: GameState, action: AnyAction) -> RoundScoring | None:
    """The scoring of the round that an action ends (R4, R5); None if the round goes on. Raises IllegalActionError."""
    after = afterstate(before, action)
    if after.round == before.round:
        return None
    preview = move_preview(before, action)
    variant = variant_of(before.rows)
    seats = []
    for seat, board in enumerate(before.players):
        lines, floor = list(board.pattern_lines), len(board.floor)
        if seat == preview.player:
            floor += len(preview.floor_slots) + (preview.marker_slot is not None)
            row = preview.action.destination
            if row != FLOOR:
                count = lines[row].count + len(preview.line_columns)
                lines[row] = PatternLine(preview.action.color, count)
        tiles = _placed_tiles(variant, board, lines)
        bonuses = _bonuses(variant, after, seat)
        penalty = sum(FLOOR_PENALTIES[:floor])
        unclamped = board.score + sum(tile.points for tile in tiles) - penalty
        clamp = max(0, -unclamped)
        total = unclamped + clamp + sum(bonuses)
        seats.append(SeatScoring(board.score, tiles, -penalty, clamp, *bonuses, total))
    return RoundScoring(after.round, after.is_terminal, tuple(seats))


def resignation_scoring(before: GameState, player: int) -> RoundScoring | None:
    """The bonuses that are scored when a resignation ends the game (R8.5); None if the game goes on."""
    after = resign(before, player).state
    if not after.is_terminal:
        return None
    variant = variant_of(before.rows)
    seats = []
    for seat, score in enumerate(before.scores):
        bonuses = _bonuses(variant, after, seat)
        seats.append(SeatScoring(score, (), 0, 0, *bonuses, score + sum(bonuses)))
    return RoundScoring(after.round, True, tuple(seats))


def _placed_tiles(
    variant: Variant, board: PlayerBoard, lines: Sequence[PatternLine]
) -> tuple[PlacedTile, ...]:
    """Tile the full lines of a board from the top (R4.2)."""
    wall = [list(row) for row in board.wall]
    tiles = []
    for row, line in enumerate(lines):
        if line.color is None or line.count <= row:
            continue
        (column,) = variant.open_columns(wall, row, line.color)
        datum = variant.datum_of(line.color, row, column)
        assert datum is not None
        wall[row][column] = datum
        runs = _run(wall[row], column), _run([cells[column] for cells in wall], row)
        points = max(1, sum(run for run in runs if run > 1))  # R5.1
        tiles.append(PlacedTile(row, column, line.color, points))
    return tuple(tiles)


def _run(cells: Sequence[int], position: int) -> int:
    """Length of the run of occupied cells through a position."""
    start = end = position
    while start > 0 and cells[start - 1]:
        start -= 1
    while end + 1 < len(cells) and cells[end + 1]:
        end += 1
    return end - start + 1


def _bonuses(variant: Variant, after: GameState, seat: int) -> tuple[int, int, int]:
    """The bonuses of a seat: 0 while the game is on (R5.4)."""
    return variant.bonuses(after.players[seat].wall) if after.is_terminal else (0, 0, 0)
