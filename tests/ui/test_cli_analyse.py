"""`azul analyse`: positions and records, for people and as JSON."""

import functools
import json
import re

import pytest

from azul_env import format_action, new_game, parse_action, read_records, verify, write_records
from azul_processes import COMMANDS, ROOT
from ui.command import here, in_process_of_its_own

GAME = ROOT / "docs" / "game.jsonl"
POSITION = repr(new_game(2, rng=5))


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys, "analyse")


def test_position__shows_the_best_moves_with_values_and_words(azul):
    code, out, err = azul(POSITION, "--agent", "greedy", "--top", "4")
    assert code == 0, err
    head, *lines, expected, chances = out.splitlines()
    assert "player 0" in head and "greedy" in head and len(lines) == 4
    for place, line in enumerate(lines, 1):
        assert re.fullmatch(
            rf" +{place}\. \w{{3}} +[+-]\d+\.\d\d  factory \d, \w+, (line \d|floor) +\d+%", line
        )
    assert expected == f"expected: {lines[0].split()[1]}"
    shown = [int(number) for number in re.findall(r"(\d+)%", chances)]
    assert sum(shown) in (99, 100, 101) and f"{shown[0]}%" == lines[0].split()[-1]


def test_first_analysis__compiles_with_a_bar_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("FORCE_COLOR", "1")  # bars are shown, as on a terminal
    code, out, err = in_process_of_its_own(
        "analyse", POSITION, "--agent", "greedy", preparation=COMMANDS
    )
    assert code == 0 and "by greedy" in out, err
    assert "compiling, once" in err


def test_file_with_a_position__is_read_as_one(azul, tmp_path):
    file = tmp_path / "position.txt"
    file.write_text(POSITION + "\n")
    by_file, by_text = azul(file, "--agent", "greedy"), azul(POSITION, "--agent", "greedy")
    assert by_file[:2] == by_text[:2] and by_file.code == 0


def test_json_of_a_position__has_its_shape_and_stands_alone():
    code, out, err = in_process_of_its_own(
        "analyse", POSITION, "--agent", "greedy", "--top", "3", "--json"
    )
    assert code == 0, err
    result = json.loads(out)
    assert list(result) == [
        "kind", "agent", "position", "num_players", "player", "legal_moves", "moves",
        "win_chances", "depth", "nodes",
    ]  # fmt: skip
    assert (result["kind"], result["agent"]) == ("position", "greedy")
    assert (result["position"], result["player"]) == (POSITION, 0)
    assert len(result["moves"]) == 3
    for move in result["moves"]:
        assert list(move) == ["action", "move", "words", "value", "loss", "win_chance", "line"]
        assert 0 < move["win_chance"] < 1 and move["line"][0] == move["move"]
        assert format_action(move["action"], 2) == move["move"]
        assert move["loss"] == pytest.approx(result["moves"][0]["value"] - move["value"])
    assert result["moves"][0]["loss"] == 0
    assert result["win_chances"][0] == result["moves"][0]["win_chance"]


def test_record__has_a_line_for_every_move_and_the_best_one_loses_nothing(azul):
    code, out, _ = azul(GAME, "--agent", "greedy")
    (record,) = read_records(GAME)
    drafts = [event for event in record.events if event["type"] == "draft"]
    assert code == 0
    lines = re.findall(
        r"^ *(\d+) +\d+ +(\d) (\w+) +(\w{3}) +(\w{3}) +\d+% +\d+% +(-?[\d.]+) +(\d+)%(?:  [a-z]+)?$",
        out,
        re.M,
    )
    assert len(lines) == len(drafts)
    for number, (line, event) in enumerate(zip(lines, drafts, strict=True), 1):
        shown, player, name, played, best, loss, _ = line
        assert (int(shown), int(player)) == (number, event["player"])
        assert name == record.agents[event["player"]]
        assert parse_action(played, 2) == parse_action(format_action(event["action"], 2), 2)
        assert float(loss) >= 0 and (played != best or float(loss) == 0)
    worst = re.search(r"^ +1\. move (\d+) by (\w+), ([\d.]+) lost", out, re.M)
    assert worst is not None
    _, _, name, _, _, loss, chance = lines[int(worst[1]) - 1]
    assert (name, loss) == (worst[2], worst[3])
    assert int(chance) == max(int(line[-1]) for line in lines) > 0
    summary = r"\d+\.\d\d +\d+\.\d% +\d+%  \d+ blunders?, \d+ mistakes?, \d+ inaccurac(y|ies)"
    assert re.search(rf"Mean loss.*\n +0 Ada +{summary}\n +1 Ben +{summary}\n", out)


