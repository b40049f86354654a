"""One-move lookahead on the player's board: points, floor penalty, and credit for unfinished lines and sets.

On the gray wall, a tile goes to the column with the most points and prospects: see `azul_agents.gray_walls`.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import VARIANTS, Agent, MoveValue, answers
from azul_agents.gray_walls import (
    NO_COLUMN,
    GrayWall,
    best_column,
    best_points,
    gray_wall,
    line_and_color_to_tile,
    occupied,
    wall_value,
    with_tile,
)
from azul_agents.registry import NoOptions
from azul_env import GameState
from azul_env.core.actions import action_parts
from azul_env.core.by_variant import by_variant
from azul_env.core.intrinsics import popcount
from azul_env.core.jit import kernel
from azul_env.core.legality import is_legal
from azul_env.core.moves import CAPACITIES, draft, floor_tokens
from azul_env.core.scoring import PENALTY_OF_TOKENS, column_cells, placement_points, row_cells
from azul_env.core.spec import ACTIONS_PER_SOURCE, FLOOR_SLOTS, NUM_COLORS, NUM_LINES
from azul_env.core.state import NIBBLE, NIBBLE_BITS, Row, Rows, center_of, empty_rows
from azul_env.core.variant import color_tiles, placement, variant_of, wall_of
from azul_env.core.walls import tiling_actions
from azul_env.core.words import as_int64

LINE_WEIGHT: Final = 0.6  # of an unfinished line, times the squared filled fraction and its points
MARKER_WEIGHT: Final = 1.0  # of starting the next round
# Of an unfinished row, column or color, times the squared filled fraction.
ROW_WEIGHT: Final = 0.6
COLUMN_WEIGHT: Final = 7.0
COLOR_WEIGHT: Final = 10.0


@kernel
def _colored_board_value(row: Row, player: int) -> float:
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
            value += LINE_WEIGHT * fill * fill * points
    value -= PENALTY_OF_TOKENS[floor_tokens(row["floors"][player])]
    return value + _wall_value(wall)


@kernel
def _wall_value(wall: int) -> float:
    """Value of partially complete rows, columns and colors."""
    value = 0.0
    for index in range(NUM_LINES):
        in_row = popcount(row_cells(wall, index)) / NUM_LINES
        in_column = popcount(column_cells(wall, index)) / NUM_LINES
        value += ROW_WEIGHT * in_row * in_row + COLUMN_WEIGHT * in_column * in_column
    for color in range(NUM_COLORS):
        of_color = color_tiles(wall, color) / NUM_COLORS
        value += COLOR_WEIGHT * of_color * of_color
    return value


@kernel
def _gray_value(row: Row, player: int, wall: GrayWall, counts: int) -> float:
    """Value of a gray board with another wall and other lines: full ones are tiled, each in its best column."""
    colors = row["line_colors"][player]
    tokens = floor_tokens(row["floors"][player])
    value = 0.0
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        if count == 0:
            continue
        color = as_int64((colors >> NIBBLE_BITS * line) & NIBBLE)
        column = best_column(wall, line, color)
        if count > line and column == NO_COLUMN:
            tokens = min(FLOOR_SLOTS, tokens + line + 1)  # R10.7
        elif count > line:
            wall = with_tile(wall, color, line, column)
            value += placement_points(occupied(wall), line, column)
        else:
            fill = count / (line + 1)
            points = best_points(wall, line, color) - (line + 1 if column == NO_COLUMN else 0)
            value += LINE_WEIGHT * fill * fill * points
    return value - PENALTY_OF_TOKENS[tokens] + wall_value(wall)


@kernel
def _gray_board_value(row: Row, player: int) -> float:
    return _gray_value(row, player, gray_wall(row, player), row["line_counts"][player])


# Value of a player's board if the round ended now.
board_value: Final = by_variant(_colored_board_value, _gray_board_value)


@kernel
def _value_after_draft(row: Row, source: int, color: int, destination: int) -> float:
    player = row["current_player"]
    draft(row, source, color, destination)
    return board_value(row, player)


@kernel
def _value_after_turn(row: Row, source: int, color: int, destination: int) -> float:
    if source <= center_of(row):
        return _value_after_draft(row, source, color, destination)
    player, column = row["current_player"], destination
    line, tile = line_and_color_to_tile(row)
    wall = with_tile(gray_wall(row, player), tile, line, column)
    counts = row["line_counts"][player] & ~(NIBBLE << NIBBLE_BITS * line)
    points = placement_points(occupied(wall), line, column)
    return points + _gray_value(row, player, wall, counts)


# The value of the player's board after a legal draft or, on the gray wall, a choice of column; a draft is played in `row`.
value_after: Final = by_variant(_value_after_draft, _value_after_turn)


@kernel
def action_value(rows: Rows, i: int, scratch: Rows, action: int, before: float) -> float:
    """Board value after an action, minus `before`. Caller guarantees that it is legal."""
    scratch[0] = rows[i]
    row = scratch[0]
    had_marker = row["marker_in_center"]
    source, color, destination = action_parts(action)
    value = value_after(row, source, color, destination)
    took_marker = had_marker - row["marker_in_center"]
    return value - before + MARKER_WEIGHT * took_marker


@kernel
def points_behind(row: Row, player: int) -> float:
    """How far a player's score is behind the mean of the others' scores and boards; the player's board is not valued."""
    others = 0.0
    for seat in range(row["num_players"]):
        if seat != player:
            others += row["scores"][seat] + board_value(row, seat)
    return others / (row["num_players"] - 1) - row["scores"][player]


