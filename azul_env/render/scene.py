"""The content common to all renderings of a position: names, headlines and the last move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from azul_env.core.actions import Action, decode_action, placement_column
from azul_env.core.arguments import number_between, printable
from azul_env.core.spec import FLOOR_PENALTIES
from azul_env.core.variant import Variant, variant_of
from azul_env.notation import describe_action
from azul_env.rules import AnyAction, ranking
from azul_env.state import GameState, PlayerBoard, check_state

NAME_LIMIT: Final = 18  # characters of a name inside a sentence
YOU: Final = "You"  # the name that takes another verb
END_WORDS: Final = {
    "row": "a row is complete",
    "no_tiles": "no tiles are left",
    "max_rounds": "the last round is played",
    "resignation": "all others resigned",
}


@dataclass(frozen=True)
class Scene:
    """A position, the players' names and the last move."""

    state: GameState
    boards: tuple[PlayerBoard, ...]
    names: tuple[str, ...]
    move: Action | None
    mover: int | None  # who played `move`
    ranks: tuple[int, ...] | None  # from 1, once the game is over

    @property
    def variant(self) -> Variant:
        """The variant of the game."""
        return variant_of(self.state.rows)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; empty while the game is on."""
        return tuple(seat for seat, rank in enumerate(self.ranks or ()) if rank == 1)

    @property
    def title(self) -> str:
        """The round number, or "Game over"."""
        return "Game over" if self.state.is_terminal else f"Round {self.state.round + 1}"

    @property
    def headline(self) -> str:
        """The player to move, or the winners."""
        if not self.state.is_terminal:
            name = self.names[self.state.current_player]
            line = self.state.line_to_tile
            if line is not None:
                who = f"{YOU} tile" if name == YOU else f"{clipped(name)} to tile"
                return f"{who} line {line}"
            return "Your turn" if name == YOU else f"{clipped(name)} to move"
        *others, last = (clipped(self.names[seat]) for seat in self.winners)
        if others:
            return f"{', '.join(others)} and {last} share the win"
        return f"{last} win{'' if last == YOU else 's'}"

    @property
    def ending(self) -> str | None:
        """Why the game ended and after how many rounds; None while it is on."""
        reason = self.state.end_reason
        if reason is None:
            return None
        if not self.state.round:
            return END_WORDS[reason]
        rounds = f"{self.state.round} round{'s' * (self.state.round != 1)}"
        return f"{END_WORDS[reason]}, {rounds}"

    @property
    def move_words(self) -> tuple[str, ...]:
        """Descriptions of the last move, from the longest to the shortest; empty without a move."""
        if self.move is None:
            return ()
        words = describe_action(self.move, self.state.num_players, self.state.variant)
        if self.mover is None:
            return f"Last move: {words}", words
        name = clipped(self.names[self.mover])
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
        """True if the last move took tiles from this source."""
        return self.move is not None and self.move.source == source

    def is_destination(self, seat: int, destination: int) -> bool:
        """True if the last move went to this line or floor."""
        if self.move is None or placement_column(self.move, self.state.num_players) is not None:
            return False
        return (self.mover, self.move.destination) == (seat, destination)

    def is_choice(self, seat: int, line: int) -> bool:
        """True if a player is to choose the column of this line's tile."""
        return (seat, line) == (self.state.current_player, self.state.line_to_tile)

    def floor_cost(self, seat: int) -> int:
        """The penalty for a floor (R5.2)."""
        return sum(FLOOR_PENALTIES[: len(self.boards[seat].floor)])


def scene_of(
    state: GameState,
    last_action: AnyAction | None,
    last_player: int | None,
    names: Sequence[str] | None,
) -> Scene:
    """The scene of a position. Raises ValueError for names, an action or a player that it cannot have."""
    check_state(state)
    num_players = state.num_players
    if names is not None and len(names) != num_players:
        raise ValueError(f"{len(names)} names for {num_players} players: {list(names)!r:.80}")
    if last_player is not None:
        last_player = number_between(last_player, 0, num_players - 1, "last_player")
    if names is None:
        names = [f"Player {seat}" for seat in range(num_players)]
    return Scene(
        state=state,
        boards=state.players,
        names=tuple(map(printable, names)),
        move=None
        if last_action is None
        else decode_action(last_action, num_players, state.variant),
        mover=last_player,
        ranks=ranking(state) if state.is_terminal else None,
    )


def clipped(text: str, length: int = NAME_LIMIT) -> str:
    """The text, truncated with an ellipsis to at most `length` characters."""
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."
