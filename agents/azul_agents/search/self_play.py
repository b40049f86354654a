"""Compiled self-play that records positions to learn from, whatever evaluator the players search with.

Players search within a node limit and now and then play a random good move, so that positions vary. Recorded are the ends of
all rounds (scored, not dealt) and a share of the positions inside rounds, each with a link to the end of its round and the
values that the next searches of all players found.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.deepening import choose
from azul_agents.search.evaluator import Evaluator, prepare
from azul_agents.search.moves import action_of, list_with_keys, next_best
from azul_agents.search.pvs import MAX_PLIES, SearchMemory
from azul_env.core.actions import action_index, action_parts
from azul_env.core.chance import Chances, chances_from, deal, random_below
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.legality import random_move
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import DEFAULT_MAX_ROUNDS, MAX_PLAYERS
from azul_env.core.state import Rows, empty_rows
from azul_env.core.step import RANDOM_SEAT, ROUND_OVER, TURN_PASSED, play_move, reset_game
from azul_env.core.words import as_bool, as_int64

DRAWN_FROM: Final = 8  # a random move is one of this many, the best by expected gain
RANDOM_OPENING: Final = 2  # first moves of a game with a random opening
PER_MILLE: Final = 1000
NO_END: Final = -1  # the game ended with the round
NOT_SEARCHED: Final = np.nan  # a value that no search found
# Room for all of them: 4 players make about 110 moves. Memory is only taken as it is used.
POSITIONS_PER_GAME: Final = 150
MAX_OF_A_GAME: Final = 400

SETTINGS: Final = np.dtype(
    [
        ("num_players", np.int64),
        ("random_moves", np.int64),  # per mille
        ("random_openings", np.int64),  # per mille of the games
        ("inner_positions", np.int64),  # per mille that are recorded
    ]
)


class Recording(NamedTuple):
    """Positions of finished games, in the order in which they were met."""

    rows: Rows  # positions
    games: NDArray[np.int64]  # the game of each position
    ends: NDArray[np.int64]  # the position that ends the round; NO_END if the game ends with it
    # (position, seat): the value that the player's next search in this round found; NOT_SEARCHED if there was none, or a
    # random move of this player came first
    values: NDArray[np.float32]
    finals: Rows  # the end of every game


def room_for(games: int) -> int:
    """The most positions that are recorded of this many games."""
    return POSITIONS_PER_GAME * games + MAX_OF_A_GAME


def new_recording(games: int) -> Recording:
    """Room for this many games."""
    room = room_for(games)
    return Recording(
        rows=empty_rows(room),
        games=np.zeros(room, np.int64),
        ends=np.zeros(room, np.int64),
        values=np.zeros((room, MAX_PLAYERS), np.float32),
        finals=empty_rows(games),
    )


@kernel
def _is_drawn(chances: Chances, k: int, per_mille: int) -> bool:
    return random_below(chances, k, as_int64(PER_MILLE)) < per_mille


@kernel
def _random_good_action(
    rows: Rows, evaluator: Evaluator, chances: Chances, k: int, memory: SearchMemory
) -> int:
    """One of the best actions of rows[0] by expected gain."""
    moves, keys = memory.moves[0], memory.sort_keys[0]
    prepare(evaluator, rows[0])
    count = list_with_keys(evaluator, rows[0], moves, memory.gains, keys, as_bool(True))
    for _ in range(random_below(chances, k, min(count, DRAWN_FROM))):
        next_best(keys, count)
    return action_of(moves[next_best(keys, count)])


@kernel
def _action(
    rows: Rows,
    evaluator: Evaluator,
    chances: Chances,
    k: int,
    memory: SearchMemory,
    random_moves: int,
    is_opening: bool,
) -> tuple[int, float]:
    """The action to play in rows[0], and the value of the position if it was searched."""
    if is_opening:
        source, color, destination = random_move(rows[0], chances, k)
        return action_index(source, color, destination), NOT_SEARCHED
    if _is_drawn(chances, k, random_moves):
        return _random_good_action(rows, evaluator, chances, k, memory), NOT_SEARCHED
    action = choose(rows, as_int64(0), memory, evaluator, as_int64(MAX_PLIES))
    return action, memory.root_values[0]


@kernel
def _record(recording: Recording, position: int, rows: Rows, game: int) -> None:
    """Write rows[0] as a position of a game, with no values yet."""
    recording.rows[position] = rows[0]
    recording.games[position] = game
    for seat in range(MAX_PLAYERS):
        recording.values[position, seat] = NOT_SEARCHED


@kernel
def _note_value(
    values: NDArray[np.float32], unvalued: NDArray[np.int64], stop: int, seat: int, value: float
) -> None:
    """Set a player's value, or NOT_SEARCHED, for the positions from unvalued[seat] up to but excluding `stop`."""
    for position in range(unvalued[seat], stop):
        values[position, seat] = value
    unvalued[seat] = stop


