"""`azul train`, `azul eval` and `azul export`: mistakes and missing libraries, bars, models; runs are in tests/train."""

import functools
import io
import json

import pytest
import torch
from rich.console import Console

from azul_agents.neural.model_file import read_model
from azul_env.extras import install_command
from azul_processes import AZUL, Outcome, run_python
from azul_train.config import NetworkSize, read_config
from azul_train.export import export_network
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.progress import EVALUATION, IMITATION, SELF_PLAY, Progress
from azul_ui.terminal.training_bar import watched
from ui.command import here

EXTRA = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")
SMALL = NetworkSize(trunk=16, source=8, key=4, value=8)


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model that has learnt nothing."""
    return written_model(tmp_path_factory.mktemp("models") / "two.npz", 2)


@pytest.fixture
def run(tmp_path):
    """The folder of a run that has not begun."""
    return RunFolder.create(tmp_path, read_config(None, ["name=mine"]), "azul train")


def written_model(path, num_players, seed=1):
    torch.manual_seed(seed)
    export_network(AzulNetwork(num_players, SMALL), path, {"seed": seed})
    return path


def without(missing, *arguments) -> Outcome:
    """Run the command where some libraries cannot be imported."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({missing!r}))\n"
        f"assert not any(name.partition('.')[0] in {missing!r} and sys.modules[name] for name in sys.modules)\n"
        f"{AZUL}"
    )
    return run_python(code, *arguments)


@pytest.mark.parametrize("missing", ["torch", "tensorboard", "matplotlib"])
def test_missing_extra__gives_the_command_that_installs_it(tmp_path, missing):
    code, out, err = without([missing], "train", "--out", tmp_path / "runs")
    assert (code, out) == (2, "")
    told = [line for line in err.strip().splitlines() if "compiling the engine" not in line]
    assert told == [f"azul: error: training needs the extra `train`: {install_command('train')}"]
    assert not (tmp_path / "runs").exists()


def test_missing_extra__is_told_on_resuming_too(run):
    code, _, err = without(["torch"], "train", "--resume", run.path)
    assert code == 2 and install_command("train") in err


def test_eval_and_export__need_no_library_of_the_extra(model, tmp_path):
    copy = tmp_path / "copy.npz"
    code, _, err = without(EXTRA, "export", model, copy)
    assert code == 0, err
    code, out, err = without(EXTRA, "eval", copy, "--games", "2", "--jobs", "1", "--json")
    assert code == 0, err
    assert json.loads(out)["results"][0]["games"] == 2


def test_unknown_key_in_a_config__names_key_and_file(azul, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text("ppo: {gmes: 3}\n")
    code, out, err = azul("train", "--config", file, "--out", tmp_path / "runs")
    assert (code, out) == (2, "")
    assert "wrong.yaml" in err and "unknown key 'ppo.gmes'" in err and "games" in err
    assert not (tmp_path / "runs").exists()


def test_missing_model_of_an_opponent__is_told_before_anything_is_written(azul, tmp_path):
    change = "evaluation.opponents=['neural:path=nowhere.npz']"
    code, out, err = azul("train", "--set", change, "--out", tmp_path / "runs")
    assert (code, out) == (2, "")
    assert "nowhere.npz: there is no such file" in err
    assert not (tmp_path / "runs").exists()


def test_wrong_start__is_refused_before_a_folder_is_made(azul, tmp_path):
    changes = ("num_players=3", "variant=gray", "start=ppo", "evaluation.opponents=[random]")
    options = [word for change in changes for word in ("--set", change)]
    code, out, err = azul("train", "--out", tmp_path / "runs", *options)
    assert (code, out) == (2, "") and "gray" in err and "Traceback" not in err
    assert not (tmp_path / "runs").exists()


def test_wrong_type_in_a_config__names_key_and_file(azul, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text("steps: soon\n")
    code, out, err = azul("train", "--config", file, "--out", tmp_path / "runs")
    assert (code, out) == (2, "")
    assert "wrong.yaml: steps must be a whole number, not 'soon'" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--set", "steps"), "--set steps: write key=value"),
        (("--set", "ppo.gmes=3"), "--set ppo.gmes=3: unknown key 'ppo.gmes'"),
        (("--set", "seed=1", "--set", "steps=x"), "--set steps=x: steps must be a whole number"),
        (("--config", "nowhere.yaml"), "nowhere.yaml"),
        (("--resume", "nowhere"), "nowhere is not the folder of a run"),
        (("--resume", "nowhere", "--set", "steps=1"), "--resume goes on with the run's own"),
        (("--resume", "nowhere", "--config", "a.yaml"), "--resume goes on with the run's own"),
    ],
)
def test_wrong_use_of_train__is_an_error_with_a_message(azul, tmp_path, arguments, why):
    code, out, err = azul("train", *arguments)
    assert (code, out) == (2, "")
    assert why in err and "Traceback" not in err


def test_run_without_a_checkpoint__cannot_be_resumed_and_says_so(azul, run):
    code, out, err = azul("train", "--resume", run.path)
    assert (code, out) == (2, "")
    assert "no checkpoint yet" in err and "mine" in err
    assert run.run["resumed"] == []


def test_run_in_use__cannot_be_resumed(azul, run):
    with run.locked():
        code, _, err = azul("train", "--resume", run.path)
    assert code == 2 and "mine is in use by another training run" in err


RATES = {"random": 0.995, "greedy": 0.6}


