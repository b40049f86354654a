"""Specs: parsed without loading an agent, extended by installed packages, explained when they are wrong."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from azul_agents import AgentSpecError, agent_kinds, make_agent, option, parse_spec
from azul_agents.registry import AgentKind
from azul_processes import LAYERS

LIGHT = """
import sys
from azul_agents import agent_kinds, parse_spec
agent_kinds()
parse_spec("alphabeta:nodes=10")
parse_spec("python:no_such_module:Nobody:depth=3")
heavy = [name for name in ("numba", "torch", "stable_baselines3") if name in sys.modules]
sys.exit(", ".join(heavy) or None)
"""
PACKAGE = '''
from dataclasses import dataclass
from azul_agents import Agent, AgentKind, option

class FloorAgent(Agent):
    """Everything to the floor."""

    def __init__(self, last: bool = False, name: str = "floor"):
        self.last = last

    def act(self, state, legal_mask, rng):
        floors = [a for a in range(len(legal_mask)) if legal_mask[a] and a % 6 == 5]
        return floors[-1 if self.last else 0]

@dataclass(frozen=True)
class Options:
    step: int = option(1, "how far to look")

def make(spec, options):
    agent = FloorAgent()
    agent.spec, agent.step = spec, options.step
    return agent

KIND = AgentKind("any_name", "a kind of its own", make, Options)
'''
ENTRY_POINTS = """
[azul.agents]
floor = their_agents:FloorAgent
stepper = their_agents:KIND
random = their_agents:FloorAgent
broken = their_agents:Missing
nothing = their_agents:PACKAGE_NAME
"""


@pytest.fixture
def installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution with entry points, as pip would install it."""
    (tmp_path / "their_agents.py").write_text(PACKAGE + "\nPACKAGE_NAME = 'their-agents'\n")
    metadata = tmp_path / "their_agents-1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-agents\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("their_agents", None)


def test_listing_and_parsing__load_neither_engine_nor_learning_library():
    run = subprocess.run(
        [sys.executable, "-c", LIGHT],
        env={"PYTHONPATH": ":".join(LAYERS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_parsed_spec__has_kind_and_options():
    kind, options = parse_spec("mcts:simulations=50,leaf=round")
    assert kind.name == "mcts"
    assert (options.simulations, options.leaf, options.time) == (50, "round", None)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "unknown agent ''; known: random, greedy"),
        ("greedy:depth=2", "greedy has no option 'depth'; options: none"),
        ("alphabeta:nodes", "alphabeta has no option 'nodes'"),
        ("alphabeta:nodes=1,nodes=2", "'nodes' is given twice"),
        ("alphabeta:nodes=many", "nodes must be a number, not 'many'"),
        ("alphabeta:nodes=0", "nodes must be above 0"),
        ("sb3", "write sb3:path=MODEL.zip"),
        ("sb3:path=m.zip,deterministic=1", "deterministic must be yes or no, not '1'"),
        ("external:", "write external:COMMAND"),
        ("python:", "write python:TARGET"),
        ("python:bots", "write python:MODULE:NAME"),
    ],
)
def test_wrong_spec__is_explained_without_making_an_agent(spec: str, message: str):
    with pytest.raises(AgentSpecError) as raised:
        parse_spec(spec)
    assert message in str(raised.value)


def test_installed_package__adds_agents(installed_package: Path):
    kinds = agent_kinds()
    assert kinds["floor"].origin == kinds["stepper"].origin == "their-agents"
    assert (kinds["floor"].summary, kinds["stepper"].summary) == (
        "Everything to the floor.",
        "a kind of its own",
    )
    assert kinds["greedy"].origin == "azul-env"
    agent = make_agent("floor:last=yes")
    assert (agent.spec, agent.last) == ("floor:last=yes", True)
    assert make_agent("stepper:step=3").step == 3
    with pytest.raises(AgentSpecError, match="floor has no option 'first'; options: last, name"):
        make_agent("floor:first=yes")


def test_installed_package__cannot_replace_our_agents(installed_package: Path):
    assert agent_kinds()["random"].origin == "azul-env"
    assert type(make_agent("random")).__name__ == "RandomAgent"


def test_broken_entry_point__is_listed_with_what_is_wrong_and_disturbs_no_other(
    installed_package: Path,
):
    assert "cannot be loaded from their_agents:Missing" in agent_kinds()["broken"].summary
    assert "is not an agent" in agent_kinds()["nothing"].summary
    with pytest.raises(AgentSpecError, match="'broken' of their-agents cannot be loaded"):
        make_agent("broken")
    with pytest.raises(AgentSpecError, match=r"known: random.*floor"):
        make_agent("nobody")
    make_agent("floor").close()


def test_kind__needs_only_name_summary_and_a_function():
    @dataclass(frozen=True)
    class Options:
        depth: int = option(2, "plies")

    kind = AgentKind("mine", "of mine", lambda spec, options: (spec, options), Options)
    assert kind.make("mine", Options()) == ("mine", Options(2))
