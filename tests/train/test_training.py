"""Whole runs, small ones: they learn, they can be repeated, and they leave behind what they promise."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from azul_agents import MatchConfig, MatchResult, run_match
from azul_agents.neural.agent import NeuralPolicy
from azul_agents.neural.model_file import ModelFileError, read_model
from azul_env import GameBatch
from azul_env.observation import observation_size
from azul_train import train
from azul_train.config import NetworkSize
from azul_train.export import export_network, load_network
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from azul_train.run.metrics import START
from azul_train.run.progress import EVALUATION, IMITATION, SELF_PLAY, Progress
from azul_train.run.training_run import CHOICE_DEALS, FINAL_DEALS
from azul_train.sb3.checkpoint import load_checkpoint
from azul_train.sb3.training import Sb3Run
from azul_train.selfplay.network_agent import frozen
from train.tiny import FEW_GAMES, TINY_NETWORK, new_folder, tiny_config, without_times

LEARNING = (
    "steps=10240",
    "network={trunk: 64, source: 16, key: 4, value: 16}",
    "ppo={games: 64, rollout_steps: 32, batch_size: 512, epochs: 3, learning_rate: 0.003}",
    "league={scripted: {random: 0.7}, snapshot_every: 4096}",
    "evaluation={games: 100, every: 4096, choice_games: 100, final_games: 200}",
    "checkpoint_every=4096",
)
WINS_OF_A_LEARNER = 0.8  # 0.9 was measured for three seeds
WINS_OF_A_BEGINNER = 0.6


class Trained(NamedTuple):
    folder: RunFolder
    results: list[MatchResult]
    metrics: list[dict[str, Any]]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A run from nothing that learns to beat random players."""
    config = tiny_config(*LEARNING)
    folder = new_folder(tmp_path_factory.mktemp("learned"), config)
    results = train(config, folder)
    return Trained(folder, results, folder.read_metrics())


def lines(metrics: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in metrics if line["kind"] == kind]


def weights(network: AzulNetwork) -> dict[str, list[Any]]:
    return {name: tensor.tolist() for name, tensor in network.state_dict().items()}


