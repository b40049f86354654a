"""Configs of training runs: files hold what differs, changes lie on top, mistakes are named."""

import dataclasses
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from azul_agents.config_file import plain_data
from azul_processes import LAYERS
from azul_train import config as config_module
from azul_train.config import EvaluationConfig, PPOConfig, TrainConfig, read_config


def written(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_no_file__gives_the_defaults():
    assert read_config(None) == TrainConfig(name="train")


def test_file__changes_only_what_it_names(tmp_path):
    file = written(
        tmp_path, "steps: 5000\nppo:\n  games: 512\nevaluation:\n  opponents: [greedy]\n"
    )
    config = read_config(file)
    assert config.name == "mine"
    assert (config.steps, config.ppo.games, config.evaluation.opponents) == (5000, 512, ("greedy",))
    assert config.ppo == dataclasses.replace(PPOConfig(), games=512)
    assert config.league == TrainConfig().league


def test_file_of_comments_only__gives_the_defaults(tmp_path):
    assert read_config(written(tmp_path, "# nothing\n")) == TrainConfig(name="mine")


def test_changes__lie_on_top_of_the_file_and_of_each_other(tmp_path):
    file = written(tmp_path, "steps: 5000\nppo: {games: 512, epochs: 7}\n")
    config = read_config(
        file, ["ppo.games=128", "ppo.games=256", "name=other", "league.scripted={}"]
    )
    assert (config.name, config.steps) == ("other", 5000)
    assert (config.ppo.games, config.ppo.epochs) == (256, 7)
    assert config.league.scripted == {}


def test_change_of_a_section__keeps_the_rest_of_it():
    config = read_config(None, ["ppo.epochs=7", "ppo={games: 512}"])
    assert (config.ppo.games, config.ppo.epochs) == (512, 7)


def test_mapping__is_replaced_whole(tmp_path):
    config = read_config(written(tmp_path, "reward: {score_margin: 1}\n"))
    assert config.reward == {"score_margin": 1.0}


@pytest.mark.parametrize(
    ("text", "value"), [("5e-4", 5e-4), ("5.0e-4", 5e-4), ("1", 1.0), ("1E-3", 1e-3)]
)
def test_number__may_be_written_with_an_exponent(text, value):
    rate = read_config(None, [f"ppo.learning_rate={text}"]).ppo.learning_rate
    assert rate == value and type(rate) is float


@pytest.mark.parametrize(("text", "value"), [("1e6", 1_000_000), ("1_000", 1000), ("2.5e3", 2500)])
def test_whole_number__may_be_written_with_an_exponent(text, value):
    steps = read_config(None, [f"steps={text}"]).steps
    assert steps == value and type(steps) is int


def test_resolved_config__reads_back_as_it_was(tmp_path):
    changes = ["imitation={teacher: greedy, samples: 10}", "ppo.final_learning_rate=1e-6", "seed=4"]
    config = read_config(None, changes)
    file = written(tmp_path, yaml.safe_dump(plain_data(config)))
    assert read_config(file) == config


def test_every_field__has_its_line_of_documentation():
    sections = [kind for kind in vars(config_module).values() if dataclasses.is_dataclass(kind)]
    assert len(sections) == 7
    for kind in sections:
        lines = [line.strip() for line in inspect.getsource(kind).splitlines()]
        for field in dataclasses.fields(kind):
            (place,) = [k for k, line in enumerate(lines) if line.startswith(f"{field.name}: ")]
            assert lines[place + 1].startswith('"""'), f"{kind.__name__}.{field.name}"


MISTAKES = [
    ("step: 1", "unknown key 'step'"),
    ("ppo: {game: 1}", "unknown key 'ppo.game'"),
    ("1: 2", "unknown key '1'"),
    ("reward: {victory: 1}", "unknown key 'reward.victory'; known: outcome"),
    ("steps: many", "steps must be a whole number, not 'many'"),
    ("steps: 1.5", "steps must be a whole number, not 1.5"),
    ("steps: 1.5e0", "steps must be a whole number, not '1.5e0'"),
    ("steps: null", "steps must be a whole number, not None"),
    ("seed: true", "seed must be a whole number, not True"),
    ("seed: -1", "seed must be at least 0, not -1"),
    ("seed: 1000003", "seed 1000003 is a seed of the evaluation"),
    ("num_players: 5", "num_players must be from 2 to 4, not 5"),
    ("max_rounds: 0", "max_rounds must be from 1 to "),
    ("network: {outlook: 2}", "outlook must be at most 1, not 2"),
    ("{variant: gray, network: {outlook: 1}}", "network.outlook is only for the variant colored"),
    ("name: a/b", "name must be the name of a folder, not 'a/b'"),
    ("name: 3", "name must be a string, not 3"),
    ("ppo: 3", "ppo: expected a mapping, not 3"),
    ("ppo: {gamma: .nan}", "ppo.gamma must be a number, not nan"),
    ("ppo: {gamma: 1.5}", "ppo.gamma must be from 0 to 1, not 1.5"),
    ("ppo: {learning_rate: 0}", "ppo.learning_rate must be above 0"),
    ("ppo: {games: 3}", "ppo.batch_size must divide games * rollout_steps = 192"),
    ("network: {trunk: 0}", "network.trunk must be at least 1, not 0"),
    ("reward: [outcome]", "reward must be a mapping of names to values"),
    ("reward: {outcome: high}", "reward.outcome must be a number, not 'high'"),
    ("reward: {outcome: 0}", "reward must have a weight other than 0"),
    ("league: {schedule: best}", "league.schedule must be one of mirror, mix, prioritised"),
    (
        "league: {scripted: {greedy: 0.7, random: 0.4}}",
        "league.scripted: the shares must add up to at most 1, not 1.1",
    ),
    ("league: {scripted: {greedy: -0.1}}", "league.scripted.greedy must be from 0 to 1"),
    ("league: {scripted: {nobody: 0.1}}", "league.scripted: unknown agent 'nobody'"),
    ("imitation: {samples: 5}", "imitation.teacher must be an agent where samples is 5"),
    ("imitation: {teacher: nobody}", "imitation.teacher: unknown agent 'nobody'"),
    (
        "evaluation: {opponents: greedy}",
        "evaluation.opponents must be a list of strings, not 'greedy'",
    ),
    ("evaluation: {opponents: [1]}", "evaluation.opponents must be a list of strings, not [1]"),
    ("evaluation: {opponents: []}", "evaluation.opponents must be at least one"),
    ("evaluation: {opponents: [greedy, greedy]}", "all different"),
    ("evaluation: {opponents: ['greedy:depth=2']}", "greedy has no option 'depth'"),
    ("- steps", "expected a mapping, not ['steps']"),
    ("steps: [", "is not YAML"),
]


@pytest.mark.parametrize(("text", "why"), MISTAKES)
def test_mistake_in_a_file__is_named_with_the_file(tmp_path, text, why):
    file = written(tmp_path, text)
    with pytest.raises(ValueError, match=r"mine\.yaml") as caught:
        read_config(file)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("steps", "write key=value"),
        ("=3", "write key=value"),
        ("step=3", "unknown key 'step'; known: name, engine, num_players"),
        ("ppo.game=3", "unknown key 'ppo.game'; known: games"),
        ("pp.games=3", "unknown key 'pp'"),
        ("steps.more=3", "steps is not a section: set steps=..."),
        ("reward.outcome=3", "reward is not a section: set reward=..."),
        ("ppo.games=many", "ppo.games must be a whole number, not 'many'"),
        ("ppo.games=[", "the value is not YAML"),
        ("ppo.games=3", "ppo.batch_size must divide"),
    ],
)
def test_mistake_in_a_change__is_named_with_the_change(change, why):
    with pytest.raises(ValueError, match="--set") as caught:
        read_config(None, ["seed=3", change])
    assert f"--set {change}: " in str(caught.value) and why in str(caught.value)


