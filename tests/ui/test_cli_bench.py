"""`azul bench` and the command as a whole. Nothing here depends on how fast anything is."""

import functools
import json

import pytest

from azul_env import __version__
from ui.command import here, in_process_of_its_own

QUICK = ("bench", "--trials", "1", "--seconds", "0.01")
SPEEDS = [
    "playout_moves_per_second",
    "playout_moves_per_second_3_players",
    "playout_moves_per_second_4_players",
    "playout_moves_per_second_2_threads",
    "gray_playout_moves_per_second",
    "gray_playout_moves_per_second_3_players",
    "gray_playout_moves_per_second_4_players",
    "alphabeta_nodes_per_second",
    "alphabeta_move_nodes_per_second",
    "alphabeta_move_nodes_per_second_4_players",
]
YARDSTICK = """
def play_random_game(num_players, seed):
    assert num_players == 2
    return {"moves": 1000}
"""


YARDSTICK_SEARCH = """
def search_nodes(position, nodes):
    assert len(position["factories"]) == 5
    return nodes
"""


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


def test_json__is_one_object_and_all_there_is_on_the_output():
    code, out, err = in_process_of_its_own(*QUICK, "--json")
    assert code == 0, err
    assert "Traceback" not in err
    result = json.loads(out)  # fails on anything before or after the object
    assert out.startswith("{") and out.endswith("}\n")
    for key in SPEEDS:
        assert type(result[key]) is float and 0 < result[key] < float("inf")
    assert result["machine"].keys() >= {"cpu", "cores", "system"}
    assert result["machine"]["cores"] >= 1 and result["machine"]["cpu"]
    assert result["versions"].keys() >= {"python", "azul-env", "numpy", "numba"}
    assert result["versions"]["numba"][0].isdigit()
    assert result["versions"]["azul-env"] in (None, __version__)  # None: run from the sources
    commit = result["commit"]
    assert commit is None or (len(commit) == 40 and int(commit, 16) >= 0)


def test_table__names_every_speed(azul):
    code, out, _ = azul(*QUICK)
    assert code == 0
    for key in SPEEDS:
        assert key.replace("_", " ")[:25] in " ".join(out.split()), out


def test_yardstick__is_measured_beside_the_engine(azul, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(YARDSTICK)
    code, out, err = azul(*QUICK, "--json", "--yardstick", file)
    assert code == 0, err
    result = json.loads(out)
    assert result["yardstick_moves_per_second"] > 0
    ratio = result["playout_moves_per_second"] / result["yardstick_moves_per_second"]
    assert result["playout_moves_to_yardstick_moves_ratio"] == pytest.approx(ratio)


def test_yardstick_search__is_measured_beside_alphabeta(azul, tmp_path):
    file = tmp_path / "search.py"
    file.write_text(YARDSTICK_SEARCH)
    code, out, err = azul(*QUICK, "--json", "--yardstick", file)
    assert code == 0, err
    result = json.loads(out)
    assert "yardstick_moves_per_second" not in result
    ratio = result["alphabeta_move_nodes_per_second"] / result["yardstick_nodes_per_second"]
    assert result["alphabeta_move_nodes_to_yardstick_nodes_ratio"] == pytest.approx(ratio)


def test_yardstick_that_is_none__is_an_error_with_a_message(azul, tmp_path):
    empty = tmp_path / "empty.py"
    empty.write_text("")
    for file, why in (
        (tmp_path / "missing.py", "is not a Python file"),
        (empty, "play_random_game"),
    ):
        code, out, err = azul(*QUICK, "--json", "--yardstick", file)
        assert (code, out) == (2, "")
        assert why in err and file.name in err and "Traceback" not in err


@pytest.mark.parametrize(
    "option", [("--trials", "0"), ("--seconds", "0"), ("--seconds", "nan"), ("--trials", "one")]
)
def test_wrong_amounts__are_an_error_of_use(azul, option):
    code, out, err = azul("bench", *option)
    assert (code, out) == (2, "")
    assert option[0] in err


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help__names_the_subcommands(azul, option):
    code, out, err = azul(option)
    assert (code, err) == (0, "")
    assert "bench" in out and "replay" in out


@pytest.mark.parametrize("subcommand", ["bench", "replay"])
def test_help_of_a_subcommand__names_its_options(azul, subcommand):
    code, out, _ = azul(subcommand, "--help")
    assert code == 0
    assert {"bench": "--json", "replay": "--check"}[subcommand] in out


def test_unknown_subcommand__is_an_error_of_use():
    code, out, err = in_process_of_its_own("plai")
    assert (code, out) == (2, "")
    assert "plai" in err and "Traceback" not in err
