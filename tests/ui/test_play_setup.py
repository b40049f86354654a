"""What the options of `azul play` make of the seats."""

import pytest

from azul_ui.games.session import PERSON
from azul_ui.terminal.setup import PlayConfig, new_session, restart_command


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_seats__hold_the_person_and_the_opponents_in_order(seat):
    game = new_session(PlayConfig(("random", "greedy"), seat=seat, seed=1))
    assert game.persons == (seat,) and game.record.agents.index(PERSON) == seat
    assert [name for name in game.record.agents if name != PERSON] == ["random", "greedy"]


def test_random_seat__can_be_any():
    configs = [PlayConfig(("random",), 4, "random", seed) for seed in range(40)]
    assert {new_session(config).persons for config in configs} == {(0,), (1,), (2,), (3,)}


def test_restart_command__has_every_option():
    game = new_session(PlayConfig(("random", "greedy"), seat=1, seed=9))
    command = "azul play --vs random --vs greedy --players 3 --seat 1 --seed 9"
    assert restart_command(game).endswith(command)
