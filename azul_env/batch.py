"""`GameBatch`: many games in one array, played by compiled code on one or more threads."""

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import number_between, player_count, whole_numbers
from azul_env.core.batch import (
    Actions,
    choose_randomly,
    first_illegal,
    first_without_move,
    play_games,
    play_rounds,
    reset_games,
    step_games,
    write_masks,
)
from azul_env.core.chance import chances_from
from azul_env.core.spec import COUNTER_LIMIT, DEFAULT_MAX_ROUNDS
from azul_env.core.state import Rows, empty_rows
from azul_env.core.step import ALL_LEGAL, RANDOM_SEAT
from azul_env.core.threads import Workers
from azul_env.core.variant import COLORED, variant_named
from azul_env.rules import refuse
from azul_env.state import check_players, check_variant, checked_rows, trusted_state


class GameBatch:
    """Games with the same settings in one array, stepped together; each restarts as soon as it ends."""

    def __init__(
        self,
        num_games: int,
        num_players: int = 2,
        *,
        seed: int | None = None,
        starting_player: int | None = 0,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        threads: int = 1,
        variant: str = COLORED.name,
    ) -> None:
        """Start all games; game i is the game of seed + i.

        `starting_player=None` draws a seat for every game. `threads` speed up whole games and rounds (`play_to_end`,
        `play_to_round_end`); a single step is too short to gain from them.
        """
        self._workers = Workers(num_games, threads)
        count = self._workers.num_games
        self._num_players = player_count(num_players)
        self._max_rounds = number_between(max_rounds, 1, COUNTER_LIMIT, "max_rounds")
        self._starter = RANDOM_SEAT
        if starting_player is not None:
            most = self._num_players - 1
            self._starter = number_between(starting_player, 0, most, "starting_player")
        self._variant = variant_named(variant)
        dtype = self._variant.dtype
        self._rows, self._final_rows = empty_rows(count, dtype), empty_rows(count, dtype)
        self._chances = chances_from(seed, count)
        actions = self._variant.num_actions(self._num_players)
        self._masks = np.zeros((count, actions), np.bool_)
        self._ended = np.zeros(count, np.bool_)
        self._actions = np.zeros(count, np.int64)
        self._moves = np.zeros(count, np.int64)
        self.reset()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def num_players(self) -> int:
        """Number of seats in every game."""
        return self._num_players

    @property
    def variant(self) -> str:
        """Name of the variant of every game."""
        return self._variant.name

    @property
    def rows(self) -> Rows:
        """A live view of the states of all games; read-only: see `set_state`."""
        return _read_only(self._rows)

    @property
    def final_rows(self) -> Rows:
        """The last states of the games that ended in the last step; read-only, undefined for other games."""
        return _read_only(self._final_rows)

    def set_state(self, rows: Rows) -> None:
        """Continue from other positions, one row per game, finished or not. Raises ValueError for impossible ones."""
        rows = checked_rows(rows, "rows")
        if len(rows) != len(self):
            raise ValueError(f"{len(self)} rows are needed, not {len(rows)}")
        check_variant(rows, self.variant, "a batch")
        check_players(rows, self._num_players, "a batch")
        self._rows[:] = rows

    def reset(self) -> None:
        """Start a new game in every row."""
        reset_games(
            self._rows,
            self._chances,
            self._num_players,
            self._starter,
            self._max_rounds,
            0,
            len(self),
        )

    def legal_masks(self) -> NDArray[np.bool_]:
        """Legal masks, one row per game. The next call reuses the array."""
        write_masks(self._rows, self._masks, 0, len(self))
        return self._masks

    def random_actions(self) -> Actions:
        """A random legal action for every game. The next call reuses the array. Raises ValueError if a game awaits none."""
        waiting = first_without_move(self._rows)
        if waiting != ALL_LEGAL:
            raise ValueError(
                f"game {waiting} is over or awaits a deal: reset the batch, or set its state"
            )
        choose_randomly(self._rows, self._chances, self._actions, 0, len(self))
        return self._actions

    def step(self, actions: Actions) -> NDArray[np.bool_]:
        """Play one action in every game; true where the game ended (see `final_rows`) and was restarted.

        Raises IllegalActionError if any action is illegal, and changes no game.
        """
        actions = whole_numbers(actions, len(self), "actions")
        wrong = first_illegal(self._rows, actions, 0, len(self))
        if wrong != ALL_LEGAL:
            refuse(
                trusted_state(self._rows[wrong : wrong + 1].copy()), int(actions[wrong]), game=wrong
            )
        step_games(
            self._rows,
            self._chances,
            actions,
            self._starter,
            self._ended,
            self._final_rows,
            0,
            len(self),
        )
        return self._ended

    def play_to_round_end(self) -> NDArray[np.int64]:
        """Play random moves up to the afterstate of the round; returns the number of moves per game."""
        self._workers.run(play_rounds, self._rows, self._chances, self._moves)
        return self._moves

    def play_to_end(self) -> NDArray[np.int64]:
        """Play random moves to the end of every game; returns the number of moves per game."""
        self._workers.run(play_games, self._rows, self._chances, self._moves)
        return self._moves


def _read_only(rows: Rows) -> Rows:
    """A read-only view of rows, because kernels trust their content."""
    view = rows.view()
    view.flags.writeable = False
    return view
