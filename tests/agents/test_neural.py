"""Networks as players, and the files they are in."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from azul_agents.base import CannotAnalyseError, VariantNotPlayedError
from azul_agents.neural import agent as neural
from azul_agents.neural.agent import NeuralAgent, NeuralPolicy
from azul_agents.neural.model_file import (
    Model,
    ModelFileError,
    layout_as_json,
    read_model,
    write_model,
)
from azul_agents.registry import AgentSpecError, make_agent
from azul_env import GameState, apply_action, legal_mask, new_game, observe
from models import random_model

GAMES = list(product((2, 3, 4), ("colored", "gray")))  # numbers of players, variants


def some_states(num_players: int, variant: str = "colored") -> list[GameState]:
    """All positions of a random game."""
    rng = np.random.default_rng(num_players)
    states = [new_game(num_players, rng=rng, variant=variant)]
    while not states[-1].is_terminal:
        action = rng.choice(np.flatnonzero(legal_mask(states[-1])))
        states.append(apply_action(states[-1], action, rng).state)
    return states[:-1]


def plain_forward(model: Model, observation: Any) -> tuple[Any, float]:
    """The network's definition once more, with loops, in float64."""
    from azul_env import observation_layout

    parts = {
        part.name: observation[part.start : part.stop]
        for part in observation_layout(model.num_players, model.variant)
    }

    def layer(name: str, inputs: Any) -> Any:
        weight, bias = model.arrays[f"{name}.weight"], model.arrays[f"{name}.bias"]
        return weight.astype(float) @ np.asarray(inputs, float) + bias

    def relu(units: Any) -> Any:
        return np.maximum(units, 0)

    factories = np.rint(np.reshape(parts.pop("factories"), (-1, 5)) * 4).astype(int)
    center = np.minimum(np.rint(parts["center"] * 20).astype(int), 6)
    embedded = [
        relu(layer("factory", [count == kind for count in counts for kind in range(1, 5)]))
        for counts in factories
    ]
    in_center = [count == kind for count in center for kind in range(1, 7)]
    middle = relu(layer("center", [*in_center, *parts["center"], *parts["marker_in_center"]]))
    seen = np.concatenate((*parts.values(), np.sum(embedded, axis=0), middle))
    trunk = relu(layer("trunk_2", relu(layer("trunk_1", seen))))
    turns = layer("turns", trunk).reshape(5, 10, 6)
    query = layer("query", trunk).reshape(5, -1)
    logits = []
    for source, counts in enumerate([*factories, center]):
        is_center = source == len(factories)
        key = layer("center_key", middle) if is_center else layer("factory_key", embedded[source])
        for color in range(5):
            kind = max(counts[color] - 1, 0) + (4 if is_center else 0)
            logits += list(turns[color, kind] + query[color] @ key)
    if model.variant == "gray":
        by_line, by_color = layer("columns", trunk).reshape(2, 5, 5)
        logits += list(parts["tiling_line"] @ by_line + parts["tiling_color"] @ by_color)
    value = layer("value_2", relu(layer("value_1", trunk)))
    return np.array(logits), float(value[0])


@pytest.mark.parametrize(("num_players", "variant"), GAMES)
def test_forward__equals_its_definition(num_players: int, variant: str) -> None:
    model = random_model(num_players, variant=variant)
    policy = NeuralPolicy(model)
    states = some_states(num_players, variant)
    tiling = [state for state in states if state.columns_to_choose]
    assert bool(tiling) == (variant == "gray")
    for state in states[::5] + tiling:
        logits, value = policy.judge(state)
        expected_logits, expected_value = plain_forward(model, observe(state))
        np.testing.assert_allclose(logits, expected_logits, atol=1e-5)
        assert value == pytest.approx(expected_value, abs=1e-5)


@pytest.mark.parametrize(("num_players", "variant"), GAMES)
def test_one_position__is_judged_as_in_a_batch_to_the_bit(num_players: int, variant: str) -> None:
    policy = NeuralPolicy(random_model(num_players, variant=variant))
    states = some_states(num_players, variant)
    logits, values = policy.logits_and_values(np.stack([observe(state) for state in states]))
    for place, state in enumerate(states):
        alone, value = policy.judge(state)
        assert alone.tobytes() == logits[place].tobytes()
        assert value == values[place]


def test_observations_of_another_shape_or_type__are_an_error() -> None:
    policy = NeuralPolicy(random_model(2))
    right = observe(new_game(2, rng=1))[None]
    with pytest.raises(ValueError, match=r"\(batch, \d+\)"):
        policy.logits_and_values(observe(new_game(3, rng=1))[None])
    with pytest.raises(ValueError, match="batch"):
        policy.logits_and_values(right[0])
    with pytest.raises(ValueError, match="float32"):
        policy.logits_and_values((right * 4).astype(np.uint8))


