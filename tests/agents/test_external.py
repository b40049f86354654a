"""Programs as players: good ones play, bad ones fail with a reason, and no process is left in any case."""

import os
import shlex
import signal
import sys

import numpy as np
import pytest

from agents.bot_commands import (
    AMPLE_SECONDS,
    GREETING_SECONDS,
    LAYERS,
    OPENING,
    ROOT,
    SHORT_SECONDS,
    ask,
    azul_bot,
    bot,
    is_running,
    script,
    wait_until_gone,
)
from azul_agents.base import Agent, AgentFailureError, CannotAnalyseError
from azul_agents.bots.external import ExternalAgent
from azul_agents.bots.server import question_rng
from azul_agents.registry import AgentSpecError, make_agent
from azul_env import GameRecorder, legal_mask, new_game, verify, winners


def play_game(players: list[Agent], seed: int) -> GameRecorder:
    """A game in which failures lose by a forfeit, as in the arena."""
    recorder = GameRecorder(len(players), rng=seed)
    rng = np.random.default_rng(seed)
    for seat, player in enumerate(players):
        player.begin_game(len(players), seat)
    while not recorder.state.is_terminal:
        seat = recorder.state.current_player
        try:
            action = players[seat].act(recorder.state, legal_mask(recorder.state), rng)
        except AgentFailureError as failure:
            recorder.resign(seat, forfeit=str(failure))
        else:
            recorder.draft(action)
    for player in players:
        player.end_game(recorder.state.scores, winners(recorder.state))
    return recorder


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_example_bot__plays_whole_games_in_one_process(external_agent, started_bots, num_players):
    example = external_agent(script(ROOT / "examples" / "bot.py"))
    others = [make_agent("greedy") for _ in range(num_players - 1)]
    for seed in range(2):
        seats = [*others]
        seats.insert(seed, example)
        record = play_game(seats, seed).record
        verify(record)
        assert record.events[-1]["type"] == "end"
        assert not any(event["type"] == "resign" for event in record.events)
    assert example.bot_name == "longest line"
    assert len(started_bots) == 1 and is_running(started_bots[0])


def test_example_bot__beats_random(external_agent):
    example = external_agent(script(ROOT / "examples" / "bot.py"))
    rivals = [example, make_agent("random")]
    won = sum(winners(play_game(rivals, seed).state) == (0,) for seed in range(10))
    assert won >= 9


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("spec", ["greedy", "random"])
def test_our_agent_as_a_bot__answers_as_it_does_in_process(
    external_agent, monkeypatch, spec, num_players
):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(LAYERS))
    as_bot, in_process = external_agent(azul_bot(spec, "--seed", "5")), make_agent(spec)
    recorder = GameRecorder(num_players, rng=num_players)
    as_bot.begin_game(num_players, 0)
    while not recorder.state.is_terminal:
        state = recorder.state
        action = ask(as_bot, state)
        assert action == in_process.act(state, legal_mask(state), question_rng(5, state))
        recorder.draft(action)
    assert as_bot.bot_name == spec


@pytest.mark.parametrize("name", ["answers_with_extras", "answers_twice"])
def test_harmless_oddities__do_not_matter(external_agent, started_bots, name):
    record = play_game([external_agent(bot(name)), make_agent("greedy")], 3).record
    assert not any(event["type"] == "resign" for event in record.events)
    assert len(started_bots) == 1


