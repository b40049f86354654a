"""OpenSpiel's own test of our game, and its MCTS in our arena."""

import importlib

import pyspiel
import pytest

from azul_agents import MatchConfig, run_match
from example_runs import EXAMPLES


@pytest.fixture(autouse=True)
def in_the_folder_of_examples(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.syspath_prepend(EXAMPLES)
    importlib.import_module("openspiel_azul")  # it registers the game


@pytest.mark.parametrize("players", [2, 3, 4])
def test_game__passes_random_sim_test(players):
    game = pyspiel.load_game(f"azul(players={players})")
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert game.num_players() == players


def test_game__deals_one_tile_at_a_time():
    state = pyspiel.load_game("azul").new_initial_state()
    drawn = 0
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        assert sum(chance for _, chance in outcomes) == pytest.approx(1)
        state.apply_action(outcomes[drawn % len(outcomes)][0])
        drawn += 1
    assert drawn == 20 and state.current_player() == 0


def test_mcts__plays_in_the_arena():
    specs = ("python:openspiel_mcts:MctsAgent:simulations=4", "random")
    result = run_match(specs, MatchConfig(games=2, jobs=1)).to_dict()
    assert result["games"] == 2 and result["forfeits"] == [0, 0]
