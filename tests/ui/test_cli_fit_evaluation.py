"""`azul fit-evaluation`: a run that is killed at any moment goes on and ends with the same weights."""

import functools
import json
import random
import shutil
import signal
import sys
import time

import numpy as np
import pytest

from azul_ui.cli import main
from ui.command import here
from ui.running import running

SMALL = (
    *("--games", "300", "--improvements", "2", "--duel-games", "12", "--duel-nodes", "40"),
    *("--players", "3", "--nodes", "12", "--seed", "5"),
)
KILLS = 3
LATEST_KILL_SECONDS = 0.5  # after the start: the whole run may take no longer than a second


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run that nobody has interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    arguments = ("--out", folder / "card.json", "--runs", folder / "runs", *SMALL)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(sys, "argv", ["azul", "fit-evaluation", *map(str, arguments)])
        with pytest.raises(SystemExit, match="0"):
            main()
    return folder / "runs/card"


@pytest.fixture
def run(finished, tmp_path):
    """A copy of the finished run, to be spoilt."""
    return shutil.copytree(finished, tmp_path / "run")


def test_killed_run__ends_with_the_same_weights(finished, tmp_path, azul):
    moments = random.Random(7)
    folder = tmp_path / "runs/mine"
    arguments = ("--out", tmp_path / "mine.json", "--runs", tmp_path / "runs", *SMALL)
    kills, is_over = 0, False
    while kills < KILLS and not is_over:
        with running(tmp_path, "fit-evaluation", *arguments) as command:
            command.wait_for(lambda: "fitting in" in command.err)
            time.sleep(moments.uniform(0.0, LATEST_KILL_SECONDS))
            second = azul("fit-evaluation", "--resume", folder)
            is_over = command.process.poll() is not None
            if not is_over:
                assert second.code == 2 and "in use by another fit" in second.err
                command.send(signal.SIGKILL)
                kills += 1
            command.end()
        arguments = ("--resume", folder)
    assert kills > 0
    outcome = azul("fit-evaluation", *arguments)
    assert outcome.code == 0, outcome.err
    mine, whole = (json.loads((run / "card.json").read_text()) for run in (folder, finished))
    assert mine == whole
    assert json.loads((tmp_path / "mine.json").read_text()) == mine


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_run__keeps_its_games_and_says_how_to_go_on(number, code, tmp_path):
    with running(tmp_path, "fit-evaluation", "--out", "card.json", "--games", "900000") as command:
        run = tmp_path / "runs/fit-evaluation/card"
        command.wait_for((run / "improvement_1").is_dir)
        time.sleep(1.0)
        command.send(number)
        outcome = command.end()
    assert outcome.code == code, outcome.err
    assert "azul fit-evaluation --resume runs/fit-evaluation/card" in outcome.err.splitlines()[-1]
    assert "Traceback" not in outcome.err and outcome.out == ""
    assert not [*tmp_path.rglob("*.unfinished"), *tmp_path.glob("card.json")]
    files = {file.relative_to(run).as_posix() for file in run.rglob("*.npz")}
    assert files == {"weights.npz", "improvement_1/games_0.npz", "improvement_1/games_1.npz"}


def contents(folder):
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [(file, file.read_bytes(), file.stat().st_mtime_ns) for file in files]


def test_finished_run__says_so_and_changes_nothing(finished, azul):
    before = contents(finished)
    code, out, err = azul("fit-evaluation", "--resume", finished)
    assert (code, out) == (0, "")
    assert err.startswith(f"{finished} is finished: 2 of 2 improvements; card: ")
    assert err.count("\n") == 1
    assert contents(finished) == before


def spoil_config(run):
    file = run / "config.yaml"
    file.write_text(file.read_text().replace("games: 300", "games: 400"))


def spoil_version(run):
    file = run / "run.json"
    file.write_text(file.read_text().replace('"format": 1', '"format": 99'))


RESULT = (
    '{"scores": [9, 3, 3], "ranks": [1, 2, 2], "forfeits": [null, null, null], "moves": [5, 5, 5], '
    '"seconds": [0.1, 0, 0]}'
)


def spoil_weights(name):
    def spoil(run):
        shape = np.load(run / name)["weights"].shape
        np.savez(run / name, weights=np.full(shape, np.nan))

    return spoil


def spoil_lines(name, text):
    return lambda run: (run / name).write_text(text + "\n")


def spoil_match(text):
    """Let the last improvement be under way, with these games of its match."""

    def spoil(run):
        steps = (run / "improvements.jsonl").read_text().splitlines()
        (run / "improvements.jsonl").write_text(steps[0] + "\n")
        (run / "improvement_2" / "match.jsonl").write_text(text + "\n")

    return spoil


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (
            spoil_config,
            "config.yaml was changed after the run began: games was 300, now it is 400",
        ),
        (spoil_version, "is a fit of another version"),
        (lambda run: (run / "weights.npz").unlink(), "has no weights.npz"),
        (lambda run: (run / "config.yaml").unlink(), "has no config.yaml"),
        (lambda run: (run / "run.json").write_text("{"), "run.json is broken"),
        (shutil.rmtree, "does not exist"),
        (spoil_weights("weights.npz"), "weights.npz is broken: its weights are not finite"),
        (spoil_lines("improvements.jsonl", "{}"), "improvements.jsonl is broken: remove it"),
        (spoil_lines("improvements.jsonl", '{"kept": 1}'), "improvements.jsonl is broken: remove"),
        (spoil_match("{}"), "match.jsonl is broken: its keys are []"),
        (spoil_match(RESULT.replace("[1, 2, 2]", "[1, 2]")), "ranks cannot be [1, 2]"),
        (spoil_match(RESULT.replace("[1, 2, 2]", "[2, 2, 2]")), "nobody won"),
        (
            spoil_match(RESULT.replace("[0.1, 0, 0]", '["a", 0, 0]')),
            "seconds cannot be ['a', 0, 0]",
        ),
        (spoil_match("\n".join([RESULT] * 13)), "it has 13 games, not 12"),
    ],
)
def test_spoilt_run__is_an_error_of_one_line(run, spoil, why, azul):
    (run / "card.json").unlink()
    spoil(run)
    before = contents(run)
    code, out, err = azul("fit-evaluation", "--resume", run)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and why in err
    assert contents(run) == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "give --out CARD.json, or --resume RUN"),
        (("--resume", "x", "--games", "200"), "give nothing else"),
        (("--resume", "x", "--out", "y.json"), "give nothing else"),
        (("--out", "missing/card.json"), "there is no folder"),
        (("--out", "card.json", "--ridge", "nan"), "--ridge"),
    ],
)
def test_wrong_use__is_an_error_with_a_message(arguments, why, azul, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = azul("fit-evaluation", *arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert not list(tmp_path.iterdir())
