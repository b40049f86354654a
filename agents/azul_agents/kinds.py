"""Our own agents: names, summaries and options.

Classes are referred to by name, so that listing agents and checking specs load no compiled code.
"""

import math
import re
import time
from dataclasses import dataclass
from typing import Final

from azul_agents.base import VARIANTS
from azul_agents.config_file import check_least, check_most, check_positive
from azul_agents.registry import AgentKind, Level, lazily, option
from azul_env import shown

TIMEOUT_VARIABLE: Final = "AZUL_BOT_TIMEOUT_SECONDS"  # time limit of external bots
MAX_NETWORK_WIDTH: Final = 2048  # of a layer: at most 190 MB in all; the packaged networks have 256
# Largest limits: safe in 64-bit counters, and longer than anyone would wait.
MAX_SECONDS: Final = 1e6
MAX_COUNT: Final = 10**15
MAX_EXPLORATION: Final = 1e6  # in float32, so that products stay finite
CLOCKS: Final = ("wall", "cpu")
CLOCK_DOC: Final = "wall or cpu: what the time is counted by; cpu is fair on a busy machine"
OFFERS, NETWORK, LINEAR = EVALUATIONS = ("offers", "network", "linear")
EVALUATION_DOC: Final = (
    "offers: networks that see how offers fit lines, where there are some; "
    "network: networks that do not, and take less time; linear: weighted sums"
)
MCTS_LEAVES: Final = ("value", "round", "game")
PYTHON_TARGET: Final = re.compile(r"[\w.]+:\w+(:.*)?", re.DOTALL)


def _check_clock(name: str) -> None:
    if name not in CLOCKS:
        raise ValueError(f"clock must be one of {', '.join(CLOCKS)}, not {shown(name)}")
    if name == "cpu" and not hasattr(time, "CLOCK_THREAD_CPUTIME_ID"):
        raise ValueError("clock=cpu: this system has no clock for the processor time of a thread")


def _check_evaluation(name: str) -> None:
    if name not in EVALUATIONS:
        raise ValueError(f"evaluation must be one of {', '.join(EVALUATIONS)}, not {shown(name)}")


@dataclass(frozen=True)
class AlphaBetaOptions:
    """Limits of the search; the first one reached stops it."""

    time: float | None = option(None, "seconds per move")
    nodes: int | None = option(None, "positions per move; reproducible, unlike time")
    depth: int | None = option(None, "search depth in plies")
    breadth: int = option(16, "moves searched per node below the root, the most promising first")
    widest: int = option(300, "the same, at most, once a whole round is searched and time is left")
    evaluation: str = option(OFFERS, EVALUATION_DOC)
    deals: int | None = option(
        None,
        "deals of the next round that are sampled once this one is solved; "
        "default: 40 with networks, a time limit and 2 or 3 players, else 0",
    )
    clock: str = option("wall", CLOCK_DOC)

    def __post_init__(self) -> None:
        _check_clock(self.clock)
        check_positive(self, "time", "nodes", "depth")
        check_least(self, 1, "breadth", "widest")
        check_least(self, 0, "deals")
        _check_evaluation(self.evaluation)
        check_most(self, MAX_SECONDS, "time")
        check_most(self, MAX_COUNT, "nodes", "depth", "breadth", "widest", "deals")


@dataclass(frozen=True)
class MctsOptions:
    """Limits of the search, and the evaluation of leaves."""

    time: float | None = option(None, "seconds per move")
    simulations: int | None = option(None, "simulations per move; reproducible, unlike time")
    leaf: str = option("value", "value: learned evaluation; round, game: random rollout to its end")
    exploration: float = option(1.0, "weight of the exploration bonus")
    evaluation: str = option(OFFERS, f"of leaf=value: {EVALUATION_DOC}")
    clock: str = option("wall", CLOCK_DOC)

    def __post_init__(self) -> None:
        _check_clock(self.clock)
        check_positive(self, "time", "simulations", "exploration")
        _check_evaluation(self.evaluation)
        check_most(self, MAX_SECONDS, "time")
        check_most(self, MAX_COUNT, "simulations")
        check_most(self, MAX_EXPLORATION, "exploration")
        if self.leaf not in MCTS_LEAVES:
            raise ValueError(
                f"leaf must be one of {', '.join(MCTS_LEAVES)}, not {shown(self.leaf)}"
            )


