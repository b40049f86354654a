"""Deals at the start of a round: their probabilities, drawing them, and applying them.

A move that ends a round leads to an afterstate (`azul_env.afterstate`): scored, with an empty table. These functions lead
from there to the next round, all tiles at once or tile by tile, for the chance nodes of a search.
"""

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from azul_env.core.arguments import number_between, seed_number, shown, whole_number
from azul_env.core.batch import fill_one
from azul_env.core.spec import FACTORY_CAPACITY, NUM_COLORS, num_factories
from azul_env.core.state import Rows
from azul_env.core.words import pack_lanes, unpack_lanes
from azul_env.errors import ImpossibleDealError
from azul_env.position import put_tiles
from azul_env.state import GameState, check_state, trusted_state

Deal = Sequence[Sequence[int]]  # tiles by factory and color
RandomSource = np.random.Generator | SupportsIndex  # a generator, or a seed


def tiles_due(state: GameState) -> int:
    """Number of tiles in the next deal: 4 per factory, or all that are left; 0 if no deal is due."""
    check_state(state)
    if not state.awaits_deal:
        return 0
    return min(FACTORY_CAPACITY * len(state.factories), sum(state.bag) + sum(state.lid))


def tile_chances(state: GameState, drawn: Sequence[int] = ()) -> NDArray[np.float64]:
    """The probability of each color for the next tile, given the colors `drawn` so far in this deal.

    Tiles come from the bag until it is empty, then from the lid (R2.2). Raises ValueError if no tile is due.
    """
    _check_tiles(drawn)
    if len(drawn) >= tiles_due(state):
        raise ValueError(
            f'no tile is due after {len(drawn)} of {tiles_due(state)} tiles: "{state!r}"'
        )
    from_bag = sum(state.bag)
    left = np.array(state.bag if len(drawn) < from_bag else state.lid, np.float64)
    for color in drawn if len(drawn) < from_bag else drawn[from_bag:]:
        left[number_between(color, 0, NUM_COLORS - 1, "color")] -= 1
    if left.min() < 0:
        raise ImpossibleDealError(f"{shown(list(drawn))} cannot be drawn from this bag and lid")
    return left / left.sum()


def deal_of_tiles(state: GameState, tiles: Sequence[int]) -> Deal:
    """The deal for colors drawn in this order: the first four go to factory 0, and so on."""
    _check_tiles(tiles)
    if len(tiles) != tiles_due(state):
        raise ImpossibleDealError(f"{len(tiles)} tiles were drawn, {tiles_due(state)} are due")
    factories = [[0] * NUM_COLORS for _ in state.factories]
    for number, color in enumerate(tiles):
        factories[number // FACTORY_CAPACITY][
            number_between(color, 0, NUM_COLORS - 1, "color")
        ] += 1
    return factories


def drawn_deal(state: GameState, rng: RandomSource | None = None) -> Deal:
    """A random deal for the next round: drawn from a generator, or the one that a seed has for this round."""
    rows = _awaiting(state)
    deal_randomly(rows, rng)
    return [list(tiles) for tiles in trusted_state(rows).factories]


def dealt(state: GameState, deal: Deal) -> GameState:
    """The state after a deal. Raises ImpossibleDealError if bag and lid do not allow it."""
    rows = _awaiting(state)
    deal_given(rows, deal)
    return trusted_state(rows)


def _awaiting(state: GameState) -> Rows:
    """A copy of the rows of a state that awaits a deal. Raises ValueError for any other state."""
    check_state(state)
    if not state.awaits_deal:
        raise ValueError(f'no deal is due here: "{state!r}"')
    return state.rows.copy()


def deal_randomly(rows: Rows, rng: RandomSource | None) -> None:
    """Deal the next round in place, from a generator's next raw word or from a seed's word for this round."""
    fill_one(rows, deal_word(rng, int(rows["round"][0])))


def deal_word(rng: RandomSource | None, number: int) -> np.uint64:
    """The word that seeds a deal: a generator's next raw word, or word `number` of PCG64(seed)."""
    if isinstance(rng, np.random.Generator):
        return np.uint64(rng.bit_generator.random_raw())
    return np.uint64(seeded_bits(rng).advance(number).random_raw())


