"""Commands that are killed at any moment and started again until they end."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from soak.chores import Chore
from train.tiny import TINY_RUN

AZUL = (sys.executable, "-c", "from azul_ui.cli import main; main()")
LONGEST_SECONDS = 12.0  # until a kill: the start of the command and its first games or steps
MAX_KILLS = 4
PATIENCE_SECONDS = 500
SEARCH = {
    "generations": 2, "self_play.games": 60, "self_play.games_per_file": 20, "self_play.nodes": 60,
    "duel.games": 12, "duel.time": "null", "duel.nodes": 400, "fitting.batch_size": 64,
}  # fmt: skip
SEARCH_CHANGES = [part for item in SEARCH.items() for part in ("--set", "{}={}".format(*item))]
CHANGES = [part for change in (*TINY_RUN, "steps=8192") for part in ("--set", change)]


def training(chore: Chore) -> None:
    """A short training run, killed and resumed."""
    while chore.goes_on():
        runs = chore.folder / f"runs-{chore.counts.get('runs', 0)}"
        first = ["train", *CHANGES, "--out", str(runs)]
        killed(chore, first)
        for _ in range(chore.rng.randrange(MAX_KILLS)):
            killed(chore, again(runs, first))
        finished(again(runs, first))
        chore.count("runs")


def again(runs: Path, first: list[str]) -> list[str]:
    """The command that goes on with a run, or the first one if it was killed before its first checkpoint."""
    folders = [folder for folder in runs.glob("*") if (folder / "checkpoint.pt").exists()]
    return ["train", "--resume", str(folders[0])] if folders else first


def search(chore: Chore) -> None:
    """A run that learns networks of the search, killed and resumed; it ends as one that nobody has killed."""
    runs = chore.folder / "whole"
    finished(["train-search", *SEARCH_CHANGES, "--out", str(runs)])
    expected = learned(runs / "search")
    while chore.goes_on() or "runs" not in chore.counts:
        runs = chore.folder / f"runs-{chore.counts.get('runs', 0)}"
        first, run = ["train-search", *SEARCH_CHANGES, "--out", str(runs)], runs / "search"
        killed(chore, first)
        while not (run / "config.yaml").exists():  # it was killed before it began
            shutil.rmtree(runs, ignore_errors=True)
            killed(chore, first)
        for _ in range(chore.rng.randrange(MAX_KILLS)):
            killed(chore, ["train-search", "--resume", str(run)])
        finished(["train-search", "--resume", str(run)])
        assert learned(run) == expected
        chore.count("runs")


def learned(run: Path) -> list[object]:
    """What a run has learned and found, without the time that it took."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    networks = [file.read_bytes() for file in sorted(run.rglob("networks.npz"))]
    return [networks, [{key: line[key] for key in line if key != "minutes"} for line in lines]]


def tournament(chore: Chore) -> None:
    """A tournament, killed and started again in the same folder."""
    while chore.goes_on():
        out = chore.folder / f"tournament-{chore.counts.get('runs', 0)}"
        seed = str(chore.rng.randrange(1000))
        agents = ["random", "greedy", "alphabeta:nodes=200"]
        options = ["--games-per-pairing", "400", "--jobs", "2", "--seed", seed, "--out", str(out)]
        for _ in range(1 + chore.rng.randrange(MAX_KILLS)):
            killed(chore, ["tournament", *agents, *options])
        finished(["tournament", *agents, *options])
        chore.count("runs")


def killed(chore: Chore, arguments: list[str]) -> None:
    """Start a command and kill it, with all its processes, at a random moment."""
    process = subprocess.Popen(
        [*AZUL, *arguments],
        cwd=chore.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _, errors = process.communicate(timeout=chore.rng.uniform(0.2, LONGEST_SECONDS))
        assert process.returncode == 0, errors.decode()
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        chore.count("kills")


def finished(arguments: list[str]) -> None:
    """Run a command to its end, which must be a good one."""
    run = subprocess.run(
        [*AZUL, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert run.returncode == 0, (arguments, run.returncode, run.stderr[-2000:])
