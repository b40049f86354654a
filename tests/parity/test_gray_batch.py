"""Many gray games at once are the same games as one at a time, on one thread or on several."""

import numpy as np
import pytest

from azul_env import GameBatch, GameState, apply_action, legal_mask, problems
from parity.test_batch import state_of


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_gray_batch__steps_like_single_games(num_players: int) -> None:
    batch = GameBatch(20, num_players, seed=5, starting_player=None, max_rounds=4, variant="gray")
    ends = choices = 0
    for _ in range(150):
        before = [state_of(batch, game) for game in range(len(batch))]
        actions = batch.random_actions().copy()
        assert np.array_equal(batch.legal_masks(), [legal_mask(state) for state in before])
        ended = batch.step(actions)
        ends += ended.sum()
        for game, state in enumerate(before):
            choices += state.phase == "wall_tiling"
            rows = batch.final_rows if ended[game] else batch.rows
            after = GameState(rows[game : game + 1].copy())
            assert apply_action(state, actions[game], deal=after.factories).state == after
            assert after.is_terminal == ended[game]
        assert problems(state_of(batch, 0)) == []
    assert ends >= 20
    assert choices > 100


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_gray_batch__chooses_among_all_legal_columns(num_players: int) -> None:
    batch = GameBatch(200, num_players, seed=6, variant="gray")
    first = 30 * (2 * num_players + 2)
    chosen = set()
    for _ in range(100):
        masks = batch.legal_masks()
        actions = batch.random_actions().copy()
        assert masks[np.arange(len(batch)), actions].all()
        chosen |= set(actions[actions >= first].tolist())
        batch.step(actions)
    assert chosen == set(range(first, first + 5))


def test_gray_batch__does_not_depend_on_the_number_of_threads() -> None:
    one = GameBatch(50, 3, seed=9, threads=1, variant="gray")
    many = GameBatch(50, 3, seed=9, threads=2, variant="gray")
    for _ in range(60):
        one.step(one.random_actions())
        many.step(many.random_actions())
    assert one.rows.tobytes() == many.rows.tobytes()
    assert np.array_equal(one.play_to_end(), many.play_to_end())
    assert one.rows.tobytes() == many.rows.tobytes()
