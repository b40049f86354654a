"""Agents of a user, for the command line of a server: `python:web.own_agents:NAME`."""

import threading
import time

import numpy as np

from azul_agents import Agent, AgentFailureError, MoveValue
from azul_agents.base import AnalysisLimits, AnalysisStep

THINKING = threading.Semaphore(0)  # released by every analysis that begins
BLOCKED = threading.Semaphore(0)  # released by every `Blocked` that thinks
GO = threading.Event()
STOPPED = threading.Semaphore(0)  # and by every one that has ended


class Failing(Agent):
    def __init__(self, spec="failing"):
        self.spec = spec

    def act(self, state, legal_mask, rng):
        raise AgentFailureError("the bot has crashed")


class Buggy(Failing):
    def act(self, state, legal_mask, rng):
        raise ZeroDivisionError("oops")


class Illegal(Failing):
    def act(self, state, legal_mask, rng):
        return int(np.flatnonzero(~legal_mask)[0])


class Remembers(Failing):
    """Plays the first legal move, and remembers the games it was told of."""

    made = 0

    def __init__(self, spec="remembers"):
        super().__init__(spec)
        Remembers.made += 1
        self.games = 0

    def begin_game(self, num_players, seat):
        self.games += 1

    def act(self, state, legal_mask, rng):
        assert self.games == 1, "another game got this agent"
        return int(np.flatnonzero(legal_mask)[0])


class Slow(Failing):
    """Takes its time."""

    def act(self, state, legal_mask, rng):
        time.sleep(0.4)
        return int(np.flatnonzero(legal_mask)[0])


class Blocked(Failing):
    """Thinks until GO is set."""

    def act(self, state, legal_mask, rng):
        BLOCKED.release()
        GO.wait()
        return int(np.flatnonzero(legal_mask)[0])


class Endless(Failing):
    """Analyses until it is stopped; never better."""

    def act(self, state, legal_mask, rng):
        return int(np.flatnonzero(legal_mask)[0])

    def analyse(self, state):
        return [MoveValue(0, 0.0)]

    def analysis_steps(self, state, limits: AnalysisLimits):
        THINKING.release()
        began, nodes = time.monotonic(), 0
        try:
            while not limits.is_stopped():
                if limits.seconds is not None and time.monotonic() - began > limits.seconds:
                    break
                yield _step(state, nodes := nodes + 1, is_final=False)
                time.sleep(0.02)
            yield _step(state, nodes, is_final=True)
        finally:
            STOPPED.release()


def _step(state, nodes, is_final):
    from azul_env import legal_mask

    actions = np.flatnonzero(legal_mask(state)).tolist()
    moves = [MoveValue(action, float(-index)) for index, action in enumerate(actions)]
    lines = {action: (action,) for action in actions}
    return AnalysisStep(moves, lines, 1, nodes, is_solved=False, is_final=is_final)
