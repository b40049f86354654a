"""Finding one game in a file of records."""

from pathlib import Path

from azul_env import GameRecord, read_records


def recorded_game(file: Path, game: int) -> GameRecord:
    """Game number `game` of a file. Raises ValueError if there are fewer."""
    records = list(read_records(file))
    if game >= len(records):
        raise ValueError(
            f"{file} holds {len(records)} games, counted from 0: there is no game {game}"
        )
    return records[game]
