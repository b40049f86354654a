"""Questions without an answer: every agent refuses them with the same words, its own code never sees them."""

import re
import sys

import numpy as np
import pytest

from azul_agents import Agent, make_agent
from azul_agents.neural.agent import NeuralPolicy
from azul_agents.neural.model_file import write_model
from azul_env import GameState, afterstate, apply_action, legal_actions, legal_mask, new_game
from models import random_model

OWN_AGENTS = """
from azul_agents import Agent

class Own(Agent):
    def act(self, state, legal_mask, rng):
        return 0
    def analyse(self, state):
        return []

class Plain:
    def act(self, state, legal_mask, rng):
        return 0
    def analyse(self, state):
        return []

def function(state, legal_mask, rng):
    return 0
"""
SPECS = [
    "random",
    "greedy",
    "alphabeta:nodes=50",
    "alphabeta:time=0.01",
    "mcts:simulations=20",
    "ppo",
]
SPECS += ["neural:path={model}", "external:no-such-program", "python:own_agents:Own"]
SPECS += ["python:own_agents:Plain", "python:own_agents:function"]


def last_states() -> tuple[GameState, GameState]:
    """The end of a game, and of a round that is not dealt yet."""
    state = new_game(2, rng=1)
    undealt = None
    while not state.is_terminal:
        action = list(legal_actions(state))[-1]  # to the floor, so that the round is not the last
        if undealt is None and afterstate(state, action).awaits_deal:
            undealt = afterstate(state, action)
        state = apply_action(state, action, rng=1).state
    assert undealt is not None
    return state, undealt


OVER, UNDEALT = last_states()
QUESTIONS = {
    "the game is over": (OVER, legal_mask(OVER)),
    "the game is over: there": (OVER, np.ones(180, np.bool_)),
    "the next round is not dealt yet": (UNDEALT, legal_mask(UNDEALT)),
    "the mask allows no action": (new_game(2, rng=1), np.zeros(180, np.bool_)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agents")
    (folder / "own_agents.py").write_text(OWN_AGENTS)
    write_model(folder / "model.npz", random_model(2))
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    sys.modules.pop("own_agents", None)


@pytest.mark.parametrize("spec", SPECS)
def test_question_without_an_answer__is_refused_in_the_same_words(spec, folder):
    agent = make_agent(spec.format(model=folder / "model.npz"))
    rng = np.random.default_rng(0)
    for words, (state, mask) in QUESTIONS.items():
        with pytest.raises(
            ValueError, match=f"^{re.escape(words)}.*: there is no move to choose|^{words}"
        ):
            agent.act(state, mask, rng)
        rows = np.concatenate([new_game(2, rng=1).rows, state.rows])
        masks = np.stack([np.ones(180, np.bool_), mask])
        if spec.startswith(("external", "python")):
            rows, masks = rows[1:], masks[1:]  # they would be asked about the first game
        with pytest.raises(ValueError, match=f"^{words}"):
            agent.act_batch(rows, masks, [rng] * len(rows))
    for words, (state, _) in list(QUESTIONS.items())[:3]:
        with pytest.raises(ValueError, match=f"^{words}"):
            agent.analyse(state)
    agent.close()


def test_subclass_of_an_agent__is_checked_and_keeps_its_signature():
    class Mine(Agent):
        def act(self, state, legal_mask, rng):
            """Mine."""
            return 5

    assert (Mine.act.__doc__, Mine.act.__name__) == ("Mine.", "act")
    state = new_game(2, rng=1)
    assert Mine().act(state, legal_mask(state), np.random.default_rng(0)) == 5
    assert Mine.act_batch is Agent.act_batch


def test_network_for_another_number_of_players__is_not_asked():
    policy = NeuralPolicy(random_model(2))
    with pytest.raises(ValueError, match="for 2 players, not for"):
        policy.judge(new_game(4, rng=1))
