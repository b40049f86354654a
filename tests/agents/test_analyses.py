"""Analyses that stream: the values of `analyse`, legal lines that lead to them, deeper and deeper until told to stop."""

import threading
import time

import pytest

from agents.plain_search import value_of
from azul_agents import (
    Agent,
    AlphaBetaAgent,
    Analysis,
    CannotAnalyseError,
    analyses,
    analysis_of,
    make_agent,
)
from azul_env import GameState, afterstate, apply_action, legal_mask, new_game
from positions import position

ENDGAME = position("""
    azul 2p round 3/50 turn 0 start 1 | - - BBYR - - | KK | bag ? lid - |
    20 :BY.../.R:W..../:K..../..RR:/:Y.... - | 25 K:.YR../:.B.../.BB:/:/: *""")
LAST_MOVE = position("""
    azul 2p round 4/5 turn 0 start 1 | - - - - - | W | bag ? lid - |
    40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/: *""")


@pytest.fixture(scope="module")
def alphabeta() -> Agent:
    return make_agent("alphabeta")


@pytest.fixture(scope="module")
def mcts() -> Agent:
    return make_agent("mcts")


def middle(num_players: int) -> GameState:
    state = new_game(num_players, rng=3)
    for _ in range(4 * num_players):
        state = apply_action(state, int(legal_mask(state).argmax()), rng=3).state
    return state


def final(state: GameState, agent: Agent, nodes: int) -> Analysis:
    *_, last = analyses(state, agent, nodes=nodes)
    assert last.is_final
    return last


def moves_of(analysis: Analysis) -> list[tuple[int, float]]:
    return [(candidate.action, candidate.value) for candidate in analysis.candidates]


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("nodes", [1, 700, 20_000])
def test_last_analysis__has_the_values_of_analyse_at_the_same_limit(alphabeta, num_players, nodes):
    state = new_game(num_players, rng=1)
    expected = make_agent(f"alphabeta:nodes={nodes}").analyse(state)
    assert moves_of(final(state, alphabeta, nodes)) == expected
    assert all(abs(move.value) < 200 for move in expected)


@pytest.mark.parametrize("simulations", [1, 500])
def test_last_analysis_of_mcts__has_the_values_of_analyse_and_all_moves(mcts, simulations):
    state = middle(2)
    expected = make_agent(f"mcts:simulations={simulations}").analyse(state)
    assert moves_of(final(state, mcts, simulations)) == sorted(expected, key=lambda m: -m.value)
    assert all(abs(value) < 200 for _, value in expected)
    listed = {action for action, _ in expected}
    assert listed == {action for action, _ in make_agent("alphabeta:depth=1").analyse(state)}


@pytest.mark.parametrize("spec", ["alphabeta:depth=3", "mcts:simulations=300", "greedy"])
def test_analysis_of__keeps_to_the_agents_own_limits(spec):
    state, agent = middle(3), make_agent(spec)
    found = analysis_of(state, agent)
    assert moves_of(found) == sorted(agent.analyse(state), key=lambda move: -move.value)
    assert found.is_final and found.spec == spec
    assert (found.depth, found.nodes is None) == (3 if "depth" in spec else None, spec == "greedy")


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("kind", ["alphabeta", "mcts", "guided", "greedy"])
def test_lines__are_legal_and_begin_with_their_move(kind, num_players):
    state = middle(num_players)
    for candidate in final(state, make_agent(kind), 3000).candidates:
        assert candidate.line[0] == candidate.action
        following = state
        for action in candidate.line:
            assert not following.awaits_deal and legal_mask(following)[action]
            following = afterstate(following, action)


@pytest.mark.parametrize("state", [ENDGAME, middle(2), middle(3)], ids=repr)
def test_line_of_alphabeta__leads_to_the_position_that_the_value_comes_from(state):
    found = analysis_of(state, AlphaBetaAgent(options=make_agent("alphabeta:depth=4").options))
    whole = 0
    for candidate in found.candidates:
        end = state
        for action in candidate.line:
            end = afterstate(end, action)
        if len(candidate.line) == 4 or end.round > state.round or end.is_terminal:
            assert value_of(end, state.current_player) == pytest.approx(candidate.value)
            whole += 1
    assert whole > 0.8 * len(found.candidates)


