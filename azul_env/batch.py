"""`GameBatch`: many games in one array, played by compiled code on one or more threads."""

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import number_between, player_count, whole_numbers
from azul_env.core.batch import (
    Actions,
    choose_randomly,
    first_illegal,
    play_games,
    play_rounds,
    reset_games,
    step_games,
    write_masks,
)
from azul_env.core.chance import chances_from
from azul_env.core.spec import COUNTER_LIMIT, DEFAULT_MAX_ROUNDS, num_actions
from azul_env.core.state import empty_rows
from azul_env.core.step import ALL_LEGAL, RANDOM_SEAT
from azul_env.core.threads import Workers
from azul_env.rules import refuse
from azul_env.state import GameState


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
    ) -> None:
        """Start all games, of which game i is that of seed + i.

        `starting_player=None` draws a seat for every game. `threads` share out whole games and rounds
        (`play_to_end`, `play_to_round_end`); a single step is too short to gain from them.
        """
        self._workers = Workers(num_games, threads)
        self.num_players = player_count(num_players)
        self.max_rounds = number_between(max_rounds, 1, COUNTER_LIMIT, "max_rounds")
        self.rows = empty_rows(num_games)
        self.chances = chances_from(seed, num_games)
        self.masks = np.zeros((num_games, num_actions(num_players)), np.bool_)
        self.ended = np.zeros(num_games, np.bool_)
        self.final_rows = empty_rows(num_games)  # of the games that ended in the last step
        self._starter = RANDOM_SEAT
        if starting_player is not None:
            self._starter = number_between(starting_player, 0, num_players - 1, "starting_player")
        self._actions = np.zeros(num_games, np.int64)
        self._moves = np.zeros(num_games, np.int64)
        self.reset()

    def __len__(self) -> int:
        return len(self.rows)

    def reset(self) -> None:
        """Start a new game in every row."""
        reset_games(
            self.rows,
            self.chances,
            self.num_players,
            self._starter,
            self.max_rounds,
            0,
            len(self),
        )

    def legal_masks(self) -> NDArray[np.bool_]:
        """Legal masks, one row per game. The next call reuses the array."""
        write_masks(self.rows, self.masks, 0, len(self))
        return self.masks

    def random_actions(self) -> Actions:
        """A random legal action for every game. The next call reuses the array."""
        choose_randomly(self.rows, self.chances, self._actions, 0, len(self))
        return self._actions

    def step(self, actions: Actions) -> NDArray[np.bool_]:
        """Play one action in every game; true where the game ended (see `final_rows`) and was restarted.

        Raises IllegalActionError if any action is illegal, and changes no game.
        """
        actions = whole_numbers(actions, len(self), "actions")
        wrong = first_illegal(self.rows, actions, 0, len(self))
        if wrong != ALL_LEGAL:
            refuse(GameState(self.rows[wrong : wrong + 1].copy()), int(actions[wrong]), game=wrong)
        step_games(
            self.rows,
            self.chances,
            actions,
            self._starter,
            self.ended,
            self.final_rows,
            0,
            len(self),
        )
        return self.ended

    def play_to_round_end(self) -> NDArray[np.int64]:
        """Play random moves to the end of the round, scored but not dealt; returns the number of moves by game."""
        self._workers.run(play_rounds, self.rows, self.chances, self._moves)
        return self._moves

    def play_to_end(self) -> NDArray[np.int64]:
        """Play random moves to the end of every game; returns the number of moves by game."""
        self._workers.run(play_games, self.rows, self.chances, self._moves)
        return self._moves
