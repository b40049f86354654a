"""What every agent promises: legal actions, the same ones for the same seed, and nothing changed."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from azul_agents.base import CannotAnalyseError
from azul_agents.neural.model_file import write_model
from azul_agents.registry import AgentSpecError, agent_kinds, make_agent, parse_spec
from azul_env import GameState, apply_action, legal_mask, new_game
from models import random_model

SPECS = ["random", "greedy", "alphabeta:nodes=300", "alphabeta:depth=2", "mcts:simulations=200"]
SPECS += ["mcts:simulations=50,leaf=round", "mcts:simulations=20,leaf=game"]
SPECS += ["mcts:simulations=50,evaluation=linear", "guided:simulations=50"]
NEURAL_SPECS = ["neural:path={model}", "neural:path={model},temperature=1.5"]


def positions(num_players: int, count: int = 12) -> list[GameState]:
    """Positions from all stages of a random game."""
    rng = np.random.default_rng(num_players)
    found = []
    state = new_game(num_players, rng=rng)
    while not state.is_terminal:
        found.append(state)
        state = apply_action(state, rng.choice(np.flatnonzero(legal_mask(state))), rng).state
    return found[:: max(1, len(found) // count)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Files of networks by number of players."""
    folder = tmp_path_factory.mktemp("models")
    paths = {num_players: folder / f"{num_players}.npz" for num_players in (2, 3, 4)}
    for num_players, path in paths.items():
        write_model(path, random_model(num_players))
    return paths


@pytest.mark.parametrize("spec", SPECS + NEURAL_SPECS)
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_agent__answers_legally_the_same_and_changes_nothing(
    spec: str, num_players: int, models: dict[int, Path]
) -> None:
    spec = spec.format(model=models[num_players])
    agent, twin = make_agent(spec), make_agent(spec)
    for number, state in enumerate(positions(num_players)):
        mask = legal_mask(state)
        before = state.rows.tobytes(), mask.tobytes()
        action = agent.act(state, mask, np.random.default_rng(number))
        assert isinstance(action, int)
        assert mask[action]
        assert (state.rows.tobytes(), mask.tobytes()) == before
        assert twin.act(state, mask, np.random.default_rng(number)) == action


@pytest.mark.parametrize("spec", SPECS[1:])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_analysis__ranks_legal_moves(spec: str, num_players: int) -> None:
    state = positions(num_players)[3]
    before = state.rows.tobytes()
    moves = make_agent(spec).analyse(state)
    mask = legal_mask(state)
    assert moves and all(mask[move.action] for move in moves)
    assert len({move.action for move in moves}) == len(moves)
    assert state.rows.tobytes() == before
    if not spec.startswith(("mcts", "guided")):  # which ranks by how often a move was tried
        assert [m.value for m in moves] == sorted((m.value for m in moves), reverse=True)


def test_random__says_that_it_values_nothing() -> None:
    with pytest.raises(CannotAnalyseError, match="random"):
        make_agent("random").analyse(new_game(2, rng=0))


@pytest.mark.parametrize(
    "spec", ["alphabeta:nodes=100", "mcts:simulations=100", "neural:path={model}"]
)
def test_search_of_a_finished_game__is_an_error(spec: str, models: dict[int, Path]) -> None:
    state = new_game(2, rng=0, max_rounds=1)
    while not state.is_terminal:
        state = apply_action(state, int(legal_mask(state).argmax()), rng=0).state
    agent = make_agent(spec.format(model=models[2]))
    with pytest.raises(ValueError, match="over"):
        agent.act(state, legal_mask(state), np.random.default_rng(0))


def test_random__plays_every_legal_action() -> None:
    state = new_game(2, rng=3)
    rng = np.random.default_rng(0)
    agent = make_agent("random")
    played = {agent.act(state, legal_mask(state), rng) for _ in range(3000)}
    assert played == set(np.flatnonzero(legal_mask(state)).tolist())


def test_unknown_agent__lists_those_there_are() -> None:
    with pytest.raises(
        AgentSpecError, match="random, greedy, alphabeta, mcts, guided, ppo, neural"
    ):
        make_agent("gredy")


def test_kinds__document_every_option() -> None:
    for kind in agent_kinds().values():
        assert kind.summary
        assert all(field.metadata.get("doc") for field in fields(kind.options)), kind.name


def test_parse_spec__gives_kind_and_options_without_constructing() -> None:
    kind, options = parse_spec("neural:path=nowhere.npz")
    assert kind.name == "neural" and options.path == "nowhere.npz"
    for wrong in ("gredy", "greedy:depth=2", "mcts:simulations=many", "external:"):
        with pytest.raises(AgentSpecError):
            parse_spec(wrong)
