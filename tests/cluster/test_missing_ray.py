"""Without Ray, and with settings that an engine cannot follow: one line that says what to do."""

import re
import sys

import pytest

from azul_env.extras import install_command
from azul_processes import ROOT
from azul_train.config import read_config
from ui.command import here

CONFIG = ROOT / "configs/train/rllib.yaml"


def test_training_without_ray__names_the_command_that_installs_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    arguments = ("train", "--engine", "rllib", "--config", CONFIG, "--out", tmp_path / "out")
    code, out, err = here(monkeypatch, capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and install_command("rllib") in err
    assert not (tmp_path / "out").exists()


def test_learning_for_the_search_without_ray__names_the_command_that_installs_it(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "ray", None)
    arguments = ("train-search", "--engine", "ray", "--out", tmp_path / "out")
    code, out, err = here(monkeypatch, capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and install_command("ray") in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("command", "engine"), [("train", "rllib"), ("train-search", "ray")])
def test_address_for_the_other_engine__is_an_error(command, engine, tmp_path, monkeypatch, capsys):
    arguments = (command, "--address", "auto", "--out", tmp_path / "out")
    code, _, err = here(monkeypatch, capsys, *arguments)
    assert code == 2 and f"add --engine {engine}" in err
    assert not (tmp_path / "out").exists()


def test_shipped_config__is_for_rllib():
    config = read_config(CONFIG)
    assert config.engine == "rllib" and config.rllib.env_runners == 1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (["engine=tf"], "engine must be one of sb3, rllib, not 'tf'"),
        (["engine=sb3", "rllib.learners=2"], "rllib is only for the engine rllib"),
        (["imitation.teacher=greedy", "imitation.samples=10"], "league and imitation are only for"),
        (["league.schedule=mirror"], "league and imitation are only for the engine sb3"),
        (["network.outlook=1"], "network.outlook is only for the engine sb3"),
        (["rllib.env_runners=7"], "rllib.env_runners must divide ppo.games = 64, 7 does not"),
        (["rllib.learners=3"], "rllib.learners must divide ppo.batch_size = 1024, 3 does not"),
        (["rllib.learners=-1"], "learners must be at least 0"),
        (["rllib.gpus=1"], "unknown key"),
    ],
)
def test_what_an_engine_cannot_do__is_an_error(changes, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        read_config(CONFIG, changes)
