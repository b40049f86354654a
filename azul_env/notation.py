"""Text notation: one line for a position, two or three characters for a move. `docs/SPEC.md` has examples."""

import re
from collections.abc import Iterable
from typing import Final

from azul_env.core.actions import (
    Action,
    AnyAction,
    decode_action,
    placement_column,
    placement_of,
)
from azul_env.core.arguments import player_count, shown
from azul_env.core.spec import (
    COLOR_LETTERS,
    COLOR_NAMES,
    FLOOR,
    MARKER_NAME,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_LINES,
    RULESET,
    num_factories,
)
from azul_env.core.variant import COLORED, VARIANTS, Variant, variant_named
from azul_env.errors import NotationError
from azul_env.position import FACTORY_OFFER, GAME_OVER, WALL_TILING, Position

MAX_LETTERS: Final = 4_000  # of a position's text; the longest, of 4 players, has about 700
NOTHING: Final = "-"
FREE: Final = "."
MARKER: Final = "*"
CENTER_LETTER: Final = "C"
FLOOR_LETTER: Final = "F"
TILING_LETTER: Final = "T"
TURN_WORDS: Final = {FACTORY_OFFER: "turn", WALL_TILING: "tile"}
PHASE_OF_WORD: Final = {word: phase for phase, word in TURN_WORDS.items()}

LETTER_OF_NAME: Final = dict(zip(COLOR_NAMES, COLOR_LETTERS, strict=True)) | {MARKER_NAME: MARKER}
NAME_OF_LETTER: Final = {letter: name for name, letter in LETTER_OF_NAME.items()}

NUMBER: Final = r"(\d{1,9})"
HEAD: Final = re.compile(
    rf"azul (?P<players>\d)p(?: (?P<variant>[a-z]+))? round (?P<round>\d{{1,9}})/(?P<cap>\d{{1,9}}) "
    rf"(?:(?P<turn>{'|'.join(PHASE_OF_WORD)})|over (?P<reason>\w+) last) (?P<seat>\d) start (?P<starter>\d)",
    re.ASCII,
)
SUPPLY: Final = re.compile(r"bag (\S+) lid (\S+)")
BOARD: Final = re.compile(rf"{NUMBER} (\S+) (\S+)(?: resigned (\d))?", re.ASCII)
COUNTS: Final = re.compile(
    "".join(rf"(?:{letter}(\d{{1,3}}))?" for letter in COLOR_LETTERS), re.ASCII
)


def text_of_position(position: Position) -> str:
    """The one-line form of a position."""
    over = position["phase"] == GAME_OVER
    turn = f"over {position['end_reason']} last" if over else TURN_WORDS[position["phase"]]
    variant = VARIANTS[position["variant"]]
    name = "" if variant is COLORED else f" {variant.name}"
    head = (
        f"azul {position['num_players']}p{name} round {position['round']}/{position['max_rounds']} "
        f"{turn} {position['current_player']} start {position['starting_player_next_round']}"
    )
    center = _letters(position["center"]) + MARKER * position["center_has_marker"]
    parts = [
        head,
        " ".join(_letters(factory) or NOTHING for factory in position["factories"]),
        center or NOTHING,
        f"bag {_counts(position['bag'])} lid {_counts(position['discard'])}",
        *(_board_text(player, variant) for player in position["players"]),
    ]
    return " | ".join(parts)


