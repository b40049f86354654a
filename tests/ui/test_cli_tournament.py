"""`azul tournament`: from arguments or a config, into a folder, and what it refuses."""

import functools
import json
import sys

import pytest

from azul_env.extras import install_command
from azul_processes import ROOT
from azul_ui.terminal import tournament as tournament_terminal
from ui.command import here, in_process_of_its_own

QUICK = ROOT / "configs/tournament/quick.yaml"
SHORT = ("--games-per-pairing", "2", "--jobs", "1")


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


def test_config__prints_the_ladder_and_fills_the_folder(tmp_path):
    code, out, err = in_process_of_its_own(
        "tournament", "--config", QUICK, "--games-per-pairing", "4", "--out", tmp_path / "new"
    )
    assert code == 0 and "Traceback" not in err, err
    assert out.index("greedy") < out.index("random  ")
    for players in (2, 3, 4):
        assert f"{players} players" in out
    assert {file.name for file in (tmp_path / "new").iterdir()} == {
        "results.jsonl",
        "ratings.txt",
        "ratings.md",
        "ratings.json",
        *(f"win_rates_{players}_players.svg" for players in (2, 3, 4)),
    }
    assert (tmp_path / "new/ratings.txt").read_text() in out


def test_json__is_alone_on_the_output(azul, tmp_path):
    code, out, err = azul("tournament", "random", "greedy", *SHORT, "--out", tmp_path, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads((tmp_path / "ratings.json").read_text())
    assert json.loads(out)["config"]["players"] == [2]


def test_arguments__get_a_folder_of_their_own(azul, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for players in ("2", "3"):
        assert azul("tournament", "random", "greedy", *SHORT, "--players", players).code == 0
    assert azul("tournament", "random", "greedy", *SHORT, "--players", "2").code == 0
    folders = list((tmp_path / "runs/tournament").iterdir())
    assert len(folders) == 2


def test_other_settings_in_the_same_folder__are_an_error(azul, tmp_path):
    assert azul("tournament", "random", "greedy", *SHORT, "--out", tmp_path).code == 0
    code, out, err = azul(
        "tournament", "random", "greedy", *SHORT, "--seed", "8", "--out", tmp_path
    )
    assert (code, out) == (2, "")
    assert "seed 7, not 8" in err and "results.jsonl" in err


def test_finished_tournament__says_so_and_changes_nothing(azul, tmp_path):
    tournament = ("tournament", "random", "greedy", *SHORT, "--out", tmp_path / "out")
    assert "is finished" not in azul(*tournament).out
    files = sorted((tmp_path / "out").iterdir())
    before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    code, out, err = azul(*tournament)
    assert (code, err) == (0, "")
    assert f"{tmp_path / 'out'} is finished: 2 of 2 games\n" in out
    assert sorted((tmp_path / "out").iterdir()) == files
    assert [(file.read_bytes(), file.stat().st_mtime_ns) for file in files] == before


def test_tournament_killed_before_its_tables__writes_them(azul, tmp_path):
    tournament = ("tournament", "random", "greedy", *SHORT, "--out", tmp_path)
    assert azul(*tournament).code == 0
    table = (tmp_path / "ratings.md").read_text()
    (tmp_path / "ratings.md").unlink()
    assert azul(*tournament).code == 0
    assert (tmp_path / "ratings.md").read_text() == table


def test_write_ratings__makes_them_those_of_the_package(azul, tmp_path, monkeypatch):
    target = tmp_path / "package_ratings.json"
    monkeypatch.setattr(tournament_terminal, "packaged_ratings_path", lambda: target)
    arguments = ("tournament", "random", "greedy", *SHORT, "--out", tmp_path / "out")
    assert azul(*arguments).code == 0 and not target.exists()
    assert azul(*arguments, "--write-ratings").code == 0
    assert json.loads(target.read_text())["tables"][0]["players"] == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "give either agents or a --config"),
        (("random", "greedy", "--config", str(QUICK)), "give either agents or a --config"),
        (("random",), "at least two"),
        (("random", "random"), "random is named twice"),
        (("random", "nobody"), "unknown agent 'nobody'"),
        (("random", "greedy", "--players", "5"), "--players"),
        (("--config", "missing.yaml"), "missing.yaml"),
        (("random", "greedy", "--address", "auto"), "add --engine ray"),
        (("random", "greedy", "--engine", "clouds"), "--engine"),
    ],
)
def test_wrong_use__is_an_error_with_a_message(azul, tmp_path, arguments, why):
    code, out, err = azul("tournament", *arguments, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert why in err and "Traceback" not in err
    assert not (tmp_path / "out").exists()


def test_unknown_key__names_key_and_file(azul, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("agents: [random, greedy]\ntime: 3\n")
    code, _, err = azul("tournament", "--config", file, "--out", tmp_path / "out")
    assert code == 2 and "'time'" in err and "mine.yaml" in err


def test_ray_engine_without_ray__names_the_command_that_installs_it(azul, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    code, out, err = azul(
        "tournament", "random", "greedy", "--engine", "ray", "--out", tmp_path / "out"
    )
    assert (code, out) == (2, "")
    assert err == f"azul: error: this engine needs Ray: {install_command('ray')}\n"
    assert not (tmp_path / "out").exists()
