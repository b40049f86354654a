"""Chance in public: afterstates, the chance of each tile, drawing and giving deals (R2.1-R2.3)."""

from collections import Counter

import numpy as np
import pytest

from azul_env import (
    GameState,
    ImpossibleDealError,
    MissingDealError,
    afterstate,
    apply_action,
    deal_of_tiles,
    dealt,
    drawn_deal,
    legal_actions,
    legal_mask,
    new_game,
    problems,
    tile_chances,
    tiles_due,
    undealt_game,
)


def end_of_round(num_players: int, seed: int, rounds: int = 1) -> GameState:
    """The afterstate at the end of a round, played with the first legal actions."""
    state = new_game(num_players, rng=seed)
    while True:
        after = afterstate(state, legal_actions(state)[0])
        if after.awaits_deal and after.round == rounds:
            return after
        state = apply_action(state, legal_actions(state)[0], seed).state


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_afterstate__is_scored_and_not_dealt(num_players):
    after = end_of_round(num_players, 1)
    assert after.round == 1 and not after.is_terminal
    assert not any(map(any, after.factories)) and not any(after.center)
    assert all(player.floor == () for player in after.players)
    assert not legal_mask(after).any()
    assert tiles_due(after) == 4 * len(after.factories)


def test_afterstate__inside_a_round_is_the_next_state():
    state = new_game(2, rng=3)
    action = legal_actions(state)[0]
    assert afterstate(state, action) == apply_action(state, action).state
    assert not afterstate(state, action).awaits_deal and tiles_due(state) == 0


def test_afterstate_and_deal__are_what_apply_action_does():
    after = end_of_round(2, 5)
    deal = drawn_deal(after, 5)
    assert problems(dealt(after, deal)) == []
    state = new_game(2, rng=5)
    while (following := afterstate(state, legal_actions(state)[0])) != after:
        state = apply_action(state, legal_actions(state)[0], 5).state
        assert following == state
    with pytest.raises(MissingDealError, match="afterstate"):
        apply_action(state, legal_actions(state)[0])
    assert apply_action(state, legal_actions(state)[0], deal=deal).state == dealt(after, deal)
    assert apply_action(state, legal_actions(state)[0], 5).state == dealt(after, deal)


def test_drawn_deal__of_a_generator_differs_from_draw_to_draw():
    start, rng = undealt_game(2), np.random.default_rng(1)
    deals = {str(drawn_deal(start, rng)) for _ in range(5)}
    assert len(deals) == 5
    assert drawn_deal(start, 7) == drawn_deal(start, 7)


def test_tile_chances__are_those_of_the_bag():
    start = undealt_game(3)
    assert tile_chances(start) == pytest.approx([0.2] * 5)
    assert tile_chances(start, [0, 0, 4]) == pytest.approx(np.array([18, 20, 20, 20, 19]) / 97)


def test_tile_chances__turn_to_the_lid_when_the_bag_is_empty():  # R2.2
    after = end_of_round(4, 1, rounds=2)
    bag = [color for color, count in enumerate(after.bag) for _ in range(count)]
    assert sum(after.bag) < tiles_due(after)
    lid = np.array(after.lid)
    assert tile_chances(after, bag) == pytest.approx(lid / lid.sum())
    color = int(lid.argmax())
    left = lid - np.eye(5)[color]
    assert tile_chances(after, [*bag, color]) == pytest.approx(left / left.sum())
    with pytest.raises(ImpossibleDealError, match="cannot be drawn"):
        tile_chances(after, [color] * 5 if after.bag[color] < 5 else [0] * (after.bag[0] + 1))


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_deal__tile_by_tile_is_a_possible_deal(num_players):
    state, rng = undealt_game(num_players), np.random.default_rng(2)
    for _ in range(3):
        tiles: list[int] = []
        while len(tiles) < tiles_due(state):
            tiles.append(int(rng.choice(5, p=tile_chances(state, tiles))))
        state = dealt(state, deal_of_tiles(state, tiles))
        assert problems(state) == []
        while not state.awaits_deal:
            state = afterstate(state, legal_actions(state)[0])


def test_tile_chances__are_how_often_deals_begin_with_each_color():
    after = end_of_round(2, 9)
    rng = np.random.default_rng(4)
    firsts = Counter()
    for _ in range(3_000):
        for color, count in enumerate(drawn_deal(after, rng)[0]):
            firsts[color] += count
    seen = np.array([firsts[color] for color in range(5)]) / (4 * 3_000)
    assert seen == pytest.approx(tile_chances(after), abs=0.02)


def test_functions_of_chance__refuse_states_that_await_no_deal():
    state = new_game(2, rng=1)
    with pytest.raises(ValueError, match="no tile is due"):
        tile_chances(state)
    with pytest.raises(ValueError, match="no deal is due"):
        drawn_deal(state)
    with pytest.raises(ValueError, match="no deal is due"):
        dealt(state, state.factories)
    with pytest.raises(ImpossibleDealError, match="19 tiles were drawn, 20 are due"):
        deal_of_tiles(undealt_game(2), [0] * 19)
    with pytest.raises(ValueError, match=r"color=5 is not in 0\.\.4"):
        deal_of_tiles(undealt_game(2), [5] * 20)


def test_functions_of_chance__leave_the_state_alone():
    after = end_of_round(2, 1)
    before = after.rows.tobytes()
    dealt(after, drawn_deal(after, 1))
    tile_chances(after, [int(np.argmax(after.bag))])
    assert after.rows.tobytes() == before
