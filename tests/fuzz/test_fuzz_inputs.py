"""Positions, moves, deals and generators that are broken in every way: refused with a documented error, or sound."""

from functools import partial
from numbers import Integral

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import azul_env
from azul_env import (
    GameState,
    IllegalActionError,
    IllegalReason,
    InvalidPositionError,
    NotationError,
    Problem,
    ProblemReason,
    apply_action,
    decode_action,
    encode_action,
    format_action,
    format_state,
    from_dict,
    illegal_reason,
    legal_mask,
    new_game,
    parse_action,
    parse_state,
    problems,
    resign,
    to_dict,
)
from fuzz.mutations import (
    EDITS,
    ODD,
    Edit,
    edited,
    edits,
    impossibilities,
    odd_names,
    refusal,
    shuffled_tiles,
    sound_positions,
)
from positions import before_last_move, tiles_by_color

ALPHABET = "azulp roundtsyvemxi/|BYRKW*-.:0123456789CF\u0660\u00df\ud800\n"
PLAYERS = st.integers(2, 4)
some_position = st.integers(0, len(sound_positions()) - 1).map(lambda i: sound_positions()[i])


def plain(data: object) -> object:
    """Data with its types told apart: a bool is no number, a float is none, a tuple counts as a list."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    if isinstance(data, Integral) and not isinstance(data, bool):
        return int(data)
    return type(data).__name__, data if data is None or isinstance(data, bool) else str(data)


def assert_sound(state: GameState) -> None:
    """An accepted position is possible, leads back to itself and can be played on."""
    assert problems(state) == []
    assert impossibilities(state) == []
    assert tiles_by_color(state) == [20] * 5
    assert from_dict(to_dict(state)) == state == parse_state(format_state(state))
    rng = np.random.default_rng(0)
    for _ in range(8):
        if state.is_terminal:
            return
        action = int(rng.choice(np.flatnonzero(legal_mask(state))))
        state = apply_action(state, action, rng=rng).state
    assert problems(state) == []


def check_position(position: object) -> None:
    """`problems` answers, `from_dict` agrees with it, and what is accepted is what was given."""
    found = problems(position)
    assert all(type(one) is Problem and isinstance(one.reason, ProblemReason) for one in found)
    assert all(one.where and one.detail for one in found)
    error = refusal(from_dict, position)
    assert (error is None) == (found == [])
    if error is None:
        state = from_dict(position)
        assert plain(to_dict(state)) == plain(position)
        assert_sound(state)
    else:
        assert isinstance(error, InvalidPositionError) and list(error.problems) == found


@settings(max_examples=250)
@given(some_position, edits)
@example(sound_positions()[1], [Edit(6, "replace", "5001 digits")])
@example(sound_positions()[1], [Edit(6, "replace", "deep list")])
def test_edited_positions__are_refused_with_reasons_or_sound(state: GameState, changes: list[Edit]):
    check_position(edited(to_dict(state), changes))


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_value__is_refused_or_sound_wherever_it_stands(name):
    position = to_dict(sound_positions()[1])
    for place in range(0, 400, 11):
        check_position(edited(position, [Edit(place, "replace", name)]))
    check_position(ODD[name]())


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
def test_numpy_numbers__count_like_plain_ones(kind):
    def cast(data):
        if isinstance(data, dict):
            return {key: cast(value) for key, value in data.items()}
        if isinstance(data, list):
            return [cast(value) for value in data]
        return kind(data) if type(data) is int else data

    for state in sound_positions():
        assert from_dict(cast(to_dict(state))) == state


def test_numpy_numbers__do_not_wrap_around_in_tile_totals():
    position = to_dict(new_game(2, rng=0))
    blue = position["bag"][0]
    position["bag"][0], position["discard"][0] = np.uint8(246), np.uint8((blue - 246) % 256)
    with np.errstate(over="ignore"):
        assert [problem.reason for problem in problems(position)] == ["TILE_TOTAL"]


facts = st.fixed_dictionaries(
    {},
    optional={
        "current_player": st.integers(0, 3),
        "starting_player_next_round": st.integers(0, 3),
        "phase": st.sampled_from(["factory_offer", "game_over"]),
        "round": st.integers(0, 60),
        "max_rounds": st.integers(1, 60),
        "end_reason": st.sampled_from([None, "row", "no_tiles", "max_rounds", "resignation"]),
        "center_has_marker": st.booleans(),
    },
)
moves = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 99), st.integers(0, 99)), max_size=4)
markers = st.lists(st.integers(0, 3), max_size=1)
quitters = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, 0, 1, 2])), max_size=2)


@settings(max_examples=300)
@given(some_position, moves, facts, markers, quitters)
def test_rearranged_positions__are_accepted_only_if_possible(
    state, tiles, facts, markers, quitters
):
    position = shuffled_tiles(to_dict(state), tiles) | facts
    for seat in markers:
        position["players"][seat % state.num_players]["floor"].append("marker")
    for seat, order in quitters:
        position["players"][seat % state.num_players]["resigned"] = order
    check_position(position)


@settings(max_examples=200)
@given(some_position, st.integers(0, 44), st.integers(-(2**63), 2**63 - 1) | st.integers(0, 20))
def test_broken_rows__are_named_by_problems(state: GameState, word: int, value: int):
    broken = GameState(state.rows.copy())
    broken.rows.view(np.int64)[word] = value
    found = problems(broken)
    assert all(isinstance(one.reason, ProblemReason) and one.detail for one in found)
    error = refusal(GameState, broken.rows)
    assert (error is None) == (found == [])
    if error is None:
        assert_sound(broken)
    else:
        assert isinstance(error, InvalidPositionError) and list(error.problems) == found


@settings(max_examples=100)
@given(st.text(max_size=80) | st.text(ALPHABET, max_size=200) | st.binary(max_size=80))
def test_random_texts__are_no_positions_and_no_moves(text):
    expected = NotationError if isinstance(text, str) else TypeError
    assert type(refusal(parse_state, text)) is expected
    for num_players in (2, 3, 4):
        error = refusal(parse_action, text, num_players)
        if error is None:
            action = parse_action(text, num_players)
            assert format_action(action, num_players) == text.strip().upper()
        else:
            assert type(error) is expected


@settings(max_examples=200)
@given(some_position, st.data())
def test_mistyped_positions__are_refused_or_sound(state: GameState, data: st.DataObject):
    text = format_state(state)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        letter = data.draw(st.sampled_from(["", *ALPHABET]))
        width = data.draw(st.integers(0, 2))
        text = text[:place] + letter + text[place + width :]
    check_text(text)


@settings(max_examples=200)
@given(some_position, st.data())
def test_positions_with_words_exchanged__are_refused_or_sound(state: GameState, data):
    words = format_state(state).split(" ")
    for _ in range(data.draw(st.integers(1, 2))):
        one, other = (data.draw(st.integers(0, len(words) - 1)) for _ in range(2))
        words[one], words[other] = words[other], words[one]
    check_text(" ".join(words))


def check_text(text: str) -> None:
    error = refusal(parse_state, text)
    assert error is None or isinstance(error, NotationError | InvalidPositionError)
    if error is None:
        assert_sound(parse_state(text))


@settings(max_examples=150)
@given(PLAYERS, st.one_of(odd_names, st.lists(odd_names, max_size=4), st.integers(-400, 400)))
@example(2, "5001 digits")
@example(2, ["5001 digits", "zero", "zero"])
def test_odd_actions__are_refused_everywhere_or_legal_everywhere(num_players, odd):
    state = new_game(num_players, rng=3)
    before = state.rows.tobytes()
    if isinstance(odd, int):
        action = odd
    else:
        action = ODD[odd]() if isinstance(odd, str) else tuple(ODD[name]() for name in odd)
    refused = refusal(apply_action, state, action)
    answers = []
    error = refusal(lambda: answers.append(illegal_reason(state, action)))
    if refused is None:
        assert answers == [None]
    elif isinstance(refused, IllegalActionError):
        assert answers == [refused.reason] and refused.state == state
    else:
        assert isinstance(refused, TypeError) and isinstance(error, TypeError)
    assert state.rows.tobytes() == before
    for call in (encode_action, decode_action, format_action):
        error = refusal(call, action, num_players, allow=(ValueError,))
        exists = answers not in ([], [IllegalReason.OUT_OF_RANGE])
        assert error is not None or exists, call.__name__


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_player__is_refused_or_a_seat(name):
    state = new_game(2, rng=3)
    for call in (lambda seat: resign(state, seat), lambda seat: illegal_reason(state, 0, seat)):
        if refusal(call, ODD[name]()) is None:
            outcome = call(ODD[name]())
            is_seat = ODD[name]() in (0, 1)
            assert is_seat or outcome in (IllegalReason.OUT_OF_RANGE, illegal_reason(state, 0))


@settings(max_examples=200)
@given(st.booleans(), edits)
@example(True, [Edit(0, "replace", "5001 digits")])
@example(True, [Edit(0, "replace", "deep list")])
@example(True, [Edit(2, "replace", "true")])
@example(True, [Edit(place, "replace", "bytes") for place in range(5)])
def test_odd_deals__are_refused_or_dealt(is_first: bool, changes: list[Edit]):
    deal = edited([[0, 1, 1, 1, 1]] * 4 + [[4, 0, 0, 0, 0]], changes)
    state = before_last_move("5 //// -")  # action 28 is 0W4
    calls = {
        True: lambda: new_game(2, deal=deal),
        False: lambda: apply_action(state, 28, deal=deal).state,
    }
    if refusal(calls[is_first]) is None:
        dealt = calls[is_first]()
        assert_sound(dealt)
        assert plain(dealt.factories) == plain(deal)


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_deal_or_generator__is_refused_or_used(name):
    state = before_last_move("5 //// -")  # action 28 is 0W4
    calls = [
        lambda: new_game(2, rng=ODD[name]()),
        lambda: new_game(2, deal=ODD[name]()),
        lambda: apply_action(state, 28, rng=ODD[name]()).state,
        lambda: apply_action(state, 28, deal=ODD[name]()).state,
    ]
    for call in calls:
        if refusal(call, allow=(ValueError,)) is None:
            assert_sound(call())


@pytest.mark.parametrize("name", sorted(set(ODD) - {"true", "false", "np.uint8", "np.bool"}))
def test_odd_setup__is_refused_or_played(name):  # small NumPy numbers: see the test below
    for argument in ("num_players", "starting_player", "max_rounds"):
        setup = partial(new_game, rng=0, **{argument: ODD[name]()})
        if refusal(setup, allow=(ValueError,)) is None:
            assert_sound(setup())


def test_numpy_numbers__reach_the_kernels_as_plain_ones(monkeypatch):  # or a kernel compiles again
    seen = []
    original = azul_env.rules.start_one
    monkeypatch.setattr(
        "azul_env.rules.start_one",
        lambda rows, *numbers: (seen.extend(numbers), original(rows, *map(int, numbers))),
    )
    new_game(np.uint8(2), np.int8(1), rng=0, max_rounds=np.int16(3))
    assert [type(number) for number in seen] == [int, int, int]


def test_number_of_players__is_checked_by_the_functions_of_actions():
    accepted = []
    for num_players in (-1, 0, 1, 5, 9):
        calls = {
            "encode_action": lambda n=num_players: encode_action((0, 0, 0), n),
            "decode_action": lambda n=num_players: decode_action(0, n),
            "format_action": lambda n=num_players: format_action(0, n),
            "parse_action": lambda n=num_players: parse_action("0B0", n),
        }
        accepted += [
            (name, num_players)
            for name, call in calls.items()
            if refusal(call, allow=(ValueError,)) is None
        ]
    assert accepted == []


STATE_FUNCTIONS = ["legal_mask", "legal_actions", "to_dict", "format_state", "ranking", "winners"]


@pytest.mark.parametrize("name", [*STATE_FUNCTIONS, "apply_action", "illegal_reason", "resign"])
def test_wrong_type_of_state__is_a_type_error(name):
    function = getattr(azul_env, name)
    rest = () if name in STATE_FUNCTIONS else (0,)
    for wrong in (None, 7, "azul", to_dict(new_game(2, rng=0)), new_game(2, rng=0).rows):
        with pytest.raises(TypeError, match=r"."):
            function(wrong, *rest)


def test_edits__lead_to_both_fates():
    """They are of use only if some make a position impossible and some do not."""
    position = to_dict(sound_positions()[1])
    fates = [
        problems(edited(position, [Edit(place, how, "zero")])) == []
        for how in EDITS
        for place in range(0, 200, 3)
    ]
    assert 50 < sum(fates) < len(fates) - 50
