"""The tree search: its arrays, its limits, and moves that have to be found."""

import numpy as np
import pytest

from azul_agents.kinds import MctsOptions
from azul_agents.registry import AgentSpecError, make_agent
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.mcts import MctsAgent, margin_of
from azul_agents.search.tree import PATIENCE_WITH_CHANCE, ROUND, VALUE, TreeMemory, new_tree
from azul_env import legal_mask, new_game
from positions import position

RNG = np.random.default_rng(0)


def searched(leaf: int, simulations: int, num_players: int = 2) -> TreeMemory:
    memory = new_tree(1 << 16)
    memory.begin(new_game(num_players, rng=1).rows, leaf, simulations, np.uint64(3))
    memory.run(linear_evaluator(num_players), 1.0)
    return memory


@pytest.mark.parametrize("leaf", [VALUE, ROUND])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_tree__is_consistent(leaf: int, num_players: int) -> None:
    memory = searched(leaf, 3000, num_players)
    assert memory.control["simulations"][0] == 3000
    used = int(memory.control["num_nodes"][0])
    parents = np.flatnonzero(memory.first[:used])
    spans = [(memory.first[node], memory.first[node] + memory.span[node]) for node in parents]
    assert sorted(c for start, stop in spans for c in range(start, stop)) == list(range(1, used))
    for node, (start, stop) in zip(parents, spans, strict=True):
        assert memory.prior[start:stop].sum() == pytest.approx(1.0, abs=1e-4)
        # Visits that found the children there already went on to one of them.
        before = 1 if node == 0 or leaf == VALUE else PATIENCE_WITH_CHANCE
        assert memory.visits[start:stop].sum() == memory.visits[node] - before
        assert len(set(memory.move[start:stop])) == stop - start
    tried = memory.visits[:used] > 0
    assert (np.abs(memory.mean[:used][tried]) < 1).all()
    assert memory.exploration_bonus[:used][tried] == pytest.approx(
        (memory.prior / (1 + memory.visits))[:used][tried]
    )


@pytest.mark.parametrize("simulations", [1, 2, 100])
def test_simulation_limit__is_kept(simulations: int) -> None:
    agent = MctsAgent(options=MctsOptions(simulations=simulations))
    state = new_game(2, rng=2)
    assert legal_mask(state)[agent.act(state, legal_mask(state), RNG)]
    assert agent.simulations == simulations


def test_full_tree__goes_on_with_what_it_has() -> None:
    memory = new_tree(200)
    memory.begin(new_game(2, rng=1).rows, VALUE, 2000, np.uint64(3))
    memory.run(linear_evaluator(2), 1.0)
    assert memory.control["simulations"][0] == 2000
    assert memory.control["num_nodes"][0] <= 200


@pytest.mark.parametrize("spec", ["mcts:simulations=3000", "mcts:simulations=3000,leaf=game"])
def test_search__finds_the_move_that_wins_the_game(spec: str) -> None:
    state = position("""
        azul 2p round 4/50 turn 0 start 1 | - - - - - | KW | bag ? lid - |
        40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/KKKKK: *""")
    assert make_agent(spec).act(state, legal_mask(state), RNG) == 150 + 24  # white to line 0


def test_margin__is_the_inverse_of_a_result() -> None:
    assert margin_of(0.0) == 0
    assert margin_of(25 / np.sqrt(2 * 25**2)) == pytest.approx(25)
    assert margin_of(-1.0) == -np.inf


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mcts:leaf=deep", "leaf must be one of value, round, game"),
        ("mcts:simulations=0", "simulations must be above 0"),
        ("mcts:time=-1", "time must be above 0"),
    ],
)
def test_bad_option__is_named(spec: str, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        make_agent(spec)
