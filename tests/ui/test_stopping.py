"""Ctrl-C, SIGTERM and bugs in agents: what there is so far is printed, and no process is left."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.bot_commands import bot
from arena.processes import wait_until
from azul_agents.arena.workers import interrupts_held
from azul_agents.neural.model_file import write_model
from azul_env import read_records
from models import random_model
from ui.running import running
from ui.terminal import CONTROL_C, Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")
MANY = ("--games", "1000000")
AGENTS = """
import time
from pathlib import Path
from azul_agents import Agent

class Broken(Agent):
    moves = 0

    def act(self, state, legal_mask, rng):
        Broken.moves += 1
        if Broken.moves > 150:
            raise ValueError("a bug of mine")
        return int(legal_mask.argmax())

class Counting(Agent):
    moves = 0

    def act(self, state, legal_mask, rng):
        Counting.moves += 1
        if Counting.moves == 500:
            Path("many moves").touch()
        return int(legal_mask.argmax())

class SlowToForget(Agent):
    class Garbage:
        def __del__(self):
            Path("in a destructor").touch()
            time.sleep(2)

    moves = 0

    def act(self, state, legal_mask, rng):
        self.moves += 1
        if self.moves == 200:
            self.Garbage()
        return int(legal_mask.argmax())

class SlowToClose(Agent):
    has_moved = False

    def act(self, state, legal_mask, rng):
        self.has_moved = True
        return int(legal_mask.argmax())

    def close(self):
        if self.has_moved:
            Path("closing").touch()
            time.sleep(100)
"""

YARDSTICK = """
from pathlib import Path
calls = 0

def play_random_game(num_players, seed):
    global calls
    calls += 1
    if calls > 20:  # after the trial that compiles
        Path("measured").touch()
    return {"moves": 1}