@dataclass(frozen=True)
class GuidedOptions:
    """Limits of the search, and where alpha-beta takes over."""

    time: float | None = option(None, "seconds per move")
    simulations: int | None = option(None, "simulations per move; reproducible, unlike time")
    exploration: float = option(1.0, "weight of the exploration bonus")
    solve: int | None = option(
        None,
        "alpha-beta takes over with this many offers left, a color on a factory or in the center; "
        "default: 12 with 2 players, else 0",
    )
    clock: str = option("wall", CLOCK_DOC)

    def __post_init__(self) -> None:
        _check_clock(self.clock)
        check_positive(self, "time", "simulations", "exploration")
        check_least(self, 0, "solve")
        check_most(self, MAX_SECONDS, "time")
        check_most(self, MAX_COUNT, "simulations", "solve")
        check_most(self, MAX_EXPLORATION, "exploration")


@dataclass(frozen=True)
class PpoOptions:
    """How to choose a move from the network's logits."""

    temperature: float = option(0.0, "0: the most likely move; above 0: sampled from the softmax")

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise ValueError(f"temperature must be 0 or above, not {shown(self.temperature)}")


@dataclass(frozen=True)
class NeuralOptions(PpoOptions):
    """The network, and how to choose a move from its logits."""

    path: str = option("", "model file, written by `azul export`; required")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.path:
            raise ValueError("the path is missing: write neural:path=MODEL.npz")


@dataclass(frozen=True)
class ExternalOptions:
    """The rest of an `external:` spec."""

    command: str = option(
        "",
        f"a program and its arguments, run without a shell; {TIMEOUT_VARIABLE} is its time limit",
    )


@dataclass(frozen=True)
class PythonOptions:
    """The rest of a `python:` spec."""

    target: str = option(
        "",
        "MODULE:NAME of a class or function, installed or in the current folder; "
        "constructor arguments follow as :key=value,key=value",
    )

    def __post_init__(self) -> None:
        if not PYTHON_TARGET.fullmatch(self.target):
            raise ValueError("write python:MODULE:NAME or python:MODULE:NAME:key=value,key=value")


KINDS: Final = (
    AgentKind(
        "random",
        "uniformly random legal moves",
        lazily("azul_agents.baselines.random_agent:RandomAgent"),
        variants=VARIANTS,
    ),
    AgentKind(
        "greedy",
        "one-move lookahead on the player's board",
        lazily("azul_agents.baselines.greedy:GreedyAgent"),
        variants=VARIANTS,
    ),
    AgentKind(
        "alphabeta",
        "alpha-beta search to the end of the round, with a learned evaluation",
        lazily("azul_agents.search.alphabeta:AlphaBetaAgent"),
        AlphaBetaOptions,
        variants=VARIANTS,
    ),
    AgentKind(
        "mcts",
        "Monte-Carlo search within the round",
        lazily("azul_agents.search.mcts:MctsAgent"),
        MctsOptions,
        variants=VARIANTS,
    ),
    AgentKind(
        "guided",
        "Monte-Carlo search guided by the packaged policy; 2 players: alpha-beta late in a round",
        lazily("azul_agents.guided.agent:GuidedAgent"),
        GuidedOptions,
        variants=("colored",),
    ),
    AgentKind(
        "ppo",
        "packaged network, which learned from the search",
        lazily("azul_agents.neural.agent:ppo_agent"),
        PpoOptions,
        variants=VARIANTS,
    ),
    AgentKind(
        "neural",
        "trained network from a file",
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
        "a Python class or function with act(state, legal_mask, rng)",
        lazily("azul_agents.bots.python:python_agent"),
        PythonOptions,
        takes_rest=True,
    ),
)

# From the weakest to the strongest; each clearly beats the one before (docs/results/levels).
LEVELS: Final = (
    Level("beginner", "often picks a poor move, rarely a senseless one", "ppo:temperature=3"),
    Level("novice", "knows good moves and misses every other", "ppo:temperature=2"),
    Level("casual", "builds its own wall and never looks at yours", "greedy"),
    Level("skilled", "plays by instinct, learned from the search", "ppo"),
    Level("advanced", "looks a few moves ahead", "alphabeta:nodes=300"),
    Level("strong", "looks many moves ahead", "alphabeta:nodes=3000"),
    Level("expert", "reads as far as it can", "alphabeta:nodes=500000"),
)
