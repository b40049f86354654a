"""RULINGS 17: the colored wall as `azul_env.core.variant` knows it, and that everything else asks there."""

import copy
import pickle
import re
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

from azul_env import (
    GameBatch,
    GameRecord,
    GameRecorder,
    GameState,
    IllegalReason,
    RecordError,
    format_state,
    illegal_reason,
    new_game,
    problems,
    replay,
    to_dict,
    verify,
)
from azul_env.core.spec import COLOR_LETTERS, MAX_PLAYERS, NUM_COLORS, NUM_LINES
from azul_env.core.state import empty_rows
from azul_env.core.variant import (
    COLORED,
    VARIANTS,
    Variant,
    bonus_points,
    color_tiles,
    open_line,
    placement,
    variant_named,
    variant_of,
)
from azul_env.envs.settings import Settings
from azul_env.render import ansi, svg
from positions import position

ROOT = Path(__file__).parents[2]
LINES = range(NUM_LINES)
COLORS = range(NUM_COLORS)
EMPTY = [[0] * NUM_LINES] * NUM_LINES
MIRRORED = replace(COLORED, pattern=tuple(row[::-1] for row in COLORED.pattern))


@dataclass(frozen=True)
class Unprinted(Variant):
    """A wall whose empty cells show no color."""

    def printed_color(self, line, column):
        return None


def walls(count=300):
    """Walls as words, from empty to full, and as data."""
    rng = np.random.default_rng(1)
    words = [0, (1 << 25) - 1]
    words += [
        sum(1 << cell for cell in range(25) if rng.random() < share)
        for share in np.linspace(0.1, 0.95, count)
    ]
    return [(word, wall_of_word(word)) for word in words]


def wall_of_word(word):
    rows = empty_rows(1)
    rows[0]["walls"][0] = word
    return COLORED.wall_data(rows[0], 0)


@pytest.fixture
def drawn():
    """A position with one tile on a wall, blue in row 0."""
    return position("""
        azul 2p round 1/50 turn 0 start 0 | BBYR - - - - | * | bag ? lid -
        | 1 :B....//// - | 0 //// -""")


def test_colored_pattern__is_the_printed_one():  # R1.5
    letters = ["".join(COLOR_LETTERS[color] for color in row) for row in COLORED.pattern]
    assert letters == ["BYRKW", "WBYRK", "KWBYR", "RKWBY", "YRKWB"]


def test_colored_cell__takes_one_color_and_shows_it():  # R1.5
    for line in LINES:
        for column in LINES:
            color = COLORED.printed_color(line, column)
            assert [COLORED.datum_of(c, line, column) for c in COLORS] == [
                1 if c == color else None for c in COLORS
            ]
            assert COLORED.tile_color(1, line, column) == color
            assert COLORED.tile_color(0, line, column) is None


def test_color__has_one_column_in_a_row_until_its_tile_is_there():  # R4.2
    for line in LINES:
        for color in COLORS:
            (column,) = COLORED.open_columns(EMPTY, line, color)
            wall = copy.deepcopy(EMPTY)
            wall[line] = [int(c == column) for c in LINES]
            assert COLORED.row_colors(wall, line) == [color]
            assert COLORED.open_columns(wall, line, color) == []


def test_colored_game__asks_for_no_decision_when_a_round_ends():  # R4.2
    assert COLORED.num_tiling_actions == 0
    assert [COLORED.num_actions(players) for players in (2, 3, 4)] == [180, 240, 300]


def test_wall_as_data__round_trips_for_every_seat():
    rows = empty_rows(1)
    for seat in range(MAX_PLAYERS):
        for word, wall in walls(20):
            COLORED.put_wall(rows[0], seat, wall)
            assert rows[0]["walls"][seat] == word
            assert COLORED.wall_data(rows[0], seat) == wall


def test_placement__puts_the_tile_where_plain_python_says():  # R4.2
    for word, wall in walls():
        for line in LINES:
            for color in set(COLORS) - set(COLORED.row_colors(wall, line)):
                tiled, column, points = placement(word, line, color)
                assert COLORED.open_columns(wall, line, color) == [column]
                assert tiled == word | 1 << (NUM_LINES * line + column)
                assert 1 <= points <= 10


def test_empty_line__takes_the_colors_that_its_wall_row_lacks():  # R3.7
    for word, wall in walls():
        for line in LINES:
            colors = set(COLORS) - set(COLORED.row_colors(wall, line))
            assert open_line(word, line) == sum(1 << (6 * color + line) for color in colors)


def test_color_tiles__counts_what_plain_python_sees():
    for word, wall in walls():
        tiles = [color for line in LINES for color in COLORED.row_colors(wall, line)]
        assert [color_tiles(word, color) for color in COLORS] == [tiles.count(c) for c in COLORS]


def test_bonuses__are_the_points_that_kernels_add():  # R5.4
    for word, wall in walls():
        assert sum(COLORED.bonuses(wall)) == bonus_points(word)


def test_bonuses__tell_rows_columns_and_colors_apart():  # R5.4
    row = [[1] * NUM_LINES, *EMPTY[1:]]
    column = [[0, 0, 1, 0, 0]] * NUM_LINES
    diagonal = [[int(line == c) for c in LINES] for line in LINES]  # all blue
    assert [COLORED.bonuses(wall) for wall in (EMPTY, row, column, diagonal)] == [
        (0, 0, 0),
        (2, 0, 0),
        (0, 7, 0),
        (0, 0, 10),
    ]
    assert COLORED.bonuses([[1] * NUM_LINES] * NUM_LINES) == (10, 35, 50)


