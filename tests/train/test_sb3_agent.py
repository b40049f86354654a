"""`sb3:path=model.zip`: models that users trained on our environments, at the table like any agent."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO

from azul_agents import AgentSpecError, MatchConfig, make_agent, run_match
from azul_env import apply_action, legal_mask, new_game, observe

TINY = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "device": "cpu", "seed": 1}
TINY |= {"policy_kwargs": {"net_arch": [16]}}


def azul(**arguments):
    return gymnasium.make("azul_env:Azul-v0", **arguments)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models trained for a few steps, as users save them."""
    folder = tmp_path_factory.mktemp("models")
    trained = {
        "maskable": MaskablePPO("MlpPolicy", azul(), **TINY).learn(32),
        "plain": PPO("MlpPolicy", azul(num_players=3, observation="uint8"), **TINY),
        "other_game": PPO("MlpPolicy", "CartPole-v1", **TINY),
        "values": DQN("MlpPolicy", azul(), device="cpu", buffer_size=10),
    }
    for name, model in trained.items():
        model.save(folder / f"{name}.zip")
    (folder / "text.zip").write_text("no zip at all")
    return {name: folder / f"{name}.zip" for name in [*trained, "text", "missing"]}


@pytest.mark.parametrize(("name", "num_players"), [("maskable", 2), ("plain", 3)])
@pytest.mark.parametrize("deterministic", ["yes", "no"])
def test_model__plays_a_whole_game_legally_and_the_same_again(
    models: dict[str, Path], name: str, num_players: int, deterministic: str
):
    spec = f"sb3:path={models[name]},deterministic={deterministic}"
    agent, twin = make_agent(spec), make_agent(spec)
    state = new_game(num_players, rng=3, max_rounds=3)
    agent.check_table(num_players, "colored")
    for number in range(200):
        if state.is_terminal:
            break
        mask = legal_mask(state)
        action = agent.act(state, mask, np.random.default_rng(number))
        assert type(action) is int and mask[action]
        assert twin.act(state, mask, np.random.default_rng(number)) == action
        state = apply_action(state, action, rng=number).state
    assert state.is_terminal


def test_maskable_model__plays_what_its_own_predict_says(models: dict[str, Path]):
    model = MaskablePPO.load(models["maskable"], device="cpu")
    agent = make_agent(f"sb3:path={models['maskable']}")
    for seed in range(10):
        state = new_game(2, rng=seed)
        mask = legal_mask(state)
        predicted, _ = model.predict(observe(state), action_masks=mask, deterministic=True)
        assert agent.act(state, mask, np.random.default_rng(0)) == predicted


def test_sampling__is_left_to_the_generator(models: dict[str, Path]):
    agent = make_agent(f"sb3:path={models['maskable']},deterministic=no")
    state = new_game(2, rng=0)
    answers = {
        agent.act(state, legal_mask(state), np.random.default_rng(seed)) for seed in range(30)
    }
    assert len(answers) > 5


def test_model__joins_matches_and_leagues(models: dict[str, Path]):
    spec = f"sb3:path={models['maskable']}"
    assert run_match((spec, "random"), MatchConfig(games=2, jobs=1)).games == 2
    state = new_game(2, rng=1)
    mask = legal_mask(state)
    (action,) = make_agent(spec).act_batch(state.rows, mask[None], [np.random.default_rng(0)])
    assert mask[action]


def test_model__says_for_how_many_players_it_is(models: dict[str, Path]):
    with pytest.raises(AgentSpecError, match="trained for 3 players, this game has 2"):
        make_agent(f"sb3:path={models['plain']}").check_table(2, "colored")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "there is no file"),
        ("text", "cannot be loaded as a PPO or MaskablePPO model"),
        ("values", "not a PPO policy"),
        ("other_game", "was not trained on an environment of azul_env"),
    ],
)
def test_wrong_file__is_explained(models: dict[str, Path], name: str, message: str):
    with pytest.raises(AgentSpecError, match=message):
        make_agent(f"sb3:path={models[name]}")


def test_missing_library__says_what_to_install(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(__import__("sys").modules, "sb3_contrib", None)
    with pytest.raises(AgentSpecError, match=r"pip install .*azul-env\[train\]"):
        make_agent(f"sb3:path={models['maskable']}")
