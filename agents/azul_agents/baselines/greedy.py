"""Looks one turn ahead at its own board: points made, floor lost, and what unfinished lines and sets promise."""

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
from azul_env.core.rounds import WALL_COLUMN
from azul_env.core.scoring import (
    COLOR_CELLS,
    PENALTY_OF_TOKENS,
    column_cells,
    placement_points,
    row_cells,
)
from azul_env.core.spec import ACTIONS_PER_SOURCE, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows, center_of, empty_rows
from azul_env.core.words import as_int64

LINE_PROMISE: Final = 0.6  # of a line that is not full: times the square of its fill and its points
MARKER_WORTH: Final = 1.0  # of starting the next round
ROW_PROMISE: Final = (
    0.6  # of a row, column and color, each times the square of its share on the wall
)
COLUMN_PROMISE: Final = 7.0
COLOR_PROMISE: Final = 10.0


@kernel
def board_value(row: Row, player: int) -> float:
    """What a player's board is worth at the end of this round: points, penalties and promises."""
    counts = row["line_counts"][player]
    colors = row["line_colors"][player]
    wall = as_int64(row["walls"][player])
    value = 0.0
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        if count == 0:
            continue
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        column = as_int64(WALL_COLUMN[NUM_COLORS * line + color])
        tiled = wall | (1 << (NUM_LINES * line + column))
        points = placement_points(tiled, line, column)
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
    """What rows, columns and colors promise, by how much of them is on the wall."""
    value = 0.0
    for place in range(NUM_LINES):
        in_row = popcount(row_cells(wall, place)) / NUM_LINES
        in_column = popcount(column_cells(wall, place)) / NUM_LINES
        value += ROW_PROMISE * in_row * in_row + COLUMN_PROMISE * in_column * in_column
    for cells in COLOR_CELLS:
        of_color = popcount(wall & cells) / NUM_COLORS
        value += COLOR_PROMISE * of_color * of_color
    return value


@kernel
def turn_value(rows: Rows, i: int, scratch: Rows, action: int, before: float) -> float:
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
            values[action] = turn_value(rows, i, scratch, action, before)


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
                value = turn_value(rows, i, scratch, action, before)
                if value > best:
                    best = value
                    actions[i] = action


class GreedyAgent(Agent):
    """One turn ahead, own board only; the baseline that learners have to beat."""

    def __init__(self, spec: str = "greedy", options: NoOptions | None = None) -> None:
        self.spec = spec
        self._scratch = empty_rows(1)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The best action, by chance among equal ones."""
        values = self._values(state, len(legal_mask))
        best = np.flatnonzero(values == values.max())
        return int(rng.choice(best)) if len(best) > 1 else int(best[0])

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All legal moves by what they do for the own board."""
        values = self._values(state, ACTIONS_PER_SOURCE * (2 * state.num_players + 2))
        legal = np.flatnonzero(values > -np.inf).tolist()
        return sorted((MoveValue(a, float(values[a])) for a in legal), key=lambda m: -m.value)

    def _values(self, state: GameState, num_actions: int) -> NDArray[np.float64]:
        values = np.zeros(num_actions)
        write_values(state.rows, 0, self._scratch, values)
        return values


def greedy_actions(
    rows: Rows, masks: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The greedy action of every game of a batch, as vector environments ask their opponents."""
    actions = np.zeros(len(rows), np.int64)
    write_greedy_actions(np.ascontiguousarray(rows), empty_rows(1), actions, 0, len(rows))
    return actions
