"""The position as a vector of numbers for learning, seen from one seat, and back again.

Every number is a small integer from 0 to its `high`. The uint8 form holds the integers themselves, the float32 form (the
default) each divided by its `high`, so that it lies in [0, 1]. Both say everything about a position: `decode_observation`
gives back the very same state. `observation_layout` names the parts.
"""

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env.core.intrinsics import store_bytes
from azul_env.core.jit import kernel
from azul_env.core.spec import (
    COLOR_NAMES,
    FACTORY_CAPACITY,
    FLOOR_SLOTS,
    NUM_COLORS,
    NUM_LINES,
    RULESET,
    TILES_PER_COLOR,
    EndReason,
    num_factories,
)
from azul_env.core.state import MARKER_TOKEN, NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.variant import COLORED
from azul_env.core.words import bits_to_bytes, lanes_to_bytes, nibbles_to_bytes
from azul_env.position import END_REASONS, FACTORY_OFFER, GAME_OVER, TOKEN_NAMES, Position
from azul_env.state import GameState, from_dict

CELLS: Final = NUM_LINES * NUM_LINES
DIGIT_BITS: Final = 7
DIGIT: Final = (
    1 << DIGIT_BITS
)  # counters that may grow large are written in two digits of this base
SCORE_KNEE: Final = 127  # scores up to here are one number; the rest follows in two digits
NUM_END_REASONS: Final = len(EndReason) - 1

# Offsets inside a board.
WALL: Final = 0
LINES: Final = WALL + CELLS
FLOOR: Final = LINES + CELLS
SCORE: Final = FLOOR + FLOOR_SLOTS
RESIGNED: Final = SCORE + 3
BOARD_SIZE: Final = RESIGNED + 1

PADDING: Final = (
    8  # bytes that a row of features needs beyond the observation: parts are written by the word
)


class Part(NamedTuple):
    """A named slice of the observation."""

    name: str
    start: int
    shape: tuple[int, ...]
    high: tuple[int, ...]  # the largest integer, by the last axis (or one for all)
    meaning: str

    @property
    def stop(self) -> int:
        """One past the last number."""
        return self.start + int(np.prod(self.shape))


def observation_layout(num_players: int) -> list[Part]:
    """The parts of the observation in order; together they cover it without gaps."""
    factories = num_factories(num_players)
    parts: list[Part] = []

    def add(name: str, shape: tuple[int, ...], high: int | tuple[int, ...], meaning: str) -> None:
        start = parts[-1].stop if parts else 0
        highs = high if isinstance(high, tuple) else (high,)
        parts.append(Part(name, start, shape, highs, meaning))

    for seat in range(num_players):
        whose = "own" if seat == 0 else f"next_{seat}"
        add(f"{whose}_wall", (NUM_LINES, NUM_LINES), 1, "1 where a tile is, by row and column")
        for line in range(NUM_LINES):
            meaning = f"tiles in line {line}, at the place of their color"
            add(f"{whose}_line_{line}", (NUM_COLORS,), line + 1, meaning)
        meaning = "by slot: 0 free, color + 1, or 6 for the marker"
        add(f"{whose}_floor", (FLOOR_SLOTS,), MARKER_TOKEN, meaning)
        meaning = f"score up to {SCORE_KNEE}; what is beyond, in two digits of base {DIGIT}"
        add(f"{whose}_score", (3,), (SCORE_KNEE, DIGIT - 1, DIGIT - 1), meaning)
        meaning = "0 still playing, k the k-th to resign"
        add(f"{whose}_resigned", (1,), num_players - 1, meaning)
    add("factories", (factories, NUM_COLORS), FACTORY_CAPACITY, "tiles by display and color")
    add("center", (NUM_COLORS,), TILES_PER_COLOR, "tiles by color")
    add("marker_in_center", (1,), 1, "1 while nobody has taken the first-player marker")
    add("bag", (NUM_COLORS,), TILES_PER_COLOR, "tiles by color")
    add("lid", (NUM_COLORS,), TILES_PER_COLOR, "tiles by color")
    add("round", (2,), DIGIT - 1, f"rounds completed, in two digits of base {DIGIT}")
    add("max_rounds", (2,), DIGIT - 1, f"the cap of rounds, in two digits of base {DIGIT}")
    add("to_move", (num_players,), 1, "who is to move, or moved last: own seat first")
    add("starts_next_round", (num_players,), 1, "who starts the next round: own seat first")
    add("end_reason", (NUM_END_REASONS,), 1, "row, no tiles, max rounds, resignation")
    return parts


