"""Players and evaluators whose process ends, once or always; their makers are sent to workers."""

import os
from pathlib import Path

import numpy as np

from azul_agents.base import Agent
from azul_agents.registry import make_agent
from azul_agents.search.evaluator import Evaluator
from azul_agents.search.linear import linear_evaluator


class DiesOnce(Agent):
    """Takes its process with it in the middle of the first game, and never again: a file remembers."""

    def __init__(self, spec: str, memory: Path):
        self.spec, self.memory = spec, memory
        self.moves = 0

    def act(self, state, legal_mask, rng):
        self.moves += 1
        if self.moves == 10:
            try:
                self.memory.touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os._exit(3)
        return int(rng.choice(np.flatnonzero(legal_mask)))


class DiesOnDeal(Agent):
    """Takes its process with it whenever it sees a certain first round."""

    spec = "deadly"

    def __init__(self, factories):
        self.factories = factories

    def act(self, state, legal_mask, rng):
        if state.factories == self.factories:
            os._exit(3)
        return int(np.flatnonzero(legal_mask)[0])


class MakeNoting:
    """Makes agents and notes, in a folder, the number of every process that makes any."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __call__(self, spec: str) -> Agent:
        (self.folder / f"{os.getpid()}.pid").touch()
        if spec == "dies_once":
            return DiesOnce(spec, self.folder / "died")
        return make_agent(spec)

    def pids(self) -> list[int]:
        return sorted(int(file.stem) for file in self.folder.glob("*.pid"))


def dying_evaluator(deaths: Path, times: int) -> Evaluator:
    """Ends its process this many times, counted in a file, then makes an evaluator."""
    so_far = deaths.stat().st_size if deaths.exists() else 0
    if so_far < times:
        deaths.write_bytes(b"x" * (so_far + 1))
        os._exit(3)
    return linear_evaluator(2)
