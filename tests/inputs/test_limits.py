"""Numbers of commands and agents: refused in one line or used at once, however large or strange they are."""

import dataclasses
import importlib
import io
import typing

import numpy as np
import pytest

from azul_agents import AgentSpecError, MatchConfig, TournamentConfig, agent_kinds, make_agent
from azul_agents.arena.schedule import tables_of, whole_deals
from azul_agents.arena.tournament import Schedule
from azul_agents.neural.model_file import write_model
from azul_env import (
    GameRecorder,
    apply_action,
    legal_actions,
    legal_mask,
    new_game,
    write_records,
)
from azul_ui.cli import COMMANDS
from models import random_model
from ui.command import here

VALUES = ["0", "-1", str(10**20), "1e300", "nan", "inf", "", "x", "9" * 5_000]


def numeric_options() -> list[tuple[str, str]]:
    """All numeric options of all commands, from their annotations: a new one is tested, too."""
    found = []
    for command, (target, _) in COMMANDS.items():
        module, _, function = target.partition(":")
        called = getattr(importlib.import_module(f"azul_ui.commands.{module}"), function)
        for name, hint in typing.get_type_hints(called).items():
            types = {hint, *typing.get_args(hint)}
            types |= {inner for part in types for inner in typing.get_args(part)}
            if types & {int, float}:
                found.append((command, "--" + name.replace("_", "-")))
    return found


def test_options__are_found():
    found = numeric_options()
    assert len(found) > 25 and ("match", "--games") in found
    assert ("tournament", "--players") in found and ("render", "--scale") in found


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    recorder = GameRecorder(2, rng=1, max_rounds=1)
    while not recorder.state.is_terminal:
        recorder.draft(next(iter(legal_actions(recorder.state))))
    write_records(path, [recorder.record])
    return path


@pytest.fixture
def commands(games, tmp_path):
    """The least work of every command."""
    model = tmp_path / "model.npz"
    write_model(model, random_model(2))
    return {
        "bench": ("bench",),
        "replay": ("replay", games),
        "render": ("render", games, "--svg", tmp_path / "p.svg"),
        "play": ("play", "--vs", "random"),
        "analyse": ("analyse", games, "--agent", "greedy"),
        "bot": ("bot", "random"),
        "match": ("match", "random", "random", "--games", "2", "--jobs", "1"),
        "tournament": (
            *("tournament", "random", "greedy", "--games-per-pairing", "2", "--jobs", "1"),
            *("--out", tmp_path / "out"),
        ),
        "eval": ("eval", model, "--opponent", "random", "--games", "2", "--jobs", "1"),
        "web": ("web", tmp_path / "no file.jsonl", "--no-open", "--games", tmp_path),
        "fit-evaluation": ("fit-evaluation", "--out", tmp_path / "no folder" / "card.json"),
    }


@pytest.mark.parametrize(("command", "option"), numeric_options())
@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:22])
def test_number__is_used_or_refused_without_a_traceback(
    command, option, value, commands, monkeypatch, capsys
):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    code, _, err = here(monkeypatch, capsys, *commands[command], option, value)
    if value in VALUES[3:]:
        assert code == 2
    assert code in (0, 2)
    assert (code == 0) or ("Error" in err or "azul: error: " in err)
    assert "Traceback" not in err and len(err) < 2_000


AGENT_OPTIONS = [
    (kind.name, field.name)
    for kind in agent_kinds().values()
    for field in dataclasses.fields(kind.options)
    if {int, float} & {(hint := typing.get_type_hints(kind.options)[field.name]), *typing.get_args(hint)}
]  # fmt: skip


def test_options_of_agents__are_found():
    assert ("alphabeta", "breadth") in AGENT_OPTIONS and ("ppo", "temperature") in AGENT_OPTIONS


@pytest.mark.parametrize(("kind", "option"), AGENT_OPTIONS)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:22])
def test_option_of_an_agent__is_used_or_refused(kind, option, value, tmp_path):
    if kind == "neural":
        write_model(tmp_path / "model.npz", random_model(2))
        option = f"path={tmp_path / 'model.npz'},{option}"
    spec = f"{kind}:{option}={value}"
    if kind in ("ppo", "neural"):
        is_used = value in ("0", str(10**20), "1e300")
    else:
        # Never leaves it to alpha-beta, and samples nothing.
        is_used = value == "0" and (kind, option) in {("guided", "solve"), ("alphabeta", "deals")}
    if not is_used:
        with pytest.raises(AgentSpecError) as refused:
            make_agent(spec)
        assert len(str(refused.value)) < 600 and str(refused.value).isprintable()
        return
    agent = make_agent(spec)
    state = new_game(2, rng=1)
    assert legal_mask(state)[agent.act(state, legal_mask(state), np.random.default_rng(0))]


def test_depth_beyond_the_stack_of_the_search__ends_with_the_round():
    state = new_game(2, rng=1)
    while sum(legal_mask(state)) > 8:
        state = apply_action(state, int(np.flatnonzero(legal_mask(state))[-1])).state
    deep = make_agent(f"alphabeta:depth={10**15}")
    action = deep.act(state, legal_mask(state), np.random.default_rng(0))
    assert legal_mask(state)[action]


def test_games_without_number__are_scheduled_one_by_one():
    assert whole_deals(10**400, 3) == (10**400 + 2) // 3
    with pytest.raises(ValueError, match="games must be at most 1,000,000,000,000"):
        MatchConfig(games=10**13)
    with pytest.raises(ValueError, match="jobs must be at most 256"):
        MatchConfig(jobs=100_000)


def test_tournament_too_large_for_memory__is_refused_at_once():
    agents = tuple(f"alphabeta:nodes={nodes}" for nodes in range(1, 101))
    with pytest.raises(ValueError, match="4,950,000 games, at most 1,000,000"):
        Schedule(TournamentConfig(agents, games_per_pairing=1_000))
    with pytest.raises(ValueError, match="games_per_pairing must be at most"):
        TournamentConfig(agents, games_per_pairing=10**11)
    for number, max_tables in ((1_000, 100), (40, 50_000)):
        with pytest.raises(ValueError, match="too many to choose from"):
            tables_of(number, 4, max_tables, seed=1)
