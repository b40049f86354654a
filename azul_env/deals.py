"""Where the tiles of a new round come from: a generator, or the log of a game."""

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np

from azul_env.core.arguments import shown, whole_number
from azul_env.core.batch import deal_games
from azul_env.core.draw import Streams
from azul_env.core.spec import FACTORY_CAPACITY, NUM_COLORS, num_factories
from azul_env.core.state import Row, Rows
from azul_env.core.words import LANE_BITS, pack_lanes, unpack_lanes
from azul_env.errors import ImpossibleDealError

Deal = Sequence[Sequence[int]]  # tiles by color for every factory, in order
RandomSource = np.random.Generator | SupportsIndex  # a generator, or a seed for one


def as_generator(rng: RandomSource | None) -> np.random.Generator:
    """A generator itself, or the one a seed stands for; None draws fresh entropy."""
    if isinstance(rng, np.random.Generator):
        return rng
    seed = None if rng is None else whole_number(rng, "rng, unless a numpy Generator,")
    # Named, because NumPy may change its default and the same seed must give the same game.
    return np.random.Generator(np.random.PCG64(seed))


def deal_randomly(rows: Rows, rng: np.random.Generator) -> None:
    """Fill the displays with tiles drawn by a generator, which gives one raw word for the whole fill."""
    deal_games(rows, stream_of(rng), 0, 1)


def stream_of(rng: np.random.Generator) -> Streams:
    """A random stream for kernels, started from the generator's next raw word."""
    return np.array([rng.bit_generator.random_raw()], np.uint64)


def deal_logged(rows: Rows, deal: Deal) -> None:
    """Fill the displays as a log says. Raises ImpossibleDealError if hands could not have drawn that."""
    row = rows[0]
    factories = _checked_counts(deal, num_factories(int(row["num_players"])))
    bag, lid = np.array(unpack_lanes(row["bag"])), np.array(unpack_lanes(row["lid"]))
    _check_order(factories, bag, lid)
    dealt = factories.sum(axis=0)
    if bag.sum() >= dealt.sum():
        bag = bag - dealt
    else:  # R2.2
        bag, lid = bag + lid - dealt, np.zeros_like(lid)
    row["bag"], row["lid"] = pack_lanes(bag), pack_lanes(lid)
    _put_on_displays(row, factories)


def _put_on_displays(row: Row, factories: np.ndarray) -> None:
    for number, tiles in enumerate(factories):
        row["sources"][number] = pack_lanes(tiles)
        for color in range(NUM_COLORS):
            if tiles[color]:
                row["available"] |= 1 << (LANE_BITS * color + number)


def _checked_counts(deal: Deal, num_displays: int) -> np.ndarray:
    """The deal as an array, if it has the form of one."""
    _check_list(deal, num_displays, "a deal")
    for number, tiles in enumerate(deal):
        _check_list(tiles, NUM_COLORS, f"display {number} of a deal")
    counts = [
        [_checked_count(count, number) for count in tiles] for number, tiles in enumerate(deal)
    ]
    return np.array(counts, np.int64)


def _check_list(data: object, length: int, name: str) -> None:
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        raise TypeError(f"{name} must be a list, not {shown(data)}")
    if len(data) != length:
        raise ImpossibleDealError(f"{name} has {length} entries, not {len(data)}: {shown(data)}")


def _checked_count(count: int, display: int) -> int:
    number = whole_number(count, f"each count of display {display}")
    if not 0 <= number <= FACTORY_CAPACITY:
        raise ImpossibleDealError(
            f"display {display} of a deal holds {shown(number)} tiles of a color"
        )
    return number


def _check_order(factories: np.ndarray, bag: np.ndarray, lid: np.ndarray) -> None:
    """Whether the displays could be drawn in order, the bag first and then, once it is empty, the lid."""
    total = min(FACTORY_CAPACITY * len(factories), int(bag.sum() + lid.sum()))
    for number, size in enumerate(factories.sum(axis=1).tolist()):
        due = min(FACTORY_CAPACITY, max(0, total - FACTORY_CAPACITY * number))  # R2.1, R2.3
        if size != due:
            raise ImpossibleDealError(
                f"display {number} of a deal holds {size} tiles, {due} are due"
            )
    # Displays that are filled before the bag runs out hold tiles of the bag alone; the one in whose middle it runs
    # out holds all that was left in it.
    from_bag = int(bag.sum()) // FACTORY_CAPACITY
    left = bag - factories[:from_bag].sum(axis=0)
    if (left < 0).any():
        raise ImpossibleDealError(
            f"a deal takes {factories[:from_bag].sum(axis=0).tolist()} from a bag of {bag.tolist()}"
        )
    if from_bag < len(factories):
        if (factories[from_bag] < left).any():
            raise ImpossibleDealError(
                f"display {from_bag} must hold the last tiles of the bag, {left.tolist()}"
            )
        if (factories.sum(axis=0) > bag + lid).any():
            raise ImpossibleDealError(
                f"a deal takes more than bag {bag.tolist()} and lid {lid.tolist()} hold"
            )