def test_json_of_a_record__has_its_shape_and_agrees_with_itself(azul):
    code, out, _ = azul(GAME, "--agent", "greedy", "--json", "--top", "2")
    assert code == 0
    result = json.loads(out)
    assert list(result) == [
        "kind", "agent", "game", "num_players", "names", "moves", "mean_loss", "worst", "players",
    ]  # fmt: skip
    assert (result["kind"], result["game"], result["names"]) == ("record", 0, ["Ada", "Ben"])
    for move in result["moves"]:
        assert list(move) == [
            "number", "round", "player", "action", "move", "value",
            "best_action", "best_move", "best_value", "loss", "win_chance", "best_win_chance",
            "win_chance_loss", "severity", "win_chances", "line",
        ]  # fmt: skip
        assert sum(move["win_chances"]) == pytest.approx(1)
        assert move["line"][0] == move["best_move"]
        assert (move["severity"] is None) == (move["win_chance_loss"] < 0.05)
        assert move["loss"] == pytest.approx(move["best_value"] - move["value"])
        assert (move["loss"] == 0) == (move["best_action"] == move["action"])
    (record,) = read_records(GAME)
    assert result["moves"][-1]["win_chances"] == [
        float(seat in record.events[-1]["winners"]) for seat in (0, 1)
    ]
    for seat, player in enumerate(result["players"]):
        own = [move for move in result["moves"] if move["player"] == seat]
        assert (player["moves"], player["mean_loss"]) == (len(own), result["mean_loss"][seat])
        assert sum(player["severities"].values()) == sum(m["severity"] is not None for m in own)
    losses = [(move["win_chance_loss"], move["loss"]) for move in result["moves"]]
    by_seat = [[m["loss"] for m in result["moves"] if m["player"] == seat] for seat in (0, 1)]
    assert result["mean_loss"] == pytest.approx([sum(own) / len(own) for own in by_seat])
    assert [losses[number - 1] for number in result["worst"]] == sorted(losses, reverse=True)[:2]


def test_default_agent__analyses_a_position(azul):
    code, out, err = azul(POSITION, "--json")
    assert code == 0, err
    assert json.loads(out)["agent"].partition(":")[0] in ("alphabeta", "greedy")


def test_names_that_a_terminal_would_choke_on__are_shown_without_it(azul, tmp_path):
    (record,) = read_records(GAME)
    record.agents[0] = "\x1b[2J[b]Ada\n"
    write_records(tmp_path / "game.jsonl", [record])
    code, out, _ = azul(tmp_path / "game.jsonl", "--agent", "greedy")
    assert code == 0 and "\x1b" not in out and "[b]Ada" in out


@pytest.mark.parametrize(
    ("arguments", "offender"),
    [
        (("no/such/file",), "no/such/file"),
        (("azul 2p nonsense",), "azul 2p nonsense"),
        ((POSITION.replace("| *", "| B*"),), "TILE_TOTAL"),
        ((POSITION, "--agent", "random"), "random gives no values to moves"),
        ((POSITION, "--agent", "oracle"), "oracle"),
        ((GAME, "--agent", "random"), "random gives no values to moves"),
        ((GAME, "--game", "1"), "no game 1"),
        ((POSITION, "--top", "0"), "--top"),
        ((str(GAME.parent),), str(GAME.parent)),
        ((str(GAME.parent / "RULES.md"),), "RULES.md, line 1"),
    ],
)
def test_bad_input__exits_with_2_and_names_the_offender(azul, arguments, offender):
    code, out, err = azul(*arguments)
    assert (code, out) == (2, "")
    assert offender in " ".join(err.split()) and "Traceback" not in err


def test_finished_position__is_refused_and_shown(azul):
    (record,) = read_records(GAME)
    text = repr(verify(record))
    code, out, err = azul(text, "--agent", "greedy")
    assert (code, out) == (2, "") and "game is over" in err and text in err


def test_impossible_record__is_refused_before_any_work(azul, tmp_path):
    (record,) = read_records(GAME)
    record.events[5]["action"] = 180
    write_records(tmp_path / "game.jsonl", [record])
    code, out, err = azul(tmp_path / "game.jsonl", "--agent", "greedy")
    assert (code, out) == (2, "") and "event 5" in err
