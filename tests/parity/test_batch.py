"""Many games at once are the same games as one at a time; chance is fair."""

import numpy as np
import pytest

from azul_env import (
    GameBatch,
    GameState,
    apply_action,
    decode_action,
    legal_actions,
    legal_mask,
    new_game,
    problems,
)
from azul_env.chance import deal_randomly
from azul_env.core.batch import choose_randomly, reset_games
from azul_env.core.chance import chance_of, chances_from
from azul_env.core.state import empty_rows


def state_of(batch: GameBatch, game: int) -> GameState:
    return GameState(batch.rows[game : game + 1].copy())


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_batch__steps_like_single_games(num_players: int) -> None:
    batch = GameBatch(16, num_players, seed=5, starting_player=None, max_rounds=4)
    ends = 0
    for _ in range(150):
        before = [state_of(batch, game) for game in range(len(batch))]
        actions = batch.random_actions().copy()
        assert np.array_equal(batch.legal_masks(), [legal_mask(state) for state in before])
        ended = batch.step(actions)
        ends += ended.sum()
        for game, state in enumerate(before):
            rows = batch.final_rows if ended[game] else batch.rows
            after = GameState(rows[game : game + 1].copy())
            assert apply_action(state, actions[game], deal=after.factories).state == after
            assert after.is_terminal == ended[game]
            assert problems(state_of(batch, game)) == []
    assert ends > 16


@pytest.mark.parametrize("threads", [2, 3])
def test_batch__does_not_depend_on_the_number_of_threads(threads: int) -> None:
    one = GameBatch(50, 3, seed=9, threads=1)
    many = GameBatch(50, 3, seed=9, threads=threads)
    for _ in range(100):
        one.step(one.random_actions())
        many.step(many.random_actions())
    assert one.rows.tobytes() == many.rows.tobytes()
    assert np.array_equal(one.play_to_end(), many.play_to_end())
    assert one.rows.tobytes() == many.rows.tobytes()


def test_batch__first_deal_is_that_of_a_generator_with_the_same_raw_word() -> None:
    rng = np.random.Generator(np.random.PCG64(12))
    rows = empty_rows(1)
    reset_games(rows, chance_of(rng.bit_generator), 4, 2, 50, 0, 1)
    assert GameState(rows) == new_game(4, 2, rng=12)


def test_batch__starts_a_new_game_where_one_ended() -> None:
    batch = GameBatch(200, 2, seed=1, starting_player=None, max_rounds=1)
    starters = []
    for _ in range(40):
        ended = batch.step(batch.random_actions())
        fresh = batch.rows[ended]
        assert (fresh["round"] == 0).all() and (fresh["bag"] != 0).all()
        assert (batch.final_rows[ended]["end_reason"] != 0).all()
        starters.extend(fresh["current_player"].tolist())
    assert 0.4 < np.mean(starters) < 0.6  # drawn again for every game


def test_batch__illegal_action_names_the_game_and_changes_nothing() -> None:
    batch = GameBatch(5, 2, seed=3)
    before = batch.rows.tobytes()
    for wrong in (-1, 180, 150):  # the center is empty at first
        actions = batch.random_actions().copy()
        actions[3] = wrong
        with pytest.raises(ValueError, match=f"illegal action {wrong}.* in game 3"):
            batch.step(actions)
        assert batch.rows.tobytes() == before
    with pytest.raises(ValueError, match="shape"):
        batch.step(np.zeros(4, np.int64))


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_playout_to_the_round_end__is_scored_but_not_dealt(num_players: int) -> None:
    batch = GameBatch(100, num_players, seed=2)
    before = [state_of(batch, game) for game in range(len(batch))]
    turns = batch.play_to_round_end()
    assert turns.min() >= num_players
    assert (batch.rows["round"] == 1).all()
    assert (batch.rows["sources"] == 0).all() and (batch.rows["floors"] == 0).all()
    rows = batch.rows.copy()
    for game in range(len(batch)):
        deal_randomly(rows[game : game + 1], 2 + game)
    batch.set_state(rows)
    assert all(problems(state_of(batch, game)) == [] for game in range(len(batch)))
    assert all(state.round == 0 for state in before)


def test_random_action__is_uniform_over_the_legal_ones() -> None:
    batch = GameBatch(1, 3, seed=4)
    for _ in range(25):  # some way into a round, so that lines and sources differ
        batch.step(batch.random_actions())
    legal = [30 * s + 6 * c + d for s, c, d in legal_actions(state_of(batch, 0))]
    draws = 40_000
    rows = np.repeat(batch.rows, draws)
    actions = np.zeros(draws, np.int64)
    choose_randomly(rows, chances_from(8, draws), actions, 0, draws)
    counts = np.bincount(actions, minlength=240)
    assert counts.sum() == counts[legal].sum()
    expected = draws / len(legal)
    chi_square = ((counts[legal] - expected) ** 2 / expected).sum()
    freedom = len(legal) - 1
    assert chi_square < freedom + 5 * np.sqrt(2 * freedom), [decode_action(a, 3) for a in legal]


def test_deal__draws_every_tile_of_the_bag_equally_often() -> None:
    rows = np.repeat(new_game(2, rng=0).rows, 20_000)
    bag = np.array([1, 3, 5, 7, 9])  # 25 tiles, 20 of which are dealt
    rows["bag"] = sum(int(count) << 12 * color for color, count in enumerate(bag))
    rows["sources"] = 0
    rows["available"] = 0
    for game in range(len(rows)):
        deal_randomly(rows[game : game + 1], 3 + game)
    lanes = rows["sources"][:, :5, None] >> (12 * np.arange(5)) & 0xFFF  # game, factory, color
    assert (lanes.sum(axis=2) == 4).all()
    per_factory = lanes.mean(axis=0)  # each factory is a fair sample, the last as well as the first
    assert np.allclose(per_factory, 4 * bag / bag.sum(), atol=0.03)
    assert (lanes.sum(axis=1) <= bag).all()
