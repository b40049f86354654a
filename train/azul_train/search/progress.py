"""What a run is given: where it reports what it is doing, and who plays its games."""

from collections.abc import Callable

Report = Callable[[str, int, int], None]  # what is being done, how much is done, of how much
PlayGames = Callable[..., None]  # with the arguments of `azul_train.search.games.play_generation`


def ignore(what: str, done: int, total: int) -> None:
    """No-op callback."""
