"""Perft: how many ways to play on there are from fixed positions, counted by both engines.

A way is a sequence of turns of the given length, or a shorter one that ends the round.
"""

import pytest

from azul_env import GameState, apply_action, legal_actions, new_game, to_dict
from positions import position
from reference.engine import Game

OPENING = new_game(2, rng=0)
LATE_IN_A_ROUND = position("""
    azul 2p round 2/50 turn 1 start 0 | - - BBKW - YRRR | YKKW* | bag ? lid B3Y2 |
    7 B:.Y.../.R:W.Y../:..B../KKKK:/...YY:..K.. B |
    9 :BY.../YY:/.WW:K..../:R..../..RRR:....B -""")
THREE_PLAYERS = position("""
    azul 3p round 4/50 turn 2 start 2 | - - - BWWW - - - | BBYK | bag ? lid K9 |
    12 :BYR../.K:.BY../.BB:/:..W../:.R... WW |
    3 W:B..../:W..../:.WB../.BBB:/:...W. - |
    30 :.Y.K./:.B.R./..R:K..../WWWW:/.YYYY: *BR""")
FOUR_PLAYERS = position("""
    azul 4p round 1/50 turn 3 start 1 | YYRR - - - - - - - BKKK | R | bag ? lid - |
    0 //// Y | 2 /.R/// *Y | 1 //WWW// - | 4 K:B....///..YY/ RR""")


def ways(state: GameState, turns: int) -> int:
    if turns == 0:
        return 1
    total = 0
    for action in legal_actions(state):
        after = apply_action(state, action, rng=0).state
        total += 1 if after.round > state.round else ways(after, turns - 1)
    return total


def reference_ways(position: dict, turns: int) -> int:
    if turns == 0:
        return 1
    total = 0
    for action in Game.from_dict(position).legal_actions():
        game = Game.from_dict(position)
        game.take_turn(action)
        is_over = game.round > position["round"]
        total += 1 if is_over else reference_ways(game.to_dict(), turns - 1)
    return total


@pytest.mark.parametrize(
    ("state", "counts"),
    [
        pytest.param(OPENING, (84, 6552), id="opening"),
        pytest.param(LATE_IN_A_ROUND, (23, 332, 4170), id="late in a round"),
        pytest.param(THREE_PLAYERS, (12, 172, 1533, 5922), id="three players"),
        pytest.param(FOUR_PLAYERS, (21, 474, 6864), id="four players"),
    ],
)
def test_perft__counts_the_ways_to_play_on(state: GameState, counts: tuple[int, ...]) -> None:
    for turns, count in enumerate(counts, start=1):
        assert ways(state, turns) == count
        assert reference_ways(to_dict(state), turns) == count
