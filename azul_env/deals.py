"""Where the tiles of a new round come from: a generator, or the log of a game."""

from collections.abc import Sequence
from operator import index as as_integer
from typing import SupportsIndex

import numpy as np

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
    if rng is not None and not isinstance(rng, SupportsIndex):
        raise TypeError(f"rng must be a numpy Generator or a seed, not {type(rng).__name__}")
    # Named, because NumPy may change its default and the same seed must give the same game.
    return np.random.Generator(np.random.PCG64(None if rng is None else as_integer(rng)))


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
    if not isinstance(deal, Sequence) or isinstance(deal, str | bytes):
        raise TypeError(f"a deal is a list of displays, not {type(deal).__name__}")
    if len(deal) != num_displays:
        raise ImpossibleDealError(f"a deal fills {num_displays} displays, not {len(deal)}")
    for number, tiles in enumerate(deal):
        if not isinstance(tiles, Sequence) or len(tiles) != NUM_COLORS:
            raise ImpossibleDealError(
                f"display {number} of a deal needs {NUM_COLORS} counts: {tiles!r:.60}"
            )
        for count in tiles:
            if isinstance(count, bool) or not isinstance(count, SupportsIndex):
                raise TypeError(
                    f"display {number} of a deal holds {count!r:.40}, not a whole number"
                )
            if not 0 <= as_integer(count) <= FACTORY_CAPACITY:
                raise ImpossibleDealError(
                    f"display {number} of a deal holds {as_integer(count)} tiles of a color"
                )
    return np.array(deal, np.int64)


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