def test_stream__deepens_and_ends_with_the_only_final_analysis(alphabeta):
    seen = list(analyses(new_game(2, rng=5), alphabeta, nodes=100_000))
    depths = [analysis.depth for analysis in seen]
    assert depths == sorted(depths) and depths[0] == 1 and len(set(depths)) == max(depths) >= 4
    assert [a.nodes for a in seen] == sorted(a.nodes for a in seen)
    assert [a.seconds for a in seen] == sorted(a.seconds for a in seen)
    assert [a.is_final for a in seen] == [False] * (len(seen) - 1) + [True]


@pytest.mark.parametrize("kind", ["alphabeta", "mcts"])
def test_stream_without_limit__reports_while_it_thinks_and_stops_when_told(kind):
    stop = threading.Event()
    seen = []
    told = 0.0
    for analysis in analyses(new_game(4, rng=5), make_agent(kind), stop=stop):
        seen.append(analysis)
        if analysis.seconds > 0.8 and not stop.is_set():
            stop.set()
            told = time.monotonic()
    assert time.monotonic() - told < 20  # a tenth of a second on a machine without other work
    assert len(seen) >= 3 and seen[-1].is_final and seen[-1].nodes > seen[0].nodes


def test_stop_and_time_limit__end_the_stream_as_a_function_or_in_seconds(alphabeta):
    state = new_game(4, rng=5)
    assert [a.is_final for a in analyses(state, alphabeta, stop=lambda: True)][-1]
    began = time.monotonic()
    *_, last = analyses(state, alphabeta, seconds=0.2)
    assert last.is_final and 0.2 <= time.monotonic() - began < 20


def test_stream_that_is_left__frees_its_agent_and_thread(alphabeta):
    state, before = new_game(2, rng=5), threading.active_count()
    stream = analyses(state, alphabeta)
    next(stream)
    assert threading.active_count() > before
    stream.close()
    assert threading.active_count() == before
    assert moves_of(final(state, alphabeta, 500)) == make_agent("alphabeta:nodes=500").analyse(
        state
    )


def test_agent_after_an_analysis__plays_within_its_own_limit():
    agent, state = make_agent("alphabeta:nodes=200"), new_game(2, rng=5)
    mask = legal_mask(state)
    expected = agent.act(state, mask, None), int(agent.act_batch(state.rows, mask[None], [])[0])
    final(state, agent, 50_000)
    assert int(agent.act_batch(state.rows, mask[None], [])[0]) == expected[1]
    assert agent.act(state, mask, None) == expected[0]
    assert agent.nodes <= 260


def test_several_analyses_at_once__do_not_disturb_each_other():
    states = [new_game(n, rng=n) for n in (2, 3, 4)]
    alone = [moves_of(final(state, make_agent("alphabeta"), 20_000)) for state in states]
    together: dict[int, list[tuple[int, float]]] = {}

    def analyse(number: int) -> None:
        together[number] = moves_of(final(states[number], make_agent("alphabeta"), 20_000))

    threads = [threading.Thread(target=analyse, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[number] for number in range(3)] == alone


def test_solved_end__gives_certainty_and_the_shares_of_the_result(alphabeta):
    found = final(LAST_MOVE, alphabeta, 1000)
    assert (found.candidates[0].win_chance, found.candidates[-1].win_chance) == (1, 0)
    assert found.win_chances == (1, 0)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_win_chances_of_an_analysis__add_up_and_follow_the_values(alphabeta, num_players):
    state = middle(num_players)
    found = final(state, alphabeta, 2000)
    assert sum(found.win_chances) == pytest.approx(1)
    assert found.win_chances[state.current_player] == found.candidates[0].win_chance
    chances = [candidate.win_chance for candidate in found.candidates]
    assert chances == sorted(chances, reverse=True) and chances[0] > chances[-1]


def test_agent_without_values__is_refused():
    with pytest.raises(CannotAnalyseError, match="random"):
        next(analyses(new_game(2, rng=0), "random"))


def test_position_without_moves__is_refused_at_once():
    state = LAST_MOVE
    over = afterstate(state, int(legal_mask(state).argmax()))
    with pytest.raises(ValueError, match="over"):
        analyses(over, "greedy")
    between = new_game(2, rng=0)
    while not between.awaits_deal:
        between = afterstate(between, int(legal_mask(between).argmax()))
    with pytest.raises(ValueError, match="not dealt"):
        analyses(between, "greedy")


def test_spec__is_an_agent_for_this_analysis():
    (only,) = analyses(new_game(2, rng=0), "greedy")
    assert only.spec == "greedy" and only.is_final and (only.depth, only.nodes) == (None, None)
