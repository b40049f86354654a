"""Small players that behave and misbehave, for the arena's tests."""

import numpy as np

from azul_agents.base import Agent, AgentFailureError
from azul_agents.registry import make_agent


class First(Agent):
    """Always the first legal action; notes what it is told."""

    def __init__(self, spec="first"):
        self.spec = spec
        self.told = []

    def act(self, state, legal_mask, rng):
        return int(np.flatnonzero(legal_mask)[0])

    def begin_game(self, num_players, seat):
        self.told.append(("begin", num_players, seat))

    def end_game(self, scores, winners):
        self.told.append(("end", tuple(scores), tuple(winners)))

    def close(self):
        self.told.append("close")


class Answers(First):
    """Answers the same, right or wrong."""

    def __init__(self, answer):
        super().__init__("answers")
        self.answer = answer

    def act(self, state, legal_mask, rng):
        return self.answer


class Cheat(First):
    """Changes the mask to make its action legal."""

    def act(self, state, legal_mask, rng):
        illegal = int(np.flatnonzero(~legal_mask)[0])
        legal_mask[:] = True
        return illegal


class Rewrites(First):
    """Gives itself points in its state."""

    def act(self, state, legal_mask, rng):
        state.rows["scores"][:] = 50
        return super().act(state, legal_mask, rng)


class Fails(First):
    """Gives up after some moves, or cannot even begin or end."""

    def __init__(self, after=0, in_begin=False, in_end=False):
        super().__init__("fails")
        self.after, self.in_begin, self.in_end = after, in_begin, in_end

    def act(self, state, legal_mask, rng):
        if self.after == 0:
            raise AgentFailureError("lost the thread")
        self.after -= 1
        return super().act(state, legal_mask, rng)

    def begin_game(self, num_players, seat):
        if self.in_begin:
            raise AgentFailureError("did not start")

    def end_game(self, scores, winners):
        if self.in_end:
            raise AgentFailureError("gone")


class Broken(First):
    """Has a bug."""

    def act(self, state, legal_mask, rng):
        raise ZeroDivisionError("a bug")


class Dies(First):
    """Takes its process with it."""

    def act(self, state, legal_mask, rng):
        import os

        os._exit(3)


class Hangs(First):
    """Never answers."""

    def act(self, state, legal_mask, rng):
        import time

        time.sleep(600)


def make(spec):
    """The players above by name, else those of the registry."""
    makers = {
        "first": First,
        "illegal": lambda: Answers(10**6),
        "fails": Fails,
        "broken": Broken,
        "dies": Dies,
        "hangs": Hangs,
    }
    if spec not in makers:
        return make_agent(spec)
    agent = makers[spec]()
    agent.spec = spec
    return agent


def rngs(number, seed=0):
    return [np.random.default_rng([seed, place]) for place in range(number)]
