"""`azul play`: whole games typed at a pseudo-terminal and through a pipe."""

import io
import re
import subprocess
import sys

import pytest

from azul_agents.base import AgentFailureError
from azul_agents.baselines.random_agent import RandomAgent
from azul_env import (
    GameRecord,
    GameRecorder,
    format_action,
    legal_actions,
    read_records,
    verify,
    write_records,
)
from azul_env.core.spec import COLOR_NAMES
from azul_processes import AZUL, Outcome, project_environment
from azul_ui.games.store import GameStore
from azul_ui.terminal.dialogue import CLEAR_SCREEN, END_PROMPT, MOVE_PROMPT
from ui.command import here
from ui.terminal import COLUMNS, Terminal

LETTERS = "BYRKW"
MOVE = re.compile(r"\b[0-8C][BYRKW][0-4F]\b")


def moves_in(text: str) -> list[str]:
    """The moves that `moves` listed."""
    lines = re.findall(r"^  (?:factory \d|center) .*$", text, re.MULTILINE)
    return [move for line in lines for move in MOVE.findall(line)]


def table_after(terminal: Terminal, line: str) -> str:
    """The table that is drawn after a line was typed; marks of the last move left out."""
    text = terminal.answer(line, MOVE_PROMPT)
    drawn = text[text.rindex("Round ") : text.rindex(MOVE_PROMPT)]
    lines = [each for each in drawn.splitlines() if not each.startswith("Last move")]
    return "\n".join(lines).replace(">", " ")


def saved_in(path) -> GameRecord:
    (record,) = read_records(path)
    return record


def unwrapped(text: str) -> str:
    """Sentences as if lines had no end."""
    return " ".join(text.split())


def in_a_process(*arguments, given: bytes) -> Outcome:
    """Play through a real pipe, as UTF-8 whatever the locale."""
    run = subprocess.run(
        [sys.executable, "-c", AZUL, "play", *map(str, arguments)],
        env=project_environment(PYTHONUTF8="1"),
        input=given,
        capture_output=True,
        timeout=300,
        check=False,
    )
    return Outcome(run.returncode, run.stdout.decode(), run.stderr.decode())


@pytest.fixture
def play(monkeypatch, capsys):
    """Play with lines that come from no terminal, in this process."""

    def played(*arguments, lines: list[str]) -> Outcome:
        given = io.StringIO("".join(f"{line}\n" for line in lines))
        monkeypatch.setattr(sys, "stdin", given)
        return here(monkeypatch, capsys, "play", *map(str, arguments))

    return played


@pytest.fixture
def path(tmp_path):
    return tmp_path / "game.jsonl"


@pytest.fixture
def short_game(tmp_path):
    """A file with a game of one round that has just begun."""
    file = tmp_path / "short.jsonl"
    recorder = GameRecorder(2, 0, 11, max_rounds=1, agents=["human", "random"])
    write_records(file, [recorder.record])
    return file


def test_whole_game__is_finished_by_typing_moves_that_were_listed(path):
    with Terminal("play", "--vs", "random", "--seed", "4", "--save", path) as terminal:
        text = terminal.until(MOVE_PROMPT)
        for _ in range(200):
            move = moves_in(terminal.answer("moves", MOVE_PROMPT))[0]
            terminal.type(move.lower())
            text = terminal.until(" > ")
            if END_PROMPT in text:
                break
        assert END_PROMPT in text
        terminal.type("")
        code, last = terminal.end()
    record = saved_in(path)
    state = verify(record)
    assert code == 0 and str(path) in last
    assert state.is_terminal and record.agents == ["human", "random"]
    for seat, name in enumerate(("You", "random")):
        assert re.search(rf"^\d\. {name} .* {state.scores[seat]}$", text, re.MULTILINE), text
    winner = record.events[-1]["winners"]
    assert {(0,): "You win", (1,): "Random wins", (0, 1): "share the win"}[tuple(winner)] in text
    assert all(word in text for word in ("rows", "columns", "colors", "points"))


