"""The observation: everything about a position, in named places, seen from a seat."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.play import PLAYERS
from azul_env import (
    GameState,
    InvalidPositionError,
    decode_observation,
    from_dict,
    legal_mask,
    new_game,
    num_factories,
    observation_layout,
    observe,
    to_dict,
)
from azul_env.core.spec import COLOR_NAMES
from azul_env.envs.kernels import publish
from azul_env.observation import observation_highs, observation_size
from azul_env.observation.declaration import WALLS, adjacent, encoding, field, word
from azul_env.observation.writer import compose_writer
from positions import position, random_game
from properties.walks import states_of, walks

DTYPES = (np.float32, np.uint8)
# Every kind of thing is somewhere on this table, and no two things are equal.
TABLE = """azul 3p round 3/50 turn 0 start 1
    | BBYR - KKKK - WWWW - RRRY | BBKW | bag B3Y9R8K7W6 lid ?
    | 7 B:.Y.../YY:W..../.RR/..KK/ -
    | 130 //// *RK
    | 0 /.B:..Y..//:.K.../WWWWW BBBBBBB resigned 0"""


def table() -> GameState:
    return position(TABLE)


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """A state of a random game, often the last one, at times with scores and round caps beyond any real one."""
    game = states_of(draw(walks()))
    place = to_dict(game[draw(st.integers(-1, len(game) - 1))])
    scores = st.integers(0, 9_999) | st.sampled_from([126, 127, 128, 254, 255, 256, 9_999])
    for player in place["players"]:
        if draw(st.booleans()):
            player["score"] = draw(scores)
    if place["phase"] == "factory_offer" and draw(st.booleans()):
        place["max_rounds"] = draw(st.integers(place["round"] + 1, 9_999))
        place["round"] = draw(st.integers(place["round"], place["max_rounds"] - 1))
    return from_dict(place)


@settings(max_examples=60)
@given(states())
def test_decoding__gives_back_the_state_from_every_seat_in_both_forms(state):
    players = state.num_players
    highs = observation_highs(players)
    views = []
    for seat in range(players):
        for dtype in DTYPES:
            vector = observe(state, seat, dtype)
            assert vector.dtype == dtype
            assert (vector >= 0).all() and (vector <= (highs if dtype is np.uint8 else 1)).all()
            assert decode_observation(vector, players, seat) == state
        views.append(vector.tobytes())
    assert len(set(views)) == players  # a seat can tell that it is not another one


@settings(max_examples=60)
@given(states())
def test_batch__is_written_bit_by_bit_as_a_single_state_and_nowhere_else(state):
    size, actions = observation_size(state.num_players), len(legal_mask(state))
    rows = np.concatenate([state.rows] * 3)
    for seat, dtype in product(range(state.num_players), DTYPES):
        players = np.full(3, seat)
        masks = np.ones((3, actions), np.bool_)
        observations = np.full((3, size), 99, dtype)
        publish(rows, players, masks, observations.view(np.uint8), 1, 2)
        assert observations[1].tobytes() == observe(state, seat, dtype).tobytes()
        assert masks[1].tobytes() == legal_mask(state).tobytes()
        assert (observations[::2] == 99).all()
        assert masks[::2].all()


def plain_observation(state: GameState, seat: int) -> list[int]:
    """The integers of an observation, spelled out from the position as data."""
    place, players = to_dict(state), state.num_players
    numbers: list[int] = []
    for turn in range(players):
        player = place["players"][(seat + turn) % players]
        numbers += [cell for row in player["wall"] for cell in row]
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
    for key in ("current_player", "starting_player_next_round"):
        numbers += [int((seat + turn) % players == place[key]) for turn in range(players)]
    reasons = ("row", "no_tiles", "max_rounds", "resignation")
    return numbers + [int(place["end_reason"] == reason) for reason in reasons]


