"""The position as a vector of numbers for learning, seen from one seat, and back again.

Every number is an integer from 0 to its `high`. The uint8 form holds the integers themselves, the float32 form (the
default) each divided by its `high`, so that it lies in [0, 1]. Both say everything about a position: `decode_observation`
gives back the same state. `observation_layout` names the parts; `declaration` declares them, for each variant.
"""

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from azul_env.core.arguments import number_between, player_count, shown
from azul_env.core.by_variant import by_variant
from azul_env.core.jit import kernel
from azul_env.core.spec import MAX_PLAYERS, MIN_PLAYERS
from azul_env.core.state import Row, Rows, empty_rows
from azul_env.core.variant import COLORED, GRAY, variant_named, variant_of
from azul_env.errors import InvalidPositionError, Problem, ProblemReason
from azul_env.observation.declaration import encoding_of
from azul_env.observation.layout import Encoding, Part
from azul_env.observation.writer import Writer, compose_writer
from azul_env.position import position_of
from azul_env.state import GameState, check_state, from_dict

FLOAT32: Final = np.dtype(np.float32)
UINT8: Final = np.dtype(np.uint8)


def _writer(variant: str) -> Writer:
    """The kernel that writes the observations of a variant."""
    players = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    return compose_writer([encoding_of(n, variant) for n in players], variant)


write_observation: Final = by_variant(_writer(COLORED.name), _writer(GRAY.name))


def observation_layout(num_players: int, variant: str = COLORED.name) -> list[Part]:
    """The parts of the observation in order; together they cover it without gaps."""
    return _encoding(num_players, variant).layout()


def observation_parts(num_players: int, variant: str = COLORED.name) -> dict[str, Part]:
    """The parts of the observation by name."""
    return {part.name: part for part in observation_layout(num_players, variant)}


@cache
def observation_size(num_players: int, variant: str = COLORED.name) -> int:
    """Number of numbers in the observation."""
    return _encoding(num_players, variant).size


@cache
def observation_highs(num_players: int, variant: str = COLORED.name) -> NDArray[np.uint8]:
    """The largest value of each number."""
    return _encoding(num_players, variant).highs()


def _encoding(num_players: int, variant: str) -> Encoding:
    """The encoding for a caller's arguments. Raises TypeError or ValueError if there is none."""
    return encoding_of(player_count(num_players), variant_named(variant).name)


@kernel
def observe_one(rows: Rows, player: int, out: NDArray[np.uint8]) -> None:
    """Write what a player of a single game observes into the bytes of a uint8 or float32 observation."""
    write_observation(rows[0], player, out)


def observe(
    state: GameState, player: int | None = None, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """The observation of a player, by default the one to move, as float32 in [0, 1] or as uint8."""
    check_state(state)
    if player is None:
        seat = state.current_player
    else:
        seat = number_between(player, 0, state.num_players - 1, "player")
    size = observation_size(state.num_players, variant_of(state.rows).name)
    observation = np.empty(size, _known_dtype(dtype))
    observe_one(state.rows, seat, observation.view(UINT8))
    return observation


def _known_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """The dtype that a type or its name stands for. Raises ValueError unless it is float32 or uint8."""
    if dtype is np.float32:  # the usual case, at a third of the cost
        return FLOAT32
    try:
        known = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):  # a text with commas is a list of fields to NumPy
        known = np.dtype(object)
    if known not in (FLOAT32, UINT8):
        raise ValueError(f"observations are float32 or uint8, not {shown(dtype)}")
    return known


def decode_observation(
    observation: NDArray[Any], num_players: int, player: int = 0, variant: str = COLORED.name
) -> GameState:
    """The state that an observation shows. The seat that observed becomes `player`; the others follow in order.

    Raises InvalidPositionError, a ValueError, if it shows none.
    """
    players, kind = player_count(num_players), variant_named(variant)
    seat = number_between(player, 0, players - 1, "player")
    size = observation_size(players, kind.name)
    if not isinstance(observation, np.ndarray) or not (
        observation.dtype == np.uint8 or np.issubdtype(observation.dtype, np.floating)
    ):
        raise TypeError(f"an observation is an array of floats or uint8, not {shown(observation)}")
    if observation.shape != (size,):
        raise ValueError(
            f"an observation for {players} players, variant {kind.name!r}, has shape ({size},), "
            f"not {observation.shape}"
        )
    highs, layout = observation_highs(players, kind.name), observation_layout(players, kind.name)
    integers = observation if observation.dtype == np.uint8 else np.rint(observation * highs)
    _check(integers, (integers >= 0) & (integers <= highs), layout)
    row = empty_rows(1, kind.dtype)[0]
    _restore(row, integers, encoding_of(players, kind.name), seat)
    state = from_dict(position_of(row))
    _check(integers, observe(state, seat, np.uint8) == integers, layout)
    return state


def _restore(row: Row, integers: NDArray[Any], encoding: Encoding, player: int) -> None:
    """Write the words that hold these numbers into an empty row; nothing is checked."""
    row["num_players"] = encoding.num_players
    numbers = iter(integers.astype(int).tolist())
    for word, index in encoding.words(player):
        packed, keys = 0, 0
        for field in word.fields:
            for shift, _, key in field.numbers():
                number = next(numbers)
                packed |= number << shift
                keys |= key << shift if number else 0
        word.codec.restore(row, index, packed)
        if word.keys:
            word.keys.restore(row, index, keys)


def _check(integers: NDArray[Any], is_right: NDArray[np.bool_], layout: list[Part]) -> None:
    """Raise an error that names the first part with a number that is not right."""
    for part in layout:
        if not is_right[part.slice].all():
            detail = f"{integers[part.slice].tolist()} stands for nothing"
            raise InvalidPositionError([Problem(ProblemReason.OUT_OF_RANGE, part.name, detail)])
