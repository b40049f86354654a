"""`GameState`: an immutable position with named fields. Kernels work on its `rows`.

Kernels check nothing. Rows from a caller or a file are validated in one place, `checked_rows`, which `GameState(rows)`
calls. Rows that the engine itself made are wrapped by `trusted_state`, at no cost.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from azul_env.core.arguments import shown
from azul_env.core.soundness import ALL_SOUND, first_unsound
from azul_env.core.spec import COLOR_NAMES, MAX_PLAYERS, MIN_PLAYERS, num_factories
from azul_env.core.state import Rows
from azul_env.core.variant import variant_named, variant_of
from azul_env.core.words import unpack_lanes
from azul_env.errors import InvalidPositionError, Problem, ProblemReason
from azul_env.notation import position_of_text, text_of_position
from azul_env.position import (
    END_REASONS,
    Position,
    line_to_tile,
    phase_of,
    players_of,
    position_of,
    rows_of,
)
from azul_env.validation import position_problems


class PatternLine(NamedTuple):
    """A pattern line: the color of its tiles (None when empty) and their number."""

    color: int | None
    count: int  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]


class PlayerBoard(NamedTuple):
    """One player's part of a position."""

    score: int
    wall: tuple[tuple[int, ...], ...]  # 5 x 5; 0 is empty, other values: see `core.variant`
    pattern_lines: tuple[PatternLine, ...]
    floor: tuple[str, ...]  # color names and "marker", from the left
    resigned: int | None  # position in the order of resignations, from 0; None if still playing


class GameState:
    """A complete, immutable position of the game.

    States are compared, hashed, copied and pickled by content. `repr` is the one-line text form, `str` a text drawing of
    the table. `rows` is the array of one row that kernels work on. It is shared, not copied: never modify it.
    """

    __slots__ = ("rows",)

    rows: Rows

    def __init__(self, rows: Rows) -> None:
        """Wrap an array of one row; the state takes ownership of it.

        Raises TypeError for anything else, and InvalidPositionError if the row is no position that a game can reach. A
        position between two rounds, which `awaits_deal`, is one.
        """
        self.rows = checked_rows(rows, "a state")
        if len(rows) != 1:
            raise TypeError(f"a state is one row, not {len(rows)} rows")

    def __repr__(self) -> str:
        return format_state(self)

    def __str__(self) -> str:
        """The table as text, for `print`."""
        from azul_env.render import ansi  # imported here because rendering imports this module

        return ansi(self, color=False)

    def _repr_svg_(self) -> str:
        """The picture shown in notebooks."""
        from azul_env.render import svg

        return svg(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameState):
            return NotImplemented
        return self.rows.tobytes() == other.rows.tobytes()

    def __hash__(self) -> int:
        return hash(self.rows.tobytes())

    def __reduce__(self) -> tuple[Any, tuple[bytes, str]]:
        return _from_bytes, (self.rows.tobytes(), self.variant)

    def __copy__(self) -> Self:
        return _wrapped(type(self), self.rows.copy())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return _wrapped(type(self), self.rows.copy())

    @property
    def variant(self) -> str:
        """Name of the variant."""
        return variant_of(self.rows).name

    @property
    def num_players(self) -> int:
        """Number of seats, 2 to 4."""
        return int(self.rows["num_players"][0])

    @property
    def current_player(self) -> int:
        """The seat to move; once the game is over, the seat that moved last."""
        return int(self.rows["current_player"][0])

    @property
    def starting_player_next_round(self) -> int:
        """The seat that took the marker; while no seat has, the one that started this round."""
        return int(self.rows["starting_player_next_round"][0])

    @property
    def round(self) -> int:
        """Number of rounds completed."""
        return int(self.rows["round"][0])

    @property
    def max_rounds(self) -> int:
        """Number of rounds after which the game is cut off (R6.3)."""
        return int(self.rows["max_rounds"][0])

    @property
    def is_terminal(self) -> bool:
        """True if the game is over."""
        return bool(self.rows["end_reason"][0] != 0)

    @property
    def awaits_deal(self) -> bool:
        """True if the next round must be dealt before the next move: an afterstate at the end of a round."""
        is_tiling = variant_of(self.rows).columns_to_choose(self.rows[0])
        return not self.is_terminal and not self.rows["available"][0] and not is_tiling

    @property
    def phase(self) -> str:
        """`factory_offer`, `wall_tiling` (of the gray wall: R10.5) or `game_over`."""
        return phase_of(self.rows[0])

    @property
    def line_to_tile(self) -> int | None:
        """The line whose column the player to move has to choose; None unless the phase is `wall_tiling`."""
        if not self.columns_to_choose:
            return None
        return line_to_tile(players_of(self.rows[0])[self.current_player])

    @property
    def columns_to_choose(self) -> tuple[int, ...]:
        """The columns that the player to move may choose; none unless the phase is `wall_tiling`."""
        return variant_of(self.rows).columns_to_choose(self.rows[0])

    @property
    def end_reason(self) -> str | None:
        """`row`, `no_tiles`, `max_rounds` or `resignation`; None while the game is on."""
        return END_REASONS[int(self.rows["end_reason"][0])]

    @property
    def bag(self) -> tuple[int, ...]:
        """Tiles in the bag, by color."""
        return unpack_lanes(self.rows["bag"][0])

    @property
    def lid(self) -> tuple[int, ...]:
        """Tiles in the lid, by color."""
        return unpack_lanes(self.rows["lid"][0])

    @property
    def factories(self) -> tuple[tuple[int, ...], ...]:
        """Tiles on every factory, by color."""
        sources = self.rows["sources"][0, : num_factories(self.num_players)]
        return tuple(unpack_lanes(tiles) for tiles in sources)

    @property
    def center(self) -> tuple[int, ...]:
        """Tiles in the center, by color."""
        return unpack_lanes(self.rows["sources"][0, num_factories(self.num_players)])

    @property
    def center_has_marker(self) -> bool:
        """True if the first-player marker is in the center."""
        return bool(self.rows["marker_in_center"][0])

    @property
    def scores(self) -> tuple[int, ...]:
        """Points by seat."""
        return tuple(self.rows["scores"][0, : self.num_players].tolist())

    @property
    def players(self) -> tuple[PlayerBoard, ...]:
        """The boards by seat."""
        return tuple(map(_board, players_of(self.rows[0])))


