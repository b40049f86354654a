"""The examples run, learn, and need what they say they need."""

import re
from pathlib import Path

import numpy as np
import pytest

import azul_env as az
from azul_agents import make_agent
from example_runs import EXAMPLES, ROOT, run_example, win_rates


def test_train_sb3__learns_to_beat_random(tmp_path: Path) -> None:
    printed = run_example("train_sb3.py", tmp_path, "--steps", "8192", "--games", "40")
    before, after = win_rates(printed)
    assert after >= 70 and after > before
    assert (tmp_path / "azul_maskable_ppo.zip").stat().st_size > 0


def test_train_sb3__is_short_and_has_nothing_of_ours_but_the_environment() -> None:
    text = (EXAMPLES / "train_sb3.py").read_text()
    assert len(text.splitlines()) < 60
    assert re.findall(r"azul_(?:env|agents|train|ui)", text) == ["azul_env"]


def test_selfplay_pettingzoo__learns_to_beat_random(tmp_path: Path) -> None:
    printed = run_example(
        "selfplay_pettingzoo.py", tmp_path, "--games", "400", "--evaluation", "100"
    )
    _, after = win_rates(printed)
    assert after >= 60


def test_ppo_single_file__learns_to_beat_random_and_plays_in_the_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = tuple(ROOT / layer for layer in ("", "agents", "train", "ui"))
    budget = ("--steps", "16384", "--opponent", "random", "--evaluation-games", "100")
    printed = run_example("ppo_single_file.py", tmp_path, *budget, paths=layers)
    rates = [float(rate) for rate in re.findall(r"wins ([\d.]+)%", printed)]
    assert rates[-1] >= 80, printed
    monkeypatch.syspath_prepend(EXAMPLES)
    agent = make_agent(f"python:ppo_single_file:PpoAgent:path={tmp_path / 'ppo.pt'}")
    state = az.new_game(num_players=2, rng=1)
    action = agent.act(state, az.legal_mask(state), np.random.default_rng(1))
    assert az.legal_mask(state)[action]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_example__is_short(path: Path) -> None:
    most = 300 if path.name == "ppo_single_file.py" else 80
    assert len(path.read_text(encoding="utf-8").splitlines()) <= most
