"""`azul play` keeps every game: however it is left, `azul play --continue` goes on with it."""

import io
import re
import signal
import sys

import pytest

from arena.processes import wait_until
from azul_env import GameRecord, encode_action, format_action, legal_actions, verify
from azul_processes import Outcome
from azul_ui.games.session import PERSON, GameSession
from azul_ui.games.store import FOLDER_VARIABLE, GameStore
from azul_ui.terminal.dialogue import END_PROMPT, LEAVE_PROMPT, MOVE_PROMPT
from ui.command import here
from ui.terminal import CONTROL_C, CONTROL_D, Terminal

NEW_GAME = ("play", "--vs", "random", "--seed", "4")
FIRST_MOVE = "0YF"
# A signal after the prompt is printed and before readline waits; no Python runs in between.
SIGNAL_BEFORE_THE_WAIT = (
    "import ctypes, functools, os, readline; "
    "readline.set_pre_input_hook(functools.partial(ctypes.CDLL(None).kill, os.getpid(), {}))"
)


@pytest.fixture
def store(games_folder) -> GameStore:
    return GameStore(games_folder)


@pytest.fixture
def play(monkeypatch, capsys):
    """Play with lines that come from no terminal, in this process."""

    def played(*arguments, lines: list[str] = ()) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return here(monkeypatch, capsys, "play", *map(str, arguments))

    return played


def only_game(store: GameStore) -> GameRecord:
    (game,) = store.list()
    return store.load(game.id)


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def leave_by_key(key: str):
    def leave(terminal: Terminal) -> tuple[int, str]:
        terminal.press(key)
        return terminal.end()

    return leave


def leave_by_signal(number: int):
    def leave(terminal: Terminal) -> tuple[int, str]:
        terminal.send(number)
        return terminal.end()

    return leave


def leave_by_quitting(terminal: Terminal) -> tuple[int, str]:
    terminal.answer("quit", LEAVE_PROMPT)
    terminal.answer("no", MOVE_PROMPT)
    terminal.answer("quit", LEAVE_PROMPT)
    terminal.type("y")
    return terminal.end()


def leave_by_closing_the_window(terminal: Terminal) -> tuple[int, str]:
    return terminal.hang_up(), ""


@pytest.mark.parametrize(
    ("leave", "code", "is_told"),
    [
        (leave_by_quitting, 0, True),
        (leave_by_key(CONTROL_C), 0, True),
        (leave_by_key(CONTROL_D), 0, True),
        (leave_by_signal(signal.SIGTERM), 128 + signal.SIGTERM, True),
        (leave_by_closing_the_window, 128 + signal.SIGHUP, False),
        (leave_by_signal(signal.SIGKILL), -signal.SIGKILL, False),
    ],
    ids=["quit", "Ctrl-C", "Ctrl-D", "SIGTERM", "closed terminal", "kill -9"],
)
def test_game_that_is_left__is_kept_and_goes_on(leave, code, is_told, store, play):
    with Terminal(*NEW_GAME) as terminal:
        terminal.until(MOVE_PROMPT)
        terminal.answer(FIRST_MOVE, MOVE_PROMPT)
        left_with, text = leave(terminal)
    assert left_with == code and "Traceback" not in text
    (game,) = store.list()
    assert (f"azul play --continue {game.id}" in unwrapped(text)) == is_told
    record = store.load(game.id)
    assert [event["type"] for event in record.events] == ["deal", "draft", "draft"]
    outcome = play("--continue", lines=["undo", "redo", "resign"])
    assert outcome.code == 0 and "You have seat 0, seat 1 is random" in outcome.out
    assert verify(only_game(store)).is_terminal
    assert only_game(store).events[:3] == record.events


def test_closed_terminal_without_its_signal__is_a_hangup(store):
    ignored = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    with Terminal(*NEW_GAME, preparation=ignored) as terminal:
        terminal.until(MOVE_PROMPT)
        terminal.answer(FIRST_MOVE, MOVE_PROMPT)
        assert terminal.hang_up() == 128 + signal.SIGHUP
    assert len(only_game(store).events) == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_between_prompt_and_wait__is_not_missed(number):
    preparation = SIGNAL_BEFORE_THE_WAIT.format(int(number))
    with Terminal(*NEW_GAME, preparation=preparation) as terminal:
        code, text = terminal.end()
    assert code == (0 if number == signal.SIGINT else 128 + number)
    assert MOVE_PROMPT in text and "Good bye" in text


def test_game_killed_while_an_agent_thinks__goes_on_there(store):
    slow = ("play", "--vs", "alphabeta:time=2", "--seed", "4")
    with Terminal(*slow) as terminal:
        terminal.until(MOVE_PROMPT)
        terminal.type(FIRST_MOVE)
        wait_until(store.list)
        terminal.send(signal.SIGKILL)
        terminal.end()
    assert [event["type"] for event in only_game(store).events] == ["deal", "draft"]
    with Terminal("play", "--continue") as terminal:
        assert "Alphabeta: " in terminal.until(MOVE_PROMPT)
    assert len(only_game(store).events) == 3


def test_game_without_a_move__is_not_kept(play, store):
    outcome = play("--vs", "random", lines=["quit"])
    assert outcome.code == 0 and "Good bye" in outcome.out and store.list() == []
    outcome = play("--continue")
    assert outcome.code == 2 and "there is no unfinished game in" in outcome.err


def test_undo__is_kept_and_can_be_redone_after_a_restart(play, store):
    play("--vs", "greedy", "--seed", 4, lines=[FIRST_MOVE])
    before = only_game(store)
    play("--continue", lines=["undo"])
    assert len(only_game(store).events) == 1
    play("--continue", lines=["redo"])
    assert only_game(store) == before


