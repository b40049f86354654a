"""`azul train-search --engine ray`: the same games as in threads, whatever becomes of a worker."""

from functools import partial

import pytest

from azul_agents.arena.ray_games import WorkersDiedError
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.recording_file import load_recording
from azul_train.search.config import read_search_config
from azul_train.search.games import files_of, play_generation
from azul_train.search.ray_games import RayGames
from cluster.players_that_die import dying_evaluator
from ui.command import in_process_of_its_own

pytest.importorskip("ray")

GAMES, PER_FILE = 60, 20
SETTINGS = (
    "generations=1",
    f"self_play.games={GAMES}",
    f"self_play.games_per_file={PER_FILE}",
    "self_play.nodes=20",
    "fitting.batch_size=64",
    "duel.games=4",
    "duel.time=null",
    "duel.nodes=30",
)
CONFIG = read_search_config(None, SETTINGS)


def games_in(folder):
    return [
        [part.tobytes() for part in load_recording(file, 2, PER_FILE)]
        for file in files_of(folder, CONFIG)
    ]


def test_games__are_those_of_threads_even_if_a_worker_dies(ray, tmp_path):
    play_generation(tmp_path / "local", CONFIG, 1, partial(linear_evaluator, 2), lambda _: None)
    played = []
    evaluator = partial(dying_evaluator, tmp_path / "deaths", 1)
    RayGames()(tmp_path / "ray", CONFIG, 1, evaluator, played.append)
    assert (tmp_path / "deaths").exists() and sum(played) == GAMES
    assert games_in(tmp_path / "ray") == games_in(tmp_path / "local")


def test_games_that_always_kill_their_worker__end_the_run(ray, tmp_path):
    evaluator = partial(dying_evaluator, tmp_path / "deaths", 1000)
    with pytest.raises(WorkersDiedError, match="3 times"):
        RayGames()(tmp_path / "ray", CONFIG, 1, evaluator, lambda _: None)


def test_command__learns_on_ray(tmp_path):
    changes = [part for setting in SETTINGS for part in ("--set", setting)]
    arguments = ("train-search", *changes, "--out", tmp_path, "--engine", "ray")
    code, out, err = in_process_of_its_own(*arguments)
    assert code == 0, err
    run = tmp_path / "search"
    assert "generation 1" in out and (run / "generation_1" / "networks.npz").exists()
    assert "generation 1" in (run / "report.md").read_text()
