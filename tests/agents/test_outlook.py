"""The outlook of a policy: what the search, looking one move ahead, says of each move."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from azul_agents.kinds import OFFERS
from azul_agents.neural.agent import NeuralPolicy
from azul_agents.neural.model_file import ModelFileError, read_model, write_model
from azul_agents.neural.outlook import BEST_SCALE, MOST_LOST, Inputs
from azul_agents.registry import make_agent
from azul_agents.search.network.layers import FIRST_OFFER
from azul_agents.search.network.weights_file import shipped_networks
from azul_env import GameBatch, GameState, apply_action, legal_mask, new_game, num_actions, observe
from models import SMALL, random_model

FAR_SIGHTED = SMALL | {"outlook": 1}


def inputs_for(num_players: int) -> Inputs:
    return Inputs(num_players, "colored", shipped_networks(num_players, OFFERS))


def random_game(num_players: int, seed: int = 3) -> list[GameState]:
    rng = np.random.default_rng(seed)
    states = [new_game(num_players, rng=rng)]
    while not states[-1].is_terminal:
        action = rng.choice(np.flatnonzero(legal_mask(states[-1])))
        states.append(apply_action(states[-1], action, rng).state)
    return states


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_outlook__is_what_a_search_of_one_move_says(num_players: int) -> None:
    inputs, search = inputs_for(num_players), make_agent("alphabeta:depth=1,evaluation=offers")
    states = random_game(num_players)[:-1]
    for state in states[::4] + states[-3:]:
        (seen,) = inputs.of(state.rows)
        size = inputs.observation_size
        assert seen[:size].tolist() == observe(state).tolist()
        best, lost = seen[size], seen[size + 1 :]
        values = {move.action: move.value for move in search.analyse(state)}
        assert best / BEST_SCALE == pytest.approx(max(values.values()), abs=1e-3)
        for action, value in values.items():
            expected = max(value - max(values.values()), -MOST_LOST)
            assert lost[action] == pytest.approx(expected, abs=1e-3)
        illegal = ~legal_mask(state)
        assert lost.shape == (num_actions(num_players),)
        assert (lost[illegal] == -MOST_LOST).all()


def test_outlook__is_the_same_for_factories_with_the_same_tiles() -> None:
    found = 0
    for seed in range(60):
        state = new_game(2, rng=seed)
        lost = inputs_for(2).of(state.rows)[0, -180:].reshape(6, 30)
        for one in range(5):
            for other in range(one):
                if state.factories[one] == state.factories[other]:
                    assert lost[one].tolist() == lost[other].tolist()
                    assert (lost[one] > -MOST_LOST).any()
                    found += 1
    assert found


def test_outlook__of_a_finished_game_is_finite() -> None:
    (seen,) = inputs_for(2).of(random_game(2)[-1].rows)
    assert seen[-181] == 0
    assert (seen[-180:] == -MOST_LOST).all()


def test_logits__are_sharpened_by_what_moves_lose() -> None:
    model = random_model(2, size=FAR_SIGHTED)
    arrays = {name: np.zeros_like(array) for name, array in model.arrays.items()}
    arrays["outlook"] = shipped_networks(2)
    arrays["sharpness.bias"][:] = 2
    policy = NeuralPolicy(model._replace(arrays=arrays))
    for state in random_game(2)[:-1:9]:
        lost = policy.inputs.of(state.rows)[0, -180:]
        np.testing.assert_allclose(policy.judge(state)[0], 2 * lost, atol=1e-5)


def test_file__holds_the_networks_that_the_policy_was_trained_with(tmp_path) -> None:
    model = random_model(2, size=FAR_SIGHTED)
    write_model(tmp_path / "model.npz", model)
    other = model._replace(arrays=model.arrays | {"outlook": shipped_networks(2)})
    write_model(tmp_path / "other.npz", other)
    state = new_game(2, rng=1)
    judged = [
        NeuralPolicy(read).judge(state)[0].tolist()
        for read in (model, read_model(tmp_path / "model.npz"), read_model(tmp_path / "other.npz"))
    ]
    assert judged[0] == judged[1] != judged[2]


def test_file_of_an_earlier_version__plays_as_it_did(tmp_path) -> None:
    """Its networks knew no offers."""
    model = random_model(2, size=FAR_SIGHTED)
    model.arrays["outlook"][:] = shipped_networks(2)
    assert not model.arrays["outlook"][FIRST_OFFER:].any()
    path = tmp_path / "model.npz"
    write_model(path, model)
    with np.load(path) as arrays:
        earlier = dict(arrays) | {"outlook": arrays["outlook"][:FIRST_OFFER]}
    np.savez(path, **earlier)
    for state in random_game(2)[:-1:9]:
        expected = NeuralPolicy(model).judge(state)[0].tolist()
        assert NeuralPolicy(read_model(path)).judge(state)[0].tolist() == expected


def test_model_for_gray_walls_with_an_outlook__is_refused(tmp_path) -> None:
    write_model(tmp_path / "model.npz", random_model(2, size=FAR_SIGHTED, variant="gray"))
    with pytest.raises(ModelFileError, match="an outlook, which there is only for colored games"):
        read_model(tmp_path / "model.npz")


def test_agents_on_several_threads__do_not_disturb_each_other() -> None:
    games = GameBatch(400, seed=9)
    for _ in range(6):
        games.step(games.random_actions())
    masks = games.legal_masks()
    expected = make_agent("ppo").act_batch(games.rows, masks, []).tolist()
    agents = [make_agent("ppo") for _ in range(4)]
    with ThreadPoolExecutor(len(agents)) as pool:
        for _ in range(5):
            answers = pool.map(lambda agent: agent.act_batch(games.rows, masks, []), agents)
            assert [answer.tolist() for answer in answers] == [expected] * len(agents)