def events():
    yield Progress(IMITATION, 50, 100)
    yield Progress(EVALUATION, 0, 2)
    yield Progress(SELF_PLAY, 100, 300, 25.0, {"random": 0.5, "greedy": 0.1})
    yield Progress(SELF_PLAY, 200, 300, 25.0, {"random": 0.5, "greedy": 0.1})
    yield Progress(EVALUATION, 0, 2, 0.0, {"random": 0.5, "greedy": 0.1})
    yield Progress(EVALUATION, 1, 2, 0.0, {"random": 0.5, "greedy": 0.1})
    yield Progress(SELF_PLAY, 300, 300, 1234.5, RATES)


def test_progress_in_a_log__is_a_line_an_evaluation():
    log = io.StringIO()
    with watched(Console(file=log)) as on_progress:
        for event in events():
            on_progress(event)
    assert log.getvalue().splitlines() == [
        "0 steps: random 50.0%, greedy 10.0%",
        "200 steps, 25 steps/s: random 99.5%, greedy 60.0%",
    ]


def test_progress_on_a_terminal__shows_steps_speed_and_win_rates():
    screen = io.StringIO()
    with watched(Console(file=screen, force_terminal=True, width=80, color_system=None)) as watch:
        for event in events():
            watch(event)
    shown = screen.getvalue()
    assert "300/300 steps, 1,234 steps/s" in shown and "left" in shown
    assert "last win rates: random 99.5%, greedy 60.0%" in shown


def test_eval_of_a_model__is_a_table_an_opponent_a_row(azul, model):
    code, out, _ = azul("eval", model, "--games", "4", "--jobs", "1")
    assert code == 0
    for word in ("random", "greedy", "win rate", "95%", "points", "chance level is 50.0%"):
        assert word in out


def test_eval__plays_against_copies_at_a_table_for_the_models_players(azul, tmp_path):
    three = written_model(tmp_path / "three.npz", 3)
    arguments = ("--opponent", "random", "--opponent", "greedy", "--games", "4", "--jobs", "1")
    code, out, _ = azul("eval", three, *arguments, "--json")
    data = json.loads(out)
    assert code == 0 and (data["model"], data["num_players"]) == (str(three), 3)
    own = f"neural:path={three}"
    assert [result["agents"] for result in data["results"]] == [
        [own, "random", "random"],
        [own, "greedy", "greedy"],
    ]
    assert [result["games"] for result in data["results"]] == [6, 6]
    assert all(result["forfeits"] == [0, 0, 0] for result in data["results"])
    assert (
        azul("eval", three, *arguments, "--json").out.split('"seconds')[0]
        == (out.split('"seconds')[0])
    )


def test_run__stands_for_its_best_model_else_for_its_last(azul, run, tmp_path):
    arguments = ("--opponent", "random", "--games", "2", "--jobs", "1", "--json")
    code, _, err = azul("eval", run.path, *arguments)
    assert code == 2 and "mine holds no model yet: neither best_model.npz nor model.npz" in err
    written_model(run.model, 2, seed=1)
    assert json.loads(azul("eval", run.path, *arguments).out)["model"] == str(run.model)
    written_model(run.best_model, 2, seed=2)
    assert json.loads(azul("eval", run.path, *arguments).out)["model"] == str(run.best_model)
    exported = tmp_path / "out.npz"
    card = tmp_path / "card.json"
    assert azul("export", run.path, exported, "--card", card).code == 0
    told = read_model(exported).card
    assert told == json.loads(card.read_text())
    assert told == {"seed": 2} | {key: run.run[key] for key in ("command", "commit", "started")}


@pytest.mark.parametrize(
    ("name", "why"), [("nowhere", "no such model or run"), ("text.npz", "text.npz: not a model")]
)
def test_what_is_no_model__is_named(azul, tmp_path, name, why):
    (tmp_path / "text.npz").write_text("no arrays")
    for arguments in (("eval", tmp_path / name), ("export", tmp_path / name, tmp_path / "a.npz")):
        code, out, err = azul(*arguments)
        assert (code, out) == (2, "") and why in err
    assert not (tmp_path / "a.npz").exists()


def test_wrong_opponent__is_an_error_before_any_game(azul, model):
    code, out, err = azul("eval", model, "--opponent", "random", "--opponent", "nobody")
    assert (code, out) == (2, "") and "unknown agent 'nobody'" in err


def test_export__refuses_to_overwrite_unless_forced(azul, model, tmp_path):
    file = tmp_path / "model.npz"
    file.write_text("old")
    code, out, err = azul("export", model, file)
    assert (code, out) == (2, "") and "--force" in err and file.read_text() == "old"
    code, out, _ = azul("export", model, file, "--force")
    assert code == 0 and "model for 2 players" in out
    assert file.read_bytes() == model.read_bytes()
    assert list(tmp_path.iterdir()) == [file]


def test_export__writes_neither_over_its_source_nor_over_itself(azul, model, tmp_path):
    source = tmp_path / "source.npz"
    source.write_bytes(model.read_bytes())
    for arguments, why in (
        ((source, source), "is the model that is to be exported"),
        ((source, tmp_path / "new.npz", "--card", source), "is the model that is to be exported"),
        ((source, tmp_path / "new.npz", "--card", tmp_path / "new.npz"), "need files of their own"),
    ):
        code, _, err = azul("export", *arguments, "--force")
        assert code == 2 and why in err
    assert source.read_bytes() == model.read_bytes() and list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(
    ("name", "why"), [("model.txt", "ends in .npz"), ("nowhere/model.npz", "there is no folder")]
)
def test_export__wants_a_name_that_can_be_one(azul, model, tmp_path, name, why):
    code, _, err = azul("export", model, tmp_path / name)
    assert code == 2 and why in err
