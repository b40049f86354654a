"""The folder of a training run: its config, state and results.

| file              | what                                                                   |
|-------------------|------------------------------------------------------------------------|
| `config.yaml`     | the complete config, including defaults                                |
| `run.json`        | versions, commit, machine, seed, start time and command                |
| `metrics.jsonl`   | metrics in order, one JSON object per line                             |
| `tensorboard/`    | the same numbers for TensorBoard                                       |
| `checkpoint.pt`   | the state to resume from                                               |
| `rllib/`          | the same for the engine rllib                                          |
| `snapshots/`      | frozen copies of the learner, its opponents                            |
| `candidates/`     | the network of every evaluation, of which the best is chosen           |
| `start_model.npz` | the network with which self-play started                               |
| `best_model.npz`  | the best network: so far, or chosen at the end                         |
| `model.npz`       | the network at the end                                                 |
| `report.md`       | the evaluation and the learning curve, `curve.png`                     |
| `lock`            | held by the process that trains here                                   |
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Final, Protocol, Self

import yaml

from azul_agents.config_file import check_unchanged, plain_data
from azul_agents.provenance import start_of_run
from azul_env import shown
from azul_env.files import (
    append_line,
    exclusive_lock,
    new_folder,
    read_json,
    read_json_lines,
    write_atomically,
)
from azul_train.config import DEFAULT_NAME, TrainConfig, read_config

PACKAGES: Final = (
    "azul_env",
    "numpy",
    "numba",
    "gymnasium",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
    "ray",
)
TENSORBOARD_FLUSH_SECONDS: Final = 10
MAX_METRICS_BYTES: Final = 1 << 26  # a line has 200 bytes, and a run of a day some thousands
RUN_KEYS: Final = {  # that reports read, with their types
    "started": str,
    "command": str,
    "commit": (str, NoneType),
    "versions": dict,
    "machine": dict,
    "resumed": list,
}


class RunConfig(Protocol):
    """The part of a run's config that its folder needs; a dataclass."""

    @property
    def name(self) -> str | None:
        """Name of the folder."""
        ...

    @property
    def seed(self) -> int:
        """Seed of the run."""
        ...