@settings(max_examples=60)
@given(states())
def test_observe__equals_the_position_spelled_out_number_by_number(state):
    scales = (1 / observation_highs(state.num_players).astype(np.float64)).astype(np.float32)
    for seat in range(state.num_players):
        integers = np.array(plain_observation(state, seat), np.uint8)
        assert observe(state, seat, np.uint8).tobytes() == integers.tobytes()
        assert observe(state, seat, np.float32).tobytes() == (integers * scales).tobytes()


@pytest.mark.parametrize("num_players", PLAYERS)
def test_decoding__holds_in_every_state_of_long_games(num_players):
    start = new_game(num_players, rng=1, max_rounds=12)
    for turn, state in enumerate(random_game(start, seed=1, floor_share=0.8)):
        seat = turn % (num_players + 1) % num_players  # not always the one to move
        assert decode_observation(observe(state, seat), num_players, seat) == state
    assert state.is_terminal


def test_decoding__without_a_seat_puts_the_observer_first():
    state = table()
    seen = decode_observation(observe(state, 1), 3)
    assert seen.players == (*state.players[1:], state.players[0])
    assert (seen.current_player, seen.starting_player_next_round) == (2, 0)
    assert seen.factories == state.factories


@pytest.mark.parametrize("score", [0, 1, 126, 127, 128, 129, 254, 255, 256, 383, 9_999])
def test_decoding__knows_scores_of_any_size(score):
    place = to_dict(new_game(2, rng=1))
    place["players"][1]["score"] = score
    for dtype in DTYPES:
        assert decode_observation(observe(from_dict(place), 0, dtype), 2).scores == (0, score)


@pytest.mark.parametrize(("rounds", "cap"), [(0, 1), (127, 128), (128, 255), (9_998, 9_999)])
def test_decoding__knows_rounds_of_any_number(rounds, cap):
    place = to_dict(new_game(2, rng=1)) | {"round": rounds, "max_rounds": cap}
    for dtype in DTYPES:
        seen = decode_observation(observe(from_dict(place), 1, dtype), 2, 1)
        assert (seen.round, seen.max_rounds) == (rounds, cap)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_layout__covers_the_vector_without_gap_or_overlap(num_players):
    parts = observation_layout(num_players)
    place = 0
    for part in parts:
        assert part.start == place
        assert part.stop - part.start == np.prod(part.shape) > 0
        assert part.meaning
        place = part.stop
    names = [part.name for part in parts]
    assert len(set(names)) == len(names)
    state = new_game(num_players, rng=1)
    assert len(observation_highs(num_players)) == place
    assert observation_size(num_players) == len(observe(state)) == place


def test_layout__has_the_documented_parts():
    whose = ("own", "next_1")
    boards = [
        f"{who}_{name}"
        for who in whose
        for name in ("wall", *(f"line_{line}" for line in range(5)), "floor", "score", "resigned")
    ]
    table_parts = ["factories", "center", "marker_in_center", "bag", "lid", "round", "max_rounds"]
    turn_parts = ["to_move", "starts_next_round", "end_reason"]
    assert [part.name for part in observation_layout(2)] == boards + table_parts + turn_parts


@pytest.mark.parametrize("num_players", PLAYERS)
def test_values__of_both_forms_differ_by_the_highs_alone(num_players):
    highs = observation_highs(num_players)
    for state in random_game(new_game(num_players, rng=2), seed=2):
        integers, floats = observe(state, 0, np.uint8), observe(state, 0)
        assert np.allclose(floats, integers / highs, rtol=1e-6)
        assert floats.max() <= 1


def named(state: GameState, seat: int) -> dict[str, list]:
    """The parts of the uint8 observation, by name."""
    vector = observe(state, seat, np.uint8)
    return {
        part.name: vector[part.start : part.stop].reshape(part.shape).tolist()
        for part in observation_layout(state.num_players)
    }


