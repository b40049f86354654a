"""Agents in many games at once: the same moves as one by one, and sampling by the policy."""

import numpy as np
import pytest
import torch

from azul_agents import make_agent
from azul_env import GameBatch, GameState, observe
from azul_env.core.state import Rows
from azul_train.network import AzulNetwork
from azul_train.selfplay.network_agent import frozen, inputs_of
from azul_train.selfplay.teacher import Teacher
from train.tiny import tiny_network


def some_games(num_players: int, count: int = 40, turns: int = 6) -> tuple[Rows, np.ndarray]:
    batch = GameBatch(count, num_players, seed=5)
    for _ in range(turns):
        batch.step(batch.random_actions())
    return batch.rows, batch.legal_masks()


def rngs(count: int) -> list[np.random.Generator]:
    return [np.random.default_rng([7, game]) for game in range(count)]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_network__sees_what_the_environment_shows_the_player_to_move(num_players):
    rows, _ = some_games(num_players)
    seen = inputs_of(AzulNetwork(num_players)).of(rows)
    assert seen.tolist() == [observe(GameState(rows[i : i + 1])).tolist() for i in range(len(rows))]


def test_frozen_network__draws_from_the_softmax_over_legal_moves():
    torch.manual_seed(3)
    network = tiny_network()
    with torch.no_grad():
        network.turns.weight *= 3000  # some moves are much likelier than others
    rows, masks = some_games(2, count=1)
    many, many_masks = np.repeat(rows, 20_000), np.repeat(masks, 20_000, axis=0)
    logits, _ = network(torch.from_numpy(inputs_of(network).of(rows)))
    chances = logits.masked_fill(~torch.from_numpy(masks), -torch.inf).softmax(1)[0]
    one = [np.random.default_rng(1)] * 20_000
    actions = frozen(network, "frozen").act_batch(many, many_masks, one)
    shares = np.bincount(actions, minlength=masks.shape[1]) / len(actions)
    assert chances.max() > 3 / masks.sum()
    assert shares == pytest.approx(chances.detach().numpy(), abs=0.015)


@pytest.mark.parametrize(
    "spec",
    [
        "random",
        "greedy",
        "ppo",
        "ppo:temperature=1",
        "alphabeta:nodes=50",
        "mcts:simulations=4",
    ],
)
@pytest.mark.parametrize("num_players", [2, 3])
def test_agent__plays_the_same_in_many_games_as_one_by_one(spec, num_players):
    rows, masks = some_games(num_players, count=11)
    before = rows.tobytes(), masks.tobytes()
    agent = make_agent(spec)
    together = np.asarray(agent.act_batch(rows, masks, rngs(11))).tolist()
    alone = [agent.act(GameState(rows[i : i + 1]), masks[i], rng) for i, rng in enumerate(rngs(11))]
    assert together == alone
    assert masks[np.arange(11), together].all()
    assert (rows.tobytes(), masks.tobytes()) == before


@pytest.mark.parametrize("threads", [1, 3])
def test_teacher__judges_as_its_agent_plays_and_values(threads):
    rows, masks = some_games(3, count=11)
    agent, teacher = (
        make_agent("alphabeta:nodes=50"),
        Teacher.of_spec("alphabeta:nodes=50", threads),
    )
    expected = np.asarray(agent.act_batch(rows, masks, rngs(11))).tolist()
    actions, values = teacher.judge(rows, masks, rngs(11))
    assert actions.tolist() == expected
    for state, action, value in zip(rows, expected, values.tolist(), strict=True):
        best = agent._search(GameState(state.reshape(1)), exact_values=False)[0]
        assert (best.action, best.value) == (action, value)
    fewer = teacher.judge(rows[:2], masks[:2], rngs(2))
    assert fewer[0].tolist() == expected[:2]


def test_teacher_without_values__says_so():
    rows, masks = some_games(2, count=3)
    assert np.isnan(Teacher.of_spec("greedy", 2).judge(rows, masks, rngs(3))[1]).all()
