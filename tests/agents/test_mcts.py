"""Monte-Carlo search: its graph, its limits, and moves that have to be found."""

import numpy as np
import pytest

from azul_agents.kinds import MctsOptions
from azul_agents.registry import AgentSpecError, make_agent
from azul_agents.search import graph as graph_module
from azul_agents.search.graph import (
    PATIENCE_WITH_CHANCE,
    ROUND,
    VALUE,
    SearchGraph,
    new_graph,
)
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.mcts import MctsAgent, margin_of
from azul_agents.search.moves import action_of
from azul_agents.search.simulation import simulate
from azul_env import encode_action, legal_actions, legal_mask, new_game
from positions import position

RNG = np.random.default_rng(0)


def searched(leaf: int, simulations: int, num_players: int = 2) -> SearchGraph:
    graph = new_graph(1 << 17)
    graph.begin(new_game(num_players, rng=1).rows, leaf, simulations, np.uint64(3))
    simulate(graph, linear_evaluator(num_players), 1.0)
    return graph


def edges_of(graph: SearchGraph, node: int) -> range:
    return range(graph.first[node], graph.first[node] + graph.span[node])


@pytest.mark.parametrize("leaf", [VALUE, ROUND])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_graph__is_consistent(leaf: int, num_players: int) -> None:
    graph = searched(leaf, 3000, num_players)
    assert graph.control["simulations"][0] == 3000
    num_nodes, num_edges = (int(graph.control[name][0]) for name in ("num_nodes", "num_edges"))
    parents = np.flatnonzero(graph.first[:num_nodes])
    listed = [edge for node in parents for edge in edges_of(graph, node)]
    assert sorted(listed) == list(range(1, num_edges))
    assert sorted(set(graph.child[1:num_edges])) == list(range(num_nodes))  # 0: never tried
    views = 1 if num_players == 2 else num_players
    for node in parents:
        edges = np.array(edges_of(graph, node))
        tries = graph.tries[edges]
        assert graph.prior[edges].sum() == pytest.approx(1.0, abs=1e-4)
        assert len(set(graph.move[edges])) == len(edges)
        # Visits that found the moves listed already took one of them.
        own = 1 if node == 0 or leaf == VALUE else PATIENCE_WITH_CHANCE
        assert tries.sum() == graph.visits[node] - own
        for view in range(views):
            known = (tries * graph.worth[view, edges])[tries > 0].sum()
            share = (graph.visits[node] * graph.mean[node, view] - known) / own
            assert abs(share) < 1.001  # what is left is the mean of the node's own results
    tried = np.flatnonzero(graph.tries[:num_edges])
    assert (graph.visits[graph.child[tried]] >= graph.tries[tried]).all()
    assert (np.abs(graph.worth[:views, tried]) < 1).all()
    assert graph.exploration_bonus[tried] == pytest.approx((graph.prior / (1 + graph.tries))[tried])


def test_position_reached_in_several_orders__is_one_node() -> None:
    graph = searched(VALUE, 3000)
    used = int(graph.control["num_edges"][0])
    tried = np.flatnonzero(graph.tries[:used])
    parents = np.bincount(graph.child[tried])
    shared = int(parents.argmax())
    assert parents[shared] >= 2
    ways = tried[graph.child[tried] == shared]
    assert graph.tries[ways].sum() == graph.visits[shared]
    assert len(np.unique(graph.keys[: int(graph.control["num_nodes"][0])])) == len(parents)


def node_after(graph: SearchGraph, *actions: int) -> int:
    node = 0
    for action in actions:
        (edge,) = (e for e in edges_of(graph, node) if action_of(int(graph.move[e])) == action)
        node = int(graph.child[edge])
    return node


