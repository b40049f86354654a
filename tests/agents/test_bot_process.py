"""The life of a bot's process: it neither blocks us nor outlives us, whatever ends the game or our own process."""

import gc
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from agents.bot_commands import (
    AMPLE_SECONDS,
    LAYERS,
    ROOT,
    SHORT_SECONDS,
    ask,
    bot,
    is_running,
    relatives,
    wait_until_gone,
)
from azul_agents.base import AgentFailureError
from azul_agents.bots import external
from azul_agents.registry import make_agent


def test_child_of_a_bot__is_ended_too(external_agent):
    with pytest.raises(AgentFailureError) as failure:
        ask(external_agent(bot("leaves_a_child")))
    child = int(str(failure.value).rpartition("last on stderr: child ")[2])
    wait_until_gone(child)


def test_bot_that_never_reads__does_not_block_a_long_message(started_bots):
    process = external.BotProcess(shlex.split(bot("never_reads").removeprefix("external:")))
    process.send(b"x" * 1_000_000 + b"\n")
    assert b"deaf" in (process.next_line(time.monotonic() + AMPLE_SECONDS) or b"")
    assert process.next_line(time.monotonic() + SHORT_SECONDS) is None
    process.close(b"bye\n")
    wait_until_gone(started_bots[0])


def test_message_longer_than_the_pipe__arrives_whole(started_bots):
    process = external.BotProcess(["cat"])
    line = b"y" * 900_000
    process.send(line + b"\n")
    assert process.next_line(time.monotonic() + AMPLE_SECONDS) == line
    process.kill()


def test_close__lets_a_good_bot_end_by_itself_and_may_be_repeated(
    external_agent, started_bots, tmp_path
):
    trace = tmp_path / "trace"
    goodbye = f"import sys; sys.path.insert(0, {str(ROOT / 'tests/agents/bots')!r})\n"
    goodbye += f"import player; player.play(); open({str(trace)!r}, 'w').write('left')"
    player = external_agent("external:" + shlex.join([sys.executable, "-c", goodbye]))
    ask(player)
    player.close()
    player.close()
    assert trace.read_text() == "left"
    assert not is_running(started_bots[0])


def test_agent_that_is_forgotten__takes_its_bot_along(started_bots):
    player = make_agent(bot("plays_the_first_legal_action"))
    ask(player)
    assert len(relatives(started_bots[0])) == 2  # the bot and its watchdog
    del player
    gc.collect()
    wait_until_gone(started_bots[0])


def test_interruption_of_a_question__ends_the_bot(external_agent, started_bots):
    class InterruptionError(Exception):
        pass

    def interrupt(*_):
        raise InterruptionError

    player = external_agent(bot("hangs_when_asked"))
    player.begin_game(2, 0)
    before = signal.signal(signal.SIGUSR1, interrupt)
    bell = subprocess.Popen(["/bin/sh", "-c", f"sleep 0.5; kill -s USR1 {os.getpid()}"])
    try:
        with pytest.raises(InterruptionError):
            ask(player)
    finally:
        signal.signal(signal.SIGUSR1, before)
        bell.wait()
    wait_until_gone(started_bots[0])


@pytest.mark.parametrize(
    "ending", ["sys.exit(0)", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 15)"]
)
def test_end_of_our_process_in_any_way__ends_the_bot(ending):
    code = f"""
import os, sys
from azul_agents.registry import make_agent
agent = make_agent({bot("never_reads")!r})
agent.begin_game(2, 0)
print(agent._process.pid, flush=True)
{ending}
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)}
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=AMPLE_SECONDS,
        check=False,
    )
    assert run.stdout.strip().isdigit(), run.stderr
    wait_until_gone(int(run.stdout))


def test_fork_of_our_process__leaves_the_bot_to_us(external_agent, started_bots):
    player = external_agent(bot("plays_the_first_legal_action"))
    ask(player)
    child = os.fork()
    if child == 0:  # as a worker that inherits the agent, closes it and ends
        player.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    ask(player)
    assert len(started_bots) == 1