@cache
def observation_size(num_players: int) -> int:
    """Number of numbers in the observation."""
    return observation_layout(num_players)[-1].stop


@cache
def observation_highs(num_players: int) -> NDArray[np.uint8]:
    """The largest integer at every place of the observation."""
    highs = [
        np.broadcast_to(part.high, part.shape).ravel() for part in observation_layout(num_players)
    ]
    return np.concatenate(highs).astype(np.uint8)


@cache
def observation_scales(num_players: int) -> NDArray[np.float32]:
    """What the integers are multiplied with to lie in [0, 1]."""
    return (1 / observation_highs(num_players).astype(np.float64)).astype(np.float32)


@kernel
def write_features(row: Row, player: int, out: NDArray[np.uint8]) -> None:
    """Write the integers of the observation that a player has. Caller guarantees PADDING bytes of room behind.

    Parts are stored a word at a time from left to right; what a store writes too far, a later one overwrites.
    """
    players = row["num_players"]
    seat = player
    for place in range(players):
        _write_board(row, seat, out, BOARD_SIZE * place)
        seat = seat + 1 if seat + 1 < players else 0
    place = BOARD_SIZE * players
    for source in range(center_of(row) + 1):
        store_bytes(out, place, lanes_to_bytes(row["sources"][source]))
        place += NUM_COLORS
    store_bytes(out, place, row["marker_in_center"] | (lanes_to_bytes(row["bag"]) << 8))
    place += 1 + NUM_COLORS
    store_bytes(out, place, lanes_to_bytes(row["lid"]))
    place += NUM_COLORS
    counters = _two_digits(row["round"]) | (_two_digits(row["max_rounds"]) << 16)
    turn = row["current_player"] - player
    starter = row["starting_player_next_round"] - player
    turn = turn + players if turn < 0 else turn
    starter = starter + players if starter < 0 else starter
    store_bytes(out, place, counters)
    store_bytes(out, place + 4, (1 << 8 * turn) | (1 << 8 * (players + starter)))
    place += 4 + 2 * players
    store_bytes(out, place, (1 << 8 * row["end_reason"]) >> 8)


@kernel
def _write_board(row: Row, seat: int, out: NDArray[np.uint8], start: int) -> None:
    """Write the part of one player."""
    wall = row["walls"][seat]
    counts = row["line_counts"][seat]
    colors = row["line_colors"][seat]
    for eight in range(0, CELLS, 8):
        store_bytes(out, start + WALL + eight, bits_to_bytes(wall >> eight))
    for line in range(NUM_LINES):
        count = (counts >> NIBBLE_BITS * line) & NIBBLE
        color = (colors >> NIBBLE_BITS * line) & NIBBLE
        store_bytes(out, start + LINES + NUM_COLORS * line, count << 8 * color)
    store_bytes(out, start + FLOOR, nibbles_to_bytes(row["floors"][seat]))
    score = row["scores"][seat]
    shown = min(score, SCORE_KNEE)
    resigned = (row["resignations"] >> NIBBLE_BITS * seat) & NIBBLE
    store_bytes(out, start + SCORE, shown | (_two_digits(score - shown) << 8) | (resigned << 24))


@kernel
def _two_digits(number: int) -> int:
    """A number below DIGIT * DIGIT as two bytes, the higher digit first."""
    return (number >> DIGIT_BITS) | ((number & (DIGIT - 1)) << 8)


