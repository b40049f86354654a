"""`python:MODULE:NAME`: the user's own code at every table, and what is said when something is wrong with it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from azul_agents import (
    AgentSpecError,
    CannotAnalyseError,
    MatchConfig,
    TournamentConfig,
    make_agent,
    run_match,
    run_tournament,
)
from azul_env import AzulEnv, legal_mask, new_game
from azul_processes import AZUL, Outcome, run_python

STATE = new_game(2, rng=1)
MODULE = '''
"""Agents of a user."""
import numpy as np
from azul_agents import Agent, MoveValue

class First(Agent):
    """The first legal action, or a later one."""

    def __init__(self, skip: int = 0, share: float = 0.5, is_loud: bool = False, label="x", extra=()):
        self.skip, self.share, self.is_loud, self.label, self.extra = skip, share, is_loud, label, extra

    def act(self, state, legal_mask, rng):
        return int(np.flatnonzero(legal_mask)[self.skip])

class Plain:
    def __init__(self):
        self.heard = []
    def act(self, state, legal_mask, rng):
        return np.flatnonzero(legal_mask)[-1]
    def begin_game(self, num_players, seat):
        self.heard.append((num_players, seat))

class Needy:
    def __init__(self, depth: int, limit: "int | None" = None):
        self.depth, self.limit = depth, limit
    def act(self, state, legal_mask, rng):
        return int(legal_mask.argmax())

class Fragile:
    def __init__(self):
        raise RuntimeError("no license")
    def act(self, state, legal_mask, rng):
        return 0

class TwoArguments:
    def act(self, state, rng):
        return 0

class Unfinished(Agent):
    pass

def last(state, legal_mask, rng, skip: int = 0):
    """The last legal action."""
    return np.flatnonzero(legal_mask)[-1 - skip]

def short(state):
    return 0

plain = Plain()
NUMBER = 3
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a module and a package of the user's."""
    (tmp_path / "my_bots.py").write_text(MODULE)
    (tmp_path / "raises.py").write_text("x = 1\nraise KeyError('settings')\n")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "needs.py").write_text("import no_such_library\n")
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").touch()
    (tmp_path / "my_package" / "bots.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield tmp_path
    for name in ("my_bots", "raises", "leaves", "needs", "my_package", "my_package.bots"):
        sys.modules.pop(name, None)


def answer(spec: str) -> int:
    return int(make_agent(spec).act(STATE, legal_mask(STATE), np.random.default_rng(0)))


def test_class_object_and_function__play(folder: Path):
    legal = np.flatnonzero(legal_mask(STATE)).tolist()
    assert answer("python:my_bots:First") == legal[0]
    assert answer("python:my_package.bots:First:skip=2") == legal[2]
    assert answer("python:my_bots:Plain") == answer("python:my_bots:plain") == legal[-1]
    assert answer("python:my_bots:last") == legal[-1]
    assert answer("python:my_bots:last:skip=1") == legal[-2]


def test_options__are_converted_by_annotations_or_defaults(folder: Path):
    spec = "python:my_bots:First:skip=3,share=0.25,is_loud=yes,label=a b"
    agent = make_agent(spec)
    assert agent.spec == spec
    assert (agent.skip, agent.share, agent.is_loud, agent.label) == (3, 0.25, True, "a b")
    assert agent.extra == ()
    assert answer("python:my_bots:Needy:depth=2,limit=none") == legal_mask(STATE).argmax()


def test_object_that_is_no_agent__hears_of_games_and_has_no_analysis(folder: Path):
    agent = make_agent("python:my_bots:plain")
    agent.begin_game(3, 1)
    agent.end_game([1, 2, 3], [2])
    agent.close()
    assert sys.modules["my_bots"].plain.heard == [(3, 1)]
    with pytest.raises(CannotAnalyseError, match="python:my_bots:plain"):
        agent.analyse(STATE)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:nowhere:First", "there is no module nowhere, neither in"),
        ("python:my_package.nowhere:First", "there is no module my_package.nowhere"),
        ("python:needs:First", "importing needs raised ModuleNotFoundError: No module named"),
        ("python:raises:First", "importing raises raised KeyError: 'settings'"),
        ("python:leaves:First", "importing leaves raised SystemExit: 3"),
        ("python:my_bots:Second", "my_bots has no Second: it has First, Plain, Needy"),
        ("python:my_bots:NUMBER", "is not an agent: write a subclass of azul_agents.Agent"),
        ("python:my_bots:First:depth=3", "python:my_bots:First has no option 'depth'; options"),
        ("python:my_bots:First:skip=x", "skip must be a number, not 'x'"),
        ("python:my_bots:Needy", "needs the option 'depth'"),
        ("python:my_bots:plain:skip=1", "python:my_bots:plain has no option 'skip'"),
        ("python:my_bots:Fragile", "making a Fragile raised RuntimeError: no license"),
        ("python:my_bots:Unfinished", "making a Unfinished raised TypeError"),
        ("python:my_bots:TwoArguments", "cannot be called as act(state, legal_mask, rng)"),
        ("python:my_bots:short", "cannot be called as act(state, legal_mask, rng)"),
    ],
)
def test_mistake__names_the_spec_and_what_to_do(folder: Path, spec: str, message: str):
    with pytest.raises(AgentSpecError) as raised:
        make_agent(spec)
    assert spec in str(raised.value) and message in str(raised.value)


def test_exception_at_import__says_where_it_was_raised(folder: Path):
    with pytest.raises(AgentSpecError, match=r"raises\.py, line 2"):
        make_agent("python:raises:First")


def test_match_and_tournament__play_it_in_worker_processes(folder: Path):
    specs = ("python:my_bots:First:skip=1", "random")
    alone, shared = (run_match(specs, MatchConfig(games=4, jobs=jobs)) for jobs in (1, 2))
    assert [tally.wins for tally in alone.tallies] == [tally.wins for tally in shared.tallies]
    config = TournamentConfig((*specs, "python:my_bots:last"), games_per_pairing=2)
    (table,) = run_tournament(config, folder / "out", jobs=2)
    assert {standing.agent for standing in table.standings} == set(config.agents)


def test_environment__takes_it_as_an_opponent(folder: Path):
    env = AzulEnv(opponents=make_agent("python:my_bots:last").act)
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))


def test_command__finds_the_current_folder_and_prints_mistakes_in_a_line(folder: Path):
    def azul(*arguments: str) -> Outcome:
        # A console script has no empty entry for the current folder.
        return run_python(f"import sys; sys.path.remove('')\n{AZUL}", *arguments)

    played = azul("match", "python:my_bots:First", "random", "--games", "4", "--json")
    assert json.loads(played.out)["games"] == 4, played.err
    wrong = azul("match", "python:my_bots:Frist", "random")
    assert wrong.code == 2 and "Traceback" not in wrong.err
    assert "it has First" in wrong.err