def check_random_source(rng: RandomSource | None) -> None:
    """Raise TypeError or ValueError unless tiles can be drawn from it, or it is None."""
    if not (rng is None or isinstance(rng, np.random.Generator)):
        seed_number(rng)


def seeded_bits(seed: SupportsIndex | None) -> np.random.PCG64:
    """The bit generator of a seed; None draws fresh entropy."""
    # Not `default_rng`: NumPy may change its default, and a seed must always give the same game.
    return np.random.PCG64(None if seed is None else seed_number(seed))


def deal_given(rows: Rows, deal: Deal) -> None:
    """Deal the next round in place as given. Raises ImpossibleDealError if bag and lid do not allow it."""
    row = rows[0]
    factories = _checked_counts(deal, num_factories(int(row["num_players"])))
    bag, lid = np.array(unpack_lanes(row["bag"])), np.array(unpack_lanes(row["lid"]))
    _check_order(factories, bag, lid)
    taken = factories.sum(axis=0)
    if bag.sum() >= taken.sum():
        bag = bag - taken
    else:  # R2.2
        bag, lid = bag + lid - taken, np.zeros_like(lid)
    row["bag"], row["lid"] = pack_lanes(bag), pack_lanes(lid)
    for number, tiles in enumerate(factories):
        put_tiles(row, number, tiles)


def _checked_counts(deal: Deal, num_factories_due: int) -> np.ndarray:
    """A deal as an array. Raises TypeError or ImpossibleDealError unless it has the right form."""
    _check_list(deal, num_factories_due, "a deal")
    for number, tiles in enumerate(deal):
        _check_list(tiles, NUM_COLORS, f"factory {number} of a deal")
    counts = [
        [_checked_count(count, number) for count in tiles] for number, tiles in enumerate(deal)
    ]
    return np.array(counts, np.int64)


def _check_tiles(tiles: object) -> None:
    if not isinstance(tiles, Sequence | np.ndarray) or isinstance(tiles, str | bytes):
        raise TypeError(f"the tiles drawn must be a list of colors, not {shown(tiles)}")


def _check_list(data: object, length: int, name: str) -> None:
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        raise TypeError(f"{name} must be a list, not {shown(data)}")
    if len(data) != length:
        raise ImpossibleDealError(f"{name} has {length} entries, not {len(data)}: {shown(data)}")


def _checked_count(count: int, factory: int) -> int:
    number = whole_number(count, f"each count of factory {factory}")
    if not 0 <= number <= FACTORY_CAPACITY:
        raise ImpossibleDealError(
            f"factory {factory} of a deal holds {shown(number)} tiles of a color"
        )
    return number


def _check_order(factories: np.ndarray, bag: np.ndarray, lid: np.ndarray) -> None:
    """Raise ImpossibleDealError unless the factories can be filled in order from the bag and then from the lid."""
    total = min(FACTORY_CAPACITY * len(factories), int(bag.sum() + lid.sum()))
    for number, size in enumerate(factories.sum(axis=1).tolist()):
        due = min(FACTORY_CAPACITY, max(0, total - FACTORY_CAPACITY * number))  # R2.1, R2.3
        if size != due:
            raise ImpossibleDealError(
                f"factory {number} of a deal holds {size} tiles, {due} are due"
            )
    # Factories filled before the bag runs out hold tiles of the bag only; the next one holds all that was left in it.
    from_bag = int(bag.sum()) // FACTORY_CAPACITY
    left = bag - factories[:from_bag].sum(axis=0)
    if (left < 0).any():
        raise ImpossibleDealError(
            f"a deal takes {factories[:from_bag].sum(axis=0).tolist()} from a bag of {bag.tolist()}"
        )
    if from_bag < len(factories):
        if (factories[from_bag] < left).any():
            raise ImpossibleDealError(
                f"factory {from_bag} must hold the last tiles of the bag, {left.tolist()}"
            )
        if (factories.sum(axis=0) > bag + lid).any():
            raise ImpossibleDealError(
                f"a deal takes more than bag {bag.tolist()} and lid {lid.tolist()} hold"
            )