def agent_of(model: Model, temperature: float = 0.0) -> NeuralAgent:
    policy = NeuralPolicy(model)
    return NeuralAgent.of_policy("neural", policy, temperature)


def test_equal_factories__lead_to_the_lower_action() -> None:
    model = random_model(2)
    found = 0
    for seed in range(60):
        state = new_game(2, rng=seed)
        factories = state.factories
        action = agent_of(model).act(state, legal_mask(state), np.random.default_rng(0))
        source = action // 30
        if factories.count(factories[source]) > 1:
            found += 1
            assert source == factories.index(factories[source])
    assert found


def test_temperature__plays_as_often_as_preferred() -> None:
    state = new_game(2, rng=5)
    model = random_model(2)
    agent = agent_of(model, temperature=1.0)
    rng = np.random.default_rng(1)
    games = 6000
    played = Counter(agent.act(state, legal_mask(state), rng) for _ in range(games))
    for action, probability in agent.preferences(state):
        expected = games * probability
        assert abs(played[action] - expected) < 5 * np.sqrt(expected + 1)


def test_temperature_near_0__plays_the_best_move() -> None:
    state = new_game(3, rng=5)
    model = random_model(3)
    mask = legal_mask(state)
    best = agent_of(model).act(state, mask, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    assert {agent_of(model, 1e-4).act(state, mask, rng) for _ in range(50)} == {best}


def test_preferences__rank_all_legal_moves() -> None:
    state = some_states(2)[7]
    agent = agent_of(random_model(2))
    moves = agent.preferences(state)
    assert {move.action for move in moves} == set(np.flatnonzero(legal_mask(state)).tolist())
    assert sum(move.probability for move in moves) == pytest.approx(1)
    assert [m.probability for m in moves] == sorted((m.probability for m in moves), reverse=True)
    assert moves[0].action == agent.act(state, legal_mask(state), np.random.default_rng(0))


def test_analysis__says_that_there_are_no_points() -> None:
    with pytest.raises(CannotAnalyseError, match="points"):
        agent_of(random_model(2)).analyse(new_game(2, rng=0))


@pytest.mark.parametrize("variant", ["colored", "gray"])
def test_file__gives_back_what_was_written(variant: str, tmp_path: Path) -> None:
    model = random_model(3, variant=variant)
    path = tmp_path / "new folder" / "model.npz"
    write_model(path, model)
    back = read_model(path)
    assert back._replace(arrays=model.arrays) == model
    assert all(back.arrays[name].tobytes() == a.tobytes() for name, a in model.arrays.items())
    assert [file.name for file in path.parent.iterdir()] == ["model.npz"]


def test_file_of_colored_games__says_nothing_of_a_variant(tmp_path: Path) -> None:
    for variant in ("colored", "gray"):
        write_model(tmp_path / "model.npz", random_model(2, variant=variant))
        with np.load(tmp_path / "model.npz") as archive:
            meta = json.loads(str(archive["meta"]))
        assert meta.get("variant") == (None if variant == "colored" else variant)


def test_same_model__gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        write_model(tmp_path / name, random_model(2))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_failed_writing__leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    write_model(path, random_model(2))
    before = path.read_bytes()
    broken = random_model(2)._replace(card={"a set": {1}})  # which JSON cannot say
    with pytest.raises(TypeError):
        write_model(path, broken)
    nan = random_model(2)
    nan.arrays["query.bias"][0] = np.nan
    with pytest.raises(ModelFileError, match=r"query\.bias"):
        write_model(path, nan)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Write a model with something changed in its meta or its arrays."""
    model = random_model(2)
    meta: dict[str, Any] = {
        "format": 1,
        "num_players": 2,
        "size": dict(model.size),
        "observation_layout": layout_as_json(2),
        "card": {},
    }
    arrays: dict[str, Any] = dict(model.arrays)
    change(meta, arrays)
    np.savez(path, meta=np.array(json.dumps(meta)), **arrays)


BROKEN: dict[str, Callable[[dict[str, Any], dict[str, Any]], Any]] = {
    "another layout": lambda meta, arrays: meta["observation_layout"][3].__setitem__(0, "bonus"),
    "is of format 2": lambda meta, arrays: meta.update(format=2),
    "for 5 players": lambda meta, arrays: meta.update(num_players=5),
    "the variant 'grey'": lambda meta, arrays: meta.update(variant="grey"),
    "layout of the observation": lambda meta, arrays: meta.update(variant="gray"),
    "'card'": lambda meta, arrays: meta.pop("card"),
    "must give trunk": lambda meta, arrays: meta["size"].pop("key"),
    "above 0": lambda meta, arrays: meta["size"].update(key=0),
    "see query.bias": lambda meta, arrays: arrays.pop("query.bias"),
    "see extra": lambda meta, arrays: arrays.update(extra=np.zeros(1, np.float32)),
    "trunk_1.weight is float32": lambda meta, arrays: meta["size"].update(trunk=25),
    "value_2.bias is float64": lambda meta, arrays: arrays.update({"value_2.bias": np.zeros(1)}),
    "not finite": lambda meta, arrays: arrays["turns.weight"].__setitem__((3, 3), np.inf),
}


@pytest.mark.parametrize("complaint", BROKEN)
def test_file_that_cannot_play__is_an_error_that_names_it(complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    rewritten(path, lambda meta, arrays: None)
    make_agent(f"neural:path={path}")
    rewritten(path, BROKEN[complaint])
    with pytest.raises(AgentSpecError, match=complaint) as caught:
        make_agent(f"neural:path={path}")
    assert str(path) in str(caught.value)


def test_file_of_something_else__is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    write_model(path, random_model(2))
    whole = path.read_bytes()
    np.save(tmp_path / "one_array.npy", np.zeros(3))
    wrong = [b"", b"text", whole[:5000], whole[:-30], (tmp_path / "one_array.npy").read_bytes()]
    damaged = bytearray(whole)
    damaged[10_000] ^= 255  # in the middle of an array
    for content in [*wrong, bytes(damaged)]:
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="model"):
            read_model(path)
    np.savez(path, np.zeros(3))
    with pytest.raises(ModelFileError, match="meta"):
        read_model(path)
    np.savez(path, meta=np.array([{"code": 1}], dtype=object))  # pickled, so never loaded
    with pytest.raises(ModelFileError, match="not a model"):
        read_model(path)


def test_missing_file_or_path__is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AgentSpecError, match="no such file"):
        make_agent(f"neural:path={tmp_path / 'none.npz'}")
    with pytest.raises(AgentSpecError, match="not a model"):
        make_agent(f"neural:path={tmp_path}")
    with pytest.raises(AgentSpecError, match="write neural:path="):
        make_agent("neural")
    with pytest.raises(AgentSpecError, match="temperature"):
        make_agent("ppo:temperature=-1")
    with pytest.raises(AgentSpecError, match="temperature"):
        make_agent("ppo:temperature=nan")


def test_game_of_another_variant__is_an_error_that_names_both(tmp_path: Path) -> None:
    write_model(tmp_path / "model.npz", random_model(2, variant="gray"))
    agent = make_agent(f"neural:path={tmp_path / 'model.npz'}")
    state = new_game(2, rng=0)
    with pytest.raises(VariantNotPlayedError, match="the variant 'colored': it plays gray"):
        agent.act(state, legal_mask(state), np.random.default_rng(0))
    with pytest.raises(ValueError, match="is for the variant gray, not for colored"):
        NeuralPolicy.load(tmp_path / "model.npz").judge(state)


def test_game_of_another_number_of_players__is_an_error(tmp_path: Path) -> None:
    write_model(tmp_path / "model.npz", random_model(2))
    agent = make_agent(f"neural:path={tmp_path / 'model.npz'}")
    agent.check_table(2, "colored")
    with pytest.raises(AgentSpecError, match="trained for 2 players, this game has 3"):
        agent.check_table(3, "colored")
    state = new_game(3, rng=0)
    with pytest.raises(AgentSpecError, match="trained for 2 players"):
        agent.act(state, legal_mask(state), np.random.default_rng(0))


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in the place of the shipped models."""
    monkeypatch.setattr(neural, "files", lambda package: tmp_path)
    neural.packaged_model.cache_clear()
    yield tmp_path / "models"
    neural.packaged_model.cache_clear()


def test_ppo__takes_the_model_for_the_game(shipped: Path) -> None:
    agent = make_agent("ppo")
    for num_players in (2, 4):
        write_model(shipped / f"{num_players}_players.npz", random_model(num_players))
    for num_players in (2, 4, 2):
        state = new_game(num_players, rng=1)
        own = NeuralPolicy(random_model(num_players)).judge(state)[0]
        own[~legal_mask(state)] = -np.inf
        assert agent.act(state, legal_mask(state), np.random.default_rng(0)) == own.argmax()


def test_ppo__takes_the_model_for_the_variant(shipped: Path) -> None:
    agent = make_agent("ppo")
    models = {variant: random_model(2, variant=variant) for variant in ("colored", "gray")}
    for variant, model in models.items():
        prefix = "" if variant == "colored" else f"{variant}_"
        write_model(shipped / f"{prefix}2_players.npz", model)
    for variant in ("gray", "colored", "gray"):
        state = new_game(2, rng=1, variant=variant)
        own = NeuralPolicy(models[variant]).judge(state)[0]
        own[~legal_mask(state)] = -np.inf
        assert agent.act(state, legal_mask(state), np.random.default_rng(0)) == own.argmax()


def test_ppo_without_a_model__says_so(shipped: Path) -> None:
    agent = make_agent("ppo")
    with pytest.raises(AgentSpecError, match="no packaged model for 3 players"):
        agent.check_table(3, "colored")