def position_of_text(text: str) -> Position:
    """Parse the one-line form of a position. Raises NotationError, which quotes the part that cannot be read.

    Does not check whether a game can reach the position: see `azul_env.problems`.
    """
    if not isinstance(text, str):
        raise TypeError(f"a position's text must be a str, not {type(text).__name__}")
    if len(text) > MAX_LETTERS:
        raise NotationError(
            f"a position has at most {MAX_LETTERS:,} letters, not {len(text):,}: {shown(text)}"
        )
    parts = text.strip().split(" | ")
    head = _match(HEAD, parts[0], "azul 2p round 0/50 turn 0 start 0")
    num_players = int(head["players"])
    if not MIN_PLAYERS <= num_players <= MAX_PLAYERS or len(parts) != 4 + num_players:
        raise NotationError(
            f"{len(parts)} parts between bars for {num_players} players: a position has a head, the factories, "
            f"the center, bag and lid, and one part for each of {MIN_PLAYERS} to {MAX_PLAYERS} players"
        )
    supply = _match(SUPPLY, parts[3], "bag B20Y20R20K20W20 lid -")
    has_marker = parts[2].endswith(MARKER)
    variant = _variant_of(head["variant"])
    return {
        "ruleset": RULESET,
        "variant": variant.name,
        "num_players": num_players,
        "current_player": int(head["seat"]),
        "starting_player_next_round": int(head["starter"]),
        "phase": PHASE_OF_WORD[head["turn"]] if head["turn"] else GAME_OVER,
        "round": int(head["round"]),
        "max_rounds": int(head["cap"]),
        "end_reason": head["reason"],
        "bag": _counts_of(supply[1]),
        "discard": _counts_of(supply[2]),
        "factories": [_tiles_of(word, "factory") for word in parts[1].split(" ")],
        "center": _tiles_of(parts[2].removesuffix(MARKER) or NOTHING, "center"),
        "center_has_marker": has_marker,
        "players": [_player_of(part, variant) for part in parts[4:]],
    }


def format_action(action: AnyAction, num_players: int, variant: str = COLORED.name) -> str:
    """An action in notation: source, color and destination, such as `1W3`, `CB4` or `0KF`; or `T2`, tiling column 2."""
    move = decode_action(action, num_players, variant)
    column = placement_column(move, num_players)
    if column is not None:
        return f"{TILING_LETTER}{column}"
    source, color, destination = move
    source_name = CENTER_LETTER if source == num_factories(num_players) else str(source)
    destination_name = FLOOR_LETTER if destination == FLOOR else str(destination)
    return source_name + COLOR_LETTERS[color] + destination_name


def parse_action(text: str, num_players: int, variant: str = COLORED.name) -> Action:
    """Parse an action in notation, in upper or lower case. Raises NotationError."""
    if not isinstance(text, str):
        raise TypeError(f"a move's text must be a str, not {type(text).__name__}")
    factories = num_factories(player_count(num_players))
    sources = "".join(map(str, range(factories))) + CENTER_LETTER
    destinations = "".join(map(str, range(NUM_LINES))) + FLOOR_LETTER
    name = text.strip().upper()
    has_tiling = variant_named(variant).tiles_by_choice
    columns = [f"{TILING_LETTER}{column}" for column in range(NUM_LINES)]
    if has_tiling and name in columns:
        return placement_of(columns.index(name), num_players)
    if len(name) == 3 and name.isascii():
        parts = sources.find(name[0]), COLOR_LETTERS.find(name[1]), destinations.find(name[2])
        if min(parts) >= 0:
            return Action(*parts)
    raise NotationError(
        f"{text[:40]!r} is not a move: write a factory 0-{factories - 1} or C, a color of {COLOR_LETTERS}, "
        f"and a line 0-{NUM_LINES - 1} or F, as in 1W3 or CBF"
        + (f"; or T and a column 0-{NUM_LINES - 1}, as in T2" if has_tiling else "")
    )


def describe_action(action: AnyAction, num_players: int, variant: str = COLORED.name) -> str:
    """An action in words, such as `factory 1, white, line 3`, or `column 2`, where a tile is placed on the gray wall."""
    move = decode_action(action, num_players, variant)
    column = placement_column(move, num_players)
    if column is not None:
        return f"column {column}"
    source, color, destination = move
    source_words = "center" if source == num_factories(num_players) else f"factory {source}"
    destination_words = "floor" if destination == FLOOR else f"line {destination}"
    return f"{source_words}, {COLOR_NAMES[color]}, {destination_words}"


def _letters(counts: list[int]) -> str:
    return "".join(letter * count for letter, count in zip(COLOR_LETTERS, counts, strict=True))


def _counts(counts: list[int]) -> str:
    pairs = zip(COLOR_LETTERS, counts, strict=True)
    return "".join(f"{letter}{count}" for letter, count in pairs if count) or NOTHING


