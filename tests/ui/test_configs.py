"""Configs by name: those of the package, from any folder, and files by their path."""

from pathlib import Path

import pytest

from azul_agents.arena.tournament_config import read_config as read_tournament
from azul_agents.config_file import config_path
from azul_train.config import read_config
from azul_train.search.config import read_search_config
from ui.command import here

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", ["train", "train_search", "tournament"])
def test_every_config__is_found_by_name_from_any_folder(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = list((ROOT / "configs" / kind).glob("*.yaml"))
    assert files
    for file in files:
        assert config_path(kind, file.stem).read_text() == file.read_text()


def test_names__give_the_configs_of_the_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_config(config_path("train", "quick")).name == "quick"
    assert "ppo" in read_tournament(config_path("tournament", "baselines")).agents
    assert read_search_config(config_path("train_search", "search")).name == "search"


def test_file__comes_before_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick").write_text("seed: 5\n")
    assert config_path("train", "quick") == Path("quick")
    assert config_path("train", "mine.yaml") == Path("mine.yaml")
    assert config_path("train", "some/quick") == Path("some/quick")


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("train", "quick"),
        ("train", "scratch"),
        ("train-search", "search"),
        ("tournament", "baselines"),
    ],
)
def test_unknown_name__lists_the_known_ones(command, known, monkeypatch, capsys):
    code, out, err = here(monkeypatch, capsys, command, "--config", "nosuch")
    assert (code, out) == (2, "")
    assert "there is no config 'nosuch': name a file, or one of" in err and known in err


def test_mistyped_name__is_told_with_the_closest_one(monkeypatch, capsys):
    _, _, err = here(monkeypatch, capsys, "train", "--config", "quik")
    assert "there is no config 'quik' (did you mean quick?): name a file" in err


def test_missing_file__is_told_without_the_number_of_the_error(monkeypatch, capsys):
    code, _, err = here(monkeypatch, capsys, "train", "--config", "nosuch.yaml")
    assert code == 2 and err == "azul: error: nosuch.yaml: No such file or directory\n"