def test_finished_game__is_continued_only_by_its_id(play, store):
    outcome = play("--vs", "random", "--seed", 4, lines=[FIRST_MOVE, "resign"])
    (game,) = store.list()
    assert game.is_finished and f"azul play --continue {game.id}" in unwrapped(outcome.out)
    assert play("--continue").code == 2
    outcome = play("--continue", game.id, lines=["undo"])
    assert outcome.code == 0 and END_PROMPT in outcome.out and not store.list()[0].is_finished


def test_latest_unfinished_game__is_the_one_that_goes_on(play, store):
    for seed in (4, 5):
        play("--vs", "random", "--seed", seed, lines=["moves", "hint", "0YF", "0BF", "0RF", "0KF"])
    second, first = store.list()
    assert "seed 5" in play("--continue").out
    play("--continue", first.id, lines=["undo"])
    assert "seed 4" in play("--continue").out, "it was played last"
    listed = play("--games").out
    assert listed.index(first.id) < listed.index(second.id)


@pytest.mark.parametrize(
    ("arguments", "offender"),
    [
        (("--continue", "--load", "x.jsonl"), "--load and --continue"),
        (("--continue", "--seed", "1"), "--seed and --continue"),
        (("--continue", "--players", "3"), "--players and --continue"),
        (("--continue", "--seat", "1"), "--seat and --continue"),
        (("--continue", "--vs", "greedy"), "goes on with its own opponents, random"),
        (("--continue", "../../etc/passwd"), "is not the id of a game"),
        (("--continue", "20200101-000000-aaaaaa"), "there is no game 20200101-000000-aaaaaa"),
        (("20200101-000000-aaaaaa",), "an ID goes with --continue"),
    ],
)
def test_options_that_clash__exit_with_2_and_name_the_offender(play, arguments, offender):
    play("--vs", "random", "--seed", 4, lines=[FIRST_MOVE])
    outcome = play(*arguments)
    assert (outcome.code, outcome.out) == (2, "") and offender in unwrapped(outcome.err)


def test_opponent_that_runs_a_program__must_be_named_again(play, store, tmp_path):
    command = f"external:touch {tmp_path / 'run'}"
    game = GameSession((PERSON, "random"), 4)
    game.play(29)
    game.record.agents[1] = command
    game_id = store.create(game.record)
    store.close()
    outcome = play("--continue")
    assert outcome.code == 2 and "name the agent again" in outcome.err and "--vs" in outcome.err
    assert not (tmp_path / "run").exists()
    outcome = play("--continue", game_id, "--vs", command)
    assert (tmp_path / "run").exists(), "the person named it"


def test_command_that_is_printed__names_such_opponents_again(play, store, monkeypatch):
    spec = "python:azul_agents.baselines.random_agent:RandomAgent"
    outcome = play("--vs", spec, "--seed", 4, lines=[FIRST_MOVE])
    (game,) = store.list()
    command = f"azul play --continue {game.id} --vs {spec}"
    assert command in unwrapped(outcome.out)
    assert play("--continue").code == 2
    assert play(*command.split()[2:]).code == 0


@pytest.mark.parametrize("players", [2, 4])
def test_store_that_cannot_be_written__costs_one_warning_and_not_the_game(
    play, tmp_path, monkeypatch, players
):
    (tmp_path / "file").touch()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "games"))
    game = GameSession([PERSON, *["random"] * (players - 1)], 4)
    lines = []
    for _ in range(2):
        lines.append(format_action(legal_actions(game.state)[0], players))
        game.play(encode_action(legal_actions(game.state)[0], players))
        while not game.to_move_is_person:
            game.agent_turn()
    outcome = play("--vs", "random", "--seed", 4, "--players", players, lines=lines)
    text = unwrapped(outcome.out)
    assert outcome.code == 0 and text.count("WARNING: this game is not kept") == 1
    assert text.endswith(
        f"The same deals again: azul play --vs random --players {players} --seat 0 --seed 4"
    )


def test_open_game__is_not_opened_twice(play, store):
    play("--vs", "random", "--seed", 4, lines=[FIRST_MOVE])
    (game,) = store.list()
    store.claim(game.id)
    outcome = play("--continue")
    assert outcome.code == 2 and f"game {game.id} is open elsewhere" in outcome.err


def test_several_people__take_turns_at_one_terminal(play, store):
    game = GameSession((PERSON, "random", PERSON), 4)
    game.play(29)
    store.create(game)
    store.close()
    outcome = play("--continue", lines=["moves"])
    move = re.findall(r"\b[0-8C][BYRKW][0-4F]\b", outcome.out)[-1]
    outcome = play("--continue", lines=[move])
    assert "You have seats 0 and 2, seat 1 is random" in outcome.out
    assert "human 0 to move" in outcome.out


def test_rounds__are_scored_item_by_item(play, store):
    game = GameSession((PERSON, "random"), 4)
    while game.state.round == 0:
        if game.to_move_is_person:
            game.play(encode_action(legal_actions(game.state)[0], 2))
        else:
            game.agent_turn()
    scoring = next(each.scoring for each in game.history if each.scoring)
    while game.state.round:
        game.undo()
    store.create(game)
    store.close()
    move = next(event["action"] for event in game.undone[-1] if event["type"] == "draft")
    out = play("--continue", lines=[format_action(move, 2)]).out
    assert "Round 1 is over:" in out
    for name, seat in zip(("You", "Random"), scoring.seats, strict=True):
        (line,) = re.findall(rf"^{name}: (.*): {seat.before} -> {seat.after}$", out, re.MULTILINE)
        assert sum(map(int, re.findall(r"[+-]\d+", line))) == seat.after - seat.before
        assert len(re.findall(r"line \d", line)) == len(seat.tiles)
