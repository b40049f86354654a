"""Alpha-beta: equal to plain search where nothing is pruned, blind to the order of factories, within its limits."""

import numpy as np
import pytest

from agents.plain_search import after, minimax
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.registry import AgentSpecError, make_agent
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_env import GameState, apply_action, legal_actions, legal_mask, new_game, parse_action
from positions import position

RNG = np.random.default_rng(0)
EVERYTHING = 10_000  # a breadth that prunes nothing

ENDGAMES = {
    "two players": position("""
        azul 2p round 3/50 turn 0 start 1 | - - BBYR - - | KK | bag ? lid - |
        20 :BY.../.R:W..../:K..../..RR:/:Y.... - | 25 K:.YR../:.B.../.BB:/:/: *"""),
    "three players": position("""
        azul 3p round 2/50 turn 1 start 0 | - - - KWWW - - - | RR | bag ? lid - |
        9 :B..../.Y:/:/:/: * | 12 :.Y.../:W..../..R:/:/: B | 7 :/.K:/:/.WWW:/: -"""),
    "four players": position("""
        azul 4p round 1/50 turn 3 start 2 | - - - - BBRR - - - - | W | bag ? lid - |
        0 :/:/:/:/: - | 2 /.R/// Y | 1 //WWW// * | 4 K:B....///..YY/ R"""),
}


def exact_agent(depth: int) -> AlphaBetaAgent:
    """An agent whose search leaves nothing out."""
    return AlphaBetaAgent(options=AlphaBetaOptions(depth=depth, breadth=EVERYTHING))


@pytest.mark.parametrize("name", ENDGAMES)
@pytest.mark.parametrize("depth", [1, 2, 6])
def test_search__equals_plain_minimax_where_nothing_is_pruned(name: str, depth: int) -> None:
    state = ENDGAMES[name]
    searcher = state.current_player
    values = {move.action: move.value for move in exact_agent(depth).analyse(state)}
    assert set(values) == {30 * s + 6 * c + d for s, c, d in legal_actions(state)}
    for action in legal_actions(state):
        following, is_over = after(state, action)
        plain = minimax(following, searcher, 0 if is_over else depth - 1)
        number = 30 * action.source + 6 * action.color + action.destination
        assert values[number] == pytest.approx(plain), action


def test_search__best_move_has_the_best_value() -> None:
    state = new_game(2, rng=4)
    moves = AlphaBetaAgent(options=AlphaBetaOptions(depth=3)).analyse(state)
    assert [move.value for move in moves] == sorted((move.value for move in moves), reverse=True)
    best = AlphaBetaAgent(options=AlphaBetaOptions(depth=3)).act(state, legal_mask(state), RNG)
    assert best == moves[0].action


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_value__does_not_depend_on_the_order_of_the_factories(num_players: int) -> None:
    state = new_game(num_players, rng=9)
    rows = state.rows.copy()
    factories = 2 * num_players + 1
    order = np.random.default_rng(1).permutation(factories)
    rows["sources"][0, :factories] = state.rows["sources"][0, order]
    lanes = state.rows["available"][0]
    rows["available"][0] = sum(
        (int(lanes) >> (12 * color + int(old)) & 1) << (12 * color + new)
        for color in range(5)
        for new, old in enumerate(order)
    )
    agent = AlphaBetaAgent(options=AlphaBetaOptions(depth=3))
    values = sorted(move.value for move in agent.analyse(state))
    shuffled = sorted(move.value for move in agent.analyse(GameState(rows)))
    assert shuffled == pytest.approx(values)


def test_equal_factories__are_searched_once() -> None:
    state = new_game(2, deal=[[2, 2, 0, 0, 0]] * 5)
    moves = AlphaBetaAgent(options=AlphaBetaOptions(depth=1)).analyse(state)
    assert {move.action // 30 for move in moves} == {0}
    assert len(moves) == 12


def test_search__finds_the_only_move_that_completes_a_row_and_wins() -> None:
    state = position("""
        azul 2p round 4/50 turn 0 start 1 | - - - - - | W | bag ? lid - |
        40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/: *""")
    assert make_agent("alphabeta:depth=4").act(state, legal_mask(state), RNG) == number("CW0")


def test_search__leaves_the_pile_to_the_opponent() -> None:
    # Both have room for one red only. The player left with the six of them in the center loses points; taking the
    # blue from the factory now leaves the opponent no other move.
    state = position("""
        azul 2p round 1/50 turn 0 start 1 | - - - - B | RRRRRR | bag ? lid - |
        20 :/YY:/KKK:/WWWW:/YYYYY: - | 20 :/YY:/KKK:/WWWW:/YYYYY: *""")
    agent = AlphaBetaAgent(options=AlphaBetaOptions(depth=8))
    assert agent.act(state, legal_mask(state), RNG) == number("4B0")
    values = {move.action: move.value for move in agent.analyse(state)}
    assert values[number("4B0")] > values[number("CR0")] + 5


def number(move: str) -> int:
    """The number of a 2-player move."""
    source, color, destination = parse_action(move, 2)
    return 30 * source + 6 * color + destination


@pytest.mark.parametrize("nodes", [1, 50, 1000, 20_000])
def test_node_limit__is_kept(nodes: int) -> None:
    agent = AlphaBetaAgent(options=AlphaBetaOptions(nodes=nodes))
    state = new_game(3, rng=2)
    for _ in range(5):
        action = agent.act(state, legal_mask(state), RNG)
        assert legal_mask(state)[action]
        # Moves of one node that end the round are counted as they are met.
        assert agent.nodes <= nodes + 60
        state = apply_action(state, action, rng=1).state


def test_depth_limit__is_kept_and_reached() -> None:
    agent = AlphaBetaAgent(options=AlphaBetaOptions(depth=2))
    state = new_game(2, rng=2)
    agent.act(state, legal_mask(state), RNG)
    assert agent.depth == 2


def test_late_in_a_round__the_search_stops_when_all_is_solved() -> None:
    agent = AlphaBetaAgent(options=AlphaBetaOptions(nodes=10**9))
    agent.act(ENDGAMES["two players"], legal_mask(ENDGAMES["two players"]), RNG)
    assert agent.nodes < 10**6


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("alphabeta:time=0", "time must be above 0"),
        ("alphabeta:nodes=-3", "nodes must be above 0"),
        ("alphabeta:breadth=0", "breadth must be at least 1"),
        ("alphabeta:dept=3", "options: time, nodes, depth, breadth"),
        ("alphabeta:nodes=many", "must be a number"),
        ("alphabeta:nodes=5,nodes=6", "given twice"),
    ],
)
def test_bad_option__is_named(spec: str, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        make_agent(spec)


def test_search__is_the_same_however_often_the_agent_searched_before() -> None:
    agent = AlphaBetaAgent(options=AlphaBetaOptions(depth=5))
    for seed in range(6):
        state = new_game(2, rng=seed)
        found = []
        for _ in range(2):
            action = agent.act(state, legal_mask(state), RNG)
            found.append((action, agent.nodes))  # a table that loses other entries costs nodes
        assert found[0] == found[1]
