"""`azul export --onnx`: the exported model equals the player of the .npz, number for number."""

import gymnasium
import numpy as np
import onnxruntime
import pytest

from azul_agents.neural.agent import NeuralPolicy
from azul_agents.neural.onnx_file import onnx_model
from example_runs import ROOT
from models import SMALL, random_model
from ui.command import here

MODELS = ROOT / "agents" / "azul_agents" / "neural" / "models"
TOLERANCE = {"rtol": 1e-4, "atol": 1e-4}  # of float32 sums in another order


def positions(players: int, variant: str = "colored") -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks from all parts of random games."""
    rng = np.random.default_rng(1)
    games = gymnasium.make_vec(
        "azul_env:AzulSelfPlay-v0", num_envs=16, num_players=players, variant=variant
    )
    observations, info = games.reset(seed=1)
    seen = []
    for _ in range(80):
        masks = info["action_mask"]
        seen.append((observations, masks))
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        observations, *_, info = games.step(actions)
    return tuple(map(np.concatenate, zip(*seen, strict=True)))


@pytest.mark.parametrize(
    ("players", "variant"), [(2, "colored"), (3, "colored"), (4, "colored"), (2, "gray")]
)
def test_onnx__equals_the_npz_player(players, variant, tmp_path, monkeypatch, capsys):
    prefix = "" if variant == "colored" else f"{variant}_"
    source, target = MODELS / f"{prefix}{players}_players.npz", tmp_path / "model.onnx"
    outcome = here(monkeypatch, capsys, "export", source, tmp_path / "m.npz", "--onnx", target)
    assert outcome.code == 0, outcome.err
    session = onnxruntime.InferenceSession(target)
    observations, masks = positions(players, variant)
    logits, values = session.run(["logits", "value"], {"observation": observations})
    expected_logits, expected_values = NeuralPolicy.load(source).logits_and_values(observations)
    np.testing.assert_allclose(logits, expected_logits, **TOLERANCE)
    np.testing.assert_allclose(values, expected_values, **TOLERANCE)
    moves = [np.where(masks, numbers, -np.inf).argmax(1) for numbers in (logits, expected_logits)]
    np.testing.assert_array_equal(*moves)
    assert "card" in session.get_modelmeta().custom_metadata_map


def test_onnx__of_a_model_that_sees_patterns_equals_the_npz_player():
    model = random_model(2, size=SMALL | {"patterns": 1})
    session = onnxruntime.InferenceSession(onnx_model(model).SerializeToString())
    observations, _ = positions(2)
    logits, values = session.run(["logits", "value"], {"observation": observations})
    expected_logits, expected_values = NeuralPolicy(model).logits_and_values(observations)
    np.testing.assert_allclose(logits, expected_logits, **TOLERANCE)
    np.testing.assert_allclose(values, expected_values, **TOLERANCE)


def test_onnx__name_must_say_so(tmp_path, monkeypatch, capsys):
    arguments = MODELS / "2_players.npz", tmp_path / "m.npz", "--onnx", tmp_path / "m.txt"
    outcome = here(monkeypatch, capsys, "export", *arguments)
    assert outcome.code != 0 and ".onnx" in outcome.err
    assert not (tmp_path / "m.npz").exists()
