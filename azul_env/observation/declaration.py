"""The single declaration of the observation: every number, where it lies in a state, its range and its meaning.

The compiled writers, the decoder, `observation_layout` and the tables of docs/SPEC.md (`make spec`) are derived from it.
A number is a bit-field of a word. Some words are stored in a state as they are, others are computed; neighbouring fields
share a word, because eight numbers of a word are written at once. Variants differ in the words for a wall and, if players
choose where tiles go, in a word for that choice.
"""

from typing import Final

from azul_env.core.intrinsics import lowest_bit
from azul_env.core.jit import composed_kernel, kernel
from azul_env.core.moves import full_lines
from azul_env.core.spec import (
    COLOR_NAMES,
    FACTORY_CAPACITY,
    FLOOR_SLOTS,
    MAX_PLAYERS,
    NUM_COLORS,
    NUM_LINES,
    TILES_PER_COLOR,
    EndReason,
    num_factories,
)
from azul_env.core.state import MARKER_TOKEN, NIBBLE, NIBBLE_BITS, Row, center_of
from azul_env.core.variant import COLORED, GRAY
from azul_env.core.words import ALL_LANES, LANE_BITS, as_int64
from azul_env.observation.layout import Codec, Encoding, Field, Word

DIGIT_BITS: Final = 7  # counters that may grow large are written in two digits
DIGIT: Final = (1 << DIGIT_BITS) - 1
TWO_DIGITS: Final = (1 << 2 * DIGIT_BITS) - 1
SCORE_KNEE: Final = DIGIT  # scores up to here are one number; the rest follows in two digits
IN_DIGITS: Final = f"as two digits in base {DIGIT + 1}"
MARKER_SHIFT: Final = LANE_BITS * NUM_COLORS  # above the lanes of the center
SEAT_BITS: Final = (1 << MAX_PLAYERS) - 1
# Shifts within the tiling word; its lowest bit says whether a wall is being tiled.
LINE_SHIFT: Final = 1
COLOR_SHIFT: Final = LINE_SHIFT + NUM_LINES
COLUMN_SHIFT: Final = COLOR_SHIFT + NUM_COLORS


def adjacent(count: int, bits: int, first: int = 0) -> tuple[int, ...]:
    """The shifts of numbers that follow each other at a distance of `bits`."""
    return tuple(range(first, first + bits * count, bits))


LANES: Final = adjacent(NUM_COLORS, LANE_BITS)
CELLS: Final = adjacent(NUM_LINES * NUM_LINES, bits=1)


def field(
    name: str,
    high: int | tuple[int, ...],
    shifts: tuple[int, ...],
    meaning: str,
    shape: tuple[int, ...] | None = None,
) -> Field:
    """A field of one dimension, unless the shape says otherwise."""
    highs = high if isinstance(high, tuple) else (high,)
    return Field(name, shape or (len(shifts),), highs, shifts, meaning)


def line_field(line: int) -> Field:
    """A pattern line: its number of tiles where the key is the color, 0 elsewhere."""
    shifts, colors = (NIBBLE_BITS * line,) * NUM_COLORS, tuple(range(NUM_COLORS))
    meaning = f"tiles in line {line}, by color"
    return Field(f"line_{line}", (NUM_COLORS,), (line + 1,), shifts, meaning, colors)


def word(codec: Codec, *fields: Field) -> Word:
    """A word and its fields, in order."""
    return Word(codec, fields)


def stored_by_index(name: str) -> Codec:
    """A word that the row holds for each seat or source."""

    def restore(row: Row, index: int, word: int) -> None:
        row[name][index] = word

    return Codec(composed_kernel(f"read_{name}")(lambda row, index: row[name][index]), restore)


def stored(name: str) -> Codec:
    """A word that the row holds."""

    def restore(row: Row, _: int, word: int) -> None:
        row[name] = word

    return Codec(composed_kernel(f"read_{name}")(lambda row, _: row[name]), restore)


def stored_by_color(name: str, color: int) -> Codec:
    """A word that the row holds for each seat and color."""

    def restore(row: Row, seat: int, word: int) -> None:
        row[name][seat, color] = word

    read = composed_kernel(f"read_{name}_{color}")(lambda row, seat: row[name][seat, color])
    return Codec(read, restore)


