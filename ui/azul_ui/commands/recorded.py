"""Finding one game in a file of records."""

from pathlib import Path

from azul_env import GameRecord, read_records


def recorded_game(file: Path, game: int) -> GameRecord:
    """Game number `game` of a file. Raises ValueError if there are fewer."""
    wanted, count = None, 0
    for record in read_records(file):
        if count == game:
            wanted = record
        count += 1
    if wanted is None:
        raise ValueError(f"{file} holds {count} games, counted from 0: there is no game {game}")
    return wanted


def last_game(file: Path) -> GameRecord:
    """The last game of a file. Raises ValueError if there is none."""
    wanted = None
    for record in read_records(file):
        wanted = record
    if wanted is None:
        raise ValueError(f"{file} holds no game")
    return wanted
