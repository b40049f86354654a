"""Perft on the gray wall: how many ways to play on there are from fixed positions, counted by both engines.

A way is a sequence of turns of the given length, or a shorter one that ends the round. Choosing a column is a turn.
"""

import pytest

from azul_env import apply_action, from_dict, legal_mask, to_dict
from reference.gray import GrayGame
from reference.gray_positions import EMPTY, Data, gray, next_fill

ONE_CHOOSES = gray("0 B/YY/RRR/BBBB/ -", EMPTY, turn=0, center="*")
TWO_CHOOSE = gray("12 B:.Y.../BB:..K../:B....// *W", "7 W/WW:..R../:...W./WWWW:K..../ -", turn=0)
TWO_DRAFTS_LEFT = gray(
    "9 :KY.R./BB:...W./.RR// -",
    "4 B:KY.RW/YY:R..../:...Y.// K",
    "0 R//..B// -",
    turn=2,
    start=1,
    factories="WW - - - - - KKKK",
    center="*",
)
ONE_RESIGNED = gray(
    "0 B/.Y/// -",
    "0 Y/YY/// - resigned 0",
    "0 K//KKK:.R...// -",
    EMPTY,
    turn=3,
    start=1,
    center="WW*",
)


def ways(data: Data, turns: int) -> int:
    if turns == 0:
        return 1
    state = from_dict(data)
    total = 0
    for action in legal_mask(state).nonzero()[0].tolist():
        after = apply_action(state, action, deal=next_fill(data)).state
        total += 1 if after.round > state.round else ways(to_dict(after), turns - 1)
    return total


def reference_ways(data: Data, turns: int) -> int:
    if turns == 0:
        return 1
    total = 0
    for action in GrayGame.from_dict(data).legal_actions():
        game = GrayGame.from_dict(data)
        game.take_turn(action)
        is_over = game.round > data["round"]
        total += 1 if is_over else reference_ways(game.to_dict(), turns - 1)
    return total


@pytest.mark.parametrize(
    ("data", "counts"),
    [
        pytest.param(ONE_CHOOSES, (5, 25, 125, 500), id="one chooses"),
        pytest.param(TWO_CHOOSE, (3, 7, 28, 63, 98), id="two choose"),
        pytest.param(TWO_DRAFTS_LEFT, (8, 28, 56, 280, 1190), id="two drafts left"),
        pytest.param(ONE_RESIGNED, (6, 30, 150, 570, 1120), id="one resigned"),
    ],
)
def test_perft__counts_the_ways_to_tile(data: Data, counts: tuple[int, ...]) -> None:
    for turns, count in enumerate(counts, start=1):
        assert ways(data, turns) == count
        assert reference_ways(data, turns) == count