@kernel
def read_score(row: Row, seat: int) -> int:
    """The score up to the knee, what exceeds it, and the place in the order of resigning."""
    score = row["scores"][seat]
    shown = min(score, SCORE_KNEE)
    resigned = (row["resignations"] >> NIBBLE_BITS * seat) & NIBBLE
    return shown | ((score - shown) << DIGIT_BITS) | (resigned << 3 * DIGIT_BITS)


def restore_score(row: Row, seat: int, word: int) -> None:
    """The inverse of `read_score`."""
    row["scores"][seat] = (word & DIGIT) + (word >> DIGIT_BITS & TWO_DIGITS)
    row["resignations"] |= word >> 3 * DIGIT_BITS << NIBBLE_BITS * seat


@kernel
def read_center(row: Row, _: int) -> int:
    """The tiles in the center, and the marker."""
    return row["sources"][center_of(row)] | (row["marker_in_center"] << MARKER_SHIFT)


def restore_center(row: Row, _: int, word: int) -> None:
    """The inverse of `read_center`."""
    row["sources"][num_factories(row["num_players"])] = word & ALL_LANES
    row["marker_in_center"] = word >> MARKER_SHIFT


@kernel
def read_rounds(row: Row, _: int) -> int:
    """The rounds completed, and the round limit."""
    return row["round"] | (row["max_rounds"] << 2 * DIGIT_BITS)


def restore_rounds(row: Row, _: int, word: int) -> None:
    """The inverse of `read_rounds`."""
    row["round"], row["max_rounds"] = word & TWO_DIGITS, word >> 2 * DIGIT_BITS


@kernel
def read_turn(row: Row, player: int) -> int:
    """One-hot groups: the player to move and the next starter, counted from the observer; why the game is over."""
    players = row["num_players"]
    mover = row["current_player"] - player
    starter = row["starting_player_next_round"] - player
    mover = mover + players if mover < 0 else mover
    starter = starter + players if starter < 0 else starter
    reason = (1 << row["end_reason"]) >> 1
    return (1 << mover) | (1 << (MAX_PLAYERS + starter)) | (reason << 2 * MAX_PLAYERS)


def restore_turn(row: Row, player: int, word: int) -> None:
    """The inverse of `read_turn`."""
    mover = (word & SEAT_BITS).bit_length() - 1
    starter = (word >> MAX_PLAYERS & SEAT_BITS).bit_length() - 1
    row["current_player"] = (player + mover) % row["num_players"]
    row["starting_player_next_round"] = (player + starter) % row["num_players"]
    row["end_reason"] = (word >> 2 * MAX_PLAYERS).bit_length()


@kernel
def read_tiling(row: Row, _: int) -> int:
    """One bit each: whether a wall is being tiled; the line, its color, and the columns to choose from (R10.5)."""
    if row["columns"] == 0:
        return as_int64(0)
    player = row["current_player"]
    line = lowest_bit(full_lines(row["line_counts"][player])) // NIBBLE_BITS
    color = (row["line_colors"][player] >> NIBBLE_BITS * line) & NIBBLE
    columns = row["columns"] << COLUMN_SHIFT
    return 1 | (1 << (LINE_SHIFT + line)) | (1 << (COLOR_SHIFT + color)) | columns


def restore_tiling(row: Row, _: int, word: int) -> None:
    """The inverse of `read_tiling`; the line and its color follow from the board."""
    row["columns"] = word >> COLUMN_SHIFT


WALLS: Final = stored_by_index("walls")
LINE_COUNTS: Final = stored_by_index("line_counts")
LINE_COLORS: Final = stored_by_index("line_colors")
FLOORS: Final = stored_by_index("floors")
SCORE: Final = Codec(read_score, restore_score)
SOURCES: Final = stored_by_index("sources")
CENTER: Final = Codec(read_center, restore_center)
BAG: Final = stored("bag")
LID: Final = stored("lid")
ROUNDS: Final = Codec(read_rounds, restore_rounds)
TURN: Final = Codec(read_turn, restore_turn)
TILING: Final = Codec(read_tiling, restore_tiling)


