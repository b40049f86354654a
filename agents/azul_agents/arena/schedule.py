"""Which games are played, and where each one's chance comes from.

Every deal is played once per rotation of the seats, so that the luck of the deal cancels. The same deal means the same
seed of the generator that deals: the first round is the same, later rounds draw from what the players left in the bag.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations

import numpy as np

DEALS, AGENTS = 0, 1  # first numbers of the keys of the two kinds of generators
SEED_BITS = 53  # of a deal's seed, so that every JSON reader keeps it exact

Seating = tuple[int, ...]  # numbers of agents around a table


@dataclass(frozen=True)
class ScheduledGame:
    """A game to be played: who sits where, and all seeds.

    A place is a number within the table that an agent keeps however the seats are rotated.
    """

    seed: int  # of the whole match or tournament
    table: tuple[int, ...]  # key of the table within it; empty for a match
    specs: tuple[str, ...]  # agents by place
    order: Seating  # places in the order they sit in, clockwise
    deal: int
    rotation: int

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self.specs)

    @property
    def places(self) -> Seating:
        """Places by seat: the rotation moves everybody so many seats on."""
        return tuple(
            self.order[(seat - self.rotation) % self.num_players]
            for seat in range(self.num_players)
        )

    @property
    def deal_seed(self) -> int:
        """The seed of the generator that deals, the same for all rotations."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(*self.table, DEALS, self.deal))
        return int(sequence.generate_state(1, np.uint64)[0]) >> (64 - SEED_BITS)

    def agent_rng(self, place: int) -> np.random.Generator:
        """An agent's own generator for this game, which does not depend on the seat it has."""
        number = self.deal * self.num_players + self.rotation
        key = (*self.table, AGENTS, number, place)
        return np.random.Generator(
            np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=key))
        )


def whole_deals(games: int, num_players: int) -> int:
    """How many deals make at least so many games."""
    return math.ceil(games / num_players)


def table_games(
    specs: tuple[str, ...], games: int, seed: int, table: tuple[int, ...] = ()
) -> Iterator[ScheduledGame]:
    """The games of a match or of a table in a tournament, at least so many, all rotations of a deal in a row.

    From deal to deal the agents sit in another circular order, so that nobody always follows the same neighbor: of two
    greedy players at a table with a random one, the one behind it wins 11 games where the other wins 9.
    """
    orders = [(0, *others) for others in permutations(range(1, len(specs)))]
    for deal in range(whole_deals(games, len(specs))):
        for rotation in range(len(specs)):
            yield ScheduledGame(seed, table, specs, orders[deal % len(orders)], deal, rotation)


def tables_of(num_agents: int, num_players: int, max_tables: int, seed: int) -> list[Seating]:
    """Which agents meet: all tables of distinct agents.

    - 2 players: all pairs, however many.
    - Fewer agents than seats: every agent sits at every table, and some sit there more than once.
    - More than `max_tables`: so many of them, chosen so that all pairs meet about equally often.
    """
    if num_agents < num_players:
        filled = combinations_with_replacement(range(num_agents), num_players - num_agents)
        return [tuple(sorted((*range(num_agents), *extra))) for extra in filled]
    tables = list(combinations(range(num_agents), num_players))
    if num_players == 2 or len(tables) <= max_tables:
        return tables
    return _balanced_choice(tables, max_tables, np.random.default_rng([seed, num_players]))


def _balanced_choice(tables: list[Seating], number: int, rng: np.random.Generator) -> list[Seating]:
    """So many tables, each time one of those whose pairs have met least, by chance among equal ones."""
    shuffled = [tables[place] for place in rng.permutation(len(tables)).tolist()]
    meetings = dict.fromkeys(combinations(range(1 + max(map(max, tables))), 2), 0)
    chosen: list[Seating] = []
    for _ in range(number):
        best = min(shuffled, key=lambda t: sum(meetings[pair] for pair in combinations(t, 2)))
        shuffled.remove(best)
        chosen.append(best)
        for pair in combinations(best, 2):
            meetings[pair] += 1
    return sorted(chosen)
