"""`azul match` and `azul agents`: what they print, write and refuse."""

import functools
import json
import signal
import sys

import pytest

from azul_env import read_records, verify
from azul_ui.terminal import agent_list
from ui.command import here, in_process_of_its_own
from ui.running import running

KEYS = ["agents", "games", "wins", "shared", "forfeits", "points", "seconds_per_move"]


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


def test_json__has_the_promised_keys_and_is_alone_on_the_output():
    match = ("match", "greedy", "random", "--games", "9", "--seed", "7", "--jobs", "2", "--json")
    code, out, err = in_process_of_its_own(*match)
    assert code == 0, err
    result = json.loads(out)
    assert out.startswith("{") and out.endswith("}\n")
    assert list(result)[: len(KEYS)] == KEYS
    assert result["agents"] == ["greedy", "random"]
    assert result["games"] == 10
    assert sum(result["wins"]) + result["shared"] == 10
    assert result["forfeits"] == [0, 0]
    for key in ("points", "seconds_per_move", "win_rate"):
        assert len(result[key]) == 2 and all(type(value) is float for value in result[key])
    for (low, high), rate in zip(result["interval"], result["win_rate"], strict=True):
        assert 0 <= low <= rate <= high <= 1


def test_table__shows_the_columns_that_are_not_empty(azul):
    code, out, err = azul("match", "greedy", "random", "greedy", "--games", "4", "--jobs", "1")
    assert (code, err) == (0, "")
    assert "6 games" in out
    for column in ("won", "win rate", "95%", "points", "ms/move"):
        assert column in out
    assert "forfeits" not in out
    assert out.count("greedy") == 2 and out.count("random") == 1


WRONG = """
from azul_agents import AgentFailureError

class Wrong:
    def act(self, state, legal_mask, rng):
        raise AgentFailureError("lost the thread")
"""


def test_forfeits__say_why(azul, tmp_path, monkeypatch):
    (tmp_path / "wrong_bot.py").write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    match = ("match", "python:wrong_bot:Wrong", "random", "--games", "4", "--jobs", "1")
    code, out, err = azul(*match)
    assert code == 0 and "forfeits" in out
    assert all("compiling the engine" in line for line in err.splitlines())
    assert "python:wrong_bot:Wrong forfeited 4 games: lost the thread" in out
    data = json.loads(azul(*match, "--json").out)
    assert data["forfeit_reasons"] == [{"lost the thread": 4}, {}]


@pytest.mark.parametrize("command", ["./nosuch_bot --fast", "nosuch_bot"])
def test_bot_that_is_not_there__is_refused_before_the_match(azul, command):
    code, out, err = azul("match", f"external:{command}", "random", "--games", "4")
    assert code == 2 and out == ""
    assert "the bot cannot be started: there is no program" in err and "nosuch_bot" in err


def test_names__have_the_room_they_need_at_80_columns(azul, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    names = ("alphabeta:nodes=1,breadth=4", "mcts:simulations=1,leaf=round")
    code, out, _ = azul("match", *names, "--games", "2", "--jobs", "1")
    assert code == 0 and all(name in out for name in names)
    assert max(map(len, out.splitlines())) <= 80


def test_record__holds_every_game_with_names_by_seat(azul, tmp_path):
    file = tmp_path / "games.jsonl"
    code, _, err = azul(
        "match", "greedy", "random", "--games", "6", "--jobs", "1", "--record", file
    )
    assert code == 0, err
    records = list(read_records(file))
    assert [record.agents for record in records] == [
        ["greedy", "random"],
        ["random", "greedy"],
    ] * 3
    assert all(verify(record).is_terminal for record in records)
    assert records[0].seed == records[1].seed != records[2].seed


def test_complete_match__replaces_an_old_file(azul, tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text("old")
    arguments = ("match", "greedy", "random", "--games", "2", "--jobs", "1", "--record", file)
    assert azul(*arguments).code == 0
    assert len(list(read_records(file))) == 2
    assert list(tmp_path.iterdir()) == [file]


def test_mistake_in_a_name__costs_no_old_file(azul, tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text("old")
    code, out, err = azul("match", "greedy", "nobody", "--record", file)
    assert (code, out) == (2, "")
    assert "unknown agent 'nobody'" in err and "greedy" in err
    assert file.read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("greedy",), "2 to 4 agents"),
        (("random",) * 5, "2 to 4 agents"),
        (("random", "greedy:depth=2"), "greedy has no option 'depth'"),
        (("random", "greedy", "--games", "0"), "--games"),
        (("random", "greedy", "--seed", "-1"), "--seed"),
        (("random", "greedy", "--jobs", "0"), "--jobs"),
    ],
)
def test_wrong_use__is_an_error_with_a_message(azul, arguments, why):
    code, out, err = azul("match", *arguments)
    assert (code, out) == (2, "")
    assert why in err and "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_interrupt__ends_all_processes_and_keeps_the_games_so_far(tmp_path):
    file = tmp_path / "games.jsonl"
    command = ["match", "greedy", "random", "--games", "1000000", "--jobs", "2", "--record", file]
    with running(tmp_path, *command) as process:
        process.wait_for(lambda: file.exists() and file.stat().st_size > 0)
        process.send(signal.SIGINT)
        code, out, err = process.end()  # of all its processes
    assert code == 130
    assert "stopped after" in out and "Traceback" not in err
    assert len(list(read_records(file))) > 0


def test_agents__lists_them_with_summaries(azul):
    code, out, _ = azul("agents")
    assert code == 0
    for word in ("random", "greedy", "options"):
        assert word in out


def test_agents__shows_ratings_only_if_there_are_some(azul, monkeypatch):
    monkeypatch.setattr(agent_list, "packaged_ratings", lambda: {})
    assert "ratings" not in azul("agents").out
    rated = {"greedy": {2: 1800.4, 3: 1700.0}, "random": {2: 1000.0}}
    monkeypatch.setattr(agent_list, "packaged_ratings", lambda: rated)
    words = " ".join(azul("agents").out.split())
    assert "ratings" in words and "1800" in words and "1700" in words
    listed = {entry["name"]: entry for entry in json.loads(azul("agents", "--json").out)["agents"]}
    assert listed["greedy"]["ratings"] == {"greedy": {"2": 1800.4, "3": 1700.0}}


def test_agents__gives_options_with_defaults_and_doc_lines(azul, monkeypatch):
    from dataclasses import dataclass

    from azul_agents.registry import AgentKind, option

    @dataclass(frozen=True)
    class Options:
        nodes: int | None = option(None, "most nodes of a search")
        prunes: bool = option(True, "leaves branches out")

    kind = AgentKind("thinker", "thinks", lambda spec, options: None, Options)
    monkeypatch.setattr(agent_list, "agent_kinds", lambda: {"thinker": kind})
    words = " ".join(azul("agents").out.replace("│", " ").split())
    assert "nodes=none" in words and "prunes=yes" in words
    (entry,) = json.loads(azul("agents", "--json").out)["agents"]
    assert [o["name"] for o in entry["options"]] == ["nodes", "prunes"]
    assert entry["options"][0]["doc"] == "most nodes of a search"


def test_record_in_a_folder_that_is_not_there__is_refused_before_the_first_game(azul, tmp_path):
    file = tmp_path / "nowhere" / "games.jsonl"
    code, out, err = azul("match", "greedy", "random", "--games", "2", "--record", file)
    assert (code, out) == (2, "")
    assert f"the folder {file.parent} does not exist" in " ".join(err.split())