def test_slices__of_the_boards_are_own_first_and_then_in_turn_order():
    for seat in range(3):
        parts = named(table(), seat)
        whose = {seat: "own", (seat + 1) % 3: "next_1", (seat + 2) % 3: "next_2"}
        one, two, three = (whose[number] for number in range(3))
        assert parts[f"{one}_wall"] == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], *[[0] * 5] * 3]
        assert parts[f"{one}_line_0"] == [1, 0, 0, 0, 0]
        assert parts[f"{one}_line_1"] == [0, 2, 0, 0, 0]
        assert parts[f"{one}_line_2"] == [0, 0, 2, 0, 0]
        assert parts[f"{one}_line_3"] == [0, 0, 0, 2, 0]
        assert parts[f"{one}_line_4"] == [0] * 5
        assert parts[f"{one}_floor"] == [0] * 7
        assert parts[f"{one}_score"] == [7, 0, 0]
        assert parts[f"{two}_wall"] == [[0] * 5] * 5
        assert parts[f"{two}_floor"] == [6, 3, 4, 0, 0, 0, 0]  # marker, red, black
        assert parts[f"{two}_score"] == [127, 0, 3]
        assert parts[f"{two}_resigned"] == [0]
        assert parts[f"{three}_wall"][1] == [0, 0, 1, 0, 0]
        assert parts[f"{three}_wall"][3] == [0, 1, 0, 0, 0]
        assert parts[f"{three}_line_1"] == [1, 0, 0, 0, 0]
        assert parts[f"{three}_line_4"] == [0, 0, 0, 0, 5]
        assert parts[f"{three}_floor"] == [1] * 7
        assert parts[f"{three}_resigned"] == [1]


def test_slices__of_the_table_are_the_same_from_every_seat():
    for seat in range(3):
        parts = named(table(), seat)
        assert parts["factories"][0] == [2, 1, 1, 0, 0]
        assert parts["factories"][2] == [0, 0, 0, 4, 0]
        assert parts["factories"][6] == [0, 1, 3, 0, 0]
        assert parts["center"] == [2, 0, 0, 1, 1]
        assert parts["marker_in_center"] == [0]
        assert parts["bag"] == [3, 9, 8, 7, 6]
        assert parts["lid"] == list(table().lid)
        assert parts["round"] == [0, 3]
        assert parts["max_rounds"] == [0, 50]
        assert parts["end_reason"] == [0] * 4


def test_slices__of_the_turn_count_from_the_own_seat():
    seen = [named(table(), seat) for seat in range(3)]
    assert [parts["to_move"] for parts in seen] == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert [parts["starts_next_round"] for parts in seen] == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_slices__show_the_end_of_the_game():
    *_, state = random_game(new_game(2, rng=1, max_rounds=1), seed=1)
    assert named(state, 0)["end_reason"] == [0, 0, 1, 0]
    *_, state = random_game(new_game(2, rng=1), seed=1)
    assert named(state, 0)["end_reason"] == [1, 0, 0, 0]


def test_observe__is_that_of_the_player_to_move_if_none_is_named():
    state = table()
    assert np.array_equal(observe(state), observe(state, 0))
    for seat in (1, 2):
        other = position(TABLE.replace("turn 0", f"turn {seat}").replace(" resigned 0", ""))
        assert np.array_equal(observe(other), observe(other, seat))
        assert not np.array_equal(observe(other), observe(other, 0))


def test_observe__changes_nothing_and_gives_a_new_array_each_time():
    state = table()
    before, mask = state.rows.tobytes(), legal_mask(state)
    for dtype in DTYPES:
        vector = observe(state, 0, dtype)
        kept = vector.copy()
        observe(state, 1, dtype)[:] = 1
        assert np.array_equal(vector, kept)
    assert state.rows.tobytes() == before
    assert np.array_equal(legal_mask(state), mask)


@pytest.mark.parametrize("seat", [-1, 3, 100])
def test_observe__of_a_seat_that_is_not_there_is_an_error(seat):
    with pytest.raises(ValueError, match=f"player={seat}"):
        observe(table(), seat)


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.bool_, int])
def test_observe__in_another_form_is_an_error(dtype):
    with pytest.raises(ValueError, match="float32 or uint8"):
        observe(table(), 0, dtype)