NOT_JSON = "answered with invalid JSON"
NO_NUMBER = "an action that is not a whole number"
FAILURES = {
    "hangs_at_start": (bot("hangs_at_start"), SHORT_SECONDS, "'hello' within 0.5 seconds"),
    "hangs_when_asked": (
        bot("hangs_when_asked"),
        GREETING_SECONDS,
        "did not answer with 'action' within 5 seconds; last on stderr: thinking hard",
    ),
    "never_reads": (bot("never_reads"), GREETING_SECONDS, "'action' within 5 seconds"),
    "answers_an_unknown_type": (
        bot("answers_as_told", '{"type":"move","action":57}'),
        GREETING_SECONDS,
        "within 5 seconds; ignored before that: {'type': 'move', 'action': 57}",
    ),
    "crashes_at_start": (
        bot("crashes_at_start"),
        AMPLE_SECONDS,
        r"ended with exit code 1; last on stderr: .*RuntimeError: no engine found$",
    ),
    "stderr_of_control_characters": (
        bot("crashes_as_told", "one\n\ntwo\033[2J\nthree"),
        AMPLE_SECONDS,
        r"ended with exit code 1; last on stderr: one \| two \[2J \| three$",
    ),
    "much_on_stderr": (
        bot("crashes_as_told", "x" * 5000),
        AMPLE_SECONDS,
        "last on stderr: x{1999}$",  # and the end of the line
    ),
    "dies_of_a_signal": (bot("dies_of_a_signal"), AMPLE_SECONDS, "was killed by signal 9"),
    "closes_its_output": (bot("closes_its_output"), AMPLE_SECONDS, "closed its output"),
    "leaves_a_child": (bot("leaves_a_child"), AMPLE_SECONDS, "ended with exit code 0"),
    "floods_without_newline": (
        bot("floods_without_newline"),
        AMPLE_SECONDS,
        "wrote more than 1048576 bytes for one answer$",
    ),
    "floods_with_lines": (
        bot("floods_with_lines"),
        AMPLE_SECONDS,
        "wrote more than 1048576 bytes for one answer; ignored before that: {'type': 'thinking'",
    ),
    "illegal": (
        bot("answers_first_illegal"),
        AMPLE_SECONDS,
        r"answered with the illegal action \d+ \(SOURCE_EMPTY\)",
    ),
    "far_out_of_range": (
        bot("answers_as_told", '{"type":"action","action":1' + "0" * 1000 + "}"),
        AMPLE_SECONDS,
        r"illegal action 1(0){39} \(OUT_OF_RANGE\)$",
    ),
    "negative": (
        bot("answers_as_told", '{"type":"action","action":-1}'),
        AMPLE_SECONDS,
        r"illegal action -1 \(OUT_OF_RANGE\)",
    ),
    "text": (bot("answers_as_told", '{"type":"action","action":"57"}'), AMPLE_SECONDS, NO_NUMBER),
    "true": (bot("answers_as_told", '{"type":"action","action":true}'), AMPLE_SECONDS, NO_NUMBER),
    "nothing": (bot("answers_as_told", '{"type":"action"}'), AMPLE_SECONDS, f"{NO_NUMBER}: None"),
    "half": (bot("answers_as_told", '{"type":"action","action":5.5}'), AMPLE_SECONDS, NO_NUMBER),
    "garbage": (bot("answers_as_told", "I play 57"), AMPLE_SECONDS, f"{NOT_JSON}: b'I play 57'"),
    "bytes": (bot("answers_as_told", "\udcff\udcfe"), AMPLE_SECONDS, NOT_JSON),
    "deep": (bot("answers_as_told", "[" * 10_000), AMPLE_SECONDS, NOT_JSON),
    "huge_number": (
        bot("answers_as_told", '{"type":"action","action":' + "9" * 5000 + "}"),
        AMPLE_SECONDS,
        NOT_JSON,
    ),
    "bare_number": (bot("answers_as_told", "57"), AMPLE_SECONDS, "not an object with a type"),
    "no_type": (bot("answers_as_told", '{"action":57}'), AMPLE_SECONDS, "object with a type"),
    "type_a_list": (bot("answers_as_told", '{"type":["action"]}'), AMPLE_SECONDS, "with a type"),
    "hello_again": (
        bot("answers_as_told", '{"type":"hello","protocol":1,"name":"x"}'),
        AMPLE_SECONDS,
        "answered with 'hello', not 'action'",
    ),
    "other_protocol": (
        bot("greets_as_told", '{"type":"hello","protocol":2,"name":"x"}'),
        AMPLE_SECONDS,
        "speaks protocol 2, this program 1",
    ),
    "no_name": (
        bot("greets_as_told", '{"type":"hello","protocol":1}'),
        AMPLE_SECONDS,
        "no name in its hello",
    ),
    "greets_with_an_action": (
        bot("greets_as_told", '{"type":"action","action":1}'),
        AMPLE_SECONDS,
        "answered with 'action', not 'hello'",
    ),
    "echo": ("external:cat", AMPLE_SECONDS, "no name in its hello"),
    "no_such_program": (
        "external:/no/such/bot --fast",
        AMPLE_SECONDS,
        "cannot be started.*No such",
    ),
    "not_a_program": (f"external:{ROOT}", AMPLE_SECONDS, "cannot be started.*Permission denied"),
    "not_a_path": ("external:a\0b", AMPLE_SECONDS, "cannot be started.*null byte"),
}


@pytest.mark.parametrize(("spec", "limit", "why"), FAILURES.values(), ids=FAILURES)
def test_bad_bot__fails_with_a_reason_and_is_ended(external_agent, started_bots, spec, limit, why):
    player = external_agent(spec, limit)
    with pytest.raises(AgentFailureError, match=why) as failure:
        ask(player)
    assert str(failure.value).startswith(f"{spec}: the bot ")
    assert len(str(failure.value)) < len(spec) + 3000
    for pid in started_bots:  # before the agent is closed
        wait_until_gone(pid)


