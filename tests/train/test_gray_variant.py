"""The gray wall where agents learn: games for SB3, imitation, whole runs, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from azul_agents import AgentSpecError, MatchConfig, make_agent, run_match
from azul_agents.base import VariantNotPlayedError
from azul_agents.neural.model_file import ModelFileError, read_model
from azul_env import legal_mask, new_game
from azul_env.core.batch import write_masks
from azul_env.envs.single import AzulEnv
from azul_train import resume, train
from azul_train.config import LeagueConfig, NetworkSize, TrainConfig, read_config
from azul_train.export import export_network
from azul_train.network import AzulNetwork
from azul_train.sb3.league_env import LeagueVecEnv
from azul_train.sb3.policy import AzulPolicy
from azul_train.sb3.vec_env import ArrayVecEnv, AzulVecEnv
from azul_train.selfplay.imitation import collect_samples, imitate
from azul_train.selfplay.league import League
from azul_train.selfplay.network_agent import frozen
from azul_train.selfplay.teacher import Teacher
from train.test_resume import EndedError, assert_same_run, ended_at
from train.tiny import FEW_GAMES, TINY_NETWORK, TINY_RUN, new_folder, tiny_config
from ui.command import here

torch.set_num_threads(1)

GRAY = "variant=gray"
SHORT_GAMES = "max_rounds=3"  # a network that has learned nothing plays to the cap
DRAFTS = 180  # actions of drafting with 2 players; the columns follow


def play(env: ArrayVecEnv, steps: int) -> int:
    """Play random legal actions; the number of games that ended."""
    rng = np.random.default_rng(1)
    observations = env.reset()
    ends = 0
    for _ in range(steps):
        assert env.observation_space.contains(observations[0])
        masks = env.action_masks()
        assert masks.shape == (env.num_envs, 185)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        observations, _, done, _ = env.step(actions)
        ends += int(done.sum())
    return ends


def test_vec_env_of_sb3__plays_gray_games():
    assert play(AzulVecEnv(3, variant="gray", max_rounds=1), 30) >= 3


def test_league_env__plays_gray_games_against_agents_that_play_them():
    league = League(LeagueConfig(scripted={"random": 1.0}), {"random": make_agent("random")})
    env = LeagueVecEnv(3, 2, league, {"round_margin": 1.0}, 1, 1, variant="gray")
    assert play(env, 30) >= 3


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("variant", ["colored", "gray"])
def test_policy__has_the_network_of_its_environment(num_players, variant):
    env = AzulVecEnv(1, num_players=num_players, variant=variant)
    policy = AzulPolicy(env.observation_space, env.action_space, lambda _: 1e-3, TINY_NETWORK)
    assert (policy.network.num_players, policy.network.variant) == (num_players, variant)
    env.reset()
    action, _ = policy.predict(env.reset(), action_masks=env.action_masks())
    assert env.action_masks()[0, action[0]]


@pytest.mark.parametrize("teacher", ["greedy", "alphabeta:nodes=50"])
def test_samples__hold_the_teachers_drafts_and_columns(teacher):
    config = TrainConfig(variant="gray", max_rounds=2)
    samples = collect_samples(Teacher.of_spec(teacher, 1), config, 1500)
    assert len(samples) == 1500
    masks = np.zeros((1500, 185), np.bool_)
    write_masks(samples.rows, masks, 0, 1500)
    assert masks[np.arange(1500), samples.actions].all()
    is_column = samples.actions >= DRAFTS
    assert 50 < is_column.sum() < 750
    assert (is_column == (samples.rows["columns"] != 0)).all()
    assert np.isnan(samples.values).all() == (teacher == "greedy")


def test_imitation__learns_columns_that_it_has_not_seen():
    config = read_config(
        None, [GRAY, "imitation={teacher: greedy, samples: 9000, epochs: 4, learning_rate: 0.005}"]
    )
    samples = collect_samples(Teacher(make_agent("greedy")), config, 9000)
    torch.manual_seed(1)
    network = AzulNetwork(2, NetworkSize(trunk=64, source=16, key=4, value=16), "gray")
    fitted = type(samples)(*(part[:8000] for part in vars(samples).values()))
    unseen = type(samples)(*(part[8000:] for part in vars(samples).values()))
    columns = unseen.rows["columns"] != 0
    before = _agreement(network, unseen.rows[columns], unseen.actions[columns])
    imitate(network, fitted, config)
    after = _agreement(network, unseen.rows[columns], unseen.actions[columns])
    assert columns.sum() > 100 and after > max(0.5, 1.3 * before)


def _agreement(network, rows, actions):
    """The share of positions in which the network's most likely move is this action."""
    masks = np.zeros((len(rows), 185), np.bool_)
    write_masks(rows, masks, 0, len(rows))
    answers = frozen(network, "learner", 0.0).act_batch(
        rows, masks, [np.random.default_rng(0)] * len(rows)
    )
    return (answers == actions).mean()


