"""Players of many games at once: those that sample, those that search, and those that are asked one by one."""

import numpy as np
import pytest
import torch
from azul_train.selfplay.opponents import NetworkPlayer, SearchPlayer, observed, scripted_opponent

from azul_agents.baselines.greedy import greedy_actions
from azul_agents.registry import make_agent
from azul_env import GameBatch, GameState, observe
from azul_env.core.state import Rows
from azul_env.envs.seats import OneByOne
from train.tiny import tiny_network


def some_games(num_players: int, count: int = 40, turns: int = 6) -> tuple[Rows, np.ndarray]:
    batch = GameBatch(count, num_players, seed=5)
    for _ in range(turns):
        batch.step(batch.random_actions())
    return batch.rows, batch.legal_masks()


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_network__sees_what_the_environment_shows_whoever_is_to_move(num_players):
    rows, masks = some_games(num_players)
    written = np.zeros_like(masks)
    seen = observed(rows, written)
    assert seen.tolist() == [observe(GameState(rows[i : i + 1])).tolist() for i in range(len(rows))]
    assert np.array_equal(written, masks)


def test_sampling_player__draws_from_the_softmax_over_legal_moves():
    torch.manual_seed(3)
    network = tiny_network()
    with torch.no_grad():
        network.turns.weight *= 3000  # some moves are much likelier than others
    rows, masks = some_games(2, count=1)
    many, many_masks = np.repeat(rows, 20_000), np.repeat(masks, 20_000, axis=0)
    logits, _ = network(torch.from_numpy(observed(rows, masks.copy())))
    chances = logits.masked_fill(~torch.from_numpy(masks), -torch.inf).softmax(1)[0]
    actions = NetworkPlayer.frozen(network)(many, many_masks, np.random.default_rng(1))
    shares = np.bincount(actions, minlength=masks.shape[1]) / len(actions)
    assert chances.max() > 3 / masks.sum()
    assert shares == pytest.approx(chances.detach().numpy(), abs=0.015)
    best = NetworkPlayer(network, is_sampling=False)(rows, masks, np.random.default_rng(1))
    assert best.tolist() == [chances.argmax()]


@pytest.mark.parametrize("threads", [1, 3])
def test_search__chooses_what_the_agent_chooses_game_by_game(threads):
    rows, masks = some_games(3, count=11)
    player = scripted_opponent("alphabeta:nodes=50", threads)
    assert isinstance(player, SearchPlayer)
    agent = make_agent("alphabeta:nodes=50")
    rng = np.random.default_rng(1)
    expected = [agent.act(GameState(rows[i : i + 1]), masks[i], rng) for i in range(len(rows))]
    assert player(rows, masks, rng).tolist() == expected
    assert player(rows[:2], masks[:2], rng).tolist() == expected[:2]  # fewer games than threads


def test_agents__are_compiled_where_they_can_be_and_asked_one_by_one_elsewhere():
    assert scripted_opponent("greedy") is greedy_actions
    assert isinstance(scripted_opponent("alphabeta:time=0.01"), OneByOne)
    rows, masks = some_games(2, count=3)
    player = scripted_opponent("mcts:simulations=4")
    actions = player(rows, masks, np.random.default_rng(1))
    assert masks[np.arange(3), actions].all()
