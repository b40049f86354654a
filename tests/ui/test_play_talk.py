"""What `azul play` says besides moves: rules, the question before leaving, the analysis at the end, bugs of agents."""

import re
import sys

import pytest

from azul_ui.games.session import GameSession
from azul_ui.terminal.dialogue import LEAVE_PROMPT
from azul_ui.terminal.help_text import HELP, RULES
from azul_ui.terminal.setup import restart_command
from ui.command import here
from ui.test_cli_play import play as play
from ui.test_cli_play import unwrapped

BUGGY = """
class Buggy:
    def act(self, state, legal_mask, rng):
        return self.missing[0]
"""


def test_rules__fit_on_a_page_and_count_as_the_board_does(play):
    code, out, _ = play("--vs", "random", "--seed", 1, lines=["rules"])
    assert code == 0 and RULES in out
    lines = RULES.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) < 80
    assert "Line 0 holds one tile, line 4 five" in unwrapped(RULES)
    assert "lines are 0 (the shortest) to 4" in unwrapped(HELP)


def test_quit__asks_once_a_move_was_made(play):
    code, out, _ = play("--vs", "random", "--seed", 4, lines=["quit"])
    assert code == 0 and LEAVE_PROMPT not in out
    lines = ["0YF", "quit", "n", "board", "quit", "y", "board"]
    code, out, _ = play("--vs", "random", "--seed", 4, lines=lines)
    assert code == 0 and out.count(LEAVE_PROMPT) == 2
    assert out.count("> board") == 1  # nothing is read after the second answer


def test_end_of_a_game__offers_to_analyse_it(play):
    lines = ["analyse", "0YF", "resign", "analyse"]
    code, out, _ = play("--vs", "random", "--seed", 4, lines=lines)
    assert code == 0 and "Game over (analyse, " in out
    assert "The game is not over: hint shows the best moves now" in unwrapped(out)
    said = out[out.rindex("> analyse") :]
    assert "to win fell to" in said and "better was" in said and "expected: " in said
    assert re.search(r"0 You +[\d.]+ +[\d.]+% +\d+%", said)


@pytest.mark.parametrize("where", ["at the first move", "after a move"])
def test_bug_in_an_agent__is_told_with_its_line(where, tmp_path, monkeypatch, play):
    (tmp_path / "buggy_bot.py").write_text(BUGGY)
    monkeypatch.chdir(tmp_path)
    seat = 1 if where == "at the first move" else 0
    options = ("--vs", "python:buggy_bot:Buggy", "--seed", 4, "--seat", seat)
    code, out, err = play(*options, lines=["0YF"])
    assert code == 1 and "Traceback" not in out + err
    said = unwrapped(out)
    assert "A bug in python:buggy_bot:Buggy: AttributeError: 'Buggy' object has no" in said
    assert "buggy_bot.py, line 4: return self.missing[0])" in said
    sys.modules.pop("buggy_bot")


def test_restart_command__has_all_options(tmp_path):
    session = GameSession(["random", "human", "greedy"], seed=5)
    command = restart_command(session, tmp_path / "my game.jsonl")
    assert command.endswith(
        f"azul play --vs random --vs greedy --save '{tmp_path}/my game.jsonl' --players 3 --seat 1 --seed 5"
    )


def test_warmup__compiles_everything_and_says_how_long(monkeypatch, capsys):
    first = here(monkeypatch, capsys, "warmup")
    assert first.code == 0 and "s of processor time" in first.out
    again = here(monkeypatch, capsys, "warmup")
    assert again.out.startswith("everything was compiled before: ")
