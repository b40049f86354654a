"""The text for terminals: every fact without colors, the same with them, never wider than the screen."""

import re
from collections import Counter

import pytest

from azul_env import Action, GameState, format_state, new_game, resign
from azul_env.render import ansi
from positions import position, random_game

ESCAPES = re.compile(r"\x1b\[[\d;]*m")

MIDDLE = """azul 2p round 2/50 turn 0 start 1 | - BYRK - BBWW - | YRRK | bag ? lid B2
    | 7 B://.RR:...Y.// - | 12 /.Y:W....///..WWW *BK"""
MIDDLE_TEXT = """\
Round 3 of at most 50   Ada to move
Last move by Bob: factory 2, white, line 4

 0  -            1 [B][Y][R][K] >2  -            3 [B][B][W][W]  4  -
 C [Y][R][R][K]
   bag 75: B13 Y16 R15 K17 W14   lid 2: B2 Y0 R0 K0 W0

Ada (to move)                      7    Bob (starts next round)           12
 0             [B] |  b  y  r  k  w      0              .  |  b  y  r  k  w
 1           .  .  |  w  b  y  r  k      1           . [Y] | [W] b  y  r  k
 2        . [R][R] |  k  w  b [Y] r      2        .  .  .  |  k  w  b  y  r
 3     .  .  .  .  |  r  k  w  b  y      3     .  .  .  .  |  r  k  w  b  y
 4  .  .  .  .  .  |  y  r  k  w  b     >4  .  . [W][W][W] |  y  r  k  w  b
 F -1 -1 -2 -2 -2 -3 -3      floor 0     F [*][B][K]-2 -2 -3 -3     floor -4"""

STATES = [
    state
    for players in (2, 3, 4)
    for state in list(random_game(new_game(players, rng=1, max_rounds=8), players, 0.3))[::9]
]


@pytest.mark.parametrize("state", STATES, ids=repr)
def test_str_of_a_state__is_the_table_without_colors(state: GameState):
    assert str(state) == f"{state}" == ansi(state, color=False)


def test_text__is_laid_out_like_this():
    drawn = ansi(position(MIDDLE), Action(2, 4, 4), 1, ["Ada", "Bob"], color=False)
    assert drawn == MIDDLE_TEXT


@pytest.mark.parametrize("state", STATES)
def test_text__shows_every_tile_once(state: GameState):
    drawn = ansi(state, color=False)
    lying_open = format_state(state).split(" | ")
    del lying_open[3], lying_open[0]  # bag and lid, and the head
    tiles = Counter(letter for letter in "".join(lying_open) if letter in "BYRKW*")
    assert Counter(re.findall(r"\[(.)\]", drawn)) == tiles


@pytest.mark.parametrize("state", STATES)
def test_text__tells_scores_supply_and_floors(state: GameState):
    drawn = ansi(state, names=list("pqst")[: state.num_players], color=False)
    scores = re.findall(r"(?:^|    )[pqst](?: \(.*?\))? +(\d+)(?=$|    )", drawn, re.MULTILINE)
    assert tuple(map(int, scores)) == state.scores
    for name, tiles in (("bag", state.bag), ("lid", state.lid)):
        counts = " ".join(f"{letter}{n}" for letter, n in zip("BYRKW", tiles, strict=True))
        assert f"{name} {sum(tiles)}: {counts}" in drawn
    penalties = (1, 1, 2, 2, 2, 3, 3)
    costs = [-sum(penalties[: len(board.floor)]) for board in state.players]
    assert [int(cost) for cost in re.findall(r"floor (-?\d+)", drawn)] == costs


@pytest.mark.parametrize("state", STATES)
def test_colors__change_the_look_only(state: GameState):
    colored = ansi(state, 0, 1)
    assert colored.count("\x1b[0m") * 2 == colored.count("\x1b[")
    bare = [line.rstrip() for line in ESCAPES.sub("", colored).split("\n")]
    assert bare == [
        line.replace("[", " ").replace("]", " ").rstrip()
        for line in ansi(state, 0, 1, color=False).split("\n")
    ]


def test_colors__differ_for_every_tile():
    state = position(
        "azul 2p round 0/50 turn 0 start 0 | BYRK W - - - | * | bag ? lid - | 0 //// - | 0 //// -"
    )
    styles = re.findall(r"\x1b\[([\d;]+)m ([BYRKW*]) \x1b", ansi(state))
    assert len(styles) == 6 and len({style for style, _ in styles}) == 6


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ["Ada", "a name without any end " * 9])
def test_text__fits_eighty_columns(state: GameState, name: str):
    drawn = ansi(state, 29, 0, [name] * state.num_players, color=False)
    assert max(map(len, drawn.split("\n"))) <= 80
    assert drawn.isascii()


def test_text__has_two_boards_in_a_row():
    for players, rows in ((2, 1), (3, 2), (4, 2)):
        lines = ansi(new_game(players, rng=0), color=False).split("\n")
        assert len([line for line in lines if line.startswith(" F ")]) == rows


def test_text__wraps_a_full_center():
    drawn = ansi(
        position("""azul 4p round 2/50 turn 1 start 0 | - - - - - - - - -
            | BBBBBYYYYYRRRRRKKKKKWWWWWWW* | bag ? lid - | 0 //// - | 0 //// - | 0 //// - | 0 //// -"""),
        color=False,
    )
    assert drawn.count("[W]") == 7 and max(map(len, drawn.split("\n"))) <= 80


def test_last_move__is_marked_at_both_ends():
    assert " C " in ansi(position(MIDDLE), color=False)
    drawn = ansi(position(MIDDLE), Action(5, 0, 5), 0, color=False)
    assert ">C " in drawn and ">F -1" in drawn and drawn.count(">") == 2
    assert ansi(position(MIDDLE), Action(5, 0, 5), color=False).count(">") == 1


def test_end__is_told():
    state = position("""azul 2p round 5/50 over row last 0 start 0 | - - - - - | - | bag - lid ?
        | 20 :BYRKW//// - | 30 //// - """)
    lines = ansi(state, color=False).split("\n")
    assert lines[:2] == ["Game over   Player 1 wins", "a row is complete, 5 rounds"]
    assert "Player 0 (rank 2)" in lines[7] and "Player 1 (winner)" in lines[7]


def test_names__cannot_break_lines_or_send_escapes():
    drawn = ansi(position(MIDDLE), names=["a\nb", "\x1b[31mred"], color=False)
    assert "a?b" in drawn and "\x1b" not in drawn


def test_you__take_the_verb_of_the_second_person():
    state = new_game(2, rng=1)
    assert "Your turn" in ansi(state, names=["You", "Bob"])
    assert "Bob to move" in ansi(state, names=["Bob", "You"])
    over = ESCAPES.sub("", ansi(resign(state, 0).state, names=["Bob", "You"]))
    # No round was played.
    assert over.splitlines()[:2] == ["Game over   You win", "all others resigned"]