@kernel
def write_values(rows: Rows, i: int, scratch: Rows, values: NDArray[np.float64]) -> None:
    """Write the margins of points that all actions of a game lead to; -inf for illegal ones."""
    before = points_behind(rows[i], rows[i]["current_player"])
    for action in range(len(values)):
        source, color, destination = action_parts(action)
        values[action] = -np.inf
        if is_legal(rows[i], source, color, destination):
            values[action] = action_value(rows, i, scratch, action, before)


@kernel
def write_greedy_actions(
    rows: Rows, scratch: Rows, actions: NDArray[np.int64], first: int, last: int
) -> None:
    """Write the best action of every game, the first of equal ones. Caller guarantees that no game is over."""
    for i in range(first, last):
        best = -np.inf
        before = board_value(rows[i], rows[i]["current_player"])
        for action in range(
            ACTIONS_PER_SOURCE * (center_of(rows[i]) + 1) + tiling_actions(rows[i])
        ):
            source, color, destination = action_parts(action)
            if is_legal(rows[i], source, color, destination):
                value = action_value(rows, i, scratch, action, before)
                if value > best:
                    best = value
                    actions[i] = action


class GreedyAgent(Agent):
    """The deterministic baseline that learners have to beat."""

    variants = VARIANTS

    def __init__(self, spec: str = "greedy", options: NoOptions | None = None) -> None:
        self.spec = spec

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The best action, the first of equal ones."""
        return int(answers(self, [state], legal_mask.reshape(1, -1), [rng])[0])

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """The best action of every game."""
        actions = np.zeros(len(rows), np.int64)
        scratch = empty_rows(1, rows.dtype)
        write_greedy_actions(np.ascontiguousarray(rows), scratch, actions, 0, len(rows))
        return actions

    def analyse(self, state: GameState) -> list[MoveValue]:
        """All legal moves, each with the margin of scores and boards after it."""
        values = np.zeros(variant_of(state.rows).num_actions(state.num_players))
        write_values(state.rows, 0, empty_rows(1, state.rows.dtype), values)
        legal = np.flatnonzero(values > -np.inf).tolist()
        return sorted((MoveValue(a, float(values[a])) for a in legal), key=lambda m: -m.value)
