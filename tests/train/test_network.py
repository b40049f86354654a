"""The network: what it knows before any learning, and that a file gives it back."""

from dataclasses import asdict, replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from azul_agents.neural.agent import NeuralPolicy
from azul_agents.neural.model_file import array_shapes, write_model
from azul_agents.neural.patterns import pattern_layer, placed_layer
from azul_agents.registry import make_agent
from azul_env import GameState, apply_action, from_dict, legal_mask, new_game, observe, to_dict
from azul_env.observation import observation_size
from azul_train.config import NetworkSize
from azul_train.export import export_network, load_network, model_of
from azul_train.network import AzulNetwork
from azul_train.selfplay.network_agent import inputs_of

torch.set_num_threads(1)  # more only wait for each other where tests share the cores

SMALL = NetworkSize(trunk=40, source=24, key=8, value=16)
GAMES = list(product((2, 3, 4), ("colored", "gray")))  # numbers of players, variants


def network_of(
    num_players: int, size: NetworkSize = SMALL, variant: str = "colored"
) -> AzulNetwork:
    """A network as if after some learning: the first weights are so small that much could hide behind them."""
    torch.manual_seed(num_players)
    network = AzulNetwork(num_players, size, variant)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return network


def some_states(num_players: int, variant: str = "colored", seed: int = 1) -> list[GameState]:
    """Positions from all stages of a random game; on the gray wall, columns are to be chosen in some."""
    rng = np.random.default_rng(seed)
    states = [new_game(num_players, rng=rng, variant=variant)]
    while not states[-1].is_terminal:
        action = rng.choice(np.flatnonzero(legal_mask(states[-1])))
        states.append(apply_action(states[-1], action, rng).state)
    assert any(state.columns_to_choose for state in states[:-1:3]) == (variant == "gray")
    return states[:-1:3]


def judged(network: AzulNetwork, states: list[GameState]) -> tuple[torch.Tensor, torch.Tensor]:
    with torch.no_grad():
        return network(torch.tensor(np.stack([observe(state) for state in states])))


@pytest.mark.parametrize(("num_players", "variant"), GAMES)
def test_permuted_factories__permute_the_logits_and_leave_the_value(
    num_players: int, variant: str
) -> None:
    # In double precision, so that the order of a sum makes no difference worth a word.
    network = network_of(num_players, variant=variant).double()
    states = some_states(num_players, variant)
    rng = np.random.default_rng(2)
    order = rng.permutation(network.num_factories)
    moved = []
    for state in states:
        position = to_dict(state)
        position["factories"] = [position["factories"][factory] for factory in order]
        moved.append(from_dict(position))
    observations = [
        torch.tensor(np.stack([observe(s) for s in some])).double() for some in (states, moved)
    ]
    with torch.no_grad():
        (logits, values), (moved_logits, moved_values) = map(network, observations)
    sources = [*order.tolist(), network.num_factories]
    drafts = 30 * len(sources)
    by_source = logits[:, :drafts].reshape(len(states), len(sources), -1)
    expected = torch.cat((by_source[:, sources].flatten(1), logits[:, drafts:]), 1)
    assert not torch.allclose(moved_logits, logits, atol=1e-3)
    assert torch.allclose(moved_logits, expected, rtol=0, atol=1e-12)
    assert torch.allclose(moved_values, values, rtol=0, atol=1e-12)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_same_tiles_on_two_factories__are_the_same_moves(num_players: int) -> None:
    network = network_of(num_players)
    position = to_dict(new_game(num_players, rng=1))
    first, second = position["factories"][:2]
    position["bag"] = [b + s - f for b, s, f in zip(position["bag"], second, first, strict=True)]
    position["factories"][1] = first
    logits, _ = judged(network, [from_dict(position)])
    by_source = logits.reshape(network.num_factories + 1, -1)
    assert torch.allclose(by_source[0], by_source[1], rtol=0, atol=1e-6)
    assert not torch.allclose(by_source[0], by_source[2], atol=1e-3)


