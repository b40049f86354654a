"""The picture of who beats whom: every name can be read, above its column as well."""

import re

import pytest

from azul_agents.arena.ratings import Rating
from azul_agents.arena.standings import Standing, Standings
from azul_agents.arena.tables import CELL_WIDTH, win_rate_matrix
from azul_agents.arena.tally import Tally

SHORT = ("greedy", "random")
LONG = ("alphabeta:nodes=10000,breadth=16", "neural:path=runs/train/quick/best_model.npz")


def matrix(names: tuple[str, ...]) -> str:
    standings = tuple(Standing(name, Rating(1500.0, 1400.0, 1600.0), Tally()) for name in names)
    return win_rate_matrix(Standings(2, standings, ((None, 0.7), (0.3, None))))


def labels(svg: str) -> list[str]:
    return re.findall(r'aria-label="([^"]*)"', svg)


@pytest.mark.parametrize("names", [SHORT, LONG])
def test_names__are_whole_in_heads_and_rows(names):
    for name in names:
        assert labels(matrix(names)).count(name) == 2


def test_long_heads__are_slanted_and_inside_the_picture():
    assert "rotate(" not in matrix(SHORT)
    svg = matrix(LONG)
    heads = re.findall(r"translate\(([\d.]+) ([\d.]+)\) rotate\(-35\)", svg)
    assert len(heads) == 2
    width = float(re.search(r'width="(\d+)"', svg)[1])
    for x, y in heads:
        assert float(x) < width - 3 * CELL_WIDTH and float(y) > 200
