"""The observation of gray games: what is on which cell, and what there is to choose in tiling."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from api.play import PLAYERS, choice
from azul_env import (
    GameState,
    InvalidPositionError,
    apply_action,
    decode_observation,
    from_dict,
    legal_mask,
    new_game,
    observation_layout,
    observe,
    resign,
    to_dict,
)
from azul_env.core.spec import COLOR_NAMES
from azul_env.envs.kernels import publish
from azul_env.observation import observation_highs, observation_parts, observation_size
from reference.gray_positions import column, gray

DTYPES = (np.float32, np.uint8)
SIZES = {2: 391, 3: 564, 4: 737}
# Seat 0 is to place a blue tile in row 0, where column 1 is taken, and then red ones in row 2, where column 0 has red.
TWO_CHOOSE = gray("9 B:.Y.../:R..../RRR// *K", "5 K/.Y/WWW:.B...// W", turn=0)


def game(num_players: int, seed: int) -> Iterator[GameState]:
    """The states of a random game of two rounds."""
    rng = np.random.default_rng(seed)
    state = new_game(num_players, rng=seed, max_rounds=2, variant="gray")
    yield state
    while not state.is_terminal:
        state = apply_action(state, choice(legal_mask(state), rng), rng=rng).state
        yield state


def is_tiling(state: GameState) -> bool:
    return to_dict(state)["phase"] == "wall_tiling"


def named(state: GameState, seat: int) -> dict[str, list[Any]]:
    """The parts of the uint8 observation, by name."""
    vector = observe(state, seat, np.uint8)
    return {
        name: vector[part.slice].reshape(part.shape).tolist()
        for name, part in observation_parts(state.num_players, "gray").items()
    }


def plain_observation(state: GameState, seat: int) -> list[int]:
    """The integers of an observation, spelled out from the position as data."""
    place, players = to_dict(state), state.num_players
    numbers: list[int] = []
    for turn in range(players):
        player = place["players"][(seat + turn) % players]
        for color in range(5):
            numbers += [int(cell == color + 1) for row in player["wall"] for cell in row]
        for line in player["pattern_lines"]:
            numbers += [line["count"] * (name == line["color"]) for name in COLOR_NAMES]
        floor = [(*COLOR_NAMES, "marker").index(token) + 1 for token in player["floor"]]
        numbers += floor + [0] * (7 - len(floor))
        beyond = max(player["score"] - 127, 0)
        numbers += [min(player["score"], 127), beyond // 128, beyond % 128]
        numbers += [0 if player["resigned"] is None else player["resigned"] + 1]
    numbers += [count for factory in place["factories"] for count in factory]
    numbers += [*place["center"], int(place["center_has_marker"]), *place["bag"], *place["discard"]]
    numbers += [digit for key in ("round", "max_rounds") for digit in divmod(place[key], 128)]
    numbers += plain_choice(place, legal_mask(state))
    for key in ("current_player", "starting_player_next_round"):
        numbers += [int((seat + turn) % players == place[key]) for turn in range(players)]
    reasons = ("row", "no_tiles", "max_rounds", "resignation")
    return numbers + [int(place["end_reason"] == reason) for reason in reasons]


def plain_choice(place: dict[str, Any], mask: np.ndarray) -> list[int]:
    """Whether a column is to be chosen, the line, its color, the columns."""
    if place["phase"] != "wall_tiling":
        return [0] * 16
    lines = place["players"][place["current_player"]]["pattern_lines"]
    top = next(number for number, line in enumerate(lines) if line["count"] == number + 1)
    color = COLOR_NAMES.index(lines[top]["color"])
    return [1, *(int(n == top) for n in range(5)), *(int(n == color) for n in range(5)), *mask[-5:]]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_gray_observation__equals_the_position_spelled_out_and_decodes_to_it(num_players):
    scales = 1 / observation_highs(num_players, "gray").astype(np.float64)
    tilings = 0
    for number, state in enumerate(game(num_players, seed=num_players)):
        tilings += is_tiling(state)
        for seat in range(num_players):
            integers = np.array(plain_observation(state, seat), np.uint8)
            assert observe(state, seat, np.uint8).tobytes() == integers.tobytes()
            floats = integers * scales.astype(np.float32)
            assert observe(state, seat).tobytes() == floats.tobytes()
        seat, form = number % num_players, (floats, integers)[number % 2]
        form = observe(state, seat, form.dtype)
        assert decode_observation(form, num_players, seat, "gray") == state
    assert state.is_terminal and tilings > 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_gray_decoding__knows_tiling_from_every_seat_and_games_that_ended_in_it(dtype):
    tiling = from_dict(TWO_CHOOSE)
    ended = resign(tiling, 1).state
    assert ended.end_reason == "resignation"
    for state in (tiling, ended):
        for seat in range(2):
            assert decode_observation(observe(state, seat, dtype), 2, seat, "gray") == state
    turned = decode_observation(observe(tiling, 1, dtype), 2, variant="gray")
    assert turned.players == tiling.players[::-1] and turned.current_player == 1


def test_gray_slices__show_the_walls_by_color():
    parts = named(from_dict(TWO_CHOOSE), 0)
    empty = [[0] * 5] * 5
    yellow, red = [[0, 1, 0, 0, 0], *empty[1:]], [empty[0], [1, 0, 0, 0, 0], *empty[2:]]
    blue = [*empty[:2], [0, 1, 0, 0, 0], *empty[3:]]
    walls = {"own_wall_yellow": yellow, "own_wall_red": red, "next_1_wall_blue": blue}
    for name, cells in parts.items():
        if "wall" in name:
            assert cells == walls.get(name, empty), name


def test_gray_slices__show_the_choice_of_the_player_to_move_from_every_seat():
    state = from_dict(TWO_CHOOSE)
    for choices in (
        ([1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 1, 1, 1]),  # line 0, blue
        ([0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 1, 1, 1, 1]),  # line 2, red
        ([1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [1, 1, 1, 1, 1]),  # line 0 of seat 1, black
    ):
        for seat in range(2):
            parts = named(state, seat)
            assert parts["tiling"] == [1]
            seen = [parts[f"tiling_{name}"] for name in ("line", "color", "column")]
            assert seen == list(choices)
        last = column(TWO_CHOOSE, int(np.flatnonzero(choices[2])[-1]))
        state = apply_action(state, last, rng=1).state


def test_gray_slices__show_no_choice_while_drafting():
    parts = named(new_game(3, rng=1, variant="gray"), 0)
    choices = [parts[name] for name in parts if name.startswith("tiling")]
    assert choices == [[0], [0] * 5, [0] * 5, [0] * 5]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_gray_layout__covers_the_vector_and_has_a_size_of_its_own(num_players):
    parts = observation_layout(num_players, "gray")
    assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
    assert all(part.meaning for part in parts)
    assert len({part.name for part in parts}) == len(parts)
    size = SIZES[num_players]
    assert parts[-1].stop == observation_size(num_players, "gray") == size
    assert len(observation_highs(num_players, "gray")) == size
    assert len(observe(new_game(num_players, rng=1, variant="gray"))) == size


def test_gray_layout__differs_from_the_colored_one_in_the_walls_and_the_choice():
    colored, on_gray = ({p.name for p in observation_layout(2, v)} for v in ("colored", "gray"))
    assert colored - on_gray == {"own_wall", "next_1_wall"}
    walls = {f"{who}_wall_{name}" for who in ("own", "next_1") for name in COLOR_NAMES}
    choices = {"tiling", "tiling_line", "tiling_color", "tiling_column"}
    assert on_gray - colored == walls | choices


@pytest.mark.parametrize("dtype", DTYPES)
def test_gray_batch__is_written_bit_by_bit_as_a_single_state_and_nowhere_else(dtype):
    state = from_dict(TWO_CHOOSE)
    rows = np.concatenate([state.rows] * 3)
    masks, observations = np.ones((3, 185), np.bool_), np.full((3, SIZES[2]), 99, dtype)
    publish(rows, np.ones(3, np.int64), masks, observations.view(np.uint8), 1, 2)
    assert observations[1].tobytes() == observe(state, 1, dtype).tobytes()
    assert masks[1].tobytes() == legal_mask(state).tobytes()
    assert (observations[::2] == 99).all() and masks[::2].all()


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("tiling", [0]),
        ("tiling_line", [0, 0, 1, 0, 0]),  # full, but not the topmost
        ("tiling_line", [0, 0, 0, 0, 0]),
        ("tiling_color", [1, 1, 0, 0, 0]),
        ("tiling_column", [1, 1, 1, 1, 1]),  # column 1 is taken
        ("tiling_column", [0, 0, 0, 0, 0]),
        ("own_wall_blue", [0, 1, 0, 0, 0]),  # on a yellow tile
        ("own_wall_red", [0, 0, 0, 0, 0, 1, 1, 0, 0, 0]),  # twice in a row
        ("to_move", [0, 1]),
    ],
)
def test_gray_decoding__of_numbers_that_no_position_has_is_an_error(name, numbers):
    vector = observe(from_dict(TWO_CHOOSE), 0, np.uint8)
    start = observation_parts(2, "gray")[name].start
    vector[start : start + len(numbers)] = numbers
    with pytest.raises(InvalidPositionError, match="impossible"):
        decode_observation(vector, 2, 0, "gray")


def test_decoding__as_another_variant_is_an_error():
    colored, on_gray = (observe(new_game(2, rng=1, variant=v)) for v in ("colored", "gray"))
    with pytest.raises(ValueError, match=r"2 players, variant 'colored', has shape \(175,\)"):
        decode_observation(on_gray, 2)
    with pytest.raises(ValueError, match=r"2 players, variant 'gray', has shape \(391,\)"):
        decode_observation(colored, 2, 0, "gray")
    for unknown in ("grey", None, ["gray"]):
        with pytest.raises(ValueError, match="is not one of colored, gray"):
            decode_observation(on_gray, 2, 0, unknown)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="is not one of colored, gray"):
            observation_layout(2, unknown)  # type: ignore[arg-type]
