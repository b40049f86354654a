"""Many games at once: kernels that loop over rows, and `GameBatch`, which runs them on one or several threads.

Each kernel works on the games `first` to `last - 1`, so that threads can share one array. Game i draws all its chance
from stream i: the results do not depend on the number of threads. A single game is a batch of one.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import action_index, action_parts
from azul_env.core.draw import Streams, deal, random_below
from azul_env.core.jit import kernel
from azul_env.core.legality import is_legal, random_turn, write_mask
from azul_env.core.moves import draft
from azul_env.core.rounds import PLAYING, close_round, finish_round, leave_game, start_game
from azul_env.core.spec import ACTIONS_PER_SOURCE, DEFAULT_MAX_ROUNDS, num_actions
from azul_env.core.state import Row, Rows, center_of, empty_rows
from azul_env.core.threads import Workers

RANDOM_SEAT: Final = -1  # as a starting player: drawn anew for every game
NONE_ILLEGAL: Final = -1  # what `first_illegal` answers when all actions are legal

REFUSED, TURN_PASSED, ROUND_OVER = 0, 1, 2  # what `draft_one` answers

Actions = NDArray[np.int64]


@kernel
def reset_game(
    row: Row, num_players: int, starting_player: int, max_rounds: int, streams: Streams, k: int
) -> None:
    """Start a new game, displays filled, in a row."""
    starter = starting_player
    if starting_player == RANDOM_SEAT:
        starter = random_below(streams, k, num_players)
    start_game(row, num_players, starter, max_rounds)
    deal(row, streams, k)


@kernel
def reset_games(
    rows: Rows,
    streams: Streams,
    num_players: int,
    starting_player: int,
    max_rounds: int,
    first: int,
    last: int,
) -> None:
    """Start a new game in every row."""
    for i in range(first, last):
        reset_game(rows[i], num_players, starting_player, max_rounds, streams, i)


@kernel
def write_masks(rows: Rows, masks: NDArray[np.bool_], first: int, last: int) -> None:
    """Legal masks of all games; of a finished one, nothing is legal."""
    for i in range(first, last):
        write_mask(rows[i], masks[i])


@kernel
def choose_randomly(rows: Rows, streams: Streams, actions: Actions, first: int, last: int) -> None:
    """A legal action for every game, all equally likely. Caller guarantees that all games are on."""
    for i in range(first, last):
        source, color, destination = random_turn(rows[i], streams, i)
        actions[i] = action_index(source, color, destination)


@kernel
def first_illegal(rows: Rows, actions: Actions, first: int, last: int) -> int:
    """The first game whose action is illegal, or NONE_ILLEGAL."""
    for i in range(first, last):
        if not 0 <= actions[i] < ACTIONS_PER_SOURCE * (center_of(rows[i]) + 1):
            return i
        source, color, destination = action_parts(actions[i])
        if not is_legal(rows[i], source, color, destination):
            return i
    return NONE_ILLEGAL


@kernel
def start_one(rows: Rows, num_players: int, starting_player: int, max_rounds: int) -> None:
    """Lay out a single game; its displays are still empty."""
    start_game(rows[0], num_players, starting_player, max_rounds)


@kernel
def draft_one(rows: Rows, action: int) -> int:
    """Play an action in a single game: ROUND_OVER, TURN_PASSED or, with nothing changed, REFUSED.

    Caller guarantees that there is an action of that number.
    """
    source, color, destination = action_parts(action)
    if not is_legal(rows[0], source, color, destination):
        return REFUSED
    return ROUND_OVER if draft(rows[0], source, color, destination) else TURN_PASSED


@kernel
def finish_one(rows: Rows) -> bool:
    """Finish the round of a single game; true if a deal is due."""
    return finish_round(rows[0])


@kernel
def deal_games(rows: Rows, streams: Streams, first: int, last: int) -> None:
    """Fill the displays of games that wait for it."""
    for i in range(first, last):
        deal(rows[i], streams, i)


@kernel
def resign_one(rows: Rows, player: int) -> None:
    """Let a player of a single game resign. Caller guarantees that this is allowed."""
    leave_game(rows[0], player)


@kernel
def step_games(
    rows: Rows,
    streams: Streams,
    actions: Actions,
    starting_player: int,
    ended: NDArray[np.bool_],
    final_rows: Rows,
    first: int,
    last: int,
) -> None:
    """Play an action in every game; where that ends it, keep the final row and start a new game in its place.

    Caller guarantees that all actions are legal. Rows of `final_rows` are written only where `ended` is true.
    """
    for i in range(first, last):
        row = rows[i]
        source, color, destination = action_parts(actions[i])
        if draft(row, source, color, destination):
            close_round(row, streams, i)
        ended[i] = row["end_reason"] != PLAYING
        if ended[i]:
            final_rows[i] = rows[i]
            reset_game(row, row["num_players"], starting_player, row["max_rounds"], streams, i)


@kernel
def play_round(row: Row, streams: Streams, k: int) -> int:
    """Play random turns until the table is empty; the number of turns. The round is not scored yet."""
    turns = 0
    while row["available"]:
        source, color, destination = random_turn(row, streams, k)
        draft(row, source, color, destination)
        turns += 1
    return turns


@kernel
def play_rounds(
    rows: Rows, streams: Streams, turns: NDArray[np.int64], first: int, last: int
) -> None:
    """Play every game to the end of its round with random turns, scored but with nothing dealt.

    What is left is either a finished game or one that waits for its next deal.
    """
    for i in range(first, last):
        row = rows[i]
        turns[i] = play_round(row, streams, i)
        if turns[i] > 0:
            finish_round(row)


@kernel
def play_games(
    rows: Rows, streams: Streams, turns: NDArray[np.int64], first: int, last: int
) -> None:
    """Play every game to its end with random turns; the round cap bounds the loop."""
    for i in range(first, last):
        row = rows[i]
        turns[i] = 0
        while row["end_reason"] == PLAYING:
            turns[i] += play_round(row, streams, i)
            close_round(row, streams, i)


def new_streams(seed: int | None, count: int) -> Streams:
    """One random stream for each of `count` games, all from one seed; None draws fresh entropy."""
    return np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64)


class GameBatch:
    """Many games of the same kind in one array, stepped together, each restarted as soon as it ends."""

    def __init__(
        self,
        num_games: int,
        num_players: int = 2,
        *,
        seed: int | None = None,
        starting_player: int | None = 0,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        threads: int = 1,
    ) -> None:
        """Start all games. `starting_player=None` draws the seat anew for every game."""
        self._workers = Workers(num_games, threads)
        self.num_players = num_players
        self.max_rounds = max_rounds
        self.rows = empty_rows(num_games)
        self.streams = new_streams(seed, num_games)
        self.masks = np.zeros((num_games, num_actions(num_players)), np.bool_)
        self.ended = np.zeros(num_games, np.bool_)
        self.final_rows = empty_rows(num_games)  # of the games that ended in the last step
        self._starter = RANDOM_SEAT if starting_player is None else starting_player
        self._actions = np.zeros(num_games, np.int64)
        self._turns = np.zeros(num_games, np.int64)
        self.reset()

    def __len__(self) -> int:
        return len(self.rows)

    def reset(self) -> None:
        """Start every game anew."""
        self._workers.run(
            reset_games, self.rows, self.streams, self.num_players, self._starter, self.max_rounds
        )

    def legal_masks(self) -> NDArray[np.bool_]:
        """Legal masks, one game a row. The array is reused by the next call."""
        self._workers.run(write_masks, self.rows, self.masks)
        return self.masks

    def random_actions(self) -> Actions:
        """A random legal action for every game. The array is reused by the next call."""
        self._workers.run(choose_randomly, self.rows, self.streams, self._actions)
        return self._actions

    def step(self, actions: Actions) -> NDArray[np.bool_]:
        """Play one action in every game; true where that ended it (see `final_rows`) and a new one began.

        An illegal action raises ValueError, and no game changes.
        """
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (len(self),):
            raise ValueError(f"actions have shape {actions.shape}, not ({len(self)},)")
        wrong = first_illegal(self.rows, actions, 0, len(self))
        if wrong != NONE_ILLEGAL:
            raise ValueError(f"action {actions[wrong]} is illegal in game {wrong}")
        self._workers.run(
            step_games,
            self.rows,
            self.streams,
            actions,
            self._starter,
            self.ended,
            self.final_rows,
        )
        return self.ended

    def play_to_round_end(self) -> NDArray[np.int64]:
        """Random turns to the end of the round, scored but not dealt anew; the number of turns by game."""
        self._workers.run(play_rounds, self.rows, self.streams, self._turns)
        return self._turns

    def play_to_end(self) -> NDArray[np.int64]:
        """Random turns to the end of every game; their number by game."""
        self._workers.run(play_games, self.rows, self.streams, self._turns)
        return self._turns
