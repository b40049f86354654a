"""Networks at the leaves: their features, the compiled forward pass, the caches and the files."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents.network_features import (
    board_and_points,
    offer_features,
    random_layers,
    table_features,
)
from agents.plain_search import after, value_of
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.network.evaluator import almost_tanh, new_evaluator, note_gains
from azul_agents.search.network.features import (
    MAX_LISTED,
    NUM_BOARD_FEATURES,
    NUM_ROUNDS,
    TABLE_LISTED,
    write_features,
)
from azul_agents.search.network.layers import NUM_WEIGHTS, OFFERS, flat, unflattened, with_offers
from azul_agents.search.network.offers import NUM_OFFER_FEATURES, offers_listed, write_offers
from azul_agents.search.network.weights_file import (
    network_evaluator,
    read_networks,
    shipped_networks,
    write_networks,
)
from azul_env import GameState, apply_action, legal_actions, legal_mask, new_game

INNER, ENDS = random_layers(1, sees_offers=True), random_layers(2)
WEIGHTS = flat(INNER, ENDS)
WITHOUT_OFFERS = flat({name: INNER[name] for name in ENDS}, ENDS)


def walk(num_players: int, seed: int) -> Iterator[GameState]:
    """The positions of a random game, and every afterstate that ends a round."""
    rng = np.random.default_rng(seed)
    state = new_game(num_players, rng=rng)
    while not state.is_terminal:
        yield state
        actions = legal_actions(state)
        action = actions[rng.integers(len(actions))]
        following, is_over = after(state, action)
        if is_over and not following.is_terminal:
            yield following
        state = apply_action(state, action, rng=rng).state


def features_of(state: GameState) -> tuple[list[list[int]], list[int], list[int]]:
    """Boards, table and points as the kernel writes them."""
    players = state.num_players
    boards = np.zeros((1, players, MAX_LISTED), np.int64)
    table, points = np.zeros((1, TABLE_LISTED), np.int64), np.zeros((1, players), np.int64)
    write_features(state.rows, boards, table, points, np.zeros(MAX_LISTED, np.int64))
    listed = [sorted(n for n in board if n != NUM_BOARD_FEATURES) for board in boards[0].tolist()]
    return listed, sorted(table[0].tolist()), points[0].tolist()


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_features__equal_a_slow_computation(num_players: int) -> None:
    compared = 0
    for state in walk(num_players, seed=num_players):
        boards, table, points = features_of(state)
        assert table == table_features(state)
        for seat in range(num_players):
            assert (boards[seat], points[seat]) == board_and_points(state, seat)
        compared += 1
    assert compared > 40


def offers_of(state: GameState) -> list[list[int]]:
    """The features of the offers as the kernel writes them, by seat that sees them."""
    players = state.num_players
    offers = np.full((1, players, offers_listed(players)), NUM_OFFER_FEATURES)
    write_offers(state.rows, offers, np.zeros(offers.shape[2], np.int64))
    return [sorted(listed) for listed in offers[0].tolist()]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_offers__equal_a_slow_computation(num_players: int) -> None:
    compared = set()
    for seed in range(3):
        for state in walk(num_players, seed=20 + seed):
            if state.awaits_deal:
                continue
            found = offers_of(state)
            assert found == [offer_features(state, seat) for seat in range(num_players)]
            compared.update(*found)
    assert len(compared) > 100


def test_offers__between_rounds_are_not_listed() -> None:
    (state, *_) = (state for state in walk(2, seed=3) if state.awaits_deal)
    assert {number for listed in offers_of(state) for number in listed} == {NUM_OFFER_FEATURES}


def plain_value(state: GameState, seat: int, win_weight: float, sees_offers: bool = True) -> float:
    """The value to the seat that sees a position, layer by layer."""
    layers = ENDS if state.awaits_deal else INNER
    boards, table, points = features_of(state)
    number, players = min(state.round, NUM_ROUNDS - 1), state.num_players
    hidden = layers["hidden_bias"][number] + layers["table"][table].sum(axis=0)
    if sees_offers and not state.awaits_deal:
        hidden = hidden + layers[OFFERS][offers_of(state)[seat]].sum(axis=0)
    for other, listed in enumerate(boards):
        board = layers["board_bias"][number] + layers["board"][listed].sum(axis=0)
        matrix = layers["own" if other == seat else "other"][number]
        hidden = hidden + np.maximum(board, 0) @ matrix
    others = [points[other] for other in range(players) if other != seat]
    over_mean, over_best = points[seat] - np.mean(others), points[seat] - max(others)
    hidden = hidden + 0.1 * np.array([over_mean, over_best]) @ layers["scores"][number]
    margin, wide, shift = (
        layers["output"][number] @ np.maximum(hidden, 0) + layers["output_bias"][number]
    )
    margin += over_mean
    logit = margin / (1 + wide + np.sqrt(1 + wide * wide)) + shift
    chance = 0.5 + 0.5 * almost_tanh(0.5 * logit)
    return float(margin + win_weight * (players * chance - 1) / (players - 1))


@pytest.mark.parametrize(("num_players", "win_weight"), [(2, 0.0), (2, 40.0), (3, 40.0), (4, 0.0)])
def test_value__equals_a_plain_forward_pass(num_players: int, win_weight: float) -> None:
    evaluator = new_evaluator(WEIGHTS, win_weight=win_weight)
    for state in walk(num_players, seed=10 + num_players):
        for seat in range(num_players):
            found = value_of(state, seat, evaluator)
            if num_players == 2 and seat != state.current_player:
                assert found == -value_of(state, 1 - seat, evaluator)
            else:
                assert found == pytest.approx(plain_value(state, seat, win_weight), abs=1e-3)


@pytest.mark.parametrize("num_players", [2, 4])
def test_value__without_offers_is_that_of_the_other_layers(num_players: int) -> None:
    padded, short = new_evaluator(WITHOUT_OFFERS), new_evaluator(WITHOUT_OFFERS)
    assert len(padded.weights) < len(WITHOUT_OFFERS) == NUM_WEIGHTS
    for state in walk(num_players, seed=30 + num_players):
        seat = state.current_player
        found = value_of(state, seat, padded)
        expected = plain_value(state, seat, 0.0, sees_offers=False)
        assert found == value_of(state, seat, short) == pytest.approx(expected, abs=1e-3)


def test_flat_weights__hold_all_layers() -> None:
    inner, ends = unflattened(WEIGHTS)
    assert flat(inner, ends).tolist() == WEIGHTS.tolist()
    assert inner[OFFERS].tolist() == INNER[OFFERS].tolist() and OFFERS not in ends
    assert not unflattened(WITHOUT_OFFERS)[0][OFFERS].any()
    assert (
        with_offers(WITHOUT_OFFERS[: len(WITHOUT_OFFERS) - INNER[OFFERS].size]) == WITHOUT_OFFERS
    ).all()


def test_value__is_the_same_from_a_full_cache_and_from_an_empty_one() -> None:
    used = new_evaluator(WEIGHTS)
    states = [state for seed in range(3) for state in walk(2, seed)]
    for state in states:
        value_of(state, 0, used)
    for state in states[::7]:
        assert value_of(state, 0, used) == value_of(state, 0, new_evaluator(WEIGHTS))


def test_value__is_the_same_after_gains_were_noted() -> None:
    """They change the lines of rows, whose legal moves then do not fit, and leave such boards in the cache."""
    used = new_evaluator(WEIGHTS)
    for state in list(walk(2, seed=40))[::3]:
        if state.awaits_deal:
            continue
        note_gains(used, state.rows[0])
        for action in legal_actions(state):
            following, _ = after(state, action)
            assert value_of(following, 0, used) == value_of(following, 0, new_evaluator(WEIGHTS))


def test_almost_tanh__grows_and_is_close() -> None:
    numbers = np.linspace(-6, 6, 601)
    found = np.array([almost_tanh(number) for number in numbers.tolist()])
    assert (np.diff(found) >= 0).all() and np.abs(found - np.tanh(numbers)).max() < 0.025


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "networks.npz"
    write_networks(path, INNER, ENDS, {"made_by": "a test"})
    return path


def test_file__holds_what_was_written(file: Path) -> None:
    assert (read_networks(file) == WEIGHTS).all()
    assert "a test" in file.with_suffix(".json").read_text()


def test_file_without_offers__holds_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "networks.npz"
    write_networks(path, {name: INNER[name] for name in ENDS}, ENDS, {})
    with np.load(path) as arrays:
        assert "inner.offers" not in arrays
    assert (read_networks(path) == WITHOUT_OFFERS).all()


def test_damaged_file__is_refused_in_one_line(file: Path) -> None:
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", whole[:400] + bytes(400) + whole[800:]):
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match="is broken") as raised:
            read_networks(file)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "array"),
    [("ends.table", np.zeros((3, 16), np.float32)), ("ends.output", ENDS["output"] * np.nan)],
)
def test_file_with_other_shapes_or_numbers__is_refused(
    name: str, array: object, tmp_path: Path
) -> None:
    path = tmp_path / "networks.npz"
    write_networks(path, INNER, ENDS, {})
    with np.load(path) as arrays:
        changed = dict(arrays) | {name: array}
    np.savez(path, **changed)
    with pytest.raises(ValueError, match="is broken"):
        read_networks(path)


def test_networks_that_are_not_finite__are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "networks.npz"
    diverged = ENDS | {"output": ENDS["output"] * np.nan}
    with pytest.raises(ValueError, match=r"the training diverged: ends\.output"):
        write_networks(path, INNER, diverged, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("num_players", [2, 3])
def test_search_with_networks__plays_legal_moves_and_the_same_again(num_players: int) -> None:
    def new_agent() -> AlphaBetaAgent:
        options = AlphaBetaOptions(nodes=300)
        return AlphaBetaAgent(options=options, new_evaluator=lambda _: new_evaluator(WEIGHTS))

    agent, other = new_agent(), new_agent()
    for state in list(walk(num_players, seed=5))[::6]:
        if state.awaits_deal:
            continue
        mask = legal_mask(state)
        chosen = [one.act(state, mask, np.random.default_rng(0)) for one in (agent, agent, other)]
        assert mask[chosen[0]] and len(set(chosen)) == 1


def test_shipped_networks__are_used_by_default() -> None:
    assert shipped_networks(2) is not None
    agent = AlphaBetaAgent(options=AlphaBetaOptions(nodes=100))
    linear = AlphaBetaAgent(options=AlphaBetaOptions(nodes=100, evaluation="linear"))
    assert type(agent._evaluator(2)) is type(network_evaluator(2))
    assert type(linear._evaluator(2)) is not type(network_evaluator(2))


def test_shipped_networks_that_see_offers__are_used_on_request() -> None:
    (plain, sighted) = (
        AlphaBetaAgent(options=AlphaBetaOptions(nodes=100, evaluation=name))._evaluator(2)
        for name in ("network", "offers")
    )
    assert len(plain.weights) < len(sighted.weights) == NUM_WEIGHTS
