"""The compiled engine and the reference engine play the same games, state by state.

The compiled engine draws the deals and the reference checks that hands could have drawn them; the reference chooses the
moves from its own list of legal ones.
"""

import random
from collections.abc import Callable

import numpy as np
import pytest

from azul_env import (
    GameState,
    apply_action,
    illegal_reason,
    legal_mask,
    new_game,
    num_actions,
    ranking,
    resign,
    to_dict,
    winners,
)
from reference.engine import Game

FLOOR = 5
Policy = Callable[[list[int], random.Random], int]


def uniform(legal: list[int], rng: random.Random) -> int:
    return rng.choice(legal)


def mostly_floor(legal: list[int], rng: random.Random) -> int:
    """Throws most tiles away: floors overflow, the lid returns early, games last to the cap."""
    to_floor = [action for action in legal if action % 6 == FLOOR]
    return rng.choice(to_floor if rng.random() < 0.85 else legal)


def no_floor(legal: list[int], rng: random.Random) -> int:
    """Keeps tiles on the boards: bag and lid run dry, displays stay short."""
    to_lines = [action for action in legal if action % 6 != FLOOR]
    return rng.choice(to_lines or legal)


def center_first(legal: list[int], rng: random.Random) -> int:
    """Prefers the center, whose piles overflow lines and floors."""
    last_source = max(action // 30 for action in legal)
    return rng.choice([action for action in legal if action // 30 == last_source])


def play_both(num_players: int, seed: int, policy: Policy, resigning: float = 0.0) -> GameState:
    """Play one game on both engines and compare every state; the last state."""
    rng = random.Random(seed)
    chance = np.random.Generator(np.random.PCG64(seed))
    max_rounds = rng.choice([50, 50, 50, 8, 3, 1])
    starter = rng.randrange(num_players)
    state = new_game(num_players, starter, chance, max_rounds)
    game = Game(num_players, starter, max_rounds, deal_on(state))
    while True:
        assert to_dict(state) == game.to_dict()
        legal = game.legal_actions()
        assert np.flatnonzero(legal_mask(state)).tolist() == legal
        if state.is_terminal:
            assert ranking(state) == game.ranking()
            assert winners(state) == game.winners()
            return state
        if rng.random() < resigning:
            seat = rng.choice([s for s in range(num_players) if game.players[s].resigned is None])
            state = resign(state, seat).state
            game.resign(seat)
        else:
            action, before = policy(legal, rng), state.round
            state = apply_action(state, action, chance).state
            game.draft(action, deal_on(state) if state.round > before else None)


def deal_on(state: GameState) -> list[list[int]]:
    """What lies on the displays: the deal, since a round has just begun."""
    return [list(tiles) for tiles in state.factories]


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(
    ("policy", "games"),
    [(uniform, 300), (mostly_floor, 75), (no_floor, 150), (center_first, 150)],
)
def test_engines__agree_on_every_state(num_players: int, policy: Policy, games: int) -> None:
    for seed in range(games):
        play_both(num_players, seed, policy)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_engines__agree_on_games_with_resignations(num_players: int) -> None:
    reasons = {play_both(num_players, seed, uniform, 0.02).end_reason for seed in range(150)}
    assert reasons == {"row", "max_rounds", "resignation"}  # or the test would say nothing


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_engines__agree_on_the_reason_for_every_illegal_action(num_players: int) -> None:
    seen = set()
    for seed in range(4):
        rng = random.Random(seed)
        chance = np.random.Generator(np.random.PCG64(seed))
        state = new_game(num_players, rng=chance)
        while not state.is_terminal:
            game = Game.from_dict(to_dict(state))
            for action in range(-1, num_actions(num_players) + 1):
                player = rng.choice([None, *range(num_players)])
                reason = illegal_reason(state, action, player)
                assert reason == game.illegal_reason(action, player)
                seen.add(reason)
            state = apply_action(state, uniform(game.legal_actions(), rng), chance).state
    assert len(seen) == 7  # None and every reason but WRONG_PHASE and ALREADY_RESIGNED
