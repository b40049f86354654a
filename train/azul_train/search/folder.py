"""The folder of a run that learns networks: the run can be killed at any moment and resumed from it.

| file                  | what                                                                     |
|-----------------------|--------------------------------------------------------------------------|
| `config.yaml`         | the complete config, including defaults                                  |
| `run.json`            | versions, commit, machine, seed, start time and command                  |
| `clock.json`          | minutes of work so far                                                   |
| `metrics.jsonl`       | a line for every finished generation                                     |
| `generation_N/`       | games (`games_K.npz`, unfinished ones `games_K.part.npz`), networks and  |
|                       | their card, games of the matches (`best.jsonl`, `linear.jsonl`)          |
| `networks.npz`        | the best networks, with their card beside them                           |
| `report.md`           | generations, Elo and calibration, with `curve.png` and `reliability.png` |
| `lock`                | held by the process that learns here                                     |
"""

import json
from pathlib import Path
from typing import Any, Final

from azul_env import brief
from azul_env.files import read_json, write_atomically
from azul_train.run.folder import RunFolder
from azul_train.search.config import SearchConfig, read_search_config
from azul_train.search.lines import CARD, CLOCK, check_form, check_generations

GENERATION: Final = "generation"  # key of a line, and its kind
BEST, LINEAR = "best", "linear"  # opponents in matches


class SearchRunFolder(RunFolder):
    """The files of a run. Construct it with `create` or `open`."""

    subfolders = ()

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.networks = path / "networks.npz"
        self.clock_file = path / "clock.json"
        self.reliability = path / "reliability.png"

    @property
    def config(self) -> SearchConfig:  # type: ignore[override]
        """The content of `config.yaml`."""
        return read_search_config(self.config_file)

    def generation(self, number: int) -> Path:
        """The folder of a generation, counted from 1."""
        return self.path / f"generation_{number}"

    def networks_of(self, number: int) -> Path:
        """The networks that a generation has learned."""
        return self.generation(number) / "networks.npz"

    def match_file(self, number: int, opponent: str) -> Path:
        """The games of a generation's match against BEST or LINEAR."""
        return self.generation(number) / f"{opponent}.jsonl"

    def has_learned(self, number: int) -> bool:
        """True if a generation has networks and their card."""
        file = self.networks_of(number)
        return file.exists() and file.with_suffix(".json").exists()

    def card_of(self, number: int) -> dict[str, Any]:
        """The card of a generation's networks. Raises ValueError if it is broken."""
        file = self.networks_of(number).with_suffix(".json")
        return _checked(read_json(file), CARD, file, "its networks are learned again")

    def generations(self) -> list[dict[str, Any]]:
        """The finished generations, in order. Raises ValueError if the file is broken."""
        lines = self.read_metrics()
        try:
            check_generations(lines)
        except ValueError as error:
            raise ValueError(f"{self.metrics_file} is broken: {brief(error)}") from None
        return lines

    @property
    def minutes(self) -> float:
        """Minutes of work so far. Raises ValueError if the file is broken."""
        if not self.clock_file.exists():
            return 0.0
        clock = read_json(self.clock_file)
        return float(_checked(clock, CLOCK, self.clock_file, "the clock begins at 0")["minutes"])

    def save_minutes(self, minutes: float) -> None:
        """Note how much work was done."""
        write_atomically(self.clock_file, json.dumps({"minutes": minutes}) + "\n")

    @property
    def is_finished(self) -> bool:
        """True if all generations are done and reported."""
        return self.report.is_file() and len(self.generations()) >= self.config.generations


def _checked(data: Any, form: dict[str, Any], file: Path, then: str) -> dict[str, Any]:
    """The content of a JSON file. Raises ValueError, which says what happens if the file is removed."""
    try:
        check_form(data, form, "")
    except ValueError as error:
        raise ValueError(f"{file} is broken: {brief(error)}: remove it, and {then}") from None
    content: dict[str, Any] = data
    return content
