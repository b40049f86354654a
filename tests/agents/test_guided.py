"""The search that a policy guides: its priors, its two stages, and moves that have to be found."""

import numpy as np
import pytest

from azul_agents.analysis.streaming import analysis_of
from azul_agents.guided.agent import GuidedAgent
from azul_agents.guided.evaluator import SOFTNESS, guided_evaluator
from azul_agents.kinds import GuidedOptions
from azul_agents.neural.agent import packaged_policy
from azul_agents.registry import AgentSpecError, make_agent
from azul_agents.search.graph import VALUE, SearchGraph, new_graph
from azul_agents.search.moves import action_of
from azul_agents.search.simulation import VISITS_BEFORE_POLICY, simulate
from azul_env import GameState, apply_action, legal_mask, new_game
from positions import position

RNG = np.random.default_rng(0)
WINNING_MOVE = position("""
    azul 2p round 4/50 turn 0 start 1 | - - - - - | KW | bag ? lid - |
    40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/KKKKK: *""")


def priors_of(state: GameState, simulations: int) -> tuple[dict[int, float], SearchGraph]:
    """The priors of the moves of a position that was searched with the policy."""
    graph = new_graph(1 << 14)
    graph.begin(state.rows, VALUE, simulations, np.uint64(0))
    simulate(graph, guided_evaluator(state.num_players), 1.0)
    return _priors(graph, 0), graph


def _priors(graph: SearchGraph, node: int) -> dict[int, float]:
    edges = range(graph.first[node], graph.first[node] + graph.span[node])
    return {int(action_of(int(graph.move[edge]))): float(graph.prior[edge]) for edge in edges}


def assert_from_policy(priors: dict[int, float], state: GameState, is_so: bool = True) -> None:
    """Priors are the softmax of the policy's logits, softened."""
    logits = packaged_policy(state.num_players).judge(state)[0]
    weights = {action: np.exp(SOFTNESS * logits[action]) for action in priors}
    expected = {action: weight / sum(weights.values()) for action, weight in weights.items()}
    assert (priors == pytest.approx(expected, abs=1e-4)) is is_so


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_priors__of_the_root_are_the_policys(num_players: int) -> None:
    state = new_game(num_players, rng=4)
    assert_from_policy(priors_of(state, 2)[0], state)


def test_priors__of_a_node_are_the_policys_once_it_was_visited_often() -> None:
    state = new_game(2, rng=4)
    _, graph = priors_of(state, 6 * VISITS_BEFORE_POLICY)
    edges = range(graph.first[0], graph.first[0] + graph.span[0])
    listed = [edge for edge in edges if graph.first[graph.child[edge]] and graph.child[edge]]
    by_visits = sorted(listed, key=lambda edge: graph.visits[graph.child[edge]])
    for edge, is_often in ((by_visits[-1], True), (by_visits[0], False)):
        node, action = int(graph.child[edge]), int(action_of(int(graph.move[edge])))
        assert bool(graph.visits[node] > VISITS_BEFORE_POLICY) is is_often
        after = apply_action(state, action, rng=0).state
        assert_from_policy(_priors(graph, node), after, is_often)


@pytest.mark.parametrize("solve", [0, 12])
def test_search__finds_the_move_that_wins_the_game(solve: int) -> None:
    agent = GuidedAgent(options=GuidedOptions(simulations=2000, solve=solve))
    assert agent.act(WINNING_MOVE, legal_mask(WINNING_MOVE), RNG) == 150 + 24  # white to line 0


def test_solve__says_where_alpha_beta_takes_over() -> None:
    # Two offers are left, the black and the white tile in the center. Only alpha-beta has a depth.
    for solve, depth in ((1, None), (2, 2)):
        agent = GuidedAgent(options=GuidedOptions(simulations=50, solve=solve))
        assert analysis_of(WINNING_MOVE, agent).depth == depth


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_alpha_beta__takes_over_by_default_only_with_2_players(num_players: int) -> None:
    state = new_game(num_players, rng=2)
    while sum(tiles > 0 for source in (*state.factories, state.center) for tiles in source) > 8:
        state = apply_action(state, int(legal_mask(state).argmax()), rng=0).state
    agent = GuidedAgent(options=GuidedOptions(simulations=50))
    assert (analysis_of(state, agent).depth is not None) is (num_players == 2)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("guided:simulations=0", "simulations must be above 0"),
        ("guided:solve=-1", "solve must be at least 0"),
        ("guided:leaf=value", "guided has no option"),
    ],
)
def test_bad_option__is_named(spec: str, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        make_agent(spec)
