"""YAML that is more than a config: refused with the line, in a message of one short line."""

import json

import pytest

from azul_agents.arena.ratings import packaged_ratings
from azul_agents.arena.results_file import ResultsFile
from azul_agents.arena.tournament_config import TournamentConfig
from azul_train import RunFolder, write_report
from azul_train.config import read_config

REFUSED = {
    "alias": ("ppo: &a {games: 64}\nleague: *a", "line 2: aliases are not allowed"),
    "deep flow": ("[" * 20_000, "line 1: it is nested deeper than 10 levels"),
    "deep block": ("- " * 20_000, "line 1: it is nested deeper than 10 levels"),
    "key twice": ("seed: 1\nsteps: 5\n'seed': 2", "line 3: the key 'seed' is given twice"),
    "inner key twice": ("ppo:\n  games: 1\n  games: 2", "line 3: the key 'games' is given twice"),
    "merge key": ("<<: {seed: 3}", "unknown key '<<'"),
    "merge tag": ("!!merge x: {seed: 3}", "line 1: could not determine a constructor"),
    "long int": ("seed: 1" + "0" * 100_000, "seed must be a whole number"),
    "long hex": ("seed: 0x1" + "0" * 100_000, "seed must be a whole number"),
    "base 60": ("seed: 1" + ":59" * 30_000, "seed must be a whole number"),
    "long float": ("ppo: {gamma: 0." + "0" * 100_000 + "}", "ppo.gamma must be a number"),
    "large int": ("seed: 4294967296", "seed must be at most 4,294,967,295"),
    "exponent": ("steps: 1e300", "steps must be at most"),
    "infinite exponent": ("steps: 1e999", "steps must be a whole number, not '1e999'"),
    "wide": ("network: {trunk: 100000}", "network.trunk must be at most 2,048"),
    "binary": ("name: !!binary aGFsbG8=", "line 1: could not determine a constructor"),
    "object": ("name: !!python/name:os.system", "line 1: could not determine a constructor"),
    "list as key": ("? [a]\n: 1", "line 1: a key must be a name"),
    "tag that does not fit": ("seed: !!int ''", "a value does not fit its tag"),
    "bool that does not fit": ("seed: !!bool 3", "a value does not fit its tag"),
    "two documents": ("seed: 1\n---\nseed: 2", "found another document"),
    "NUL": ("seed: \0", "is not YAML"),
    "large": ("#" * (1 << 17) + "\nseed: 1", "is larger than 131,072 bytes"),
    "long key": ("x" * 100_000 + ": 1", "is not YAML"),
    "long list": ("- 1\n" * 10_000, "expected a mapping, not [1, 1"),
    "escape in a name": (r'name: "\e[2J"', "name must be the name of a folder"),
    "surrogate in a name": (r'name: "\ud800"', "name must be the name of a folder"),
    "escape in a spec": (r'evaluation: {opponents: ["greedy\e[2J"]}', "no control characters"),
    "latin 1": (b"name: \xe4", "it is not UTF-8"),
}


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED)
def test_yaml__is_refused_in_one_line(tmp_path, text, why):
    file = tmp_path / "mine.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=r"mine\.yaml") as refused:
        read_config(file)
    assert why in str(refused.value)
    assert str(refused.value).isprintable() and len(str(refused.value)) < 700


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("[&a 1, *a]", "line 1: aliases are not allowed"),
        ("[" * 1_000, "nested deeper"),
        ("{greedy: 0.1, greedy: 0.2}", "the key 'greedy' is given twice"),
        ("1" * 4_000, "league.scripted must be a mapping"),
    ],
)
def test_change__is_read_like_a_file(value, why):
    with pytest.raises(ValueError, match="--set") as refused:
        read_config(None, [f"league.scripted={value}"])
    assert why in str(refused.value) and len(str(refused.value)) < 700


def test_date__is_a_name(tmp_path):
    assert read_config(None, ["name=2026-01-01"]).name == "2026-01-01"


GAME = {"players": 2, "table": 0, "deal": 0, "rotation": 0, "seed": 5, "agents": [0, 1]}
GAME |= {"scores": [3, 4], "ranks": [2, 1], "forfeits": [None, None]}
GAME |= {"moves": [1, 1], "seconds": [0.1, 0.1]}


@pytest.mark.parametrize(
    "change",
    [
        {"agents": [0, 2]},
        {"agents": [0, 10**30]},
        {"agents": [0, -1]},
        {"agents": 3},
        {"ranks": [1]},
        {"ranks": ["1", "2"]},
        {"players": "2"},
        {"players": 10**9},
        {"seconds": [float("nan"), 1.0]},
        {"seconds": [float("inf"), 1.0]},
        {"forfeits": [1, None]},
        {"deal": None},
        {"more": 1},
    ],
    ids=str,
)
def test_result_that_is_no_game__is_refused_with_its_line(tmp_path, change):
    path = tmp_path / "results.jsonl"
    config = TournamentConfig(("random", "greedy"))
    with ResultsFile.open(path, config):
        pass
    header = path.read_text()
    path.write_text(header + json.dumps(GAME) + "\n")
    with ResultsFile.open(path, config) as file:
        assert len(file.lines) == 1
    path.write_text(header + json.dumps(GAME | change) + "\n")
    with pytest.raises(ValueError, match="line 2: not a game"), ResultsFile.open(path, config):
        pass


@pytest.mark.parametrize("content", ["[]", "{}", "[" * 99_999, '{"tables": [{"standings": [1]}]}'])
def test_ratings_of_another_form__are_refused(tmp_path, content):
    path = tmp_path / "ratings.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"ratings\.json"):
        packaged_ratings(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.jsonl", '{"kind": "evaluation", "steps": 1, "minutes": 1}\n'),
        ("metrics.jsonl", '{"kind": "time", "steps": 1, "minutes": 1, "shares": {"a": "b"}}\n'),
        ("metrics.jsonl", '{"kind": [], "steps": 1, "minutes": 1}\n'),
        ("metrics.jsonl", '{"steps": 1}\n'),
        ("run.json", "[]"),
        ("run.json", '{"seed": 1}'),
        ("run.json", "[" * 99_999),
        ("run.json", " " * (1 << 20) + "{}"),
    ],
)
def test_report_of_a_broken_run__names_the_file(tmp_path, name, content):
    folder = RunFolder.create(tmp_path, read_config(None, ["name=mine"]), "azul train")
    write_report(folder)
    (folder.path / name).write_text(content)
    with pytest.raises(ValueError, match=name.replace(".", r"\.")):
        write_report(folder)