def test_run_ended_in_the_middle__resumes_without_a_difference(tmp_path):
    config = tiny_config(GRAY, SHORT_GAMES, "steps=1280", "evaluation.every=256", *FEW_GAMES)
    whole = new_folder(tmp_path / "whole", config)
    train(config, whole)
    for event in (4, 7):
        folder = new_folder(tmp_path / f"{event}", config)
        with pytest.raises(EndedError):
            train(config, folder, ended_at(event))
        resume(folder)
        assert_same_run(folder, whole)


def test_command__trains_evaluates_exports_and_plays(tmp_path, monkeypatch, capsys):
    settings = (*TINY_RUN, GRAY, SHORT_GAMES, "steps=512")
    changes = [part for setting in settings for part in ("--set", setting)]
    trained = here(monkeypatch, capsys, "train", *changes, "--out", tmp_path, "--json")
    assert trained.code == 0, trained.err
    run = tmp_path / "train"
    report = (run / "report.md").read_text()
    assert "2 players, gray wall" in report and "best_model.npz --variant gray" in report
    few = ("--games", "6", "--jobs", "1")
    evaluated = here(monkeypatch, capsys, "eval", run, "--opponent", "random", *few, "--json")
    assert json.loads(evaluated.out)["results"][0]["forfeits"] == [0, 0]
    model = tmp_path / "model.npz"
    exported = here(monkeypatch, capsys, "export", run, model)
    assert "gray" in exported.out and read_model(model).variant == "gray"
    match = ["match", f"neural:path={model}", "random", "--games", "2", "--jobs", "1"]
    assert here(monkeypatch, capsys, *match, "--variant", "gray").code == 0
    refused = here(monkeypatch, capsys, *match)
    assert refused.code == 2
    assert "does not play the variant 'colored': it plays gray" in refused.err


def test_model_of_another_variant__is_no_start(tmp_path):
    export_network(AzulNetwork(2, TINY_NETWORK), tmp_path / "old.npz", {})
    config = tiny_config(GRAY, "steps=256", f"start={tmp_path / 'old.npz'}")
    with pytest.raises(ModelFileError, match=r"for the variant 'colored'; .* for 'gray'"):
        train(config, new_folder(tmp_path, config))


def test_model_of_the_variant__is_a_start(tmp_path):
    torch.manual_seed(3)
    network = AzulNetwork(2, TINY_NETWORK, "gray")
    export_network(network, tmp_path / "old.npz", {})
    config = tiny_config(GRAY, "steps=0", f"start={tmp_path / 'old.npz'}")
    folder = new_folder(tmp_path, config)
    train(config, folder)
    begun = read_model(folder.start_model).arrays
    assert all((begun[name] == a.numpy()).all() for name, a in network.state_dict().items())


def test_unknown_variant__is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match="variant must be one of colored, gray, not 'grey'"):
        read_config(None, ["variant=grey"])


def test_training__refuses_agents_that_do_not_play_the_game(tmp_path, monkeypatch, capsys):
    changes = [GRAY, "num_players=3", "evaluation.opponents=[ppo]"]
    arguments = [part for change in changes for part in ("--set", change)]
    refused = here(monkeypatch, capsys, "train", *arguments, "--out", tmp_path / "runs")
    assert refused.code == 2 and "'ppo': there is no packaged model for 3 players" in refused.err
    assert not (tmp_path / "runs").exists()


def test_model_saved_by_sb3__plays_the_variant_it_was_trained_on(tmp_path: Path):
    tiny = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "device": "cpu", "seed": 1}
    model = MaskablePPO(
        "MlpPolicy", AzulEnv(variant="gray"), policy_kwargs={"net_arch": [16]}, **tiny
    )
    model.save(tmp_path / "model.zip")
    spec = f"sb3:path={tmp_path / 'model.zip'}"
    result = run_match((spec, "random"), MatchConfig(games=2, jobs=1, variant="gray"))
    assert [tally.forfeits for tally in result.tallies] == [0, 0]
    agent, state = make_agent(spec), new_game(2, rng=0)
    with pytest.raises(VariantNotPlayedError, match="the variant 'colored': it plays gray"):
        agent.act(state, legal_mask(state), np.random.default_rng(0))
    with pytest.raises(AgentSpecError, match="trained for 2 players, this game has 3"):
        run_match((spec, "random", "random"), MatchConfig(games=3, variant="gray"))
