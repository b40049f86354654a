"""Names from files, bots and arguments: never obeyed by a terminal, never longer than a line."""

import json

import numpy as np
import pytest

from azul_agents import Agent, AgentFailureError, AgentSpecError, make_agent, parse_spec, play_game
from azul_env import brief, shown
from ui.command import here

ESCAPE = "\033[2J"


@pytest.mark.parametrize("text", [ESCAPE, "\n", "\0", "\x9b2J", "\u2028", "\ud800"], ids=ascii)
@pytest.mark.parametrize("kind", ["greedy", "external:", "python:os:", "neural:path="])
def test_spec_with_control_characters__is_refused(kind, text):
    with pytest.raises(AgentSpecError, match="no control characters") as refused:
        parse_spec(f"{kind}x{text}")
    assert str(refused.value).isprintable()


def test_spec_of_a_megabyte__is_refused_briefly():
    for spec in ("x" * 1_000_000, "external:" + "x " * 500_000):
        with pytest.raises(AgentSpecError, match="at most 4,096") as refused:
            parse_spec(spec)
        assert len(str(refused.value)) < 300
    for spec in ("x" * 4_000, "alphabeta:" + "x" * 4_000, "alphabeta:nodes=" + "x" * 4_000):
        with pytest.raises(AgentSpecError) as refused:
            parse_spec(spec)
        assert len(str(refused.value)) < 600


@pytest.mark.parametrize(
    "target", ["..:x", ".:x", "os.:x", "1:2", "os:no", "__main__:x", "a.b.c:d"]
)
def test_module_with_a_strange_name__is_an_error_of_one_line(target):
    with pytest.raises(AgentSpecError) as refused:
        make_agent(f"python:{target}")
    assert str(refused.value).isprintable()


def test_space_of_another_script__may_be_in_a_path():
    assert parse_spec("neural:path=a\u3000\u00a0b.npz").options.path == "a\u3000\u00a0b.npz"


class Failing(Agent):
    spec = "failing"

    def act(self, state, legal_mask, rng):
        raise AgentFailureError(f"{ESCAPE}\nlost" + "x" * 100_000)


def test_reason_of_a_forfeit__is_printable_and_bounded():
    rngs = [np.random.default_rng(0)] * 2
    result = play_game([Failing(), Failing()], 1, rngs).result
    (why,) = filter(None, result.forfeits)
    assert why.startswith("?[2J lost") and why.isprintable() and len(why) == 4_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", f"gre{ESCAPE}edy", "random"),
        ("replay", f"no{ESCAPE}\nfile"),
        ("analyse", f"azul {ESCAPE}"),
        ("render", "--position", f"azul {ESCAPE}", "--svg", "p.svg"),
        ("play", "--vs", f"gre{ESCAPE}edy"),
        ("train", "--set", f"a{ESCAPE}=1"),
        ("export", f"no{ESCAPE}run", "m.npz"),
        ("match", "x" * 100_000, "random"),
        ("train", "--set", "x" * 4_000),
    ],
    ids=range(9),
)
def test_error__is_one_printable_line(arguments, monkeypatch, capsys):
    code, out, err = here(monkeypatch, capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.removesuffix("\n").isprintable() and len(err) < 1_100


def test_surrogate_in_a_path__does_not_break_the_output(tmp_path, monkeypatch, capsys):
    from azul_agents.neural.model_file import write_model
    from models import random_model

    write_model(tmp_path / "model.npz", random_model(2))
    target = tmp_path / "copy\udcff.npz"
    code, out, _ = here(monkeypatch, capsys, "export", tmp_path / "model.npz", target)
    assert code == 0 and "copy\\udcff.npz" in out and target.exists()


def test_texts_of_messages__are_short_and_printable():
    assert shown("x" * 10**6) == "'" + "x" * 56 + "..."
    assert brief(f"{ESCAPE}a\n\tb\ud800") == "?[2Ja b?"
    assert len(brief("word " * 10**6)) == 200 and len(brief(10**4000)) == 200

    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert brief(MuteError()) == "<MuteError that cannot be shown>"
    assert json.dumps(shown(b"x" * 10**6))
