"""The tree search that a policy guides: its priors, its two stages, and moves that have to be found."""

import numpy as np
import pytest

from azul_agents.analysis.streaming import analysis_of
from azul_agents.guided.agent import GuidedAgent
from azul_agents.guided.evaluator import guided_evaluator
from azul_agents.kinds import GuidedOptions
from azul_agents.neural.agent import packaged_policy
from azul_agents.registry import AgentSpecError, make_agent
from azul_agents.search.evaluator import prepare, write_gains
from azul_agents.search.moves import MAX_MOVES, action_of, list_moves
from azul_agents.search.network.weights_file import network_evaluator
from azul_agents.search.tree import VALUE, new_tree
from azul_env import GameState, apply_action, legal_mask, new_game
from azul_env.core.jit import kernel
from azul_env.core.words import as_bool
from positions import position

RNG = np.random.default_rng(0)
WINNING_MOVE = position("""
    azul 2p round 4/50 turn 0 start 1 | - - - - - | KW | bag ? lid - |
    40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/KKKKK: *""")


@kernel
def _gains(evaluator, rows, moves, gains):
    """Prepare with rows[0], and write what the moves of rows[1] gain."""
    prepare(evaluator, rows[0])
    count = list_moves(rows[1], moves, as_bool(True))
    write_gains(evaluator, rows[1], moves, count, gains)
    return count


def gains_of(evaluator, root: GameState, state: GameState) -> dict[int, float]:
    moves, gains = np.zeros(MAX_MOVES, np.int64), np.zeros(MAX_MOVES)
    rows = np.concatenate((root.rows, state.rows))
    count = _gains(evaluator, rows, moves, gains)
    actions = [action_of(move) for move in moves[:count].tolist()]
    return dict(zip(actions, gains[:count].tolist(), strict=True))


def after_moves(state: GameState, count: int) -> GameState:
    for _ in range(count):
        state = apply_action(state, int(legal_mask(state).argmax()), rng=0).state
    return state


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_priors__are_the_policys_near_the_root_and_expected_gains_far_from_it(
    num_players: int,
) -> None:
    evaluator, judge = guided_evaluator(num_players), network_evaluator(num_players)
    root = new_game(num_players, rng=4)
    near, far = after_moves(root, 1), after_moves(root, 6)
    for state in (root, near):
        logits = packaged_policy(num_players).judge(state)[0]
        found = gains_of(evaluator, root, state)
        best = max(found, key=lambda action: logits[action])
        for action, gain in found.items():
            assert gain == pytest.approx(
                found[best] - 0.5 * (logits[best] - logits[action]), abs=1e-4
            )
    assert gains_of(evaluator, root, far) == gains_of(judge, root, far)
    assert gains_of(evaluator, root, near) != gains_of(judge, root, near)


def test_tree__tries_what_the_policy_prefers() -> None:
    state = new_game(2, rng=1)
    memory = new_tree(1 << 12)
    memory.begin(state.rows, VALUE, 2, np.uint64(0))
    memory.run(guided_evaluator(2), 1.0)
    visited = [action for action, visits, _ in memory.root_moves() if visits]
    logits = packaged_policy(2).judge(state)[0]
    assert visited[0] == max(
        (action for action, *_ in memory.root_moves()), key=lambda a: logits[a]
    )


@pytest.mark.parametrize("solve", [0, 10])
def test_search__finds_the_move_that_wins_the_game(solve: int) -> None:
    agent = GuidedAgent(options=GuidedOptions(simulations=2000, solve=solve))
    assert agent.act(WINNING_MOVE, legal_mask(WINNING_MOVE), RNG) == 150 + 24  # white to line 0


def test_solve__says_where_alpha_beta_takes_over() -> None:
    # Two offers are left, the black and the white tile in the center. Only alpha-beta has a depth.
    for solve, depth in ((1, None), (2, 2)):
        agent = GuidedAgent(options=GuidedOptions(simulations=50, solve=solve))
        assert analysis_of(WINNING_MOVE, agent).depth == depth


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