def _board_text(player: Position, variant: Variant) -> str:
    rows = []
    for number, line in enumerate(player["pattern_lines"]):
        tile = LETTER_OF_NAME[line["color"]] if line["color"] else FREE
        tiles = (tile * line["count"]).rjust(number + 1, FREE)
        cells = enumerate(player["wall"][number])
        colors = (variant.tile_color(cell, number, column) for column, cell in cells)
        rows.append(f"{tiles}:{_cell_letters(colors)}")
    floor = "".join(LETTER_OF_NAME[name] for name in player["floor"]) or NOTHING
    resigned = "" if player["resigned"] is None else f" resigned {player['resigned']}"
    return f"{player['score']} {'/'.join(rows)} {floor}{resigned}"


def _cell_letters(colors: Iterable[int | None]) -> str:
    return "".join(FREE if color is None else COLOR_LETTERS[color] for color in colors)


def _match(pattern: re.Pattern[str], part: str, example: str) -> re.Match[str]:
    found = pattern.fullmatch(part)
    if found is None:
        raise NotationError(f"cannot read {part[:80]!r}: it should look like {example!r}")
    return found


def _variant_of(name: str | None) -> Variant:
    """The variant that a text names; None is the colored one."""
    others = [known for known in VARIANTS if known != COLORED.name]
    if name is None:
        return COLORED
    if name not in others:
        raise NotationError(
            f"cannot read the variant {name[:40]!r}: it is one of {', '.join(others)}, or left out"
        )
    return VARIANTS[name]


def _counts_of(word: str) -> list[int]:
    found = COUNTS.fullmatch("" if word == NOTHING else word)
    if found is None:
        raise NotationError(f"cannot read the counts {word[:40]!r}: they look like B9Y11W2, or -")
    return [int(count or 0) for count in found.groups()]


def _tiles_of(word: str, source: str) -> list[int]:
    letters = "" if word == NOTHING else word
    if len(letters) > 100 or letters.strip(COLOR_LETTERS) or (not letters and word != NOTHING):
        raise NotationError(
            f"cannot read the {source} {word[:40]!r}: write letters of {COLOR_LETTERS}, or -"
        )
    return [letters.count(letter) for letter in COLOR_LETTERS]


def _player_of(part: str, variant: Variant) -> Position:
    found = _match(BOARD, part, "0 .:...../..:...../...:...../....:...../.....:..... -")
    rows = found[2].split("/")
    if len(rows) != NUM_LINES:
        raise NotationError(f"a board has {NUM_LINES} rows, not {len(rows)}: {found[2][:80]!r}")
    board = [_row_of(number, row, variant) for number, row in enumerate(rows)]
    floor = "" if found[3] == NOTHING else found[3]
    if any(letter not in NAME_OF_LETTER for letter in floor):
        raise NotationError(
            f"cannot read the floor {floor[:40]!r}: write letters of {COLOR_LETTERS}* or -"
        )
    return {
        "score": int(found[1]),
        "wall": [cells for _, cells in board],
        "pattern_lines": [line for line, _ in board],
        "floor": [NAME_OF_LETTER[letter] for letter in floor],
        "resigned": None if found[4] is None else int(found[4]),
    }


def _row_of(number: int, row: str, variant: Variant) -> tuple[Position, list[int]]:
    """A pattern line and the cells of its wall row."""
    line, _, wall = row.partition(":")
    tiles = line.lstrip(FREE)
    if len(line) != number + 1 or len(set(tiles)) > 1 or tiles.strip(COLOR_LETTERS):
        raise NotationError(
            f"cannot read line {number} of a board, {line[:20]!r}: it has {number + 1} spaces, "
            f"filled from the right with one color"
        )
    color = NAME_OF_LETTER[tiles[0]] if tiles else None
    return {"color": color, "count": len(tiles)}, _cells_of(number, wall, variant)


def _cells_of(number: int, wall: str, variant: Variant) -> list[int]:
    """The data of the cells of a wall row."""
    cells = [
        0 if letter == FREE else variant.datum_of(COLOR_LETTERS.find(letter), number, column)
        for column, letter in enumerate(wall[:NUM_LINES])
    ]
    known = [cell for cell in cells if cell is not None]
    if len(wall) != NUM_LINES or len(known) != NUM_LINES:
        printed = _cell_letters(variant.printed_color(number, c) for c in range(NUM_LINES))
        expected = printed if printed.strip(FREE) else f"{NUM_LINES} letters of {COLOR_LETTERS}"
        raise NotationError(
            f"cannot read row {number} of a wall, {wall[:20]!r}: its cells are {expected}, empty ones ."
        )
    return known