@kernel
def observe_one(rows: NDArray[Any], player: int, features: NDArray[np.uint8]) -> None:
    """Write the integers of a single game's observation."""
    write_features(rows[0], player, features)


def observe(
    state: GameState, player: int | None = None, dtype: type[np.generic] = np.float32
) -> NDArray[Any]:
    """The observation of a player, by default the one to move, as float32 in [0, 1] or as uint8."""
    seat = state.current_player if player is None else player
    if not 0 <= seat < state.num_players:
        raise ValueError(f"player={seat} is not in 0..{state.num_players - 1}")
    features = np.zeros(observation_size(state.num_players) + PADDING, np.uint8)
    observe_one(state.rows, seat, features)
    integers = features[:-PADDING]
    return as_observation(integers, state.num_players, dtype)


def as_observation(
    integers: NDArray[np.uint8], num_players: int, dtype: type[np.generic]
) -> NDArray[Any]:
    """The integers of an observation in the form that is asked for."""
    if dtype is np.uint8:
        return integers.copy()
    if dtype is np.float32:
        return integers * observation_scales(num_players)
    raise ValueError(f"observations are float32 or uint8, not {dtype}")


def decode_observation(observation: NDArray[Any], num_players: int, player: int = 0) -> GameState:
    """The state that an observation shows. The seat that observed becomes `player`; the others follow in order."""
    size = observation_size(num_players)
    if observation.shape != (size,):
        raise ValueError(
            f"an observation for {num_players} players has shape ({size},), not {observation.shape}"
        )
    highs = observation_highs(num_players)
    integers = observation if observation.dtype == np.uint8 else np.rint(observation * highs)
    parts = {
        part.name: integers[part.start : part.stop].astype(int).reshape(part.shape)
        for part in observation_layout(num_players)
    }
    return from_dict(_position_of(parts, num_players, player))


def _position_of(parts: dict[str, NDArray[Any]], num_players: int, player: int) -> Position:
    """The position that the parts of an observation describe."""
    whose = ["own", *(f"next_{seat}" for seat in range(1, num_players))]
    seats = [whose[(seat - player) % num_players] for seat in range(num_players)]
    reasons = np.flatnonzero(parts["end_reason"])
    return {
        "ruleset": RULESET,
        "variant": COLORED.name,
        "num_players": num_players,
        "current_player": (int(parts["to_move"].argmax()) + player) % num_players,
        "starting_player_next_round": (int(parts["starts_next_round"].argmax()) + player)
        % num_players,
        "phase": GAME_OVER if reasons.size else FACTORY_OFFER,
        "round": _number(parts["round"]),
        "max_rounds": _number(parts["max_rounds"]),
        "end_reason": END_REASONS[int(reasons[0]) + 1] if reasons.size else None,
        "bag": parts["bag"].tolist(),
        "discard": parts["lid"].tolist(),
        "factories": parts["factories"].tolist(),
        "center": parts["center"].tolist(),
        "center_has_marker": bool(parts["marker_in_center"][0]),
        "players": [_player_of(parts, who) for who in seats],
    }


def _player_of(parts: dict[str, NDArray[Any]], who: str) -> Position:
    lines = []
    for line in range(NUM_LINES):
        counts = parts[f"{who}_line_{line}"]
        color = COLOR_NAMES[int(counts.argmax())] if counts.any() else None
        lines.append({"color": color, "count": int(counts.max())})
    score, *beyond = parts[f"{who}_score"].tolist()
    resigned = int(parts[f"{who}_resigned"][0])
    return {
        "score": score + _number(beyond),
        "wall": parts[f"{who}_wall"].tolist(),
        "pattern_lines": lines,
        "floor": [TOKEN_NAMES[token] for token in parts[f"{who}_floor"].tolist() if token],
        "resigned": resigned - 1 if resigned else None,
    }


def _number(digits: Any) -> int:
    """The number that two digits stand for."""
    return int(digits[0]) * DIGIT + int(digits[1])