State = TypeVar("State", bound=GameState)


def checked_rows(rows: Any, name: str) -> Rows:
    """A caller's rows, validated for every kernel: contiguous, writable, each a position that a game can reach.

    They are copied only if kernels cannot work on them as they are. Raises TypeError for anything but an array of games,
    and InvalidPositionError for the first game that no game can reach.
    """
    if not isinstance(rows, np.ndarray):
        raise TypeError(f"{name} must be an array of rows, not {shown(rows)}")
    variant = variant_of(rows)  # raises TypeError unless these are rows of a game
    if rows.ndim != 1:
        raise TypeError(f"{name} must be an array of rows, not an array of shape {rows.shape}")
    if not rows.flags.carray or type(rows) is not np.ndarray:
        rows = np.array(rows, variant.dtype)
    game = first_unsound(rows, 0, len(rows))
    if game != ALL_SOUND:
        found = _row_problems(rows[game : game + 1], may_await_deal=True)
        assert found, "the kernel and position_problems disagree"
        if len(rows) > 1:
            found = [problem._replace(where=f"game {game}, {problem.where}") for problem in found]
        raise InvalidPositionError(found)
    return rows


def variant_name(rows: Rows) -> str:
    """Name of the variant of games. Raises TypeError if the array holds no games."""
    return variant_of(rows).name


def check_variant(rows: Rows, variant: str, place: str) -> None:
    """Raise ValueError unless games are of a variant; `place` names their destination for the message."""
    found = variant_name(rows)
    if found != variant:
        raise ValueError(f"a state of variant {found!r} in {place} for variant {variant!r}")


def check_players(rows: Rows, num_players: int, place: str) -> None:
    """Raise ValueError unless all games have this number of players; `place` names their destination for the message."""
    wrong = rows["num_players"][rows["num_players"] != num_players]
    if wrong.size:
        raise ValueError(f"a state of {wrong[0]} players in {place} for {num_players} players")


def trusted_state(rows: Rows) -> GameState:
    """The state of an array of one row that the engine made; nothing is checked."""
    return _wrapped(GameState, rows)


def _wrapped(kind: type[State], rows: Rows) -> State:
    state = kind.__new__(kind)
    state.rows = rows
    return state


def check_state(state: object) -> None:
    """Raise TypeError unless `state` is a GameState; rows or a position would fail later, if at all."""
    if not isinstance(state, GameState):
        raise TypeError(f"a state must be a GameState, not {type(state).__name__}")


def to_dict(state: GameState) -> Position:
    """The position as plain data, ready for `json.dumps`, the interchange format."""
    check_state(state)
    return position_of(state.rows[0])


def from_dict(position: Position) -> GameState:
    """The state of a position given as plain data. Raises InvalidPositionError, which lists all problems."""
    found = position_problems(position)
    if found:
        raise InvalidPositionError(found)
    return trusted_state(rows_of(position))


def format_state(state: GameState) -> str:
    """The position as one line of text."""
    return text_of_position(to_dict(state))


def parse_state(text: str) -> GameState:
    """Parse the one-line text of a position. Raises NotationError or InvalidPositionError."""
    return from_dict(position_of_text(text))


def problems(state: GameState | Position) -> list[Problem]:
    """The reasons why a position is impossible; empty for every position that a game can reach.

    A position between two rounds, which `awaits_deal`, has an EMPTY_TABLE: it has no form as data.
    """
    if not isinstance(state, GameState):
        return position_problems(state)
    return _row_problems(state.rows, may_await_deal=False)


def _row_problems(rows: Rows, may_await_deal: bool) -> list[Problem]:
    """The reasons why an array of one row is no position."""
    players = int(rows["num_players"][0])
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        detail = f"{players} is not in {MIN_PLAYERS}..{MAX_PLAYERS}"
        return [Problem(ProblemReason.OUT_OF_RANGE, "num_players", detail)]
    position = position_of(rows[0])
    found = position_problems(position, may_await_deal)
    return found or list(_stale_words(rows, rows_of(position)))


def _stale_words(rows: Rows, expected: Rows) -> Iterable[Problem]:
    """Fields, such as `legal` and `available`, that are inconsistent with the others."""
    for name in rows.dtype.names or ():
        if not np.array_equal(rows[name], expected[name]):
            yield Problem(ProblemReason.STALE_WORD, name, "does not follow from the position")


def _board(player: Position) -> PlayerBoard:
    lines = (
        PatternLine(COLOR_NAMES.index(line["color"]) if line["color"] else None, line["count"])
        for line in player["pattern_lines"]
    )
    return PlayerBoard(
        score=player["score"],
        wall=tuple(tuple(row) for row in player["wall"]),
        pattern_lines=tuple(lines),
        floor=tuple(player["floor"]),
        resigned=player["resigned"],
    )


def _from_bytes(data: bytes, variant: str) -> GameState:
    """Restore a pickled state."""
    return GameState(np.frombuffer(data, variant_named(variant).dtype).copy())
