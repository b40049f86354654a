"""Lookahead beyond the round: reproducible, within its limits, and better than a search that ends with the round."""

import time

import numpy as np
import pytest

from azul_agents.kinds import AlphaBetaOptions
from azul_agents.registry import AgentSpecError, make_agent
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.lookahead import DEFAULT_DEALS
from azul_agents.search.network.evaluator import NetworkEvaluator
from azul_agents.search.network.layers import NETWORK_SIZE, OUTPUT, OUTPUT_BIAS
from azul_agents.search.network.weights_file import network_evaluator
from azul_env import GameState, apply_action, legal_mask, new_game

RNG = np.random.default_rng(0)
SOLVES = 200_000  # nodes, enough for the positions below


def late_positions(num_players: int, tiles: int, count: int) -> list[GameState]:
    """Positions between good players in which this many tiles or fewer are left, at most one of a round."""
    rng = np.random.default_rng(num_players)
    player = AlphaBetaAgent(options=AlphaBetaOptions(nodes=100))
    state, found = new_game(num_players, rng=rng), {}
    game = 0
    while len(found) < count:
        left = sum(map(sum, state.factories)) + sum(state.center)
        if left <= tiles and legal_mask(state).sum() > 6:
            found.setdefault((game, state.round), state)
        state = apply_action(state, act(player, state), rng).state
        if state.is_terminal:
            game += 1
            state = new_game(num_players, rng=rng)
    return list(found.values())


def agent(**options: float) -> AlphaBetaAgent:
    return AlphaBetaAgent(options=AlphaBetaOptions(**options))  # type: ignore[arg-type]


def act(player: AlphaBetaAgent, state: GameState) -> int:
    return player.act(state, legal_mask(state), RNG)


def blind_evaluator(num_players: int) -> NetworkEvaluator:
    """The networks, but of the end of a round only the points count."""
    evaluator = network_evaluator(num_players)
    weights = evaluator.weights.copy()
    weights[NETWORK_SIZE + min(OUTPUT, OUTPUT_BIAS) :] = 0.0
    return evaluator._replace(weights=weights)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_same_position__has_the_same_move(num_players: int) -> None:
    states = late_positions(num_players, tiles=7, count=3)
    player = agent(nodes=SOLVES, deals=3)
    moves = [act(player, state) for state in states]
    assert player.deals in (0, 3)  # none where there is nothing to choose
    assert [act(player, state) for state in reversed(states)] == moves[::-1]
    assert [act(agent(nodes=SOLVES, deals=3), state) for state in states] == moves


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_whole_game__is_legal_and_within_the_nodes(num_players: int) -> None:
    rng = np.random.default_rng(1)
    player = agent(nodes=20_000, deals=2)
    state, sampled = new_game(num_players, rng=rng), 0
    while not state.is_terminal:
        action = act(player, state)
        assert legal_mask(state)[action]
        assert player.nodes <= 20_010
        sampled += player.deals
        state = apply_action(state, action, rng).state
    assert sampled > 4


def test_batch__plays_as_single_games() -> None:
    states = late_positions(2, tiles=7, count=4)
    player = agent(nodes=SOLVES, deals=2)
    rows = np.concatenate([state.rows for state in states])
    masks = np.stack([legal_mask(state) for state in states])
    actions = player.act_batch(rows, masks, [RNG] * len(states))
    assert list(actions) == [act(player, state) for state in states]


def position_with_a_choice() -> GameState:
    """One in which two moves or more are close enough for deals to decide."""
    player = agent(nodes=SOLVES, deals=3)
    for state in late_positions(2, tiles=7, count=10):
        act(player, state)
        if player.deals == 3:
            return state
    raise AssertionError("no such position")


def test_deals__stop_with_the_time() -> None:
    state = position_with_a_choice()
    player = agent(time=0.1, clock="cpu", deals=10**9)  # a busy machine has as much time
    act(player, state)
    began = time.process_time()
    act(player, state)
    assert time.process_time() - began < 0.2
    assert player.deals > 2


@pytest.mark.parametrize(
    ("options", "deals"),
    [
        ({"time": 5.0}, DEFAULT_DEALS[2]),
        ({"time": 5.0, "deals": 3}, 3),
        ({"time": 5.0, "deals": 0}, 0),
        ({"time": 5.0, "nodes": SOLVES}, 0),
        ({"time": 5.0, "evaluation": "linear"}, 0),
        ({"nodes": SOLVES}, 0),
        ({"nodes": SOLVES, "evaluation": "linear", "deals": 3}, 3),
        ({"depth": 30}, 0),
        ({"depth": 2, "deals": 3}, 0),  # the round is not solved
    ],
)
def test_deals__are_sampled_by_default_where_only_the_time_is_limited(
    options: dict[str, float], deals: int
) -> None:
    (state,) = late_positions(2, tiles=7, count=1)
    player = agent(**options)
    act(player, state)
    assert player.deals == deals


def test_four_players__sample_nothing_unless_asked() -> None:
    states = late_positions(4, tiles=7, count=3)
    for options, is_sampling in (({"time": 1.0}, False), ({"time": 1.0, "deals": 2}, True)):
        player = agent(**options)
        deals = 0
        for state in states:
            act(player, state)
            deals += player.deals
        assert (deals > 0) == is_sampling


def test_analysis__samples_nothing() -> None:
    (state,) = late_positions(2, tiles=7, count=1)
    assert agent(nodes=SOLVES, deals=9).analyse(state) == agent(nodes=SOLVES).analyse(state)


def test_last_round__needs_no_deals() -> None:
    rng = np.random.default_rng(5)
    state = new_game(2, rng=rng, max_rounds=1)
    while sum(map(sum, state.factories)) + sum(state.center) > 7:
        state = apply_action(state, act(agent(nodes=100), state), rng).state
    player = agent(nodes=SOLVES, deals=5)
    assert act(player, state) == act(agent(nodes=SOLVES), state)
    assert player.deals == 0


def test_gray_walls__sample_nothing() -> None:
    state = new_game(2, rng=1, variant="gray")
    player = agent(nodes=500, deals=5)
    act(player, state)
    assert player.deals == 0


def test_deals__make_up_for_what_a_blind_evaluator_does_not_see() -> None:
    blind, seeing = (
        AlphaBetaAgent(
            options=AlphaBetaOptions(nodes=SOLVES, deals=d), new_evaluator=blind_evaluator
        )
        for d in (0, 12)
    )
    judge = agent(nodes=SOLVES)
    lost, changed = np.zeros(2), 0
    for state in late_positions(2, tiles=7, count=60):
        values = {move.action: move.value for move in judge.analyse(state)}
        moves = [act(player, state) for player in (blind, seeing)]
        lost += [max(values.values()) - values[move] for move in moves]
        changed += moves[0] != moves[1]
    assert changed > 9
    assert lost[1] < 0.9 * lost[0]


def test_negative_deals__are_refused() -> None:
    with pytest.raises(AgentSpecError, match="deals must be at least 0"):
        make_agent("alphabeta:deals=-1")
