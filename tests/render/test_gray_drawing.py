"""Drawings of the gray wall: gray cells, and what a player who tiles may choose."""

import re

import pytest

from azul_env import ansi, apply_action, new_game, parse_state, svg
from positions import GRAY_TILING

TILING = parse_state(GRAY_TILING)


def drafting():
    """A position of the next round: every choice takes the first column that there is."""
    state = TILING
    while state.phase == "wall_tiling":
        state = apply_action(state, 180 + state.columns_to_choose[0], rng=1).state
    return state


def frames(picture: str) -> list[str]:
    """What is framed as a choice, by seat."""
    return re.findall(r'class="choice" data-seat="(\d" data-\w+="\d)"', picture)


def test_gray_cell__is_gray_until_it_is_tiled():
    picture = svg(TILING)
    assert picture.count('class="free gray"') == 50 - 18
    assert picture.count('class="free-wall"') == 0
    assert '"tile" data-color="black" data-place="wall 0 0" data-cell="wall 0 0 0"' in picture


def test_choice__frames_the_line_and_the_columns_it_may_go_to():  # R10.5
    columns = [f'0" data-column="{column}' for column in (0, 3, 4)]
    assert frames(svg(TILING)) == ['0" data-line="3', *columns]
    assert "Player 0 to tile line 3" in ansi(TILING, color=False)
    assert "You tile line 3" in ansi(TILING, names=["You", "Bob"], color=False)


def test_choice__is_marked_in_text_as_well():
    lines = ansi(TILING, color=False).splitlines()
    assert sum("?" in line for line in lines) == 1
    assert any(line.startswith("?3    [Y][Y][Y][Y] | (0) .  . (3)(4)") for line in lines)
    assert "\x1b[1;36m 3 \x1b[0m" in ansi(TILING)


def test_columns__have_numbers_and_those_to_choose_stand_out():
    labels = re.findall(r'class="text (turn|quiet)" role="img" aria-label="(\d)"', svg(TILING))
    assert labels.count(("turn", "4")) == 1  # of the player who tiles; there is no line 4 to choose
    assert labels.count(("quiet", "4")) == 1 + 2 + 1  # the other's column, lines 4 and a factory
    colored = re.findall(r'aria-label="4"', svg(new_game(2, rng=0)))
    assert len(colored) == 2 + 1


def test_draft__has_no_frames():
    state = drafting()
    assert state.phase == "factory_offer"
    assert frames(svg(state)) == []
    assert "?" not in ansi(state, color=False)


@pytest.mark.parametrize("column", [0, 3, 4])
def test_last_move__that_placed_a_tile_is_named_but_marks_no_line(column):
    picture = svg(TILING, last_action=180 + column, last_player=1)
    assert f'aria-label="Last move by Player 1: column {column}"' in picture
    assert "last-move " not in picture.replace("last-move-words", "")