def test_screen__is_colored_cleared_and_80_columns_wide():
    with Terminal("play", "--players", "4", "--vs", "greedy", "--seed", "1") as terminal:
        terminal.until(MOVE_PROMPT)
        text = terminal.answer(
            "0B0" if "0B0" in terminal.answer("moves", MOVE_PROMPT) else "0R0", ">"
        )
        assert max(map(len, text.splitlines())) <= COLUMNS
        assert CLEAR_SCREEN in terminal.raw and "\x1b[1;" in terminal.raw


def test_hint__names_three_legal_moves_the_best_first():
    with Terminal("play", "--vs", "random", "--seed", "4") as terminal:
        terminal.until(MOVE_PROMPT)
        legal = moves_in(terminal.answer("moves", MOVE_PROMPT))
        text = terminal.answer("hint", MOVE_PROMPT)
    found = re.findall(r"^ +(\d)\. (\w{3}) +([+-][\d.]+)  (.+)$", text, re.MULTILINE)
    assert [place for place, *_ in found] == ["1", "2", "3"]
    assert all(move in legal for _, move, *_ in found)
    values = [float(value) for *_, value, _ in found]
    assert values == sorted(values, reverse=True)
    assert all(re.match(r"(factory \d|center), \w+, (line \d|floor)", words) for *_, words in found)


def test_wrong_input__is_explained_and_asked_again(path):
    recorder = GameRecorder(2, 0, 3, agents=["human", "random"])
    for destination in (0, 0, 4, 4):  # both fill line 0 and begin line 4
        legal = legal_actions(recorder.state)
        recorder.draft(next(action for action in legal if action.destination == destination))
    write_records(path, [recorder.record])
    state = recorder.state
    held = state.players[0].pattern_lines[4].color
    source, tiles = next((n, tiles) for n, tiles in enumerate(state.factories) if any(tiles))
    there = next(color for color in range(5) if tiles[color] and color != held)
    missing = next(color for color in range(5) if not tiles[color])
    empty = next(n for n, tiles in enumerate(state.factories) if not any(tiles))
    expected = {
        "jump": "help lists",
        "9B1": "is not a move",
        "load": "needs the name of a file",
        "load /no/such/file": "No such file",
        f"{empty}BF": f"factory {empty} is empty",
        f"{source}{LETTERS[missing]}F": f"factory {source} has no {COLOR_NAMES[missing]}, it has ",
        f"{source}{LETTERS[there]}0": "line 0 is full already",
        f"{source}{LETTERS[there]}4": f"line 4 holds {COLOR_NAMES[held]} already",
    }
    with Terminal("play", "--load", path) as terminal:
        terminal.until(MOVE_PROMPT)
        for line, explanation in expected.items():
            assert explanation in unwrapped(terminal.answer(line, MOVE_PROMPT))


def test_color_on_the_wall__is_explained(play, tmp_path):
    recorder = GameRecorder(2, 0, 3, agents=["human", "random"])
    while not (recorder.state.round == 1 and recorder.state.current_player == 0):
        recorder.draft(legal_actions(recorder.state)[0])
    state = recorder.state
    (color,) = (c for c in range(5) if state.players[0].wall[0][c])
    source = next(i for i, tiles in enumerate(state.factories) if tiles[color])
    write_records(tmp_path / "game.jsonl", [recorder.record])
    _, out, _ = play("--load", tmp_path / "game.jsonl", lines=[f"{source}{'BYRKW'[color]}0"])
    assert "row 0 of your wall has its" in out


def test_undo__restores_the_position_before_even_across_the_end_of_a_round(path):
    with Terminal("play", "--vs", "greedy", "--seed", "8", "--save", path) as terminal:
        terminal.until(MOVE_PROMPT)
        tables, records = [], []
        for _ in range(9):
            tables.append(table_after(terminal, "board"))
            records.append(saved_in(path))
            terminal.answer(moves_in(terminal.answer("moves", MOVE_PROMPT))[-1], MOVE_PROMPT)
        assert verify(saved_in(path)).round >= 1, "the moves must lead into the next round"
        went_on = saved_in(path)
        for table, record in zip(reversed(tables), reversed(records), strict=True):
            assert table_after(terminal, "undo") == table
            assert saved_in(path) == record
        assert "no move of yours" in terminal.answer("undo", MOVE_PROMPT)
        for event in [e for e in went_on.events if e.get("player") == 0]:
            terminal.answer(format_action(event["action"], 2), MOVE_PROMPT)
        assert saved_in(path) == went_on, "the same moves bring the same deals and answers"


