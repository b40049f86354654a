"""Recorded playthroughs come out the same, line by line, on every machine."""

import pytest

from goldens.playthrough import FOLDER, GAMES, playthrough


@pytest.mark.parametrize("name", GAMES)
def test_playthrough__equals_its_golden(name: str) -> None:
    golden = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert playthrough(name).splitlines() == golden.splitlines()


def test_goldens__stay_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.glob("*.txt")) < 300_000
