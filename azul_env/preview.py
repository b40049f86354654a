"""Where the tiles of a move go, without playing it."""

from typing import NamedTuple

from azul_env.core.actions import Action, AnyAction, as_action
from azul_env.core.spec import FLOOR, FLOOR_PENALTIES, FLOOR_SLOTS, NUM_LINES
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
    penalty: int  # points that the floor costs more than before, from 0

    @property
    def fills_line(self) -> bool:
        """True if the line is full after the move."""
        # Lines are filled from the right, so the leftmost space comes last.
        return NUM_LINES - 1 - self.action.destination in self.line_columns


def move_preview(state: GameState, action: AnyAction) -> MovePreview:
    """Where the tiles of a move by the player to move would go (R3). Raises IllegalActionError."""
    if illegal_reason(state, action) is not None:
        refuse(state, action)
    move = as_action(action, state.num_players)
    assert move is not None
    return _Table(state).preview(move)


def move_previews(state: GameState) -> list[MovePreview]:
    """The previews of all legal moves, in the order of `legal_actions`; reads the position once."""
    table = _Table(state)
    return [table.preview(move) for move in legal_actions(state)]


class _Table:
    """What previews need to know of a position."""

    def __init__(self, state: GameState) -> None:
        self.player = state.current_player
        self.sources = [*state.factories, state.center]
        self.has_marker = state.center_has_marker
        self.board = state.players[self.player]

    def preview(self, move: Action) -> MovePreview:
        """The preview of a move. Caller guarantees that it is legal."""
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
