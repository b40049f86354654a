"""Positions for tests, in the one-line text form with the obvious left out.

- A line break or a run of spaces counts as one space.
- `bag ?` (or `lid ?`) stands for all tiles that are nowhere else, so that every color has 20.
- A row of a board may leave out an empty pattern line (`:B....`), an empty wall row (`.R`) or both:
  `////` is an empty board, `/YY:W....///` one with a full line 1 and a white tile beside it.
"""

import re
from collections.abc import Iterator

import numpy as np
import pytest

from azul_env import (
    Action,
    GameState,
    IllegalActionError,
    IllegalReason,
    apply_action,
    format_action,
    format_state,
    illegal_reason,
    legal_actions,
    legal_mask,
    parse_action,
    parse_state,
)

LETTERS = "BYRKW"
FLOOR = 5  # the destination number of the floor
# On gray walls: player 0 is to choose column 0, 3 or 4 for its yellow line 3.
GRAY_TILING = (
    "azul 2p gray round 3/50 tile 0 start 0 | - - - - - | - | bag B3Y4R3K7W3 lid B7Y8R3K7W8 | "
    "16 .:KY.WR/..:RWYK./.WW:..KR./YYYY:...../RRRRR:B.... *WWB | "
    "0 W:.BYK./BB:W...K/RRR:....W/BBBB:Y..../...RR:..... BRK"
)
PLAIN_FILL = "BYRK BYRW BYKW BRKW YRKW BYRK BYRW BYKW BRKW"  # as many as there are displays


def full_text(short: str) -> str:
    """The text form of a whole position, from its short hand."""
    head, displays, center, supply, *seats = " ".join(short.split()).split(" | ")
    seats = [seat_text(seat) for seat in seats]
    if "?" in supply:
        lying_open = "".join([displays, center, *seats])
        counted = {color: int(count) for color, count in re.findall(r"([BYRKW])(\d+)", supply)}
        rest = {c: 20 - lying_open.count(c) - counted.get(c, 0) for c in LETTERS}
        if min(rest.values()) < 0:
            raise ValueError(f"more than 20 tiles of a color: {rest} left in {short!r}")
        words = "".join(f"{color}{count}" for color, count in rest.items() if count) or "-"
        supply = supply.replace("?", words)
    return " | ".join([head, displays, center, supply, *seats])


def seat_text(short: str) -> str:
    """One player's part of the text form, from its short hand `SCORE BOARD FLOOR`."""
    score, board, *rest = short.split()
    rows = []
    for row, word in enumerate(board.split("/")):
        line, _, wall = word.partition(":")
        rows.append(f"{line or '.' * (row + 1)}:{wall or '.....'}")
    return " ".join([score, "/".join(rows), *rest])


def position(short: str) -> GameState:
    return parse_state(full_text(short))


def seat(state: GameState, player: int) -> str:
    """What the text form says about one player; compare it with `seat_text`."""
    return format_state(state).split(" | ")[4 + player]


def fill(displays: str) -> list[list[int]]:
    """The logged fill that `displays` shows: `"BBYR - ..."` begins with `[2, 1, 1, 0, 0]`."""
    return [[word.count(color) for color in LETTERS] for word in displays.split()]


def play(state: GameState, *moves: str, deal: str | None = None) -> GameState:
    """The position after the named moves; `deal` is what a finished round is followed by."""
    displays = (deal or PLAIN_FILL).split()[: len(state.factories)]
    for move in moves:
        action = parse_action(move, state.num_players)
        state = apply_action(state, action, deal=fill(" ".join(displays))).state
    return state


def before_last_move(seat_0: str, seat_1: str = "0 //// -", head: str = "round 4/50") -> GameState:
    """A 2-player position in which player 1's `0W4` ends a round that player 0 started."""
    return position(f"""
        azul 2p {head} turn 1 start 0 | W - - - - | * | bag ? lid - | {seat_0} | {seat_1}""")


def after_round(seat_0: str, seat_1: str = "0 //// -", head: str = "round 4/50") -> GameState:
    """What follows from `before_last_move`; nobody took the marker."""
    return play(before_last_move(seat_0, seat_1, head), "0W4")


def legal_moves(state: GameState, start: str = "") -> list[str]:
    """The names of the legal moves that begin with `start`, say with source and color."""
    names = [format_action(action, state.num_players) for action in legal_actions(state)]
    return sorted(name for name in names if name.startswith(start))


def reason_against(state: GameState, move: str) -> IllegalReason | None:
    return illegal_reason(state, parse_action(move, state.num_players))


def assert_refused(state: GameState, action: str | Action | int, reason: IllegalReason) -> None:
    """Every way to ask gives `reason` or leaves the action out, and the state stays as it was."""
    if isinstance(action, str):
        action = parse_action(action, state.num_players)
    before = state.rows.tobytes()
    assert illegal_reason(state, action) == reason
    with pytest.raises(IllegalActionError) as refused:
        apply_action(state, action)
    assert refused.value.reason == reason
    assert action not in legal_actions(state)
    assert state.rows.tobytes() == before


def random_game(state: GameState, seed: int, floor_share: float = 0.0) -> Iterator[GameState]:
    """`state` and all that follow in a random game; `floor_share` of the moves go to the floor."""
    rng = np.random.default_rng(seed)
    yield state
    while not state.is_terminal:
        choices = np.flatnonzero(legal_mask(state))
        if rng.random() < floor_share:
            choices = choices[choices % 6 == FLOOR]
        state = apply_action(state, int(rng.choice(choices)), rng=rng).state
        yield state


def tiles_by_color(state: GameState) -> list[int]:
    """How many tiles of each color are in the game, over every place a tile can be (R1.2)."""
    counts = np.sum([state.bag, state.lid, state.center, *state.factories], axis=0)
    names = ("blue", "yellow", "red", "black", "white")
    for board in state.players:
        for color, name in enumerate(names):
            counts[color] += board.floor.count(name)
            counts[color] += sum(line.count for line in board.pattern_lines if line.color == color)
            if state.variant == "gray":
                counts[color] += sum(row.count(color + 1) for row in board.wall)
            else:
                counts[color] += sum(row[(color + r) % 5] for r, row in enumerate(board.wall))
    return counts.tolist()