COLORED_WALL: Final = (
    # One bit per cell is enough, because the pattern determines the color.
    word(WALLS, field("wall", 1, CELLS, "1 where a tile is, by row and column", (NUM_LINES,) * 2)),
)
GRAY_WALL: Final = tuple(
    word(
        stored_by_color("wall_colors", color),
        field(
            f"wall_{name}",
            1,
            CELLS,
            f"1 where a {name} tile is, by row and column",
            (NUM_LINES,) * 2,
        ),
    )
    for color, name in enumerate(COLOR_NAMES)
)
CHOICE: Final = (
    word(
        TILING,
        field("tiling", 1, (0,), "1 if the player to move chooses a column of its wall"),
        field("tiling_line", 1, adjacent(NUM_LINES, 1, LINE_SHIFT), "the line to be tiled"),
        field("tiling_color", 1, adjacent(NUM_COLORS, 1, COLOR_SHIFT), "the color of that line"),
        field(
            "tiling_column", 1, adjacent(NUM_LINES, 1, COLUMN_SHIFT), "the columns to choose from"
        ),
    ),
)
# By variant: the words for a wall, and those for a choice in tiling.
VARIANT_WORDS: Final[dict[str, tuple[tuple[Word, ...], tuple[Word, ...]]]] = {
    COLORED.name: (COLORED_WALL, ()),
    GRAY.name: (GRAY_WALL, CHOICE),
}


def encoding_of(num_players: int, variant: str) -> Encoding:
    """The whole observation of a variant."""
    return encoding(num_players, *VARIANT_WORDS[variant])


def encoding(
    num_players: int, wall: tuple[Word, ...] = COLORED_WALL, choice: tuple[Word, ...] = ()
) -> Encoding:
    """The whole observation, with these words for the wall and the choice in tiling."""
    factory = field("factories", FACTORY_CAPACITY, LANES, "tiles by factory and color")
    boards, table = board(num_players, wall), common(num_players, choice)
    return Encoding(num_players, boards, word(SOURCES, factory), table)


def board(num_players: int, wall: tuple[Word, ...]) -> tuple[Word, ...]:
    """One player's board."""
    slots, score = adjacent(FLOOR_SLOTS, NIBBLE_BITS), (0, 2 * DIGIT_BITS, DIGIT_BITS)
    order, most = (3 * DIGIT_BITS,), num_players - 1
    beyond = f"score up to {SCORE_KNEE}; the excess {IN_DIGITS}"
    return (
        *wall,
        Word(LINE_COUNTS, tuple(map(line_field, range(NUM_LINES))), keys=LINE_COLORS),
        word(
            FLOORS,
            field("floor", MARKER_TOKEN, slots, "by slot: 0 free, color + 1, or 6 for the marker"),
        ),
        word(
            SCORE,
            field("score", (SCORE_KNEE, DIGIT, DIGIT), score, beyond),
            field("resigned", most, order, "0 still playing, k the k-th to resign"),
        ),
    )


def common(num_players: int, choice: tuple[Word, ...]) -> tuple[Word, ...]:
    """The table without the factories."""
    marker = (MARKER_SHIFT,)
    digits, cap_digits = (DIGIT_BITS, 0), (3 * DIGIT_BITS, 2 * DIGIT_BITS)
    movers, starters = adjacent(num_players, 1), adjacent(num_players, 1, first=MAX_PLAYERS)
    reasons = adjacent(len(EndReason) - 1, 1, first=2 * MAX_PLAYERS)
    return (
        word(
            CENTER,
            field("center", TILES_PER_COLOR, LANES, "tiles by color"),
            field("marker_in_center", 1, marker, "1 until the first-player marker is taken"),
        ),
        word(BAG, field("bag", TILES_PER_COLOR, LANES, "tiles by color")),
        word(LID, field("lid", TILES_PER_COLOR, LANES, "tiles by color")),
        word(
            ROUNDS,
            field("round", DIGIT, digits, f"rounds completed, {IN_DIGITS}"),
            field("max_rounds", DIGIT, cap_digits, f"the round limit, {IN_DIGITS}"),
        ),
        *choice,
        word(
            TURN,
            field("to_move", 1, movers, "who is to move, or moved last: the observer first"),
            field(
                "starts_next_round", 1, starters, "who starts the next round: the observer first"
            ),
            field("end_reason", 1, reasons, "row, no tiles, max rounds, resignation"),
        ),
    )
