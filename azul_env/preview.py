"""Where the tiles of a move go, without playing it."""

from collections.abc import Sequence
from typing import NamedTuple

from azul_env.core.actions import Action, AnyAction, as_action, placement_column
from azul_env.core.spec import FLOOR, FLOOR_PENALTIES, FLOOR_SLOTS, NUM_LINES
from azul_env.core.variant import Wall, variant_of
from azul_env.rules import illegal_reason, legal_actions, refuse
from azul_env.state import GameState


class MovePreview(NamedTuple):
    """What a legal move takes, and where each tile lands."""

    player: int
    action: Action
    taken: int  # tiles taken from the source
    line_columns: tuple[int, ...]  # 0..4 as drawn, where lines end in column 4; in order of placing
    floor_slots: tuple[int, ...]  # of the tiles that fall, from the left
    takes_marker: bool
    marker_slot: int | None  # on the floor; None if the marker is not taken or the floor is full
    to_lid: int  # tiles that fit neither in the line nor on the floor
    penalty: int  # points that the floor costs in addition, at least 0
    wall_cell: tuple[int, int] | None = None  # row and column of a tile placed on the gray wall
    points: int = 0  # of that tile

    @property
    def fills_line(self) -> bool:
        """True if the line is full after the move."""
        # Lines are filled from the right, so the leftmost space comes last.
        return NUM_LINES - 1 - self.action.destination in self.line_columns


def move_preview(state: GameState, action: AnyAction) -> MovePreview:
    """Where the tiles of a move by the player to move would go (R3, R10.8). Raises IllegalActionError."""
    if illegal_reason(state, action) is not None:
        refuse(state, action)
    move = as_action(action, state.num_players, state.variant)
    assert move is not None
    return _Table(state).preview(move)


def move_previews(state: GameState) -> list[MovePreview]:
    """The previews of all legal moves, in the order of `legal_actions`; reads the position once."""
    table = _Table(state)
    return [table.preview(move) for move in legal_actions(state)]


class _Table:
    """The parts of a position that previews need."""

    def __init__(self, state: GameState) -> None:
        self.player = state.current_player
        self.sources = [*state.factories, state.center]
        self.has_marker = state.center_has_marker
        self.board = state.players[self.player]
        self.variant = variant_of(state.rows)
        self.line_to_tile = state.line_to_tile
        self.num_players = state.num_players

    def preview(self, move: Action) -> MovePreview:
        """The preview of a move. Caller guarantees that it is legal."""
        column = placement_column(move, self.num_players)
        if column is not None:
            return self._placement(move, column)
        board = self.board
        taken = self.sources[move.source][move.color]
        columns: tuple[int, ...] = ()
        if move.destination != FLOOR:
            # Columns left of the tiles that lie there.
            free = NUM_LINES - board.pattern_lines[move.destination].count
            leftmost = NUM_LINES - 1 - move.destination
            columns = tuple(range(free - 1, max(free - taken, leftmost) - 1, -1))
        takes_marker = move.source == len(self.sources) - 1 and self.has_marker
        occupied = len(board.floor)
        has_slot = takes_marker and occupied < FLOOR_SLOTS  # R3.9
        first = occupied + has_slot  # R3.3: the marker comes before the tiles
        fallen = taken - len(columns)
        end = min(FLOOR_SLOTS, first + fallen)
        return MovePreview(
            player=self.player,
            action=move,
            taken=taken,
            line_columns=columns,
            floor_slots=tuple(range(first, end)),
            takes_marker=takes_marker,
            marker_slot=occupied if has_slot else None,
            to_lid=fallen - (end - first),
            penalty=sum(FLOOR_PENALTIES[occupied:end]),
        )

    def _placement(self, move: Action, column: int) -> MovePreview:
        """The preview of a tile placed on the gray wall (R10.8)."""
        row = self.line_to_tile
        assert row is not None
        color = self.board.pattern_lines[row].color
        assert color is not None
        wall = [list(cells) for cells in self.board.wall]
        wall[row][column] = self.variant.datum_of(color, row, column) or 0
        return MovePreview(
            player=self.player,
            action=move,
            taken=0,
            line_columns=(),
            floor_slots=(),
            takes_marker=False,
            marker_slot=None,
            to_lid=row,  # line r holds r + 1 tiles
            penalty=0,
            wall_cell=(row, column),
            points=points_of(wall, row, column),
        )


def points_of(wall: Wall, row: int, column: int) -> int:
    """Points for the tile at (row, column), which is already on the wall (R5.1)."""
    runs = _run(wall[row], column), _run([cells[column] for cells in wall], row)
    return max(1, sum(run for run in runs if run > 1))


def _run(cells: Sequence[int], position: int) -> int:
    """Length of the run of occupied cells through a position."""
    start = end = position
    while start > 0 and cells[start - 1]:
        start -= 1
    while end + 1 < len(cells) and cells[end + 1]:
        end += 1
    return end - start + 1
