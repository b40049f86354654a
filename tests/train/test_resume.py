"""A run that is interrupted at any point resumes without a difference."""

import json
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from azul_agents.neural.model_file import read_model
from azul_processes import AZUL, LEARNING, Process, start_python
from azul_train import resume, train
from azul_train.run.folder import RunFolder
from azul_train.run.progress import EVALUATION, SELF_PLAY, Progress
from azul_train.sb3.checkpoint import load_checkpoint
from azul_ui.cli import main
from train.test_training import assert_same
from train.tiny import FEW_GAMES, TINY_RUN, new_folder, tiny_config, without_times
from ui.command import here

STEPS = 2560
TIMES = ("minutes", "processor_minutes", "seconds")
PATIENCE_SECONDS = 240


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    config = tiny_config(f"steps={STEPS}", *FEW_GAMES)
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
        cards = [{k: v for k, v in m.card.items() if k not in TIMES} for m in (mine, theirs)]
        assert cards[0] == cards[1]


def steps_in(folder: RunFolder) -> int:
    return max((line["steps"] for line in folder.read_metrics()), default=0)


def wait_for_steps_behind_a_checkpoint(process: Process, root: Path) -> RunFolder:
    """Stop a training process as soon as it has progressed beyond its second checkpoint."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, (root / "said").read_text()
        folder = RunFolder(root / "train")
        if folder.checkpoint.exists():
            saved = load_checkpoint(folder.checkpoint)["steps"]
            if saved and steps_in(folder) > saved:
                process.send_signal(signal.SIGSTOP)
                return folder
        time.sleep(0.005)
    raise AssertionError("the run did not get anywhere")


def test_killed_run__resumes_without_a_difference(uninterrupted, tmp_path, monkeypatch, capsys):
    changes = [
        part for change in (*TINY_RUN, f"steps={STEPS}", *FEW_GAMES) for part in ("--set", change)
    ]
    with open(tmp_path / "said", "w") as said:
        process = start_python(
            AZUL,
            "train",
            *changes,
            "--out",
            tmp_path,
            stdout=said,
            stderr=said,
            preparation=LEARNING,
        )
    try:
        folder = wait_for_steps_behind_a_checkpoint(process, tmp_path)
        second = here(monkeypatch, capsys, "train", "--resume", folder.path)
        assert (second.code, second.err.count("in use by another training run")) == (2, 1)
    finally:
        process.kill()
    assert process.wait(PATIENCE_SECONDS) == -signal.SIGKILL
    assert not folder.model.exists()
    with open(folder.metrics_file, "a") as file:
        # As a kill in the middle of a line leaves it.
        file.write('{"kind": "progress", "steps": 12')
    resumed = here(monkeypatch, capsys, "train", "--resume", folder.path, "--json")
    assert resumed.code == 0, resumed.err
    assert json.loads(resumed.out)["steps"] == STEPS
    assert_same_run(folder, uninterrupted)
    assert folder.report.is_file()
    (noted,) = folder.run["resumed"]
    assert 0 < noted["steps"] < STEPS


class EndedError(Exception):
    """Something ends a run."""


def is_event(progress: Progress) -> bool:
    """True for the end of a rollout and the beginning of an evaluation, not for its later matches."""
    return progress.phase == SELF_PLAY or progress.done == 0


def ended_at(event: int) -> Any:
    """A callback that ends a run at an event."""
    seen: list[Progress] = []

    def watch(progress: Progress) -> None:
        if is_event(progress):
            seen.append(progress)
            if len(seen) == event:
                raise EndedError

    return watch


def phases_of(config: Any, root: Path) -> list[str]:
    told: list[Progress] = []
    train(config, new_folder(root, config), told.append)
    return [event.phase for event in told if is_event(event)]


def test_run_ended_at_many_moments__comes_to_the_same_end(tmp_path):
    """Before, in and after evaluations, between checkpoints, in the final evaluation; each time from where it was."""
    config = tiny_config("steps=1280", "evaluation.every=256", "checkpoint_every=768", *FEW_GAMES)
    phases = phases_of(config, tmp_path / "whole")
    run, final = phases[:11], phases[11:]
    assert run == [EVALUATION, *[SELF_PLAY, EVALUATION] * 5]
    assert final and set(final) == {EVALUATION}
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


def contents(folder: RunFolder) -> list[tuple[Path, bytes, int]]:
    files = sorted(file for file in folder.path.rglob("*") if file.is_file())
    return [(file, file.read_bytes(), file.stat().st_mtime_ns) for file in files]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of the command that came to its end."""
    root = tmp_path_factory.mktemp("finished")
    changes = [part for change in (*TINY_RUN, "steps=512") for part in ("--set", change)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(sys, "argv", ["azul", "train", *changes, "--out", str(root)])
        with pytest.raises(SystemExit, match="0"):
            main()
    return RunFolder.open(root / "train")


def test_finished_run__says_so_and_changes_nothing(finished, monkeypatch, capsys):
    before = contents(finished)
    outcome = here(monkeypatch, capsys, "train", "--resume", finished.path)
    assert (outcome.code, outcome.err) == (0, "")
    said = f"{finished.path} is finished: 512 of 512 steps; report: {finished.report}\n"
    assert outcome.out == said
    as_json = here(monkeypatch, capsys, "train", "--resume", finished.path, "--json")
    assert as_json.code == 0 and json.loads(as_json.out)["steps"] == 512
    assert contents(finished) == before


def test_run_killed_before_its_report__tells_its_end_again(finished, tmp_path, monkeypatch, capsys):
    folder = RunFolder(shutil.copytree(finished.path, tmp_path / "copy"))
    folder.report.unlink()
    before = without_times(folder.read_metrics())
    model = read_model(folder.best_model)
    outcome = here(monkeypatch, capsys, "train", "--resume", folder.path)
    assert outcome.code == 0 and folder.report.is_file()
    assert without_times(folder.read_metrics()) == before
    again = read_model(folder.best_model)
    assert again.card == model.card
    assert all((again.arrays[name] == model.arrays[name]).all() for name in model.arrays)


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("config.yaml", "steps: 512", "steps: 1024", "steps was 512, now it is 1024; restore it"),
        ("config.yaml", "epochs: 2", "epochs: 3", "ppo.epochs was 2, now it is 3; restore it"),
        ("run.json", '"resumed"', '"renamed"', "is broken: resumed is missing or wrong"),
        ("metrics.jsonl", None, None, "cannot be resumed: it has no metrics.jsonl"),
        ("best_model.npz", None, None, "cannot be resumed: it has no best_model.npz"),
    ],
)
def test_spoilt_run__is_an_error_of_one_line(
    file, old, new, why, finished, tmp_path, monkeypatch, capsys
):
    folder = RunFolder(shutil.copytree(finished.path, tmp_path / "copy"))
    folder.report.unlink()
    spoilt = folder.path / file
    if old is None:
        spoilt.unlink()
    else:
        assert old in spoilt.read_text()
        spoilt.write_text(spoilt.read_text().replace(old, new))
    outcome = here(monkeypatch, capsys, "train", "--resume", folder.path)
    assert (outcome.code, outcome.out) == (2, "")
    error = outcome.err[outcome.err.index("azul: error:") :]
    assert why in error and error.count("\n") == 1


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
