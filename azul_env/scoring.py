"""The scoring of a round item by item: every tile placed, the floor, and the bonuses at the end of the game."""

from typing import NamedTuple

from azul_env.core.actions import AnyAction
from azul_env.core.spec import FLOOR, FLOOR_PENALTIES, FLOOR_SLOTS, EndReason
from azul_env.core.variant import Variant, variant_of
from azul_env.position import END_REASONS
from azul_env.preview import MovePreview, move_preview, points_of
from azul_env.rules import afterstate, resignation_afterstate
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
    clamp: int  # points given back where the floor would have taken the score below 0 (R5.3)
    row_bonus: int  # the bonuses are 0 unless the game is over
    column_bonus: int
    color_bonus: int
    after: int


class RoundScoring(NamedTuple):
    """The scoring of a round that is over, or of an action of a gray game, by seat."""

    round: int  # number of rounds completed, this one included once it is over
    is_final: bool  # true if the game is over, so that bonuses are scored
    seats: tuple[SeatScoring, ...]


def round_scoring(before: GameState, action: AnyAction) -> RoundScoring | None:
    """The scoring of the round that an action ends (R4, R5); None if the round goes on. Raises IllegalActionError.

    In a gray game the items of a round come one by one, as players choose: these are the items of one action, None if it
    has none (R10.8, R10.9).
    """
    after = afterstate(before, action)
    preview = move_preview(before, action)
    boards = _boards(before)
    mover = boards[preview.player]
    first = preview.player
    if preview.wall_cell is None:
        if after.rows["available"][0]:
            return None
        mover.draft(preview)
        first = _first_seat(after)
    else:
        mover.place(*preview.wall_cell)
    _tile(boards, first)
    return _scoring(boards, before, after)


def resignation_scoring(before: GameState, player: int) -> RoundScoring | None:
    """What is scored when a player resigns; None if nothing is.

    The bonuses if that ends the game (R8.5). In a gray game, the tiles and floors of a player who resigns instead of
    choosing a column, and of those who follow (R10.13).
    """
    after = resignation_afterstate(before, player)
    boards = _boards(before)
    if after.end_reason != END_REASONS[EndReason.RESIGNATION]:
        if not before.columns_to_choose or before.current_player != player:
            return None
        boards[player].has_resigned = True
        _tile(boards, player)
    return _scoring(boards, before, after)


class _Board:
    """A board on which lines are tiled, and the items of its scoring."""

    def __init__(self, board: PlayerBoard, variant: Variant) -> None:
        self.before = board.score
        self.wall = [list(row) for row in board.wall]
        self.lines = list(board.pattern_lines)
        self.floor = len(board.floor)
        self.has_resigned = board.resigned is not None
        self.tiles: list[PlacedTile] = []
        self.penalty = 0
        self._variant = variant

    def draft(self, preview: MovePreview) -> None:
        """Place the tiles of the last draft of a round."""
        self.floor += len(preview.floor_slots) + (preview.marker_slot is not None)
        row = preview.action.destination
        if row != FLOOR:
            count = self.lines[row].count + len(preview.line_columns)
            self.lines[row] = PatternLine(preview.action.color, count)

    def place(self, row: int, column: int) -> None:
        """Move a tile of a full line to the wall (R4.2, R10.8)."""
        color = self.lines[row].color
        assert color is not None
        datum = self._variant.datum_of(color, row, column)
        assert datum is not None
        self.wall[row][column] = datum
        self.lines[row] = PatternLine(None, 0)
        self.tiles.append(PlacedTile(row, column, color, points_of(self.wall, row, column)))

    def settle(self) -> bool:
        """Tile the full lines from the top and score the floor; false where the player has to choose a column."""
        for row, line in enumerate(self.lines):
            if line.color is None or line.count <= row:
                continue
            columns = self._variant.open_columns(self.wall, row, line.color)
            if not columns:  # R10.7
                self.floor = min(FLOOR_SLOTS, self.floor + row + 1)
                self.lines[row] = PatternLine(None, 0)
            elif len(columns) > 1 and not self.has_resigned:
                return False
            else:
                self.place(row, columns[0])
        self.penalty += sum(FLOOR_PENALTIES[: self.floor])
        self.floor = 0
        return True

    def scoring(self, bonuses: tuple[int, int, int]) -> SeatScoring:
        """The items."""
        unclamped = self.before + sum(tile.points for tile in self.tiles) - self.penalty
        clamp = max(0, -unclamped)
        after = unclamped + clamp + sum(bonuses)
        return SeatScoring(self.before, tuple(self.tiles), -self.penalty, clamp, *bonuses, after)


def _boards(state: GameState) -> list[_Board]:
    variant = variant_of(state.rows)
    return [_Board(board, variant) for board in state.players]


def _first_seat(after: GameState) -> int:
    """The first seat to tile: the one that starts the next round (R8.4, R10.4)."""
    seat = after.starting_player_next_round
    while after.players[seat].resigned is not None:
        seat = (seat + 1) % after.num_players
    return seat


def _tile(boards: list[_Board], first: int) -> None:
    """Tile seat by seat, up to a choice. A seat that has tiled before has nothing left to settle."""
    for turn in range(len(boards)):
        if not boards[(first + turn) % len(boards)].settle():
            return


def _scoring(boards: list[_Board], before: GameState, after: GameState) -> RoundScoring | None:
    variant = variant_of(before.rows)
    seats = []
    for board, player in zip(boards, after.players, strict=True):
        bonuses = variant.bonuses(player.wall) if after.is_terminal else (0, 0, 0)  # R5.4
        seats.append(board.scoring(bonuses))
    is_over = after.round > before.round or after.is_terminal
    if not is_over and not any(board.tiles or board.penalty for board in boards):
        return None
    return RoundScoring(after.round, after.is_terminal, tuple(seats))