class RunFolder:
    """The files of a run. Construct it with `create` or `open`."""

    subfolders: ClassVar[tuple[str, ...]] = ("snapshots", "candidates")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.yaml"
        self.run_file = path / "run.json"
        self.metrics_file = path / "metrics.jsonl"
        self.tensorboard = path / "tensorboard"
        self.checkpoint = path / "checkpoint.pt"
        self.snapshots = path / "snapshots"
        self.candidates = path / "candidates"
        self.start_model = path / "start_model.npz"
        self.best_model = path / "best_model.npz"
        self.model = path / "model.npz"
        self.report = path / "report.md"
        self.curve = path / "curve.png"
        self._is_locked = False
        self._writer: Any = None
        self._purge_step: int | None = None

    @classmethod
    def create(cls, root: Path, config: RunConfig, command: str) -> Self:
        """A new folder under `root`, named after the config; NAME-2, NAME-3, ... if that exists."""
        folder = cls(new_folder(root, config.name or DEFAULT_NAME))
        for name in cls.subfolders:
            (folder.path / name).mkdir()
        run = start_of_run(command, PACKAGES) | {
            "seed": config.seed,
            "config": plain_data(config),
            "resumed": [],
        }
        write_atomically(folder.run_file, json.dumps(run, indent=2) + "\n")
        # The config comes last: a folder that has one is complete.
        text = yaml.safe_dump(plain_data(config), sort_keys=False, allow_unicode=True)
        write_atomically(folder.config_file, text)
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """The folder of an existing run. Raises ValueError if a file is missing."""
        if not path.is_dir():
            raise ValueError(f"{path} is not the folder of a run: it does not exist")
        folder = cls(path)
        for file in (folder.config_file, folder.run_file):
            if not file.is_file():
                raise ValueError(f"{path} is not the folder of a run: it has no {file.name}")
        return folder

    @property
    def config(self) -> TrainConfig:
        """The content of `config.yaml`."""
        return read_config(self.config_file)

    @property
    def run(self) -> dict[str, Any]:
        """The content of `run.json`. Raises ValueError if it is not an object."""
        data = read_json(self.run_file)
        if not isinstance(data, dict):
            raise ValueError(f"{self.run_file} is broken: it must be an object, not {shown(data)}")
        return data

    @property
    def provenance(self) -> dict[str, Any]:
        """The content of `run.json`. Raises ValueError if a key is missing."""
        data = self.run
        parts: list[tuple[Any, dict[str, Any]]] = [(data, RUN_KEYS)]
        if isinstance(data.get("resumed"), list):
            parts += [(resumed, {"command": str}) for resumed in data["resumed"]]
        for part, keys in parts:
            for key, kind in keys.items():
                if not isinstance(part, dict) or not isinstance(part.get(key), kind):
                    raise ValueError(f"{self.run_file} is broken: {key} is missing or wrong")
        return data

    def candidate(self, steps: int) -> Path:
        """The file of the network that was evaluated after this many steps."""
        return self.candidates / f"{steps:09d}.npz"

    def check_config(self) -> None:
        """Raise ValueError if `config.yaml` was changed after the run began."""
        before = self.run.get("config")  # runs of older versions have none
        if before is not None:
            check_unchanged(self.config_file, self.config, before)

    def check_results(self) -> None:
        """Raise ValueError if a file is missing that every run with a checkpoint has."""
        for file in (self.metrics_file, self.start_model, self.best_model):
            if not file.is_file():
                raise ValueError(f"{self.path} cannot be resumed: it has no {file.name}")

    def note_resume(self, command: str, steps: int) -> None:
        """Record in `run.json` that the run is resumed from `steps`."""
        run = self.provenance
        run["resumed"].append({"steps": steps} | start_of_run(command, PACKAGES))
        write_atomically(self.run_file, json.dumps(run, indent=2) + "\n")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the folder, which the system releases if the process is killed. Reentrant."""
        if self._is_locked:
            yield
            return
        with exclusive_lock(self.path / "lock", f"{self.path} is in use by another training run"):
            self._is_locked = True
            try:
                yield
            finally:
                self._is_locked = False

    def append_metrics(self, line: dict[str, Any]) -> None:
        """Append an object to `metrics.jsonl`."""
        text = json.dumps(line, default=float)  # converts NumPy scalars
        append_line(self.metrics_file, text, sync=False)

    def read_metrics(self) -> list[dict[str, Any]]:
        """The objects in `metrics.jsonl`, without an unterminated last line; `check_metrics` looks at their keys."""
        return read_json_lines(self.metrics_file, MAX_METRICS_BYTES)

    def keep_metrics_until(self, steps: int) -> None:
        """Drop the metrics after `steps`, here and in TensorBoard, and the final evaluation, to resume from there."""
        kept = [
            line
            for line in self.read_metrics()
            if isinstance(line.get("steps"), int)
            and line["steps"] <= steps
            and not line.get("final")
            and line.get("kind") not in ("time", "choice")
        ]
        write_atomically(self.metrics_file, "".join(json.dumps(line) + "\n" for line in kept))
        self._purge_step = steps + 1

    def scalars(self, step: int, values: dict[str, float]) -> None:
        """Write scalars for TensorBoard."""
        if self._writer is None:
            # Imported here: reports need neither torch nor TensorBoard.
            from torch.utils.tensorboard.writer import SummaryWriter

            self._writer = SummaryWriter(
                str(self.tensorboard),
                purge_step=self._purge_step,
                flush_secs=TENSORBOARD_FLUSH_SECONDS,
            )
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Close the TensorBoard writer."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
