"""`azul train-search`: a small run through the command, and what it refuses."""

import functools

import pytest

from azul_agents.search.network.weights_file import read_networks
from ui.command import here

TINY = (
    *(
        "--set",
        "generations=1",
        "--set",
        "self_play.games=20",
        "--set",
        "self_play.games_per_file=20",
    ),
    *("--set", "self_play.nodes=10", "--set", "duel.games=2", "--set", "duel.time=null"),
    *("--set", "duel.nodes=20", "--set", "fitting.batch_size=64"),
)


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


def test_run__ends_with_networks_and_a_report(azul, tmp_path):
    outcome = azul("train-search", "--out", tmp_path, *TINY)
    assert outcome.code == 0, outcome.err
    assert "generation 1" in outcome.out
    folder = tmp_path / "search"
    assert read_networks(folder / "generation_1/networks.npz").size
    assert "Elo over linear" in (folder / "report.md").read_text()
    again = azul("train-search", "--resume", folder)
    assert again.code == 0 and "is finished" in again.err


def test_wrong_settings__are_refused_in_one_line(azul, tmp_path):
    for arguments in (("--set", "generation=1"), ("--set", "duel.nodes=5"), ("--resume", tmp_path)):
        outcome = azul("train-search", *arguments)
        assert outcome.code == 2 and "Traceback" not in outcome.err