@kernel
def _link(ends: NDArray[np.int64], first: int, last: int, end: int) -> None:
    """Note where the round of the positions from `first` up to but excluding `last` ends."""
    for position in range(first, last):
        ends[position] = end


@kernel
def _play_game(
    game: int,
    start: int,
    settings: Any,
    evaluator: Evaluator,
    chances: Chances,
    k: int,
    memory: SearchMemory,
    rows: Rows,
    unvalued: NDArray[np.int64],
    recording: Recording,
) -> int:
    """Play a game and record it from position `start` on; returns where the next one begins.

    `rows` is scratch space, and so is `unvalued`: the first position of this round without a value, by seat. A game that
    has too many positions is left out.
    """
    row, count = rows[0], start
    max_rounds = as_int64(DEFAULT_MAX_ROUNDS)
    reset_game(row, settings["num_players"], as_int64(RANDOM_SEAT), max_rounds, chances, k)
    opening = RANDOM_OPENING if _is_drawn(chances, k, settings["random_openings"]) else 0
    unlinked, moves = start, as_int64(0)
    unvalued[:] = start
    while row["end_reason"] == PLAYING:
        if count + 2 > min(start + MAX_OF_A_GAME, len(recording.rows)):
            return start
        is_recorded = _is_drawn(chances, k, settings["inner_positions"])
        action, value = _action(
            rows, evaluator, chances, k, memory, settings["random_moves"], moves < opening
        )
        if is_recorded:
            _record(recording, count, rows, game)
            count += 1
        _note_value(recording.values, unvalued, count, row["current_player"], value)
        moves += 1
        source, color, destination = action_parts(action)
        outcome = play_move(row, source, color, destination)
        if outcome == TURN_PASSED:
            continue
        if outcome == ROUND_OVER:
            _record(recording, count, rows, game)
            _link(recording.ends, unlinked, count, count)
            unlinked = count
            count += 1
            unvalued[:] = count
            deal(row, chances, k)
    _link(recording.ends, unlinked, count, as_int64(NO_END))
    recording.finals[game] = row
    return count


@called_kernel
def play_games(
    first: int,
    stop: int,
    start: int,
    settings: NDArray[Any],
    evaluator: Evaluator,
    chances: Chances,
    memory: SearchMemory,
    rows: Rows,
    unvalued: NDArray[np.int64],
    recording: Recording,
) -> int:
    """Play and record the games from `first` to before `stop`, whose positions begin at `start`; returns where they end.

    `rows` and `unvalued`, a number by seat, are scratch space.
    """
    count = start
    for game in range(first, stop):
        count = _play_game(
            game,
            count,
            settings[0],
            evaluator,
            chances,
            as_int64(0),
            memory,
            rows,
            unvalued,
            recording,
        )
    return count


class GamesToRecord:
    """Recorded self-play in progress. The number of games played at a time does not change them."""

    def __init__(
        self,
        games: int,
        settings: NDArray[Any],
        evaluator: Evaluator,
        memory: SearchMemory,
        seed: int,
    ) -> None:
        self.games, self.played = games, 0
        self.chances = chances_from(seed, 1)
        self._positions = 0
        self._settings, self._evaluator, self._memory = settings, evaluator, memory
        self._room, self._rows = new_recording(games), empty_rows(1)
        self._unvalued = np.zeros(MAX_PLAYERS, np.int64)

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return int(self._settings["num_players"][0])

    def play(self, games: int) -> None:
        """Play some of the games that are missing in compiled code, without the interpreter lock."""
        stop = min(self.games, self.played + games)
        self._positions = play_games(
            self.played,
            stop,
            self._positions,
            self._settings,
            self._evaluator,
            self.chances,
            self._memory,
            self._rows,
            self._unvalued,
            self._room,
        )
        self.played = stop

    @property
    def recording(self) -> Recording:
        """The positions so far, and room for the ends of all games."""
        count, room = self._positions, self._room
        return room._replace(
            rows=room.rows[:count],
            games=room.games[:count],
            ends=room.ends[:count],
            values=room.values[:count],
        )

    def go_on_from(self, played: int, chances: Chances, recording: Recording) -> None:
        """Restore the progress of an interrupted run. Caller guarantees that the arguments belong together."""
        self.played, self._positions = played, len(recording.rows)
        self.chances[:] = chances
        rooms: tuple[NDArray[Any], ...] = self._room
        parts: tuple[NDArray[Any], ...] = recording
        for room, part in zip(rooms, parts, strict=True):
            room[: len(part)] = part


def record_games(
    games: int, settings: NDArray[Any], evaluator: Evaluator, memory: SearchMemory, seed: int
) -> Recording:
    """Play games and record them."""
    under_way = GamesToRecord(games, settings, evaluator, memory, seed)
    under_way.play(games)
    return under_way.recording
