"""What every drawing of a position shows, as a picture or as text: names, headlines and the last move."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index as as_integer
from typing import Final

from azul_env.core.actions import Action, decode_action, encode_action
from azul_env.core.arguments import printable
from azul_env.core.spec import FLOOR_PENALTIES
from azul_env.core.variant import Variant, variant_of
from azul_env.notation import describe_action
from azul_env.rules import AnyAction, ranking
from azul_env.state import GameState, PlayerBoard

NAME_LIMIT: Final = 18  # letters of a name inside a sentence
END_WORDS: Final = {
    "row": "a row is complete",
    "no_tiles": "no tiles are left",
    "max_rounds": "the last round is played",
    "resignation": "nobody else is left",
}


@dataclass(frozen=True)
class Scene:
    """A position, the names at the table and the move that led here."""

    state: GameState
    boards: tuple[PlayerBoard, ...]
    names: tuple[str, ...]
    move: Action | None
    mover: int | None  # who played `move`
    ranks: tuple[int, ...] | None  # from 1, once the game is over

    @property
    def variant(self) -> Variant:
        """The variant that is played."""
        return variant_of(self.state.rows)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; empty while the game is on."""
        return tuple(seat for seat, rank in enumerate(self.ranks or ()) if rank == 1)

    @property
    def title(self) -> str:
        """The number of the round, or that the game is over."""
        return "Game over" if self.state.is_terminal else f"Round {self.state.round + 1}"

    @property
    def headline(self) -> str:
        """Whose turn it is, or who won."""
        if not self.state.is_terminal:
            return f"{_clipped(self.names[self.state.current_player])} to move"
        *others, last = (_clipped(self.names[seat]) for seat in self.winners)
        return f"{', '.join(others)} and {last} share the win" if others else f"{last} wins"

    @property
    def ending(self) -> str | None:
        """Why the game is over and how long it took; None while it is on."""
        reason = self.state.end_reason
        if reason is None:
            return None
        rounds = f"{self.state.round} round{'s' * (self.state.round != 1)}"
        return f"{END_WORDS[reason]}, {rounds}"

    @property
    def move_words(self) -> tuple[str, ...]:
        """The last move in words, from the fullest wording to the shortest; none without a move."""
        if self.move is None:
            return ()
        words = describe_action(self.move, self.state.num_players)
        if self.mover is None:
            return f"Last move: {words}", words
        name = _clipped(self.names[self.mover])
        return f"Last move by {name}: {words}", f"{name}: {words}", words

    def tag(self, seat: int) -> str | None:
        """The label beside a player's name, if any."""
        state = self.state
        if self.boards[seat].resigned is not None:
            return "resigned"
        if self.ranks is not None:
            return "winner" if self.ranks[seat] == 1 else f"rank {self.ranks[seat]}"
        if seat == state.current_player:
            return "to move"
        starts_next = seat == state.starting_player_next_round and not state.center_has_marker
        return "starts next round" if starts_next else None

    def is_source(self, source: int) -> bool:
        """Whether the last move took from this source."""
        return self.move is not None and self.move.source == source

    def is_destination(self, seat: int, destination: int) -> bool:
        """Whether the last move went to this line or floor."""
        return self.move is not None and (self.mover, self.move.destination) == (seat, destination)

    def floor_cost(self, seat: int) -> int:
        """The points that a floor will cost (R5.2)."""
        return sum(FLOOR_PENALTIES[: len(self.boards[seat].floor)])


def scene_of(
    state: GameState,
    last_action: AnyAction | None,
    last_player: int | None,
    names: Sequence[str] | None,
) -> Scene:
    """The scene of a position. Raises ValueError for arguments that do not fit its players."""
    num_players = state.num_players
    if names is not None and len(names) != num_players:
        raise ValueError(f"{len(names)} names for {num_players} players: {list(names)!r:.80}")
    if last_player is not None and not 0 <= as_integer(last_player) < num_players:
        raise ValueError(f"last_player={last_player} is not in 0..{num_players - 1}")
    move = None
    if last_action is not None:
        number = (
            encode_action(last_action, num_players)
            if isinstance(last_action, tuple)
            else last_action
        )
        move = decode_action(number, num_players)
    return Scene(
        state=state,
        boards=state.players,
        names=tuple(map(printable, _plain_names(num_players) if names is None else names)),
        move=move,
        mover=None if last_player is None else as_integer(last_player),
        ranks=ranking(state) if state.is_terminal else None,
    )


def _plain_names(num_players: int) -> list[str]:
    return [f"Player {seat}" for seat in range(num_players)]


def _clipped(name: str) -> str:
    return name if len(name) <= NAME_LIMIT else name[: NAME_LIMIT - 3].rstrip() + "..."
