"""Files of recorded games. They are checked when they are read: positions go into compiled code, which checks nothing."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_agents.array_file import Expected, read_arrays
from azul_agents.search.self_play import NO_END, GamesToRecord, Recording, room_for
from azul_env import brief
from azul_env.core.chance import CHANCE, Chances, checked_chances
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import MAX_PLAYERS
from azul_env.core.state import STATE
from azul_env.files import atomic_file
from azul_env.state import check_players, checked_rows


def save_recording(path: Path, recording: Recording) -> None:
    """Write a recording; one in eight bytes is not 0, so compression pays."""
    _write(path, recording._asdict())


def load_recording(path: Path, num_players: int, games: int) -> Recording:
    """The inverse of `save_recording`. Raises ValueError if the file is broken or of other games."""
    return _checked(_read(path, games), path, num_players)


def save_part(path: Path, under_way: GamesToRecord) -> None:
    """Save the games so far; `load_part` resumes them with identical results."""
    numbers = {"played": np.array(under_way.played), "chances": under_way.chances}
    _write(path, under_way.recording._asdict() | numbers)


def load_part(path: Path, under_way: GamesToRecord) -> None:
    """Resume from a file of `save_part`. Raises ValueError if it is broken or of other games."""
    under_way.go_on_from(*read_part(path, under_way.num_players, under_way.games))


def read_part(path: Path, num_players: int, games: int) -> tuple[int, Chances, Recording]:
    """Games played so far, the generator of the next one, and the recording. Raises ValueError as `load_part` does."""
    headers: dict[str, Expected] = {
        "played": ((), np.dtype(np.int64)),
        "chances": ((1,), CHANCE),
    }
    arrays = _read(path, games, headers)
    recording = _checked(arrays, path, num_players)
    played = int(arrays["played"])
    try:
        chances = checked_chances(arrays["chances"])
        if not 0 <= played <= games or (recording.games >= played).any():
            raise ValueError("its number of games is wrong")
    except ValueError as error:
        raise _broken(path, error) from None
    return played, chances, recording


def _write(path: Path, arrays: dict[str, Any]) -> None:
    with atomic_file(path) as file:
        np.savez_compressed(file, **arrays)


def _read(
    path: Path, games: int, others: dict[str, Expected] | None = None
) -> dict[str, NDArray[Any]]:
    """The arrays of a file: those of a recording, and others."""
    positions, number = range(room_for(games) + 1), np.dtype(np.int64)
    headers: dict[str, Expected] = {
        "rows": ((positions,), STATE),
        "games": ((positions,), number),
        "ends": ((positions,), number),
        "values": ((positions, MAX_PLAYERS), np.dtype(np.float32)),
        "finals": ((games,), STATE),
    }
    try:
        return read_arrays(path, headers | (others or {}))
    except ValueError as error:
        raise ValueError(f"{error}: remove it, and its games are played again") from None


def _checked(arrays: dict[str, NDArray[Any]], path: Path, num_players: int) -> Recording:
    """The recording in the arrays of a file. Raises ValueError if no self-play can have made it."""
    # Files do not record that fields are aligned, and kernels would be compiled again for unaligned ones.
    rows, finals = (arrays[name].view(STATE) for name in ("rows", "finals"))
    recording = Recording(rows, arrays["games"], arrays["ends"], arrays["values"], finals)
    try:
        _check(recording, num_players)
    except ValueError as error:
        raise _broken(path, error) from None
    return recording


def _check(recording: Recording, num_players: int) -> None:
    rows, games, ends, values, finals = recording
    if not len(rows) == len(games) == len(ends) == len(values):
        raise ValueError("its arrays differ in length")
    if np.isinf(values).any():
        raise ValueError("a value is infinite")
    # Games that are not played yet, or had too many positions, have an empty row.
    is_played = finals["num_players"] != 0
    for name, part in (("rows", rows), ("finals", finals[is_played])):
        check_players(checked_rows(part, name), num_players, "games")
    if (rows["end_reason"] != PLAYING).any() or (finals[is_played]["end_reason"] == PLAYING).any():
        raise ValueError("a game is over, or not over, where it cannot be")
    if ((games < 0) | (games >= len(finals))).any() or not is_played[games].all():
        raise ValueError("a position belongs to no game")
    positions = np.arange(len(rows))
    follows = ends != NO_END
    if (follows & ((ends <= positions) | (ends >= len(rows)))).any():
        raise ValueError("a round ends before it begins, or nowhere")
    after = ends[follows]
    if (games[after] != games[follows]).any() or rows["available"][after].any():
        raise ValueError("a round ends in another game, or while it is on")


def _broken(path: Path, error: ValueError) -> ValueError:
    return ValueError(
        f"{path} is broken: {brief(error)}: remove it, and its games are played again"
    )