def test_variant__is_known_from_rows_states_and_names():
    state = new_game(2, rng=1)
    assert variant_of(state.rows) is variant_of(state.rows[0]) is COLORED
    assert variant_of(GameBatch(3, seed=1).rows) is COLORED
    assert state.variant == to_dict(state)["variant"] == "colored"
    assert variant_named("colored") is VARIANTS["colored"] is COLORED
    restored = pickle.loads(pickle.dumps(state))
    assert restored == state and restored.variant == "colored"


@pytest.mark.parametrize("rows", [np.zeros(1), np.zeros(1, [("walls", np.int64)])], ids=repr)
def test_rows_of_no_variant__are_no_state(rows):
    with pytest.raises(TypeError, match="holds no game"):
        variant_of(rows)
    with pytest.raises(TypeError, match="holds no game"):
        GameState(rows)


@pytest.mark.parametrize("name", ["grey", "", "Colored", None, 1, ["colored"]], ids=repr)
@pytest.mark.parametrize(
    "start",
    [
        lambda name: new_game(2, rng=1, variant=name),
        lambda name: GameRecorder(2, rng=1, variant=name),
        lambda name: GameBatch(2, seed=1, variant=name),
        lambda name: Settings(2, 50, "outcome", 0, "float32", variant=name),
    ],
    ids=["new_game", "GameRecorder", "GameBatch", "Settings"],
)
def test_unknown_variant__is_refused_by_name(start, name):
    with pytest.raises(
        ValueError, match=rf"variant={re.escape(repr(name))} is not one of colored, gray"
    ):
        start(name)


def test_known_variant__may_be_named():
    assert new_game(2, rng=1, variant="colored") == new_game(2, rng=1)
    assert Settings(2, 50, "outcome", 0, "float32", variant="colored").variant is COLORED
    recorder = GameRecorder(2, rng=1, variant="colored")
    assert recorder.record.variant == recorder.record.to_dict()["variant"] == "colored"
    assert GameRecord.from_dict(recorder.record.to_dict()) == recorder.record
    assert verify(recorder.record) == recorder.state


def test_record_of_an_unknown_variant__is_refused_with_what_is_known():
    record = GameRecorder(2, rng=1).record
    record.variant = "grey"
    with pytest.raises(
        RecordError, match=r"^variant is 'grey', this version reads 'colored' or 'gray'$"
    ):
        next(replay(record))


def test_position_of_an_unknown_variant__is_refused_with_what_is_known():
    data = to_dict(new_game(2, rng=1)) | {"variant": "grey"}
    assert list(map(str, problems(data))) == [
        "UNKNOWN_NAME at variant: 'grey' is not one of colored, gray"
    ]


def test_plain_python__asks_the_variant_for_colors(drawn, monkeypatch):
    as_colored = to_dict(drawn)
    assert " .:B..../" in format_state(drawn)
    assert illegal_reason(drawn, (0, 0, 0)) is IllegalReason.WALL_CONFLICT
    monkeypatch.setitem(VARIANTS, "colored", MIRRORED)
    assert variant_of(drawn.rows) is MIRRORED
    assert " .:W..../" in format_state(drawn)
    assert illegal_reason(drawn, (0, 0, 0)) is None
    assert "[W] k  r  y  b" in ansi(drawn, color=False)
    assert 'data-color="white" data-place="wall 0 0"' in svg(drawn)
    assert {problem.where for problem in problems(as_colored)} == {"blue", "white"}


def test_drawing__leaves_cells_without_a_printed_color_blank(drawn, monkeypatch):
    plain = {field.name: getattr(COLORED, field.name) for field in fields(Variant)}
    before = svg(drawn)
    monkeypatch.setitem(VARIANTS, "colored", Unprinted(**plain))
    assert "[B] .  .  .  ." in ansi(drawn, color=False)
    assert before.count('class="free-wall"') == 49
    assert svg(drawn).count('class="free-wall"') == 0
    assert svg(drawn).count('class="free gray"') == 49


def test_largest_datum__is_the_variant_s(monkeypatch):
    data = to_dict(new_game(2, rng=1))
    data["players"][0]["wall"][0][0] = 2
    assert "OUT_OF_RANGE at players[0].wall[0][0]: 2 is not in 0..1" in map(str, problems(data))
    monkeypatch.setitem(VARIANTS, "colored", replace(COLORED, max_datum=5))
    assert {problem.where for problem in problems(data)} == {"blue"}


def test_wall_pattern__is_known_to_one_module():
    tables = re.compile(
        r"\b(VARIANT|WALL_COLUMN|OPEN_LINE|COLOR_CELLS|wall_col(?!ors)\w+)\b|\.pattern\[|% NUM_COLORS"
    )
    sources = [
        source
        for folder in ("azul_env", "agents", "train", "ui")
        for source in (ROOT / folder).rglob("*.py")
    ]
    assert {source.name for source in sources if tables.search(source.read_text())} == {
        "variant.py"
    }