@pytest.mark.parametrize("dtype", ["uint8", np.dtype("uint8"), "u1", "float32", "f4"])
def test_observe__takes_whatever_numpy_takes_for_a_dtype(dtype):
    expected = observe(table(), 0, np.dtype(dtype).type)
    assert observe(table(), 0, dtype).dtype == np.dtype(dtype) == expected.dtype
    assert np.array_equal(observe(table(), 0, dtype), expected)


def test_decoding__of_a_wrong_shape_is_an_error():
    vector = observe(table(), 0)
    for wrong in (vector[:-1], np.append(vector, 0), vector.reshape(1, -1), vector[:0]):
        with pytest.raises(ValueError, match="shape"):
            decode_observation(wrong, 3)
    for num_players in (2, 4):
        with pytest.raises(ValueError, match="shape"):
            decode_observation(vector, num_players)


def test_decoding__of_an_impossible_observation_is_an_error():
    vector = observe(table(), 0, np.uint8)
    bag = next(part for part in observation_layout(3) if part.name == "bag")
    vector[bag.start] += 1
    with pytest.raises(ValueError, match="TILE_TOTAL"):
        decode_observation(vector, 3)
    with pytest.raises(ValueError, match="impossible"):
        decode_observation(np.ones_like(vector), 3)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("own_wall", [2]),  # above its high
        ("own_line_1", [1, 2]),  # two colors in a line
        ("own_floor", [7]),
        ("next_1_score", [100, 0, 3]),  # points beyond the knee before it is reached
        ("to_move", [1, 1, 0]),
        ("to_move", [0, 0, 0]),
        ("starts_next_round", [1, 0, 1]),
        ("end_reason", [1, 1, 0, 0]),
    ],
)
def test_decoding__of_numbers_that_no_position_has_is_an_error(name, numbers):
    part = next(part for part in observation_layout(3) if part.name == name)
    for dtype in DTYPES:
        vector = observe(table(), 0, dtype)
        highs = observation_highs(3) if dtype is np.float32 else np.ones_like(vector)
        wrong = slice(part.start, part.start + len(numbers))
        vector[wrong] = np.array(numbers) / highs[wrong]
        with pytest.raises(InvalidPositionError, match="impossible"):
            decode_observation(vector, 3)


def test_decoding__of_what_is_no_number_is_an_error():
    vector = observe(table(), 0)
    for wrong in (np.nan, np.inf, -1.0):
        vector[0] = wrong
        with pytest.raises(InvalidPositionError, match="own_wall"):
            decode_observation(vector, 3)


def test_encoding__of_another_wall_is_a_matter_of_other_words():
    rows_of_wall = [
        field(f"wall_row_{row}", 1, adjacent(5, bits=1, first=5 * row), "by column")
        for row in reversed(range(5))
    ]
    encodings = [encoding(players, (word(WALLS, *rows_of_wall),)) for players in (2, 3, 4)]
    assert [part.name for part in encodings[1].layout()][:6] == [
        *(f"own_wall_row_{row}" for row in reversed(range(5))),
        "own_line_0",
    ]
    write = compose_writer(encodings)
    usual, other = observe(table(), 1, np.uint8), np.empty(observation_size(3), np.uint8)
    write(table().rows[0], 1, other)
    boards = slice(0, 3 * 61)
    assert np.array_equal(other[boards.stop :], usual[boards.stop :])
    for board, expected in zip(
        other[boards].reshape(3, 61), usual[boards].reshape(3, 61), strict=True
    ):
        assert np.array_equal(board[:25].reshape(5, 5), expected[:25].reshape(5, 5)[::-1])
        assert np.array_equal(board[25:], expected[25:])


def test_size__is_one_for_each_number_of_players():
    sizes = [observation_size(num_players) for num_players in PLAYERS]
    boards = [61 * num_players + 5 * num_factories(num_players) for num_players in PLAYERS]
    assert [size - board for size, board in zip(sizes, boards, strict=True)] == [
        5 + 1 + 5 + 5 + 2 + 2 + 2 * num_players + 4 for num_players in PLAYERS
    ]