def test_file_that_is_not_there__is_an_error():
    with pytest.raises(OSError, match="nowhere"):
        read_config(Path("nowhere.yaml"))


def test_reading__constructs_no_agent(tmp_path):
    specs = ["neural:path=nowhere.npz", "external:no-such-program"]
    file = written(tmp_path, yaml.safe_dump({"evaluation": {"opponents": specs}}))
    assert read_config(file).evaluation.opponents == tuple(specs)


def test_reading__compiles_nothing_and_needs_no_learning_library():
    code = (
        "import gc, sys\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "from azul_train.config import read_config\n"
        "read_config(None)\n"
        "kernels = [k for k in gc.get_objects() if isinstance(k, Dispatcher)]\n"
        "assert kernels and not [k for k in kernels if k.signatures]\n"
        "assert sys.modules.keys().isdisjoint({'torch', 'ray', 'stable_baselines3'})\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=300)


def test_agents__are_all_that_the_run_needs_each_once():
    changes = ["league.scripted={greedy: 0.2}", "imitation.teacher=alphabeta"]
    config = read_config(None, [*changes, "evaluation.opponents=[random, greedy]"])
    assert config.agents == ("greedy", "alphabeta", "random")
    assert read_config(None, ["engine=rllib"]).agents == EvaluationConfig().opponents
