"""Bots for tests: agents of programs with a short or ample limit, and the proof that nothing of them is left."""

import signal

import pytest

from agents.bot_commands import AMPLE_SECONDS, wait_until_gone
from azul_agents.bots import external
from azul_agents.bots.external import ExternalAgent
from azul_agents.bots.process import BotProcess
from azul_agents.kinds import ExternalOptions


@pytest.fixture
def started_bots(monkeypatch):
    """The processes that a test has started, by number; the test fails if one is left, or if it hangs itself."""
    pids = []

    class Noted(BotProcess):
        def __init__(self, command):
            super().__init__(command)
            pids.append(self.pid)

    def give_up(*_):
        raise TimeoutError("the test hangs")

    monkeypatch.setattr(external, "BotProcess", Noted)
    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(300)
    yield pids
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    for pid in pids:
        wait_until_gone(pid)


@pytest.fixture
def external_agent(started_bots):
    """Makes agents of bots with a limit, and closes them."""
    agents = []

    def make(spec: str, timeout_seconds: float | None = AMPLE_SECONDS) -> ExternalAgent:
        command = spec.removeprefix("external:")
        agents.append(ExternalAgent(spec, ExternalOptions(command), timeout_seconds))
        return agents[-1]

    yield make
    for one in agents:
        one.close()
