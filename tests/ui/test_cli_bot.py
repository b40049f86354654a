"""`azul bot`: one of our agents behind the protocol, and the session in docs/BOT_PROTOCOL.md."""

import json
import os
import re
import subprocess
import sys

import pytest

from azul_env import from_dict, legal_mask, new_game, resign, to_dict
from azul_processes import AZUL, ROOT, Outcome, project_environment, start_python
from ui.command import in_process_of_its_own

HELLO = {"type": "hello", "protocol": 1, "num_players": 2}
QUIT = {"type": "quit"}


def azul_bot(arguments: str, lines: list[str | bytes | dict]) -> Outcome:
    """Run a bot on some lines, and end its input."""
    texts = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    raw = [text.encode() if isinstance(text, str) else text for text in texts]
    given = b"".join(line + b"\n" for line in raw)
    return in_process_of_its_own("bot", *arguments.split(), given=given)


def question(state, **more):
    return {"type": "act", "position": to_dict(state), **more}


def session() -> tuple[list[str], list[str]]:
    """What the bot reads and what it writes in the session of the document."""
    text = (ROOT / "docs" / "BOT_PROTOCOL.md").read_text()
    block = re.search(r"```text\n(.*?)```", text, re.DOTALL)
    assert block is not None
    lines = block.group(1).splitlines()
    assert all(line[:3] in ("-> ", "<- ") for line in lines)
    return [line[3:] for line in lines if line[0] == "-"], [
        line[3:] for line in lines if line[0] == "<"
    ]


def test_session_in_the_document__is_what_the_example_answers():
    said, answered = session()
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "bot.py"],
        env=project_environment(),
        input="".join(f"{line}\n" for line in said),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == answered


def test_session_in_the_document__shows_every_message_as_it_is():
    said, answered = session()
    messages = [json.loads(line) for line in said + answered]
    keys = {
        message["type"] + "<" * (n >= len(said)): set(message) for n, message in enumerate(messages)
    }
    assert keys == {
        "hello": {"type", "protocol", "num_players"},
        "new_game": {"type", "num_players", "seat"},
        "act": {"type", "position", "legal_actions", "time_limit_seconds"},
        "game_over": {"type", "scores", "winners"},
        "quit": {"type"},
        "hello<": {"type", "protocol", "name"},
        "action<": {"type", "action"},
    }
    act = next(message for message in messages if message["type"] == "act")
    state = from_dict(act["position"])
    assert act["legal_actions"] == legal_mask(state).nonzero()[0].tolist()
    assert repr(state) in (ROOT / "docs" / "BOT_PROTOCOL.md").read_text()


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_session_in_the_document__is_understood_by_our_agents(spec):
    said, _ = session()
    code, out, err = azul_bot(f"{spec} --seed 0", said)
    assert code == 0 and "Traceback" not in err
    hello, action = map(json.loads, out.splitlines())
    assert hello == {"type": "hello", "protocol": 1, "name": spec}
    assert action.keys() == {"type", "action"} and action["type"] == "action"
    assert action["action"] in json.loads(said[2])["legal_actions"]


def test_seed__decides_the_answer_to_a_position_whatever_was_asked_before():
    states = [new_game(num_players, rng=seed) for num_players in (2, 3, 4) for seed in range(4)]
    asked = [question(state) for state in states]
    first, second, other = (
        azul_bot(f"random --seed {seed}", lines).out.splitlines()
        for seed, lines in ((1, asked), (1, asked[::-1]), (2, asked))
    )
    assert first == second[::-1]
    assert first != other
    for line, state in zip(first, states, strict=True):
        assert legal_mask(state)[json.loads(line)["action"]]


def test_malformed_lines__get_an_error_each_and_change_nothing():
    opening = new_game(2, rng=0)
    over = resign(opening, 1).state
    impossible = question(opening)
    impossible["position"] = impossible["position"] | {"bag": [0] * 5}
    malformed = {
        "invalid JSON": "act!",
        "invalid JSON: b'\\xff": b"\xff\xfe",
        "invalid JSON: b'[[[": "[" * 100_000,
        "not an object with a type": "[1, 2]",
        "with a type": '{"type": 7}',
        "num_players": {"type": "new_game", "num_players": 5, "seat": 0},
        "seat": {"type": "new_game", "num_players": 2, "seat": 2},
        "must be an object": {"type": "act"},
        "impossible position": impossible,
        "the game is over": question(over),
        "scores": {"type": "game_over", "scores": "many", "winners": [0]},
    }
    code, out, err = azul_bot("greedy", [*malformed.values(), HELLO, question(opening)])
    assert code == 0 and "Traceback" not in err
    *errors, hello, action = map(json.loads, out.splitlines())
    assert len(errors) == len(malformed)
    for error, why in zip(errors, malformed, strict=True):
        assert error.keys() == {"type", "message"} and error["type"] == "error"
        assert why in error["message"]
    assert hello["type"] == "hello"
    assert legal_mask(opening)[action["action"]]


def test_unknown_types_keys_and_empty_lines__are_ignored():
    state = new_game(3, rng=0)
    later = question(state, clock=[1, 2])
    later["position"] = later["position"] | {"weather": "fine"}
    for player in later["position"]["players"]:
        player["hat"] = "red"
        player["pattern_lines"] = [line | {"full": False} for line in player["pattern_lines"]]
    lines = ["", {"type": "chat", "text": "hi"}, " \r", later, question(state)]
    code, out, _ = azul_bot("random --seed 3", lines)
    assert code == 0
    extended, plain = out.splitlines()
    assert extended == plain


def test_quit__ends_it_before_what_follows():
    code, out, _ = azul_bot("random", [HELLO, QUIT, HELLO])
    assert (code, len(out.splitlines())) == (0, 1)


def test_end_of_input__ends_it():
    assert azul_bot("random", [])[:2] == (0, "")


def test_unknown_agent__is_an_error_and_nothing_on_the_output():
    code, out, err = azul_bot("grandmaster", [HELLO])
    assert (code, out) == (2, "")
    assert "grandmaster" in err and "greedy" in err and "Traceback" not in err


def test_agent_that_fails__ends_it_with_the_reason():
    code, out, err = azul_bot("external:/no/such/bot", [HELLO, question(new_game(2, rng=0))])
    assert (code, len(out.splitlines())) == (1, 1)
    assert "cannot be started" in err and "Traceback" not in err


def test_referee_that_has_gone__is_no_error(tmp_path):
    (tmp_path / "said").write_text(json.dumps(HELLO) + "\n")
    reader, writer = os.pipe()
    os.close(reader)
    with open(tmp_path / "said") as said, open(tmp_path / "err", "w") as err:
        bot = start_python(AZUL, "bot", "random", stdin=said, stdout=writer, stderr=err)
    os.close(writer)
    assert (bot.wait(300), (tmp_path / "err").read_text()) == (0, "")