def test_resigning__ends_the_game_and_can_be_taken_back(path):
    with Terminal("play", "--vs", "random", "--seed", "8", "--save", path) as terminal:
        terminal.until(MOVE_PROMPT)
        text = terminal.answer("resign", END_PROMPT)
        assert "You resign" in text and "Random wins" in text
        assert verify(saved_in(path)).end_reason == "resignation"
        assert "game is over" in terminal.answer("0B0", END_PROMPT)
        terminal.answer("undo", MOVE_PROMPT)
        assert len(saved_in(path).events) == 1
        terminal.type("resign")
        terminal.until(END_PROMPT)
        terminal.type("quit")
        assert terminal.end()[0] == 0


def test_resigning_among_four__lets_the_others_play_to_the_end(play, path):
    code, out, _ = play(
        "--players", 4, "--vs", "random", "--seed", 1, "--seat", 2, "--save", path, lines=["resign"]
    )
    state = verify(saved_in(path))
    assert code == 0 and "The others play on" in out
    assert state.is_terminal and state.end_reason != "resignation"
    assert state.players[2].resigned is not None


def test_saved_game__goes_on_as_if_it_had_not_been_left(path, tmp_path):
    whole = tmp_path / "whole.jsonl"
    plan = ["resign"]
    with Terminal("play", "--vs", "greedy", "--seed", "6", "--save", whole) as terminal:
        terminal.until(MOVE_PROMPT)
        for number in range(6):
            if number == 3:
                text = terminal.answer(f"save {path}", MOVE_PROMPT)
                assert "exists" not in text and saved_in(path) == saved_in(whole)
            move = moves_in(terminal.answer("moves", MOVE_PROMPT))[-1]
            plan.insert(-1, move)
            terminal.answer(move, MOVE_PROMPT)
        terminal.answer("resign", END_PROMPT)
    assert len(saved_in(path).events) < len(saved_in(whole).events)
    with Terminal("play", "--load", path, "--save", path) as terminal:
        terminal.until(MOVE_PROMPT)
        for move in plan[3:-1]:
            terminal.answer(move, MOVE_PROMPT)
        terminal.answer("resign", END_PROMPT)
        terminal.type("quit")
        assert terminal.end()[0] == 0
    assert saved_in(path) == saved_in(whole)


def test_loading_in_the_game__tells_of_the_game_that_was_left(play, short_game, path, games_folder):
    lines = ["0YF", f"load {short_game}", "undo"]
    _, out, _ = play("--vs", "random", "--seed", 4, lines=lines)
    (left,) = GameStore(games_folder).list()
    assert f"The game you left is kept: azul play --continue {left.id}" in unwrapped(out)
    assert "of at most 1 " in out
    assert "no move of yours" in out, "the loaded game has none"
    _, out, _ = play("--vs", "random", "--seed", 4, "--save", path, lines=[*lines, "resign"])
    assert f"The game you left is in {path}, where this one is not saved" in unwrapped(out)
    assert not verify(saved_in(path)).is_terminal, "the file keeps the game that was left"
    assert len(saved_in(short_game).events) == 1


def test_file_that_cannot_be_written__does_not_cost_the_game(play, tmp_path):
    code, out, _ = play(
        "--vs",
        "random",
        "--seed",
        4,
        lines=[f"save {tmp_path / 'no' / 'x'}", f"save {tmp_path}", "moves"],
    )
    assert code == 0 and "No such file" in unwrapped(out) and "exists already" in unwrapped(out)
    assert moves_in(out)


