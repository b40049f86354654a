"""A run that is interrupted at any point resumes without a difference."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from azul_agents.neural.model_file import read_model
from azul_train import resume, train
from azul_train.run.folder import RunFolder
from azul_train.run.progress import EVALUATION, SELF_PLAY, Progress
from azul_train.sb3.checkpoint import load_checkpoint
from train.test_training import assert_same
from train.tiny import TINY_RUN, new_folder, tiny_config, without_times
from ui.command import LAYERS, here

STEPS = "steps=4096"
TIMES = ("minutes", "seconds")
PATIENCE_SECONDS = 240
COMMAND = "from azul_ui.cli import main; main()"


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    config = tiny_config(STEPS)
    folder = new_folder(tmp_path_factory.mktemp("whole"), config)
    train(config, folder)
    return folder


def assert_same_run(folder: RunFolder, other: RunFolder) -> None:
    """Two folders are of the same run, except for the times."""
    assert without_times(folder.read_metrics()) == without_times(other.read_metrics())
    checkpoints = [load_checkpoint(run.checkpoint) for run in (folder, other)]
    for checkpoint in checkpoints:
        for name in TIMES:
            del checkpoint[name]
    assert_same(*checkpoints)
    models = [
        sorted(path.relative_to(run.path) for path in run.path.rglob("*.npz"))
        for run in (folder, other)
    ]
    assert models[0] == models[1]
    for name in models[0]:
        mine, theirs = (read_model(run.path / name) for run in (folder, other))
        assert {k: a.tolist() for k, a in mine.arrays.items()} == {
            k: a.tolist() for k, a in theirs.arrays.items()
        }
        cards = [{k: v for k, v in m.card.items() if k != "minutes"} for m in (mine, theirs)]
        assert cards[0] == cards[1]


def steps_in(folder: RunFolder) -> int:
    return max((line["steps"] for line in folder.read_metrics()), default=0)


def wait_for_steps_behind_a_checkpoint(process: subprocess.Popen[str], root: Path) -> RunFolder:
    """Stop a training process as soon as it has progressed beyond its second checkpoint."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        folder = RunFolder(root / "train")
        if folder.checkpoint.exists():
            saved = load_checkpoint(folder.checkpoint)["steps"]
            if saved and steps_in(folder) > saved:
                process.send_signal(signal.SIGSTOP)
                return folder
        time.sleep(0.005)
    raise AssertionError("the run did not get anywhere")


def test_killed_run__resumes_without_a_difference(uninterrupted, tmp_path, monkeypatch, capsys):
    changes = [part for change in (*TINY_RUN, STEPS) for part in ("--set", change)]
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "train", *changes, "--out", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        folder = wait_for_steps_behind_a_checkpoint(process, tmp_path)
        second = here(monkeypatch, capsys, "train", "--resume", folder.path)
        assert (second.code, second.err.count("in use by another training run")) == (2, 1)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not folder.model.exists()
    with open(folder.metrics_file, "a") as file:
        file.write(
            '{"kind": "progress", "steps": 12'
        )  # as a kill in the middle of a line leaves it
    resumed = here(monkeypatch, capsys, "train", "--resume", folder.path, "--json")
    assert resumed.code == 0, resumed.err
    assert json.loads(resumed.out)["steps"] == 4096
    assert_same_run(folder, uninterrupted)
    assert folder.report.is_file()
    (noted,) = folder.run["resumed"]
    assert 0 < noted["steps"] < 4096


class EndedError(Exception):
    """Something ends a run."""


def ended_at(event: int) -> Any:
    """A callback that ends a run at an event."""
    seen: list[Progress] = []

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == event:
            raise EndedError

    return watch


def phases_of(config: Any, root: Path) -> list[str]:
    told: list[Progress] = []
    train(config, new_folder(root, config), told.append)
    return [event.phase for event in told]


def test_run_ended_at_many_moments__comes_to_the_same_end(tmp_path):
    """Before, in and after evaluations, between checkpoints, in the final evaluation; each time from where it was."""
    config = tiny_config("steps=1280", "evaluation.every=256", "checkpoint_every=768")
    phases = phases_of(config, tmp_path / "whole")
    assert phases == [EVALUATION, *[SELF_PLAY, EVALUATION] * 5, EVALUATION]
    folder = new_folder(tmp_path / "parts", config)
    with pytest.raises(EndedError):
        train(config, folder, ended_at(4))  # one rollout done, nothing saved but the beginning
    assert load_checkpoint(folder.checkpoint)["steps"] == 0
    for event, saved in ((7, 768), (1, 768), (5, 1280), (1, 1280)):
        with pytest.raises(EndedError):
            resume(folder, ended_at(event))
        assert load_checkpoint(folder.checkpoint)["steps"] == saved
    resume(folder)
    assert_same_run(folder, RunFolder.open(tmp_path / "whole" / "train"))
    assert [line["steps"] for line in folder.run["resumed"]] == [0, 768, 768, 1280, 1280]


def test_finished_run__tells_its_end_again_and_changes_nothing(uninterrupted, monkeypatch, capsys):
    before = without_times(uninterrupted.read_metrics())
    model = read_model(uninterrupted.best_model)
    outcome = here(monkeypatch, capsys, "train", "--resume", uninterrupted.path)
    assert outcome.code == 0
    assert without_times(uninterrupted.read_metrics()) == before
    again = read_model(uninterrupted.best_model)
    assert again.card == model.card
    assert all((again.arrays[name] == model.arrays[name]).all() for name in model.arrays)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "has no checkpoint yet: start a new run"),
        (b"", "checkpoint.pt is not a valid checkpoint"),
        (b"not a checkpoint at all", "checkpoint.pt is not a valid checkpoint"),
        ("half", "checkpoint.pt is not a valid checkpoint"),
    ],
)
def test_broken_checkpoint__is_an_error_of_one_line(
    content, why, uninterrupted, tmp_path, monkeypatch, capsys
):
    folder = new_folder(tmp_path, tiny_config())
    if content == "half":
        whole = uninterrupted.checkpoint.read_bytes()
        content = whole[: len(whole) // 2]
    if content is not None:
        folder.checkpoint.write_bytes(content)
    outcome = here(monkeypatch, capsys, "train", "--resume", folder.path)
    assert outcome.code == 2
    assert why in outcome.err
    errors = outcome.err[outcome.err.index("azul: error:") :].strip()
    assert errors.count("\n") == 0
    assert "weights_only" not in errors


def test_missing_snapshot__is_an_error_that_names_it(tmp_path, monkeypatch, capsys):
    config = tiny_config("steps=256")
    folder = new_folder(tmp_path, config)
    train(config, folder)
    (folder.snapshots / "000000000.npz").unlink()
    outcome = here(monkeypatch, capsys, "train", "--resume", folder.path)
    assert outcome.code == 2
    assert "000000000.npz: there is no such file" in outcome.err
