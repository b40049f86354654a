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
| `best_model.npz`  | the network with the best evaluation                                   |
| `model.npz`       | the network at the end                                                 |
| `report.md`       | the evaluation and the learning curve, `curve.png`                     |
| `lock`            | held by the process that trains here                                   |
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

import yaml

from azul_agents.config_file import plain_data
from azul_agents.provenance import commit, machine, versions
from azul_env.files import append_line, exclusive_lock, read_json_lines, write_atomically
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


class RunFolder:
    """The files of a run. Construct it with `create` or `open`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.yaml"
        self.run_file = path / "run.json"
        self.metrics_file = path / "metrics.jsonl"
        self.tensorboard = path / "tensorboard"
        self.checkpoint = path / "checkpoint.pt"
        self.snapshots = path / "snapshots"
        self.best_model = path / "best_model.npz"
        self.model = path / "model.npz"
        self.report = path / "report.md"
        self.curve = path / "curve.png"
        self._is_locked = False
        self._writer: Any = None
        self._purge_step: int | None = None

    @classmethod
    def create(cls, root: Path, config: TrainConfig, command: str) -> Self:
        """A new folder under `root`, named after the config; NAME-2, NAME-3, ... if that exists."""
        folder = cls(_new_folder(root, config.name or DEFAULT_NAME))
        folder.snapshots.mkdir()
        run = _provenance(command) | {"seed": config.seed, "resumed": []}
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
        """The content of `run.json`."""
        try:
            return json.loads(self.run_file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{self.run_file} is broken: {error}") from None

    def note_resume(self, command: str, steps: int) -> None:
        """Record in `run.json` that the run is resumed from `steps`."""
        run = self.run
        run["resumed"].append({"steps": steps} | _provenance(command))
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
        """The objects in `metrics.jsonl`, without an unterminated last line."""
        return read_json_lines(self.metrics_file)

    def keep_metrics_until(self, steps: int) -> None:
        """Drop the metrics after `steps`, here and in TensorBoard, and the final evaluation: the run resumes there."""
        kept = [
            line
            for line in self.read_metrics()
            if line["steps"] <= steps and not line.get("final") and line["kind"] != "time"
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


def _new_folder(root: Path, name: str) -> Path:
    """Create the first of NAME, NAME-2, NAME-3, ... that does not exist."""
    root.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = root / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir()
            return path
        except FileExistsError:
            number += 1


def _provenance(command: str) -> dict[str, Any]:
    """Start time, command, commit, versions and machine."""
    return {
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": command,
        "commit": commit(),
        "versions": versions(PACKAGES),
        "machine": machine(),
    }
