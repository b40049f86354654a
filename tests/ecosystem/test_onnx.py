"""`azul export --onnx`: the exported model equals the player of the .npz, number for number."""

from typing import Any

import numpy as np
import onnxruntime
import pytest

from azul_agents.neural.agent import NeuralPolicy
from azul_agents.neural.onnx_file import onnx_model
from azul_env import GameBatch
from example_runs import ROOT
from models import SMALL, random_model
from ui.command import here

MODELS = ROOT / "agents" / "azul_agents" / "neural" / "models"
TOLERANCE = {"rtol": 1e-4, "atol": 1e-4}  # of float32 sums in another order


def positions(players: int, variant: str = "colored") -> tuple[Any, np.ndarray]:
    """Games from all parts of random play, and their masks."""
    games = GameBatch(16, players, seed=1, variant=variant)
    seen = []
    for _ in range(80):
        seen.append((games.rows.copy(), games.legal_masks()))
        games.step(games.random_actions())
    rows, masks = zip(*seen, strict=True)
    return np.concatenate(rows), np.concatenate(masks)


@pytest.mark.parametrize(
    ("players", "variant"), [(2, "colored"), (3, "colored"), (4, "colored"), (2, "gray")]
)
def test_onnx__equals_the_npz_player(players, variant, tmp_path, monkeypatch, capsys):
    prefix = "" if variant == "colored" else f"{variant}_"
    source, target = MODELS / f"{prefix}{players}_players.npz", tmp_path / "model.onnx"
    outcome = here(monkeypatch, capsys, "export", source, tmp_path / "m.npz", "--onnx", target)
    assert outcome.code == 0, outcome.err
    session = onnxruntime.InferenceSession(target)
    rows, masks = positions(players, variant)
    policy = NeuralPolicy.load(source)
    inputs = policy.inputs.of(rows)
    logits, values = session.run(["logits", "value"], {"observation": inputs})
    expected_logits, expected_values = policy.logits_and_values(inputs)
    np.testing.assert_allclose(logits, expected_logits, **TOLERANCE)
    np.testing.assert_allclose(values, expected_values, **TOLERANCE)
    moves = [np.where(masks, numbers, -np.inf).argmax(1) for numbers in (logits, expected_logits)]
    np.testing.assert_array_equal(*moves)
    assert "card" in session.get_modelmeta().custom_metadata_map


@pytest.mark.parametrize("sights", [{"patterns": 1}, {"patterns": 1, "outlook": 1}])
def test_onnx__of_a_model_that_sees_more_equals_the_npz_player(sights):
    model = random_model(2, size=SMALL | sights)
    policy = NeuralPolicy(model)
    session = onnxruntime.InferenceSession(onnx_model(model).SerializeToString())
    inputs = policy.inputs.of(positions(2)[0])
    logits, values = session.run(["logits", "value"], {"observation": inputs})
    expected_logits, expected_values = policy.logits_and_values(inputs)
    np.testing.assert_allclose(logits, expected_logits, **TOLERANCE)
    np.testing.assert_allclose(values, expected_values, **TOLERANCE)


def test_onnx__name_must_say_so(tmp_path, monkeypatch, capsys):
    arguments = MODELS / "2_players.npz", tmp_path / "m.npz", "--onnx", tmp_path / "m.txt"
    outcome = here(monkeypatch, capsys, "export", *arguments)
    assert outcome.code != 0 and ".onnx" in outcome.err
    assert not (tmp_path / "m.npz").exists()
