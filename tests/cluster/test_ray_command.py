"""`azul tournament --engine ray`: a Ray of its own, a cluster, and what stays when it is killed."""

import os
import signal
import subprocess
import sys

import pytest

from arena.processes import wait_until
from arena.test_tournament import games_in, lines_in
from azul_agents.arena.tournament import Schedule, run_tournament
from azul_agents.arena.tournament_config import TournamentConfig
from azul_processes import LAYERS
from ui.command import in_process_of_its_own

pytest.importorskip("ray")

CONFIG = TournamentConfig(("random", "greedy"), games_per_pairing=20)
COMMAND = ("tournament", *CONFIG.agents, "--engine", "ray", "--games-per-pairing")


def test_local_ray__starts_plays_and_ends_by_itself(tmp_path):
    code, out, err = in_process_of_its_own(*COMMAND, "20", "--out", tmp_path / "ray", "--json")
    assert (code, err) == (0, "")
    assert out.startswith("{")
    run_tournament(CONFIG, tmp_path / "home")
    assert games_in(tmp_path / "ray") == games_in(tmp_path / "home")


def test_address__joins_a_cluster_and_leaves_it_running(ray, tmp_path):
    address = ray.get_runtime_context().gcs_address
    arguments = (*COMMAND, "20", "--address", address)
    code, _, err = in_process_of_its_own(*arguments, "--out", tmp_path / "ray")
    assert code == 0, err
    run_tournament(CONFIG, tmp_path / "home")
    assert games_in(tmp_path / "ray") == games_in(tmp_path / "home")
    assert ray.get(ray.put(1)) == 1


def test_killed_driver__leaves_a_file_that_the_local_engine_finishes(tmp_path):
    config = TournamentConfig(CONFIG.agents, games_per_pairing=1500)
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", "from azul_ui.cli import main; main()", *COMMAND, "1500"),
            *("--out", str(tmp_path / "killed")),
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: lines_in(tmp_path / "killed") > 60 or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = lines_in(tmp_path / "killed")
    assert 60 < kept < 1 + len(Schedule(config).games), "the kill came too late"
    whole = tmp_path / "killed" / "results.jsonl"
    before = whole.read_bytes()[: whole.read_bytes().rindex(b"\n") + 1]
    run_tournament(config, tmp_path / "killed", jobs=2)
    assert whole.read_bytes().startswith(before)
    assert len(games_in(tmp_path / "killed")) == len(Schedule(config).games)


def test_cluster_that_is_not_there__is_an_error_that_says_how_to_start_one(tmp_path):
    arguments = (*COMMAND, "2", "--jobs", "1", "--address", "127.0.0.1:1")
    code, out, err = in_process_of_its_own(*arguments, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert "no Ray cluster answers at '127.0.0.1:1'" in err and "ray start --head" in err
    assert "Traceback" not in err