def test_ends_of_rounds__with_other_walls_are_other_nodes() -> None:
    # Blue and yellow go to the first lines of the two players or the reverse: all lines are empty after either.
    state = position("""
        azul 2p round 1/50 turn 0 start 1 | - - - - - | BY | bag ? lid - |
        0 :/:/:/:/: - | 0 :/:/:/:/: *""")
    graph = new_graph(1 << 12)
    graph.begin(state.rows, VALUE, 500, np.uint64(3))
    simulate(graph, linear_evaluator(2), 1.0)
    blue, yellow = 150, 156  # from the center to line 0
    ends = node_after(graph, blue, yellow), node_after(graph, yellow, blue)
    assert 0 not in ends
    assert ends[0] != ends[1]


def test_others__play_for_themselves_and_not_against_the_searcher() -> None:
    # Red brings player 0 most. White would then be the worst reply for player 0, since it leaves yellow to player 2, who
    # gains most by it. But yellow is worth more than white to player 1, too.
    state = position("""
        azul 3p round 4/50 turn 0 start 0 | - - - - - - - | YRW | bag ? lid - |
        40 :/.R:WBY../:/:/: * | 10 :/.Y:WB.../:/:/: - | 40 W:BYRK./.Y:WB.R./:/:/: -""")
    graph = new_graph(1 << 15)
    graph.begin(state.rows, VALUE, 5000, np.uint64(3))
    simulate(graph, linear_evaluator(3), 1.0)
    red, yellow = 210 + 13, 210 + 7  # from the center to line 1
    assert max(graph.root_moves(), key=lambda move: move[1])[0] == red
    (line,) = (line for line in graph.root_lines() if line[0] == red)
    assert line[1] == yellow


@pytest.mark.parametrize("simulations", [1, 2, 100])
def test_simulation_limit__is_kept(simulations: int) -> None:
    agent = MctsAgent(options=MctsOptions(simulations=simulations))
    state = new_game(2, rng=2)
    assert legal_mask(state)[agent.act(state, legal_mask(state), RNG)]
    assert agent.simulations == simulations


@pytest.mark.parametrize(("edges_per_node", "full"), [(1, "num_edges"), (64, "num_nodes")])
def test_full_graph__goes_on_with_what_it_has(
    edges_per_node: int, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_module, "EDGES_PER_NODE", edges_per_node)
    graph = new_graph(1 << 9)
    graph.begin(new_game(2, rng=1).rows, VALUE, 2000, np.uint64(3))
    simulate(graph, linear_evaluator(2), 1.0)
    assert graph.control["simulations"][0] == 2000
    most = {"num_edges": len(graph.move), "num_nodes": len(graph.keys)}
    assert all(graph.control[name][0] <= most[name] for name in most)
    assert graph.control[full][0] > 0.8 * most[full]
    assert graph.visits[0] == 2001


@pytest.mark.parametrize("spec", ["mcts:simulations=3000", "mcts:simulations=3000,leaf=game"])
def test_search__finds_the_move_that_wins_the_game(spec: str) -> None:
    state = position("""
        azul 2p round 4/50 turn 0 start 1 | - - - - - | KW | bag ? lid - |
        40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/KKKKK: *""")
    assert make_agent(spec).act(state, legal_mask(state), RNG) == 150 + 24  # white to line 0


@pytest.mark.parametrize("num_players", [2, 4])
def test_analysis__tries_every_move_a_quarter_of_an_even_share(num_players: int) -> None:
    state = new_game(num_players, rng=1)
    graph = new_graph(1 << 17)
    graph.begin(state.rows, VALUE, 8000, np.uint64(3), least_percent=25)
    simulate(graph, linear_evaluator(num_players), 1.0)
    tries = sorted(move.tries for move in graph.root_moves())
    even = 8000 / len(tries)
    assert 0.25 * even - 1 <= tries[0] < 0.5 * even and tries[-1] > 2 * even
    firsts = {*map(state.factories.index, state.factories)}
    listed = {encode_action(m, num_players) for m in legal_actions(state) if m.source in firsts}
    assert {move.action for move in graph.root_moves()} == listed


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
