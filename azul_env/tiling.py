"""Validation of positions in the middle of tiling, where a player has to choose a column of the gray wall (R10)."""

from collections.abc import Iterator

from azul_env.core.variant import VARIANTS
from azul_env.errors import Problem, ProblemReason
from azul_env.position import Position, columns_to_choose, line_to_tile


def is_round_open(position: Position) -> bool:
    """True if a round is in progress, or was when a resignation ended the game (R8.5)."""
    return position["end_reason"] in (None, "resignation")


def has_table(position: Position) -> bool:
    """True if there are tiles to take."""
    return any(map(any, [*position["factories"], position["center"]]))


def has_tiled(player: Position) -> bool:
    """True if a player has no full line and nothing on the floor, as after tiling."""
    return line_to_tile(player) is None and not player["floor"]


def is_tiling(position: Position) -> bool:
    """True if walls are being tiled, or were when a resignation ended the game (R10.15)."""
    return (
        VARIANTS[position["variant"]].tiles_by_choice
        and is_round_open(position)
        and not has_table(position)
        and any(line_to_tile(player) is not None for player in position["players"])
    )


def tiling_problems(position: Position) -> Iterator[Problem]:
    """R10.4, R10.18. Caller guarantees that walls are being tiled."""
    latest = position["current_player"]
    has_resigned = [player["resigned"] is not None for player in position["players"]]
    if position["end_reason"] is None:
        yield from _choice_problems(position, latest, has_resigned)
        return
    has_resigned[latest] = False  # before the end
    for seat in range(len(has_resigned)):  # any of them may have been the one to choose
        if not has_resigned[seat] and not any(_choice_problems(position, seat, has_resigned)):
            return
    detail = "lines are full, but nobody can have been the one who was to choose a column"
    yield Problem(ProblemReason.TILING, "players", detail)


def _choice_problems(
    position: Position, chooser: int, has_resigned: list[bool]
) -> Iterator[Problem]:
    """Why a seat cannot be the one to choose: it has no choice, or seats that have tiled have full lines or a floor."""
    players, variant = position["players"], VARIANTS[position["variant"]]
    if len(columns_to_choose(players[chooser], variant)) < 2:
        detail = "is to choose a column, but its topmost full line does not have two legal ones"
        yield Problem(ProblemReason.TILING, f"players[{chooser}]", detail)
    starter = position["starting_player_next_round"]
    seats = [(starter + turn) % len(players) for turn in range(len(players))]
    playing = (turn for turn, seat in enumerate(seats) if not has_resigned[seat])
    before = seats[next(playing, 0) : seats.index(chooser)]
    with_row = [seat for seat in seats if any(map(all, players[seat]["wall"]))]
    for seat in sorted({*before, *with_row} - {chooser}):
        if not has_tiled(players[seat]):
            detail = "has tiled, but a line is full or the floor is not empty"
            yield Problem(ProblemReason.TILING, f"players[{seat}]", detail)
