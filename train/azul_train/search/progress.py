"""The callbacks of a run: one that it reports its progress to, and one that plays its games."""

from collections.abc import Callable

Report = Callable[[str, int, int], None]  # activity, units done, units in total
PlayGames = Callable[..., None]  # with the arguments of `azul_train.search.games.play_generation`


def ignore(what: str, done: int, total: int) -> None:
    """No-op callback."""
