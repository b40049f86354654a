"""One move ahead on its own board: points scored, floor penalty, and what unfinished lines and sets promise."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, MoveValue
from azul_agents.registry import NoOptions
from azul_env import GameState
from azul_env.core.actions import action_parts
from azul_env.core.intrinsics import popcount
from azul_env.core.jit import kernel
from azul_env.core.legality import is_legal
from azul_env.core.moves import CAPACITIES, draft, floor_tokens
from azul_env.core.scoring import PENALTY_OF_TOKENS, column_cells, row_cells
from azul_env.core.spec import ACTIONS_PER_SOURCE, NUM_COLORS, NUM_LINES, num_actions
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows, center_of, empty_rows
from azul_env.core.variant import color_tiles, placement, wall_of

LINE_PROMISE: Final = 0.6  # of a line that is not full: times the square of its fill and its points
MARKER_WORTH: Final = 1.0  # of starting the next round
# Of a row, column and color, each times the square of its share on the wall.
ROW_PROMISE: Final = 0.6
COLUMN_PROMISE: Final = 7.0
COLOR_PROMISE: Final = 10.0


@kernel
def board_value(row: Row, player: int) -> float:
    """Value of a player's board at the end of this round: points, penalties and promises."""
    counts = row["line_counts"][player]
    colors = row["line_colors"][player]
    wall = wall_of(row, player)
    value = 0.0
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        if count == 0:
            continue
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        tiled, _, points = placement(wall, line, color)
        if count == (CAPACITIES >> NIBBLE_BITS * line) & NIBBLE:
            value += points
            wall = tiled
        else:
            fill = count / (line + 1)
            value += LINE_PROMISE * fill * fill * points
    value -= PENALTY_OF_TOKENS[floor_tokens(row["floors"][player])]
    return value + _wall_promise(wall)


@kernel
def _wall_promise(wall: int) -> float:
    """Value of partly complete rows, columns and colors, by their share on the wall."""
    value = 0.0
    for index in range(NUM_LINES):
        in_row = popcount(row_cells(wall, index)) / NUM_LINES
        in_column = popcount(column_cells(wall, index)) / NUM_LINES
        value += ROW_PROMISE * in_row * in_row + COLUMN_PROMISE * in_column * in_column
    for color in range(NUM_COLORS):
        of_color = color_tiles(wall, color) / NUM_COLORS
        value += COLOR_PROMISE * of_color * of_color
    return value


@kernel
def action_value(rows: Rows, i: int, scratch: Rows, action: int, before: float) -> float:
    """What an action adds to the mover's board, worth `before` so far. Caller guarantees that it is legal."""
    scratch[0] = rows[i]
    row = scratch[0]
    player = row["current_player"]
    had_marker = row["marker_in_center"]
    source, color, destination = action_parts(action)
    draft(row, source, color, destination)
    took_marker = had_marker - row["marker_in_center"]
    return board_value(row, player) - before + MARKER_WORTH * took_marker


@kernel
def write_values(rows: Rows, i: int, scratch: Rows, values: NDArray[np.float64]) -> None:
    """The value of every legal action of a game; -inf for the others."""
    before = board_value(rows[i], rows[i]["current_player"])
    for action in range(ACTIONS_PER_SOURCE * (center_of(rows[i]) + 1)):
        source, color, destination = action_parts(action)
        values[action] = -np.inf
        if is_legal(rows[i], source, color, destination):
            values[action] = action_value(rows, i, scratch, action, before)


@kernel
def write_greedy_actions(
    rows: Rows, scratch: Rows, actions: NDArray[np.int64], first: int, last: int
) -> None:
    """The greedy action of every game, the first of equal ones. Caller guarantees that all games are on."""
    for i in range(first, last):
        best = -np.inf
        before = board_value(rows[i], rows[i]["current_player"])
        for action in range(ACTIONS_PER_SOURCE * (center_of(rows[i]) + 1)):
            source, color, destination = action_parts(action)
            if is_legal(rows[i], source, color, destination):
                value = action_value(rows, i, scratch, action, before)
                if value > best:
                    best = value
                    actions[i] = action


class GreedyAgent(Agent):
    """The baseline that learners have to beat: one move ahead, its own board only. It needs no chance."""

    def __init__(self, spec: str = "greedy", options: NoOptions | None = None) -> None:
        self.spec = spec
        self._scratch = empty_rows(1)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The best action, the first of equal ones."""
        return int(self.act_batch(state.rows, legal_mask.reshape(1, -1), [rng])[0])

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """The best action of every game."""
        if not legal_masks.any(axis=1).all():
            raise ValueError("the game is over: there is no move to choose")
        actions = np.zeros(len(rows), np.int64)
        write_greedy_actions(np.ascontiguousarray(rows), self._scratch, actions, 0, len(rows))
        return actions

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All legal moves by what they do for the player's board."""
        values = np.zeros(num_actions(state.num_players))
        write_values(state.rows, 0, self._scratch, values)
        legal = np.flatnonzero(values > -np.inf).tolist()
        return sorted((MoveValue(a, float(values[a])) for a in legal), key=lambda m: -m.value)
