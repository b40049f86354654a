"""The folder of a run: what is in it, and that neither a kill nor another run can spoil it."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from azul_processes import LAYERS
from azul_train.config import read_config
from azul_train.run.folder import RunFolder

CONFIG = read_config(None, ["name=mine", "seed=5", "ppo.games=512"])


@pytest.fixture
def folder(tmp_path):
    return RunFolder.create(tmp_path, CONFIG, "azul train --set seed=5")


def test_new_folder__holds_config_and_circumstances(folder, tmp_path):
    assert folder.path == tmp_path / "mine"
    opened = RunFolder.open(folder.path)
    assert opened.config == CONFIG
    run = opened.run
    assert (run["seed"], run["command"], run["resumed"]) == (5, "azul train --set seed=5", [])
    assert run["versions"]["numpy"] == np.__version__
    for package in ("python", "azul_env", "numba", "gymnasium", "torch", "sb3-contrib"):
        assert run["versions"][package]
    assert run["commit"] is None or len(run["commit"]) == 40
    assert run["started"][:2] == "20" and run["machine"]["cores"] >= 1


def test_second_run_of_the_same_name__gets_a_folder_of_its_own(folder, tmp_path):
    folder.append_metrics({"steps": 1})
    names = [RunFolder.create(tmp_path, CONFIG, "again").path.name for _ in range(2)]
    assert names == ["mine-2", "mine-3"]
    assert RunFolder.open(folder.path).read_metrics() == [{"steps": 1}]


def test_resuming__is_noted(folder):
    folder.note_resume("azul train --resume mine", 70)
    (resumed,) = RunFolder.open(folder.path).run["resumed"]
    assert (resumed["command"], resumed["steps"]) == ("azul train --resume mine", 70)
    assert resumed["versions"]


def test_other_folders__are_refused_with_what_is_missing(folder, tmp_path):
    with pytest.raises(ValueError, match="nowhere is not the folder of a run: it does not exist"):
        RunFolder.open(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"it has no config\.yaml"):
        RunFolder.open(tmp_path)
    folder.run_file.unlink()
    with pytest.raises(ValueError, match=r"it has no run\.json"):
        RunFolder.open(folder.path)


def test_metrics__come_back_in_order_with_numbers_of_numpy(folder):
    assert folder.read_metrics() == []
    folder.append_metrics({"steps": 1, "loss": np.float32(0.5), "games": np.int64(3)})
    folder.append_metrics({"steps": 2})
    assert folder.read_metrics() == [{"steps": 1, "loss": 0.5, "games": 3}, {"steps": 2}]


@pytest.mark.parametrize("torn", ['{"steps": 3', '{"steps": 3}'])
def test_line_that_a_kill_cut_off__is_left_out_and_overwritten(folder, torn):
    folder.append_metrics({"steps": 1})
    with open(folder.metrics_file, "a") as file:
        file.write(torn)
    assert folder.read_metrics() == [{"steps": 1}]
    folder.append_metrics({"steps": 2})
    assert folder.read_metrics() == [{"steps": 1}, {"steps": 2}]
    assert folder.metrics_file.read_text() == '{"steps": 1}\n{"steps": 2}\n'


def test_only_line_cut_off__leaves_an_empty_file(folder):
    folder.metrics_file.write_text('{"st')
    assert folder.read_metrics() == []
    folder.append_metrics({"steps": 2})
    assert folder.read_metrics() == [{"steps": 2}]


def test_broken_line_in_the_middle__is_an_error_with_its_number(folder):
    folder.metrics_file.write_text('{"steps": 1}\n{"st\n{"steps": 3}\n')
    with pytest.raises(ValueError, match=r"metrics\.jsonl, line 2"):
        folder.read_metrics()


def test_going_on_from_a_checkpoint__drops_what_came_after(folder):
    for steps in (0, 10, 10, 20):
        folder.append_metrics({"kind": "progress", "steps": steps})
    folder.append_metrics({"kind": "time", "steps": 10})  # measured again at the end
    folder.append_metrics({"kind": "evaluation", "steps": 10, "final": True})
    folder.keep_metrics_until(10)
    assert [line["steps"] for line in folder.read_metrics()] == [0, 10, 10]
    folder.keep_metrics_until(5)
    assert [line["steps"] for line in folder.read_metrics()] == [0]


def test_tensorboard__shows_numbers_and_forgets_what_came_after_the_checkpoint(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for steps in (10, 20, 30):
        folder.scalars(steps, {"win_rate/greedy": steps / 100})
    folder.close()
    time.sleep(1.1)  # TensorBoard's files are named and ordered by the second
    again = RunFolder.open(folder.path)
    again.keep_metrics_until(20)
    again.scalars(30, {"win_rate/greedy": 0.9})
    again.close()
    events = EventAccumulator(str(folder.tensorboard))
    events.Reload()
    scalars = events.Scalars("win_rate/greedy")
    assert [(event.step, round(event.value, 3)) for event in scalars] == [
        (10, 0.1),
        (20, 0.2),
        (30, 0.9),
    ]


def test_lock__keeps_others_out_until_it_is_let_go(folder):
    other = RunFolder.open(folder.path)
    with folder.locked():
        with (
            folder.locked(),  # its own process may ask again
            pytest.raises(ValueError, match="mine is in use by another training run"),
            other.locked(),
        ):
            pass
        with pytest.raises(ValueError, match="in use"), other.locked():
            pass
    with other.locked():
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_lock__goes_with_a_process_that_is_killed(folder):
    code = (
        "import sys, time, pathlib; from azul_train.run.folder import RunFolder\n"
        "with RunFolder.open(pathlib.Path(sys.argv[1])).locked(): print('in', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {LAYERS}\n{code}", str(folder.path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "in\n"
    with pytest.raises(ValueError, match="in use"), folder.locked():
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=400)
    with folder.locked():
        pass


def test_broken_run_file__is_named(folder):
    folder.run_file.write_text("{")
    with pytest.raises(ValueError, match=r"run\.json is broken"):
        _ = folder.run
    folder.run_file.write_text(json.dumps({"seed": 1}))
    assert folder.run == {"seed": 1}
