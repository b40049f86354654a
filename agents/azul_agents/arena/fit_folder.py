"""The folder of `azul fit-evaluation`: a run can be killed at any moment and resumed from it.

| file                  | what                                                                |
|-----------------------|---------------------------------------------------------------------|
| `config.yaml`         | the complete config, including defaults                             |
| `run.json`            | output path; config, versions, commit, machine and command          |
| `weights.npz`         | the weights that the run began with                                 |
| `improvements.jsonl`  | finished improvements, one JSON object per line                     |
| `card.json`           | a copy of the card, written last                                    |
| `improvement_N/`      | self-play so far (`.npz`), fitted weights, games of the match       |
| `lock`                | held by the process that runs the fit                               |
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import yaml

from azul_agents.arena.game import GameResult
from azul_agents.arena.results_file import result_of
from azul_agents.arena.run_configs import FitConfig as FitConfig
from azul_agents.array_file import read_arrays
from azul_agents.config_file import (
    check_unchanged,
    load_config,
    plain_data,
)
from azul_agents.provenance import start_of_run
from azul_agents.search.features import NUM_BUCKETS
from azul_agents.search.linear import NAMES_OF_FEATURES, Weights
from azul_env import brief
from azul_env.files import (
    append_line,
    atomic_file,
    exclusive_lock,
    new_folder,
    read_json,
    read_json_lines,
    write_atomically,
)

FORMAT: Final = 1
# The self-play of an improvement, in files such as games_0.npz.
GAMES, HELD_OUT_GAMES = SELF_PLAY = (
    "games",
    "held_out",
)


class FitFolder:
    """The files of a run. Construct it with `create` or `open`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.yaml"
        self.run_file = path / "run.json"
        self.weights_file = path / "weights.npz"
        self.improvements_file = path / "improvements.jsonl"
        self.card_file = path / "card.json"

    @classmethod
    def create(
        cls, root: Path, config: FitConfig, weights: Weights, out: Path, command: str
    ) -> Self:
        """A new folder under `root`, named after the card; NAME-2, NAME-3, ... if that exists."""
        folder = cls(new_folder(root, out.stem))
        save_weights(folder.weights_file, weights)
        run = {"format": FORMAT, "out": str(out.resolve()), "config": plain_data(config)}
        write_atomically(folder.run_file, json.dumps(run | start_of_run(command), indent=2) + "\n")
        # The config comes last: a folder that has one is complete.
        write_atomically(folder.config_file, yaml.safe_dump(plain_data(config), sort_keys=False))
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """The folder of an existing run. Raises ValueError if it is incomplete, changed or of another version."""
        if not path.is_dir():
            raise ValueError(f"{path} is not the folder of a fit: it does not exist")
        folder = cls(path)
        for file in (folder.config_file, folder.run_file, folder.weights_file):
            if not file.is_file():
                raise ValueError(f"{path} is not the folder of a fit: it has no {file.name}")
        run = folder.run
        if run.get("format") != FORMAT or not {"out", "config"} <= run.keys():
            raise ValueError(f"{path} is a fit of another version of azul_env: start a new one")
        check_unchanged(folder.config_file, folder.config, run["config"])
        return folder

    @property
    def config(self) -> FitConfig:
        """The content of `config.yaml`."""
        return load_config(FitConfig, self.config_file)

    @property
    def run(self) -> dict[str, Any]:
        """The content of `run.json`."""
        run = read_json(self.run_file)
        if not isinstance(run, dict):
            raise ValueError(f"{self.run_file} is broken: it holds no object")
        return run

    @property
    def out(self) -> Path:
        """The output path of the card."""
        return Path(self.run["out"])

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the folder, which the system releases if the process is killed."""
        with exclusive_lock(self.path / "lock", f"{self.path} is in use by another fit"):
            yield

    def improvements(self) -> list[dict[str, Any]]:
        """The finished improvements, in order. Raises ValueError if the file is broken."""
        steps = read_json_lines(self.improvements_file)
        if len(steps) > self.config.improvements or not all(map(_is_improvement, steps)):
            raise ValueError(f"{self.improvements_file} is broken: remove it to improve again")
        return steps

    def add_improvement(self, step: dict[str, Any]) -> None:
        """Append a finished improvement."""
        append_line(self.improvements_file, json.dumps(step))

    def remove_sums(self, number: int) -> None:
        """Remove the sums of a finished improvement's games, which are large."""
        for name in SELF_PLAY:
            for part in range(self.config.jobs):
                (self.part(number) / f"{name}_{part}.npz").unlink(missing_ok=True)

    def part(self, number: int) -> Path:
        """The folder of an improvement, counted from 1."""
        return self.path / f"improvement_{number}"

    @property
    def is_finished(self) -> bool:
        """True if the card is written."""
        return self.card_file.is_file()


def save_weights(path: Path, weights: Weights) -> None:
    """Write weights without rounding."""
    with atomic_file(path) as file:
        np.savez(file, weights=weights)


def weights_shape(variant: str) -> tuple[int, int]:
    """Buckets and features of the weights for a variant."""
    return NUM_BUCKETS, len(NAMES_OF_FEATURES[variant])


def read_weights(path: Path, shape: tuple[int, ...]) -> Weights:
    """The inverse of `save_weights`. Raises ValueError if the file is broken or of another version."""
    weights = read_arrays(path, {"weights": (shape, np.dtype(np.float64))})["weights"]
    if not np.isfinite(weights).all():
        raise ValueError(f"{path} is broken: its weights are not finite")
    return weights


def append_result(path: Path, result: GameResult) -> None:
    """Add a finished game of a match."""
    append_line(path, json.dumps(vars(result)))


def read_results(path: Path, players: int, most: int) -> list[GameResult]:
    """The finished games of a match, in order. Raises ValueError for more than `most`, or an invalid one."""
    try:
        results = [result_of(line, players) for line in read_json_lines(path)]
        if len(results) > most:
            raise ValueError(f"it has {len(results)} games, not {most}")
    except ValueError as error:
        text = f"{path} is broken: {brief(error)}: remove it, and its games are played again"
        raise ValueError(text) from None
    return results


def _is_improvement(step: dict[str, Any]) -> bool:
    """True if a line of `improvements.jsonl` has all the fields that are read back."""
    return isinstance(step, dict) and isinstance(step.get("kept"), bool)