@pytest.mark.parametrize(("num_players", "variant"), GAMES)
@pytest.mark.parametrize("size", [SMALL, NetworkSize(), replace(SMALL, patterns=1)])
def test_export__equals_the_network(
    num_players: int, variant: str, size: NetworkSize, tmp_path: Path
) -> None:
    network = network_of(num_players, size, variant)
    path = tmp_path / "model.npz"
    export_network(network, path, {"config": "test"})
    policy = NeuralPolicy.load(path)
    states = some_states(num_players, variant)
    logits, values = judged(network, states)
    assert logits.shape == (len(states), network.num_actions)
    own_logits, own_values = policy.logits_and_values(np.stack([observe(s) for s in states]))
    assert policy.card == {"config": "test"}
    np.testing.assert_allclose(own_logits, logits.numpy(), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(own_values, values.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("patterns", [0, 1])
def test_export__of_a_network_that_sees_an_outlook_equals_it(
    num_players: int, patterns: int, tmp_path: Path
) -> None:
    network = network_of(num_players, replace(SMALL, patterns=patterns, outlook=1))
    with torch.no_grad():
        network.outlook[::7] += (
            0.01  # the file holds the weights that the network has, not those of the search
        )
    export_network(network, tmp_path / "model.npz", {})
    policy = NeuralPolicy.load(tmp_path / "model.npz")
    rows = np.concatenate([state.rows for state in some_states(num_players)])
    inputs = inputs_of(network).of(rows)
    with torch.no_grad():
        logits, values = network(torch.from_numpy(inputs))
        blind = network(
            torch.from_numpy(
                np.where(np.arange(inputs.shape[1]) < observation_size(num_players), inputs, 0)
            )
        )[0]
    own_logits, own_values = policy.judge_all(rows)
    np.testing.assert_allclose(own_logits, logits.numpy(), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(own_values, values.numpy(), rtol=1e-5, atol=1e-4)
    assert not np.allclose(logits.numpy(), blind.numpy(), atol=0.1)


@pytest.mark.parametrize(("num_players", "variant"), GAMES)
def test_neural_agent__plays_the_networks_best_move(
    num_players: int, variant: str, tmp_path: Path
) -> None:
    network = network_of(num_players, variant=variant)
    export_network(network, tmp_path / "model.npz", {})
    agent = make_agent(f"neural:path={tmp_path / 'model.npz'}")
    states = some_states(num_players, variant)
    logits, _ = judged(network, states)
    for state, of_state in zip(states, logits.numpy(), strict=True):
        mask = legal_mask(state)
        action = agent.act(state, mask, np.random.default_rng(0))
        # Equal factories give logits that differ by rounding only.
        assert of_state[action] >= of_state[mask].max() - 1e-5


@pytest.mark.parametrize("variant", ["colored", "gray"])
def test_file__gives_back_the_network_to_the_bit(variant: str, tmp_path: Path) -> None:
    network = network_of(3, variant=variant)
    export_network(network, tmp_path / "model.npz", {})
    back = load_network(tmp_path / "model.npz")
    assert (back.num_players, back.size, back.variant) == (3, SMALL, variant)
    weights, own = network.state_dict(), back.state_dict()
    assert weights.keys() == own.keys()
    assert all(torch.equal(weights[name], own[name]) for name in weights)


@pytest.mark.parametrize(("num_players", "variant"), GAMES)
def test_files__know_the_networks_arrays(num_players: int, variant: str) -> None:
    sights = [{}, {"patterns": 1}]
    if variant == "colored":
        sights += [{"outlook": 1}, {"patterns": 1, "outlook": 1}]
    for seen in sights:
        size = replace(SMALL, **seen)
        weights = AzulNetwork(num_players, size, variant).state_dict()
        expected = {name: tuple(array.shape) for name, array in weights.items()}
        assert array_shapes(num_players, asdict(size), variant) == expected


def test_columns__depend_on_the_tile_that_is_to_be_placed() -> None:
    network = network_of(2, variant="gray")
    with torch.no_grad():
        network.trunk_1.weight.zero_()  # the trunk is the same for all positions: only the tile is left
    states = some_states(2, "gray")
    logits, _ = judged(network, states)
    by_tile: dict[tuple[int, int], set[bytes]] = {}
    for state, of_state in zip(states, logits[:, 180:].numpy(), strict=True):
        if not state.columns_to_choose:
            assert not of_state.any()
            continue
        lines = state.players[state.current_player].pattern_lines
        tile = next((line, color) for line, (color, count) in enumerate(lines) if count == line + 1)
        by_tile.setdefault(tile, set()).add(of_state.tobytes())
    assert all(len(found) == 1 for found in by_tile.values())
    assert len(set().union(*by_tile.values())) == len(by_tile) > 2


def test_file_from_before_there_were_patterns__gives_a_network_without_them(tmp_path: Path) -> None:
    model = model_of(network_of(2), {})
    old_size = {name: width for name, width in model.size.items() if name != "patterns"}
    write_model(tmp_path / "model.npz", model._replace(size=old_size))
    assert load_network(tmp_path / "model.npz").size == SMALL


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_patterns__are_what_placements_of_full_lines_will_make(num_players: int) -> None:
    placed, patterns = placed_layer(num_players), pattern_layer(num_players)
    for state in some_states(num_players, seed=3):
        seen = observe(state)
        units = np.maximum(placed[0] + seen @ placed[1:], 0)
        board = state.players[state.current_player]
        wall = np.array(board.wall, bool)
        for line, (color, count) in enumerate(board.pattern_lines):
            if count == line + 1:
                wall[line, (line + color) % 5] = True
        np.testing.assert_allclose(units[:25].reshape(5, 5), wall, atol=1e-5)
        found = np.maximum(patterns[0] + units @ patterns[1:], 0)
        pairs = (wall[:, 1:] & wall[:, :-1]).sum() + (wall[1:] & wall[:-1]).sum()
        is_pair = (patterns[1:26].sum(axis=0) == 2) & (patterns[0] == -1)
        assert is_pair.sum() == 40
        assert found[is_pair].sum() == pytest.approx(pairs, abs=1e-4)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_patterns_of_gray_walls__are_tiles_of_any_color_and_colors(num_players: int) -> None:
    placed, patterns = placed_layer(num_players, "gray"), pattern_layer(num_players, "gray")
    most = 0
    for state in some_states(num_players, "gray", seed=3):
        units = np.maximum(placed[0] + observe(state) @ placed[1:], 0)
        wall = np.array(state.players[state.current_player].wall)
        np.testing.assert_allclose(units[:25].reshape(5, 5), wall > 0, atol=1e-5)
        counts = [(wall == color + 1).sum() for color in range(5)]
        np.testing.assert_allclose(units[25:30], counts, atol=1e-5)
        found = np.maximum(patterns[0] + units @ patterns[1:], 0)
        pairs = ((wall[:, 1:] > 0) & (wall[:, :-1] > 0)).sum()
        pairs += ((wall[1:] > 0) & (wall[:-1] > 0)).sum()
        is_pair = (patterns[1:26].sum(axis=0) == 2) & (patterns[0] == -1)
        assert is_pair.sum() == 40
        assert found[is_pair].sum() == pytest.approx(pairs, abs=1e-4)
        is_color = (patterns[26:31].sum(axis=0) == 1) & (patterns[0] == -2)
        above = [max(count - 2, 0) for count in counts]
        np.testing.assert_allclose(found[is_color], above, atol=1e-4)
        most = max(most, *counts)
    assert most >= 2
