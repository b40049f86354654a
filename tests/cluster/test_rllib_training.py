"""Training with RLlib: through the command, killed and resumed, with several processes, and from a script."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray.rllib")

from arena.processes import wait_until
from azul_agents.arena.match import MatchConfig, run_match
from azul_processes import LAYERS, ROOT
from azul_train import read_config, resume, train
from azul_train.rllib.training import CHECKPOINTS, RUN_STATE
from azul_train.run.folder import RunFolder
from ui.command import here

CONFIG = ROOT / "configs/train/rllib.yaml"
SMALL = {
    "ppo.games": 8,
    "ppo.rollout_steps": 16,
    "ppo.batch_size": 64,
    "network.trunk": 32,
    "evaluation.opponents": "[random, greedy]",
    "evaluation.games": 4,
    "evaluation.final_games": 6,
    "evaluation.every": 256,
    "checkpoint_every": 128,
}


def settings(**more):
    return [f"{key}={value}" for key, value in (SMALL | more).items()]


def changes(**more):
    return [part for change in settings(**more) for part in ("--set", change)]


def newest(run: Path) -> int:
    """Steps of the newest complete checkpoint."""
    return max((int(path.name) for path in run.glob(f"{CHECKPOINTS}/0*")), default=-1)


def test_command__is_killed_resumes_and_makes_an_agent(ray, tmp_path, monkeypatch, capsys):
    run = tmp_path / "rllib"
    arguments = ["train", "--engine", "rllib", "--config", str(CONFIG), "--out", str(tmp_path)]
    arguments += ["--address", ray.get_runtime_context().gcs_address]
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", "from azul_ui.cli import main; main()", *arguments),
            *changes(steps=1500),
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: newest(run) >= 128 or process.poll() is not None, seconds=300)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = newest(run)
    assert 128 <= kept < 1500, "the kill came too late"
    code, out, err = here(monkeypatch, capsys, "train", "--resume", run, "--json")
    assert code == 0, err
    result = json.loads(out)
    assert result["steps"] >= 1500
    assert [line["opponent"] for line in result["evaluation"]] == [
        "random",
        "greedy",
        "its own start",
    ]
    assert all(line["games"] == 6 for line in result["evaluation"])
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    steps = [line["steps"] for line in lines if line["kind"] == "progress"]
    assert steps == sorted(set(steps)), "no step is counted twice"
    assert any(line <= kept for line in steps) and any(line > kept for line in steps)
    assert "| engine | rllib |" in (run / "report.md").read_text()
    model = tmp_path / "model.npz"
    assert here(monkeypatch, capsys, "export", run, model).code == 0
    match = run_match((f"neural:path={model}", "random"), MatchConfig(games=4, jobs=1))
    assert [tally.forfeits for tally in match.tallies] == [0, 0]


def test_several_learners__learn_one_network_and_a_resumed_run_has_their_state(ray, tmp_path):
    config = read_config(
        CONFIG, settings(steps=256, name="two", **{"rllib.env_runners": 0, "rllib.learners": 2})
    )
    folder = RunFolder.create(tmp_path, config, "test")
    results = train(config, folder)
    assert [result.games for result in results] == [6, 6]
    first = newest(folder.path)
    state = json.loads((folder.path / CHECKPOINTS / f"{first:012d}" / RUN_STATE).read_text())
    assert state["steps"] == first and len(list((folder.path / CHECKPOINTS).iterdir())) == 1
    text = folder.config_file.read_text()
    folder.config_file.write_text(text.replace("steps: 256", "steps: 600"))
    noted = folder.path / "run.json"
    noted.write_text(noted.read_text().replace('"steps": 256', '"steps": 600'))
    mine = folder.path / "rllib" / "mine"
    mine.mkdir()
    resume(RunFolder.open(folder.path))
    mine.rmdir()  # it is there: only older checkpoints are removed
    progress = [line for line in folder.read_metrics() if line["kind"] == "progress"]
    assert progress[-1]["steps"] >= 600 and newest(folder.path) >= 600
    rates = [line["learning_rate"] for line in progress if line["steps"] > first]
    assert rates == sorted(rates, reverse=True) and rates[-1] < rates[0] < config.ppo.learning_rate


def test_gray_run__makes_an_agent_that_plays_gray(ray, tmp_path):
    config = read_config(CONFIG, settings(steps=256, variant="gray", **{"rllib.env_runners": 0}))
    folder = RunFolder.create(tmp_path, config, "test")
    assert [result.games for result in train(config, folder)] == [6, 6]
    table = (f"neural:path={folder.best_model}", "random")
    match = run_match(table, MatchConfig(games=4, jobs=1, variant="gray"))
    assert [tally.forfeits for tally in match.tallies] == [0, 0]


def test_run_without_checkpoint__says_so(ray, tmp_path):
    config = read_config(CONFIG, settings(**{"rllib.env_runners": 0}))
    folder = RunFolder.create(tmp_path, config, "test")
    with pytest.raises(ValueError, match="has no checkpoint yet"):
        resume(folder)


def test_example__trains_and_saves(tmp_path):
    example = ROOT / "examples/train_rllib.py"
    assert len(example.read_text().splitlines()) < 60
    run = subprocess.run(
        [sys.executable, str(example), "1"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "iteration 1: " in run.stdout and (tmp_path / "rllib_checkpoint").is_dir()