"""


def has_content(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


@pytest.mark.parametrize(
    ("jobs", "number", "code"),
    [("1", signal.SIGINT, 130), ("2", signal.SIGINT, 130), ("2", signal.SIGTERM, 143)],
)
def test_stopped_match__prints_the_games_so_far_and_what_is_kept(jobs, number, code, tmp_path):
    file = tmp_path / "games.jsonl"
    match = ("match", "greedy", "random", *MANY, "--jobs", jobs, "--record", file)
    with running(tmp_path, *match) as command:
        command.wait_for(lambda: has_content(file))
        command.send(number)
        outcome = command.end()
    assert outcome.code == code, outcome.err
    games = len(list(read_records(file)))
    assert f"stopped after {games} of 1000000 games" in outcome.out
    assert "greedy" in outcome.out and "Traceback" not in outcome.err
    assert f"{file} has the {games} games so far" in outcome.err
    assert not list(tmp_path.glob("*.unfinished"))


def test_stopped_match__is_one_json_object(tmp_path):
    file = tmp_path / "games.jsonl"
    with running(
        tmp_path, "match", "greedy", "random", *MANY, "--json", "--record", file
    ) as command:
        command.wait_for(lambda: has_content(file))
        command.send(signal.SIGINT)
        outcome = command.end()
    assert outcome.code == 130
    result = json.loads(outcome.out)
    assert result["finished"] is False and result["games"] == len(list(read_records(file))) > 0


def test_stopped_match__leaves_an_old_record_alone(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text("old")
    with running(tmp_path, "match", "greedy", "random", *MANY, "--record", file) as command:
        command.wait_for(lambda: any(map(has_content, tmp_path.glob("*.unfinished"))))
        command.send(signal.SIGINT)
        outcome = command.end()
    assert outcome.code == 130 and f"{file} is unchanged" in outcome.err
    assert file.read_text() == "old" and not list(tmp_path.glob("*.unfinished"))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_stopped_match__leaves_no_bot(jobs, tmp_path):
    file = tmp_path / "games.jsonl"
    spec = bot("plays_the_first_legal_action", str(tmp_path))
    match = ("match", spec, "random", *MANY, "--jobs", jobs, "--record", file)
    with running(tmp_path, *match) as command:
        command.wait_for(lambda: has_content(file))
        assert bots_in(tmp_path)
        command.send(signal.SIGINT)
        assert command.end().code == 130
    wait_until(lambda: not bots_in(tmp_path), seconds=20)


def bots_in(folder: Path) -> list[str]:
    """The processes of bots that were given this folder."""
    listing = subprocess.run(
        ["ps", "-Aww", "-o", "args="], capture_output=True, text=True, check=True
    )
    return [line for line in listing.stdout.splitlines() if line.endswith(f"action.py {folder}")]


def test_control_c_at_a_terminal__shows_the_table():
    with Terminal("match", "greedy", "random", *MANY, "--jobs", "2") as terminal:
        terminal.until("playing")
        time.sleep(1.0)
        terminal.press(CONTROL_C)
        code, screen = terminal.end()
    assert code == 130
    assert "stopped after" in screen and "Traceback" not in screen


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_in_a_destructor__is_not_lost(number, code, tmp_path):
    (tmp_path / "mine.py").write_text(AGENTS)
    match = ("match", "python:mine:SlowToForget", "random", *MANY, "--jobs", "1")
    with running(tmp_path, *match) as command:
        command.wait_for((tmp_path / "in a destructor").exists)
        command.send(number)
        outcome = command.end()
    assert outcome.code == code
    assert "stopped after" in outcome.out and "ignored" not in outcome.err


def test_second_interrupt__ends_at_once(tmp_path):
    (tmp_path / "mine.py").write_text(AGENTS)
    file = tmp_path / "games.jsonl"
    match = ("match", "python:mine:SlowToClose", "random", *MANY, "--jobs", "1", "--record", file)
    with running(tmp_path, *match) as command:
        command.wait_for(lambda: has_content(file))
        command.send(signal.SIGINT)
        command.wait_for((tmp_path / "closing").exists)
        command.send(signal.SIGINT)
        assert command.process.wait(20) == -signal.SIGINT
    assert list(read_records(file))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bug_in_an_agent__shows_the_games_so_far_and_its_line(jobs, tmp_path):
    (tmp_path / "mine.py").write_text(AGENTS)
    match = ("match", "python:mine:Broken", "random", "--games", "400", "--jobs", jobs)
    with running(tmp_path, *match) as command:
        outcome = command.end()
    assert outcome.code == 1
    # Of two processes, the other may still have the second game of the first deal: no whole deal to show.
    shown = outcome.out if jobs == "1" else outcome.out + outcome.err
    assert "stopped after" in shown and "of 400 games" in shown
    assert 'mine.py", line 12, in act' in outcome.err
    assert "ValueError: a bug of mine" in outcome.err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_stopped_tournament__prints_standings_and_the_command_that_goes_on(jobs, tmp_path):
    file = tmp_path / "out/results.jsonl"
    tournament = ("tournament", "greedy", "random", "--games-per-pairing", "100000")
    options = ("--players", "2", "--players", "3", "--out", "out", "--jobs", jobs)
    with running(tmp_path, *tournament, *options) as command:
        command.wait_for(lambda: file.exists() and file.read_bytes().count(b"\n") > 5)
        command.send(signal.SIGINT)
        outcome = command.end()
    assert outcome.code == 130, outcome.err
    games = file.read_bytes().count(b"\n") - 1
    assert "2 players (Bradley-Terry)" in outcome.out and "Traceback" not in outcome.err
    assert f"stopped after {games} of 300004 games; go on with: azul tournament" in outcome.err
    assert outcome.err.rstrip().endswith(" ".join((*tournament, *options)))
    assert [path.name for path in file.parent.iterdir()] == ["results.jsonl"]


def test_stopped_tournament__is_one_json_object(tmp_path):
    file = tmp_path / "out/results.jsonl"
    tournament = ("tournament", "greedy", "random", "--games-per-pairing", "100000", "--json")
    with running(tmp_path, *tournament, "--out", "out") as command:
        command.wait_for(lambda: file.exists() and file.read_bytes().count(b"\n") > 5)
        command.send(signal.SIGTERM)
        outcome = command.end()
    assert outcome.code == 143
    result = json.loads(outcome.out)
    assert result["finished"] is False
    assert result["tables"][0]["standings"][0]["games"] == file.read_bytes().count(b"\n") - 1


def test_stopped_evaluation__shows_the_matches_so_far(tmp_path):
    write_model(tmp_path / "model.npz", random_model(2))
    (tmp_path / "mine.py").write_text(AGENTS)
    opponents = ("--opponent", "python:mine:Counting", "--opponent", "random")
    with running(
        tmp_path, "eval", "model.npz", *MANY, *opponents, "--json", "--jobs", "1"
    ) as command:
        command.wait_for((tmp_path / "many moves").exists)
        command.send(signal.SIGINT)
        outcome = command.end()
    assert outcome.code == 130 and "Traceback" not in outcome.err
    result = json.loads(outcome.out)
    (match,) = result["results"]
    assert result["finished"] is False and 0 < match["games"] < 1_000_000


def test_stopped_benchmark__shows_the_speeds_so_far(tmp_path):
    (tmp_path / "yardstick.py").write_text(YARDSTICK)
    trials = ("--trials", "1000", "--seconds", "0.01", "--yardstick", "yardstick.py")
    with running(tmp_path, "bench", *trials, "--json") as command:
        command.wait_for((tmp_path / "measured").exists)
        command.send(signal.SIGINT)
        outcome = command.end()
    assert outcome.code == 130 and "Traceback" not in outcome.err
    result = json.loads(outcome.out)
    assert result["finished"] is False and result["machine"]["cores"] > 0
    assert result["playout_moves_per_second"] > 0


def test_interrupt_while_workers_start__is_not_lost():
    held = []

    def start() -> None:
        with interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            held.append(True)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert held
