"""The networks that come with the package: they load, play by the rules, and say where they come from."""

import json
from importlib.resources import files

import numpy as np
import pytest

from azul_agents.baselines.greedy import GreedyAgent
from azul_agents.baselines.random_agent import RandomAgent
from azul_agents.neural.agent import packaged_policy
from azul_agents.registry import make_agent
from azul_env import apply_action, legal_mask, new_game, winners

GAMES = pytest.mark.parametrize(
    ("num_players", "variant"), [(2, "colored"), (3, "colored"), (4, "colored"), (2, "gray")]
)


def wins_of_first(num_players, variant, games, others):
    """How many games the shipped network wins, sitting in each seat in turn."""
    agent, rng = make_agent("ppo"), np.random.default_rng(3)
    won = 0
    for game in range(games):
        seat = game % num_players
        deals = np.random.default_rng(game // num_players)  # the same for all seats
        state = new_game(num_players, rng=deals, variant=variant)
        while not state.is_terminal:
            mask = legal_mask(state)
            mover = agent if state.current_player == seat else others
            action = mover.act(state, mask, rng)
            assert mask[action]
            state = apply_action(state, action, deals).state
        won += winners(state) == (seat,)
    return won


@GAMES
def test_shipped_model__beats_random(num_players, variant):
    games = 5 * num_players
    assert wins_of_first(num_players, variant, games, RandomAgent()) == games


@GAMES
def test_shipped_model__beats_a_table_of_greedy_more_often_than_chance(num_players, variant):
    # The model of the gray wall wins 58%, so that it takes more games to tell.
    games, least = (20 * num_players, 1.3) if variant == "colored" else (300, 1.0)
    assert wins_of_first(num_players, variant, games, GreedyAgent()) > least * games / num_players


@GAMES
def test_shipped_model__has_a_card_beside_it(num_players, variant):
    prefix = "" if variant == "colored" else f"{variant}_"
    card = files("azul_agents.neural") / "models" / f"{prefix}{num_players}_players.json"
    told = json.loads(card.read_text(encoding="utf-8"))
    assert told == packaged_policy(num_players, variant).card
    assert told["minutes"] > 0
    # A model of step 0, which self-play made no better, is even with its own start.
    assert told["steps"] > 0 or told["win_rates"]["its own start"] == 0.5
    assert "greedy" in {result["opponent"] for result in told["final"]}
