"""The agents that come with this package: names, summaries and options.

Each names where its class is: listing agents and checking a spec load no compiled code.
"""

import math
import re
from dataclasses import dataclass
from typing import Any, Final

from azul_agents.registry import AgentKind, lazily, option

TIMEOUT_VARIABLE: Final = "AZUL_BOT_TIMEOUT_SECONDS"  # limits the answers of external bots
MCTS_LEAVES: Final = ("value", "round", "game")
PYTHON_TARGET: Final = re.compile(r"[\w.]+:\w+(:.*)?", re.DOTALL)


def _check_positive(options: Any, *names: str) -> None:
    for name in names:
        value = getattr(options, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be above 0, not {value}")


@dataclass(frozen=True)
class AlphaBetaOptions:
    """Limits of the search; the first that is reached ends it."""

    time: float | None = option(None, "seconds for a move")
    nodes: int | None = option(None, "positions for a move; the same seed gives the same move")
    depth: int | None = option(None, "plies to look ahead")
    breadth: int = option(10, "moves searched below the first ply, the best by guess")

    def __post_init__(self) -> None:
        _check_positive(self, "time", "nodes", "depth")
        if self.breadth < 1:
            raise ValueError(f"breadth must be at least 1, not {self.breadth}")


@dataclass(frozen=True)
class MctsOptions:
    """Limits of the search, and what happens at its leaves."""

    time: float | None = option(None, "seconds for a move")
    simulations: int | None = option(
        None, "simulations for a move; the same seed gives the same move"
    )
    leaf: str = option("value", "value: learned evaluation; round, game: random moves to its end")
    exploration: float = option(1.0, "weight of the exploration bonus")

    def __post_init__(self) -> None:
        _check_positive(self, "time", "simulations", "exploration")
        if self.leaf not in MCTS_LEAVES:
            raise ValueError(f"leaf must be one of {', '.join(MCTS_LEAVES)}, not {self.leaf!r}")


@dataclass(frozen=True)
class PpoOptions:
    """How the network's logits become a move."""

    temperature: float = option(0.0, "0: the likeliest move; above 0: sampled with softmax")

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise ValueError(f"temperature must be 0 or above, not {self.temperature}")


@dataclass(frozen=True)
class NeuralOptions(PpoOptions):
    """Which network, and how its logits become a move."""

    path: str = option("", "the file of the network, as `azul export` writes it; must be given")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.path:
            raise ValueError("it must say which file: write neural:path=MODEL.npz")


@dataclass(frozen=True)
class ExternalOptions:
    """What `external:` takes."""

    command: str = option(
        "",
        f"a program and its arguments, run without a shell; {TIMEOUT_VARIABLE} limits its answers",
    )


@dataclass(frozen=True)
class PythonOptions:
    """What `python:` takes."""

    target: str = option(
        "",
        "MODULE:NAME of a class or function, found from the current folder on; "
        "options of its constructor follow as :key=value,key=value",
    )

    def __post_init__(self) -> None:
        if not PYTHON_TARGET.fullmatch(self.target):
            raise ValueError("write python:MODULE:NAME or python:MODULE:NAME:key=value,key=value")


KINDS: Final = (
    AgentKind(
        "random",
        "any legal action, all equally likely",
        lazily("azul_agents.baselines.random_agent:RandomAgent"),
    ),
    AgentKind(
        "greedy",
        "one move ahead on the player's board",
        lazily("azul_agents.baselines.greedy:GreedyAgent"),
    ),
    AgentKind(
        "alphabeta",
        "alpha-beta to the end of the round, learned evaluation",
        lazily("azul_agents.search.alphabeta:AlphaBetaAgent"),
        AlphaBetaOptions,
    ),
    AgentKind(
        "mcts",
        "Monte-Carlo tree search inside the round",
        lazily("azul_agents.search.mcts:MctsAgent"),
        MctsOptions,
    ),
    AgentKind(
        "ppo",
        "the shipped network, trained by self-play",
        lazily("azul_agents.neural.agent:ppo_agent"),
        PpoOptions,
    ),
    AgentKind(
        "neural",
        "a trained network from a file",
        lazily("azul_agents.neural.agent:neural_agent"),
        NeuralOptions,
    ),
    AgentKind(
        "external",
        "any program that speaks the protocol of docs/BOT_PROTOCOL.md",
        lazily("azul_agents.bots.external:ExternalAgent"),
        ExternalOptions,
        takes_rest=True,
    ),
    AgentKind(
        "python",
        "your own class or function with act(state, legal_mask, rng)",
        lazily("azul_agents.bots.python:python_agent"),
        PythonOptions,
        takes_rest=True,
    ),
)
