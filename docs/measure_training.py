"""Steps per second of processor time in training, beside another checkout of the project.

    git worktree add ../other ee3aa2f
    python docs/measure_training.py --against ../other --set ppo.epochs=2

Learns from nothing, against greedy (30%) and four snapshots, on one thread; the two checkouts take turns, a process for each round.
Prints one JSON object. --set changes settings of this checkout alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parents[1]
LAYERS: Final = (".", "agents", "train", "ui")
WARM_UP_ROLLOUTS: Final = 5  # until the league is full
ROLLOUTS: Final = 6
LEAGUE: Final = (
    "league.scripted={greedy: 0.3}",
    "league.snapshot_every=16384",  # one per rollout
    "league.max_snapshots=4",
)


def main() -> None:
    """Measure both checkouts in turn, or this one alone."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--one-round", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one_round:
        print(json.dumps(measured(arguments.set)))
        return
    checkouts = {"this": HERE} | (
        {"other": arguments.against.resolve()} if arguments.against else {}
    )
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in checkouts}
    for _ in range(arguments.rounds):
        for name, checkout in checkouts.items():
            rounds[name].append(round_in(checkout, arguments.set if name == "this" else []))
    print(json.dumps(summed_up(rounds), indent=1))


def round_in(checkout: Path, changes: list[str]) -> dict[str, Any]:
    """One round in a process with the sources of a checkout."""
    sources = os.pathsep.join(str(checkout / layer) for layer in LAYERS)
    command = [sys.executable, __file__, "--one-round"]
    for change in changes:
        command += ["--set", change]
    answer = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": sources, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(answer.stdout)


def measured(changes: list[str]) -> dict[str, Any]:
    """The processor time of a few rollouts and what was learned from them; compiling is not counted."""
    from azul_train.config import read_config
    from azul_train.run.folder import RunFolder
    from azul_train.sb3.training import Sb3Run

    config = read_config(None, ["ppo.epochs=3", "ppo.learning_rate=0.001", *LEAGUE, *changes])
    with tempfile.TemporaryDirectory() as path:
        folder = RunFolder(Path(path))
        folder.snapshots.mkdir()
        run = Sb3Run(config, folder, lambda *progress: None)
        run._add_snapshot()
        run._start_games()
        for _ in range(WARM_UP_ROLLOUTS):
            run.play_and_learn()
        steps, began = run.steps, time.process_time()
        for _ in range(ROLLOUTS):
            run.play_and_learn()
        seconds = time.process_time() - began
    return {"seconds": round(seconds, 2), "steps_per_second": round((run.steps - steps) / seconds)}


def summed_up(rounds: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The rounds, their medians, and how many times the steps of the other checkout this one makes."""
    speeds = {
        name: median(each["steps_per_second"] for each in found) for name, found in rounds.items()
    }
    result: dict[str, Any] = {"rounds": rounds, "median_steps_per_second": speeds}
    if "other" in speeds:
        result["ratio"] = round(speeds["this"] / speeds["other"], 2)
    return result


if __name__ == "__main__":
    main()