def test_bot_that_crashes_in_the_middle__forfeits_that_game_and_is_restarted_for_the_next(
    external_agent, started_bots
):
    rivals = [external_agent(bot("crashes_in_the_middle")), make_agent("greedy")]
    for game in range(2):
        record = play_game(rivals, game).record
        verify(record)
        forfeits = [event for event in record.events if event["type"] == "resign"]
        assert [event["player"] for event in forfeits] == [0]
        assert "exit code 3; last on stderr: out of ideas" in forfeits[0]["forfeit"]
        assert record.events[-1]["winners"] == [1]
        turns = [event for event in record.events if event["type"] == "draft"]
        assert sum(event["player"] == 0 for event in turns) == 2
        assert len(started_bots) == game + 1


def test_failure__is_followed_by_a_new_process(external_agent, started_bots):
    player = external_agent(bot("hangs_when_asked"), GREETING_SECONDS)
    with pytest.raises(AgentFailureError):
        ask(player)
    wait_until_gone(started_bots[0])
    player.begin_game(2, 0)
    assert len(started_bots) == 2 and is_running(started_bots[1])


@pytest.mark.parametrize("seconds", ["0", "0.5"])
def test_bot_that_leaves_after_a_game__is_started_again(external_agent, started_bots, seconds):
    player = external_agent(bot("leaves_after_each_game", seconds))
    for game in range(2):
        player.begin_game(2, 0)
        assert ask(player) == np.flatnonzero(legal_mask(OPENING))[0]
        player.end_game([1, 0], [0])
        assert len(started_bots) == game + 1


def test_bot_that_is_killed_between_two_turns__is_not_started_again(external_agent, started_bots):
    player = external_agent(bot("plays_the_first_legal_action"))
    ask(player)
    os.kill(started_bots[0], signal.SIGKILL)
    with pytest.raises(AgentFailureError, match="was killed by signal 9"):
        ask(player)
    assert len(started_bots) == 1


def test_seat_and_number_of_players__are_sent_when_they_change(external_agent, monkeypatch):
    sent = []
    monkeypatch.setattr(ExternalAgent, "_send", _noting(sent, ExternalAgent._send))
    player = external_agent(bot("plays_the_first_legal_action"))
    for state in (OPENING, new_game(2, 1, rng=0), new_game(4, 3, rng=0)):
        ask(player, state)
    begun = [message for message in sent if message["type"] == "new_game"]
    assert begun == [
        {"type": "new_game", "num_players": 2, "seat": 0},
        {"type": "new_game", "num_players": 2, "seat": 1},
        {"type": "new_game", "num_players": 4, "seat": 3},
    ]
    assert sent[0] == {"type": "hello", "protocol": 1, "num_players": 2}
    assert sum(message["type"] == "hello" for message in sent) == 1


def _noting(sent, send):
    def noting(self, message):
        sent.append(message)
        send(self, message)

    return noting


@pytest.mark.parametrize(("limit", "shown"), [(None, None), (90, 90)])
def test_time_limit__is_sent_only_if_it_was_set(external_agent, monkeypatch, limit, shown):
    sent = []
    monkeypatch.setattr(ExternalAgent, "_send", _noting(sent, ExternalAgent._send))
    ask(external_agent(bot("plays_the_first_legal_action"), limit))
    question = sent[-1]
    assert question["type"] == "act" and question["time_limit_seconds"] == shown
    assert question["legal_actions"] == np.flatnonzero(legal_mask(OPENING)).tolist()


def test_time_limit__comes_from_the_argument_else_the_environment_else_is_60(
    external_agent, monkeypatch
):
    monkeypatch.delenv("AZUL_BOT_TIMEOUT_SECONDS", raising=False)
    assert external_agent("external:bot", None).timeout_seconds == 60
    monkeypatch.setenv("AZUL_BOT_TIMEOUT_SECONDS", "2.5")
    assert external_agent("external:bot", None).timeout_seconds == 2.5
    assert external_agent("external:bot", 7).timeout_seconds == 7


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf", "soon"])
def test_time_limit_that_is_none__is_an_error_of_the_spec(monkeypatch, limit):
    monkeypatch.setenv("AZUL_BOT_TIMEOUT_SECONDS", limit)
    with pytest.raises(AgentSpecError, match=limit):
        make_agent("external:bot")


@pytest.mark.parametrize(
    "spec", ["external", "external:", "external:  ", "external:'a", "external:''"]
)
def test_command_that_is_none__is_an_error_of_the_spec(spec):
    with pytest.raises(AgentSpecError, match="external"):
        make_agent(spec)


def test_command__keeps_colons_commas_equals_signs_and_quoted_spaces(external_agent):
    words = ["a b:c", "time=1,2", "$HOME"]
    code = "import sys; print(sys.argv[1:], file=sys.stderr)"
    player = make_agent("external:" + shlex.join([sys.executable, "-c", code, *words]))
    with pytest.raises(AgentFailureError, match=r"\['a b:c', 'time=1,2', '\$HOME'\]"):
        player.begin_game(2, 0)


def test_bot__cannot_analyse():
    with pytest.raises(CannotAnalyseError):
        make_agent("external:bot").analyse(OPENING)