def assert_same(one: Any, other: Any, where: str = "") -> None:
    """Two checkpoints are equal, to the last bit of every tensor."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for number, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            assert_same(mine, theirs, f"{where}/{number}")
    elif isinstance(one, torch.Tensor):
        assert torch.equal(one, other), where
    else:
        assert one == other, where


def test_learner__beats_random_after_ten_thousand_steps(learned):
    before = next(line for line in learned.metrics if line["kind"] == "evaluation")
    assert before["opponent"] == "random"
    assert before["steps"] == 0
    assert before["win_rate"] < WINS_OF_A_BEGINNER
    assert learned.results[0].agents[1] == "random"
    assert learned.results[0].games == 200
    assert learned.results[0].tallies[0].win_rate > WINS_OF_A_LEARNER


def test_same_seed__gives_the_same_run(tmp_path):
    config = tiny_config(*LEARNING, "steps=4096", "evaluation.every=2048", *FEW_GAMES)
    folders = [new_folder(tmp_path / name, config) for name in ("one", "other")]
    for folder in folders:
        train(config, folder)
    one, other = (without_times(folder.read_metrics()) for folder in folders)
    assert one == other
    checkpoints = [load_checkpoint(folder.checkpoint) for folder in folders]
    for checkpoint in checkpoints:
        assert checkpoint["steps"] == 4096
        for time in ("minutes", "processor_minutes", "seconds"):
            del checkpoint[time]
    assert_same(*checkpoints)


def test_metrics__tell_of_every_rollout_and_evaluation(learned):
    assert [line["steps"] for line in lines(learned.metrics, "progress")] == [
        *range(2048, 10_241, 2048)
    ]
    evaluations = lines(learned.metrics, "evaluation")
    during = [(line["steps"], line["opponent"]) for line in evaluations if "final" not in line]
    steps = (0, 4096, 8192, 10_240)
    assert during == [(at, name) for at in steps for name in ("random", START)]
    at_the_end = [("before" in line, line["opponent"]) for line in evaluations if "final" in line]
    assert at_the_end == [(True, "random"), (False, "random"), (False, START)]
    last = lines(learned.metrics, "progress")[-1]
    # The newest snapshot is met only in games that begin and end within the last rollout.
    assert set(last["league"]) - {"000008192"} == {"random", "000000000", "000004096"}
    assert last["steps_per_second"] > 0
    assert all(np.isfinite(value) for value in last["losses"].values())


def test_time_shares__add_up_and_name_every_part(learned):
    (line,) = lines(learned.metrics, "time")
    shares = line["shares"]
    parts = ("environment", "masks", "scripted opponents", "snapshots", "policy", "gradient")
    assert set(shares) == {*parts, "evaluation"}
    assert sum(shares.values()) == pytest.approx(100)
    assert min(shares.values()) > 0


def wins(model: Path, games: int, seed: int) -> float:
    """What `azul eval` counts for a model against random, in one process."""
    specs = (f"neural:path={model}", "random")
    return run_match(specs, MatchConfig(games, seed, jobs=1)).tallies[0].won


def test_best_model__is_the_candidate_that_won_most_games_on_further_deals(learned):
    config = learned.folder.config.evaluation
    during = {
        line["steps"]: line["win_rate"]
        for line in lines(learned.metrics, "evaluation")
        if "final" not in line and line["opponent"] == "random"
    }
    top = sorted(during, key=lambda steps: (during[steps], steps), reverse=True)[:3]
    choice = {line["candidate"]: line["wins"] for line in lines(learned.metrics, "choice")}
    assert list(choice) == top
    further = config.seed + CHOICE_DEALS
    for steps in top:
        won = wins(learned.folder.candidate(steps), config.choice_games, further)
        assert choice[steps] == won
    card = read_model(learned.folder.best_model).card
    assert choice[card["steps"]] == max(choice.values())
    assert card["win_rates"]["random"] == during[card["steps"]]


def test_final_evaluation__has_the_best_model_its_start_and_a_match_between_them(learned):
    folder, config = learned.folder, learned.folder.config.evaluation
    before, after, duel = [line for line in lines(learned.metrics, "evaluation") if "final" in line]
    fresh = config.seed + FINAL_DEALS
    assert before["wins"] == wins(folder.start_model, config.final_games, fresh)
    assert after["wins"] == wins(folder.best_model, config.final_games, fresh)
    assert after["wins"] == learned.results[0].tallies[0].won
    specs = (f"neural:path={folder.best_model}", f"neural:path={folder.start_model}")
    match = run_match(specs, MatchConfig(config.final_games, fresh, jobs=1))
    assert duel["opponent"] == START and duel["wins"] == match.tallies[0].won
    assert duel["win_rate"] > WINS_OF_A_LEARNER
    card = read_model(folder.best_model).card
    assert [line["wins"] for line in card["final"]] == [after["wins"], duel["wins"]]
    assert weights(load_network(folder.start_model)) == weights(
        load_network(folder.snapshots / "000000000.npz")
    )


def test_start__is_even_with_itself(learned):
    first = next(line for line in learned.metrics if line.get("opponent") == START)
    assert (first["steps"], first["win_rate"]) == (0, 0.5)


def test_last_model__is_the_learner_of_the_last_checkpoint(learned):
    last = load_network(learned.folder.model)
    kept = load_checkpoint(learned.folder.checkpoint)["network"]
    assert_same(dict(last.state_dict()), dict(kept))
    assert read_model(learned.folder.model).card["steps"] == 10_240


def test_worse_learner__does_not_replace_the_best_model(tmp_path):
    """A learner that was good once and then forgot everything."""
    changes = ("evaluation.games=40", "evaluation.final_games=20", "evaluation.candidates=1")
    config = tiny_config(*changes, "steps=0")
    folder = new_folder(tmp_path, config)
    run = Sb3Run(config, folder, lambda progress: None)
    run.scores[5] = 0.999  # an earlier learner was that good
    kept = AzulNetwork(2, config.network)
    for file in (folder.best_model, folder.candidate(5)):
        export_network(kept, file, {"steps": 5, "win_rates": {"random": 0.999}})
    run.begin()
    results = run.learn()
    assert weights(load_network(folder.best_model)) == weights(kept)
    assert weights(load_network(folder.model)) == weights(run.network) != weights(kept)
    seed = config.evaluation.seed + FINAL_DEALS
    assert [result.tallies[0].won for result in results] == [wins(folder.best_model, 20, seed)]
    assert read_model(folder.best_model).card["steps"] == 5


@pytest.mark.parametrize("schedule", ["mirror", "prioritised"])
@pytest.mark.parametrize("num_players", [3, 4])
def test_tiny_run__works_for_more_players_and_every_schedule(num_players, schedule, tmp_path):
    config = tiny_config(f"num_players={num_players}", f"league.schedule={schedule}", "steps=600")
    folder = new_folder(tmp_path, config)
    told: list[Progress] = []
    results = train(config, folder, told.append)
    assert load_checkpoint(folder.checkpoint)["steps"] == 768  # whole rollouts of 256
    assert [result.games for result in results] == [12]
    assert load_network(folder.best_model).num_players == num_players
    assert {event.phase for event in told} == {EVALUATION, SELF_PLAY}
    assert all(event.done <= event.total for event in told)
    names = sorted(path.stem for path in folder.snapshots.glob("*.npz"))
    assert names == ["000000000", "000000256", "000000512", "000000768"]


def test_snapshots__stay_frozen_through_a_run(tmp_path):
    config = tiny_config("steps=512")
    folder = new_folder(tmp_path, config)
    run = Sb3Run(config, folder, lambda progress: None)
    first = weights(run.network)
    run.begin()
    run.learn()
    snapshot = next(member for member in run.league.members if member.is_snapshot)
    assert (
        weights(load_network(folder.snapshots / "000000000.npz")) == first != weights(run.network)
    )
    games = GameBatch(50, seed=1)

    def answers(agent: Any) -> list[int]:
        rngs = [np.random.default_rng(1)] * 50
        return agent.act_batch(games.rows, games.legal_masks(), rngs).tolist()

    kept = frozen(load_network(folder.snapshots / "000000000.npz"), "kept")
    assert answers(snapshot.agent) == answers(kept) != answers(frozen(run.network, "latest"))


def test_run_that_goes_on_from_a_model__begins_with_its_moves(tmp_path):
    size = {"trunk": 32, "source": 8, "key": 4, "value": 8, "patterns": 0}
    torch.manual_seed(5)
    old = AzulNetwork(2, NetworkSize(**size))
    export_network(old, tmp_path / "old.npz", {})
    config = tiny_config("steps=256", "network.patterns=1", f"start={tmp_path / 'old.npz'}")
    folder = new_folder(tmp_path, config)
    train(config, folder)
    start = load_network(folder.start_model)
    games = torch.rand(20, observation_size(2))
    with torch.no_grad():
        assert torch.allclose(start(games)[0], old(games)[0], atol=1e-5)
        assert not torch.allclose(load_network(folder.model)(games)[0], old(games)[0], atol=1e-5)
    assert start.size.patterns == 1


def test_run_that_sees_an_outlook__goes_on_from_a_model_that_does_not(tmp_path):
    export_network(AzulNetwork(2, TINY_NETWORK), tmp_path / "old.npz", {})
    config = tiny_config("steps=256", "network.outlook=1", f"start={tmp_path / 'old.npz'}")
    folder = new_folder(tmp_path, config)
    train(config, folder)
    games = GameBatch(30, seed=4)
    old = NeuralPolicy.load(tmp_path / "old.npz").judge_all(games.rows)[0]
    start = NeuralPolicy.load(folder.start_model).judge_all(games.rows)[0]
    np.testing.assert_allclose(start, old, atol=1e-5)
    assert not np.allclose(NeuralPolicy.load(folder.model).judge_all(games.rows)[0], old, atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (("network.trunk=16",), "this run needs one for 2 players of size"),
        (("num_players=3",), "this run needs one for 3 players"),
        (("network.patterns=0",), "set network.patterns to 1"),
        (("network.patterns=0", "network.outlook=1"), "set network.patterns to 1"),
        (("start=nowhere.npz",), "there is no such file"),
    ],
)
def test_model_of_another_size__is_no_start(changes, problem, tmp_path):
    export_network(AzulNetwork(2, replace(TINY_NETWORK, patterns=1)), tmp_path / "old.npz", {})
    start = f"start={tmp_path / 'old.npz'}"
    config = tiny_config("steps=256", "network.patterns=1", start, *changes)
    with pytest.raises(ModelFileError, match=problem):
        train(config, new_folder(tmp_path, config))


def test_warm_start__is_noted_and_is_what_the_run_begins_with(tmp_path):
    config = tiny_config(
        "imitation={teacher: greedy, samples: 3000, epochs: 3, batch_size: 100, learning_rate: 0.005}",
        "evaluation.final_games=100",
        "steps=0",
    )
    folder = new_folder(tmp_path, config)
    told: list[Progress] = []
    results = train(config, folder, told.append)
    untrained, noted, *_ = folder.read_metrics()
    assert untrained["untrained"] and untrained["win_rate"] < WINS_OF_A_BEGINNER
    assert (noted["kind"], noted["steps"], noted["samples"]) == ("imitation", 0, 3000)
    assert noted["accuracy"] > 0.3
    assert results[0].tallies[0].win_rate > WINS_OF_A_LEARNER
    of_phase = [event for event in told if event.phase == IMITATION]
    assert of_phase[-1].done == of_phase[-1].total == 12_000
    assert [event.done for event in of_phase] == sorted(event.done for event in of_phase)


def test_learning_that_diverges__says_so_and_keeps_the_last_sound_checkpoint(tmp_path):
    config = tiny_config("ppo.learning_rate=1e30", "steps=100000")
    folder = new_folder(tmp_path, config)
    with pytest.raises(ValueError, match=r"learning has diverged.*ppo\.learning_rate"):
        train(config, folder)
    kept = load_checkpoint(folder.checkpoint)["network"]
    assert all(bool(tensor.isfinite().all()) for tensor in kept.values())


def test_opponent_that_forfeits__is_not_taken_for_a_beaten_one(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "hopeless.py").write_text("def first(state, legal_mask, rng):\n    return -1\n")
    spec = "python:hopeless:first"
    config = tiny_config(f"evaluation={{opponents: ['{spec}'], games: 2}}", "steps=0")
    with pytest.warns(UserWarning, match=rf"{spec} forfeited 2 of 2 games, 2 of them because"):
        train(config, new_folder(tmp_path, config))