def test_opponent_that_fails__loses_by_a_recorded_forfeit(play, path, monkeypatch):
    def fail(*_: object) -> int:
        raise AgentFailureError("lost its mind")

    monkeypatch.setattr(RandomAgent, "act", fail)
    code, out, _ = play("--vs", "random", "--seed", 4, "--save", path, lines=["0YF"])
    assert code == 0 and "Random resigns, forfeit: lost its mind" in out and "You win" in out
    assert saved_in(path).events[-2]["forfeit"] == "lost its mind"


def test_pipe__plays_a_whole_game_without_any_escape_code(short_game):
    every_move = [f"{s}{c}{d}" for s in "01234C" for c in LETTERS for d in "01234F"] * 4
    code, out, err = in_a_process(
        "--load", short_game, "--save", short_game, given="\n".join(every_move).encode()
    )
    assert code == 0 and "Traceback" not in err, err
    assert "\x1b" not in out
    assert verify(saved_in(short_game)).end_reason == "max_rounds"
    assert END_PROMPT in out and "points" in out


def test_pipe_with_bytes_that_are_no_text__is_asked_again():
    code, out, err = in_a_process("--vs", "random", given=b"\xff\x00\x1b[2J\nquit\n")
    assert code == 0 and "Traceback" not in err, err
    assert "is not a move" in out and "Good bye" in out


def test_files_of_other_games__are_never_written_over(play, path, short_game):
    before = short_game.read_bytes()
    lines = ["0YF", f"save {short_game}", f"save {path}", "save", f"save {path}"]
    code, out, _ = play("--vs", "random", "--seed", 4, lines=lines)
    assert code == 0 and unwrapped(out).count("exists already") == 1
    assert short_game.read_bytes() == before and len(saved_in(path).events) >= 3
    code, out, err = play("--save", short_game, lines=[])
    assert (code, out) == (2, "") and str(short_game) in err
    several = short_game.read_text() * 2
    short_game.write_text(several)
    _, out, _ = play("--load", short_game, lines=["save"])
    assert "exists already" in unwrapped(out) and short_game.read_text() == several


def test_record_with_a_command_as_its_agent__does_not_run_it(play, short_game, tmp_path):
    record = saved_in(short_game)
    record.agents[1] = f"external:touch {tmp_path / 'run'}"
    write_records(short_game, [record])
    code, out, _ = play("--load", short_game, lines=["moves"])
    assert code == 0 and not (tmp_path / "run").exists()
    assert "seat 1 is " in out and "external" not in out


def test_record_without_a_person__gives_the_seat_to_move(play, tmp_path):
    recorder = GameRecorder(3, 0, 5, agents=["Ada", "Ben", "Cem"])
    recorder.draft(legal_actions(recorder.state)[0])
    file = tmp_path / "game.jsonl"
    write_records(file, [recorder.record])
    assert "You have seat 1" in play("--load", file, lines=[]).out
    code, out, _ = play("--load", file, "--seat", 2, "--vs", "random", lines=[])
    assert code == 0 and "You have seat 2" in out and "Random 1: " in out


@pytest.mark.parametrize(
    ("arguments", "offender"),
    [
        (("--vs", "grandmaster"), "grandmaster"),
        (("--vs", "greedy:depth=2"), "depth"),
        (("--seat", "2"), "--seat 2"),
        (("--seat", "left"), "left"),
        (("--players", "5"), "--players"),
        (("--players", "4", "--vs", "random", "--vs", "greedy"), "2 opponents for 4 players"),
        (("--vs", "random") * 4, "4 opponents"),
        (("--load", "missing.jsonl"), "missing.jsonl"),
        (("--seed", "-1"), "--seed"),
    ],
)
def test_wrong_arguments__exit_with_2_and_name_the_offender(play, arguments, offender):
    code, out, err = play(*arguments, lines=[])
    assert (code, out) == (2, "")
    assert offender in err and "Traceback" not in err


def test_random_seat__follows_the_seed(play):
    first = play("--seat", "random", "--seed", 1, "--players", 4, "--vs", "random", lines=[]).out
    again = play("--seat", "random", "--seed", 1, "--players", 4, "--vs", "random", lines=[]).out
    assert first == again and "You have seat " in first
