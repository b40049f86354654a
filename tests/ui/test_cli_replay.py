"""`azul replay`: showing recorded games, checking files of them, and what it says about bad ones."""

import copy
import functools

import pytest

from azul_env import GameRecord, format_action, write_records
from properties.walks import Walk, recorded
from ui.command import here, in_process_of_its_own

GAMES = [
    recorded(Walk(2, 0, 1, "uniform", 50), ("Ada [b]", "Bob"))[0].record,
    recorded(Walk(3, 1, 2, "uniform", 1, ((2, 1), (3, 0))))[0].record,
]


def spoiled(record: GameRecord, place: int) -> GameRecord:
    """A copy of a game in which one draft is no action at all."""
    broken = copy.deepcopy(record)
    assert broken.events[place]["type"] == "draft"
    broken.events[place]["action"] = 299
    return broken


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


def test_check__says_of_every_game_that_it_is_sound(azul, path):
    write_records(path, GAMES)
    code, out, err = azul("replay", path, "--check")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == 3
    for number, (line, game) in enumerate(zip(lines, GAMES, strict=False)):
        assert line.startswith(f"game {number}: sound")
        assert game.events[-1]["reason"] in line
        assert "-".join(map(str, game.events[-1]["scores"])) in line
    assert lines[2] == "2 sound, 0 impossible"


def test_check__fails_and_names_game_and_event_of_an_impossible_game(path):
    write_records(path, [GAMES[0], spoiled(GAMES[0], 5), GAMES[1]])
    code, out, err = in_process_of_its_own("replay", path, "--check")
    assert (code, err) == (1, "")
    sound, impossible, later, total = out.splitlines()
    assert sound.startswith("game 0: sound") and later.startswith("game 2: sound")
    assert impossible.startswith("game 1: impossible event 5 (draft)")
    assert "OUT_OF_RANGE" in impossible
    assert total == "2 sound, 1 impossible"


def test_check__tells_an_unfinished_game_from_a_finished_one(azul, path):
    unfinished = GameRecord(2, events=GAMES[0].events[:6], max_rounds=50)
    write_records(path, [unfinished])
    code, out, _ = azul("replay", path, "--check")
    assert code == 0 and "5 turns, 0 rounds, not finished" in out


def test_check_of_an_empty_file__finds_nothing_wrong(azul, path):
    path.write_bytes(b"")
    assert azul("replay", path, "--check")[:2] == (0, "0 sound, 0 impossible\n")


def test_check__fails_for_a_game_that_is_cut_off_and_checks_the_others(path):
    path.write_text(GAMES[0].to_json() + "\n" + GAMES[1].to_json()[:80])
    code, out, err = in_process_of_its_own("replay", path, "--check")
    assert (code, err) == (1, "")
    sound, lost, total = out.splitlines()
    assert sound.startswith("game 0: sound") and lost.startswith(f"{path}, line 2")
    assert total == "1 sound, 0 impossible, 1 lost"


def test_check_of_something_else__fails(azul, path):
    path.write_bytes(b"\x00\xff" * 100)
    code, out, _ = azul("replay", path, "--check")
    assert code == 1 and out.splitlines()[-1] == "0 sound, 0 impossible, 1 lost"


def test_missing_file__is_an_error_with_a_message_and_no_traceback(path):
    code, out, err = in_process_of_its_own("replay", path, "--check")
    assert (code, out) == (2, "")
    assert "azul: error:" in err and str(path) in err and "No such file" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("options", [("--check",), ()], ids=["check", "show"])
def test_broken_file__is_an_error_that_names_the_line(azul, path, options):
    path.write_text(GAMES[0].to_json() + "\nno game\n" + GAMES[1].to_json() + "\n")
    code, out, err = azul("replay", path, *options)
    assert code == 2
    assert f"{path}, line 2" in err and err.startswith("azul: error:")
    assert "Traceback" not in out + err


def test_folder_in_place_of_a_file__is_an_error(azul, path):
    code, out, err = azul("replay", path.parent, "--check")
    assert (code, out) == (2, "") and "azul: error:" in err and str(path.parent) in err


@pytest.mark.parametrize("number", [0, 1])
def test_show__prints_every_position_when_there_is_no_terminal(azul, path, number):
    write_records(path, GAMES)
    code, out, err = azul("replay", path, "--game", str(number))
    assert (code, err) == (0, "")
    assert "\033" not in out
    pages = [line for line in out.splitlines() if line == "start" or line.startswith("player ")]
    game = GAMES[number]
    moves = [event for event in game.events if event["type"] in ("draft", "resign")]
    expected = ["start"] + [
        f"player {event['player']}: {format_action(event['action'], game.num_players)}"
        if event["type"] == "draft"
        else f"player {event['player']} resigns" + (" (time)" if event["forfeit"] else "")
        for event in moves
    ]
    titles = iter(pages)
    assert all(title in titles for title in expected), "titles in order, whatever stands between"
    if game.agents:
        assert "Ada [b]" in out and "Bob" in out


def test_show_of_a_game_that_is_not_there__says_how_many_there_are(azul, path):
    write_records(path, GAMES)
    code, out, err = azul("replay", path, "--game", "2")
    assert (code, out) == (2, "")
    assert "2 games" in err and "no game 2" in err


def test_show_of_an_impossible_game__names_the_event(azul, path):
    write_records(path, [spoiled(GAMES[0], 5)])
    code, out, err = azul("replay", path)
    assert code == 2 and "event 5" in err and "OUT_OF_RANGE" in err
    assert "Traceback" not in out + err


def test_text_that_a_terminal_would_choke_on__is_shown_without_it(azul, path):
    strange = "\ud800\033[2Jred\nplayer 9: 0B0"
    game = recorded(Walk(2, 0, 1, "uniform", 50, ((3, 0),)), (strange, "Bob"))[0].record
    game.events[-2]["forfeit"] = strange
    write_records(path, [game])
    code, out, err = azul("replay", path)
    assert (code, err) == (0, "")
    assert "\033" not in out and "\nplayer 9" not in out
    assert out.encode()


@pytest.mark.parametrize("options", [("--check",), ()], ids=["check", "show"])
def test_event_whose_type_is_a_list__is_an_error_without_a_traceback(azul, path, options):
    path.write_text(GAMES[0].to_json().replace('"type":"end"', '"type":["end"]') + "\n")
    code, out, err = azul("replay", path, *options)
    assert code == 2 and f"{path}, line 1" in err and "Traceback" not in out + err


@pytest.mark.parametrize("arguments", [(), ("--game", "-1"), ("--game", "x"), ("--chek",)])
def test_wrong_arguments__are_an_error_of_use(azul, path, arguments):
    write_records(path, GAMES)
    code, out, err = azul("replay", *([path] if arguments else []), *arguments)
    assert (code, out) == (2, "")
    assert "Usage" in err and "Traceback" not in err
