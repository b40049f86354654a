"""Win chances: they add up, grow with the margin, do not depend on seats, and are learned from games."""

from itertools import product

import numpy as np
import pytest

from azul_agents import make_agent, play_game, win_chances
from azul_agents.analysis.calibration import (
    KNOTS,
    Sample,
    brier_score,
    fitted,
    predicted,
    reliability,
    samples_of,
    standard_error,
)
from azul_agents.analysis.win_chance import ChanceModel, SeatChances, load_model, progress
from azul_env import (
    GameState,
    afterstate,
    apply_action,
    format_state,
    legal_mask,
    new_game,
    parse_state,
    resign,
)

GAMES = pytest.mark.parametrize(
    ("num_players", "variant"), list(product((2, 3, 4), ("colored", "gray")))
)


def later(num_players: int, moves: int, variant: str = "colored") -> GameState:
    rng = np.random.default_rng(num_players)
    state = new_game(num_players, rng=rng, variant=variant)
    for _ in range(moves):
        state = apply_action(state, rng.choice(np.flatnonzero(legal_mask(state))), rng).state
    return state


def rotated(state: GameState) -> GameState:
    """The same game with everybody one seat further on."""
    text, count = format_state(state), state.num_players
    head, *parts = text.split(" | ")
    words = head.split()
    for name in ("turn", "start"):
        place = words.index(name) + 1
        words[place] = str((int(words[place]) + 1) % count)
    boards = parts[-count:]
    parts[-count:] = [boards[-1], *boards[:-1]]
    return parse_state(" | ".join([" ".join(words), *parts]))


@GAMES
@pytest.mark.parametrize("moves", [0, 17, 31])
def test_chances__add_up_and_grow_with_the_margin(num_players, variant, moves):
    state = later(num_players, moves, variant)
    player = state.current_player
    chances = [win_chances(state, value) for value in (-300.0, -20.0, 0.0, 1.0, 20.0, 300.0)]
    assert all(sum(seats) == pytest.approx(1) and min(seats) >= 0 for seats in chances)
    own = [seats[player] for seats in chances]
    assert own == sorted(own) and own[0] < 0.01 and own[-1] > 0.99
    assert own[2] < own[3]


@GAMES
def test_chances__move_with_the_seats(num_players, variant):
    state = later(num_players, 15, variant)
    for value in (-12.0, 3.0):
        expected = win_chances(state, value)
        assert win_chances(rotated(state), value) == pytest.approx([expected[-1], *expected[:-1]])


def test_point__decides_more_in_a_late_round():
    early, late = new_game(2, rng=0), later(2, 60)
    assert late.round >= 3
    gain = [SeatChances(s).by_seat(10.0)[s.current_player] for s in (early, late)]
    assert gain[0] < gain[1]


def test_gray_wall__has_chances_of_its_own():
    for num_players in (2, 3, 4):
        gray, colored = (load_model(num_players, variant) for variant in ("gray", "colored"))
        assert gray != colored
        state = new_game(num_players, rng=0, variant="gray")
        assert SeatChances(state).by_seat(8.0) == SeatChances(state, gray).by_seat(8.0)
        assert SeatChances(state).by_seat(8.0) != SeatChances(state, colored).by_seat(8.0)


def test_finished_game__has_its_result():
    state = resign(new_game(3, rng=0), 0).state
    assert win_chances(state, 5.0)[0] == 0 and sum(win_chances(state, 5.0)) == pytest.approx(1)
    over = resign(state, 1).state
    assert over.is_terminal and win_chances(over, 5.0) == (0, 0, 1)


def test_progress__grows_with_every_tile_and_round():
    state = new_game(2, rng=0)
    seen = []
    while state.round == 0:
        seen.append(progress(state))
        last = state
        state = apply_action(state, int(legal_mask(state).argmax()), rng=1).state
    assert seen[0] == 0 and seen == sorted(seen) and seen[-1] < 1
    assert progress(state) == 1 == progress(afterstate(last, int(legal_mask(last).argmax())))


@GAMES
def test_shipped_model__is_monotone_in_the_margin(num_players, variant):
    model = load_model(num_players, variant)
    assert model.knots == KNOTS and min(model.scale) > 0


def test_fit__finds_the_model_that_made_the_results():
    rng = np.random.default_rng(0)
    truth = ChanceModel((0.0, 4.0), (0.03, 0.12), (0.0, -0.4))
    samples = []
    for game in range(20_000):
        margin = float(rng.normal(0, 20))
        blank = Sample(game, float(rng.uniform(0, 4)), 0, (margin, -margin), None, (0.0, 0.0))
        won = float(rng.random() < predicted([blank], truth)[0, 0])
        samples.append(blank._replace(shares=(won, 1 - won)))
    model = fitted(samples, truth.knots)
    assert model.scale == pytest.approx(truth.scale, rel=0.15)
    assert model.bias == pytest.approx(truth.bias, abs=0.15)


def test_fit_to_games_that_leaders_lose__is_refused():
    samples = [Sample(g, 0.0, 0, (9.0, -9.0), None, (0.0, 1.0)) for g in range(50)]
    with pytest.raises(ValueError, match="more games"):
        fitted(samples, (0.0,))


def test_samples__are_positions_of_the_game_with_its_result():
    agents = [make_agent("greedy")] * 3
    rngs = [np.random.default_rng(0)] * 3
    played = play_game(agents, 5, rngs)
    judge = make_agent("alphabeta:nodes=300")
    samples = list(samples_of(played.record, 7, judge, np.random.default_rng(1), 5))
    assert len(samples) == 5 and {sample.game for sample in samples} == {7}
    winners = played.result.winners
    for sample in samples:
        assert [share > 0 for share in sample.shares] == [seat in winners for seat in range(3)]
        assert sum(sample.margins) == pytest.approx(0)


def test_brier_score_and_reliability__of_known_predictions():
    chances, shares = np.array([0.0, 0.25, 0.25, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])
    assert brier_score(chances, shares) == pytest.approx((0.25**2 + 0.75**2) / 4)
    bins = reliability(chances, shares, np.arange(4), num_bins=4)
    assert [(b.positions, b.predicted, b.observed) for b in bins] == [
        (1, 0.0, 0.0), (2, 0.25, 0.5), (1, 1.0, 1.0)
    ]  # fmt: skip


def test_standard_error__counts_games_and_not_positions():
    values = np.array([0.0, 1.0, 0.0, 1.0])
    apart, together = (
        standard_error(values, np.arange(4)),
        standard_error(values, np.array([0, 1, 0, 1])),
    )
    assert together == pytest.approx(apart * np.sqrt(2))
