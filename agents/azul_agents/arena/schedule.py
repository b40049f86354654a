"""The games of a match or tournament, with their seeds.

Every deal is played once per rotation of the seats, which cancels much of the luck of the deal. Games of one deal have the same
deal seed: their first rounds are the same, later rounds also depend on which tiles are left in the bag.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations

import numpy as np

DEALS, AGENTS = 0, 1  # separate the spawn keys of deals and agents
MAX_TABLES = 500_000  # 1,000 agents in pairs; a list of 50 MB
MAX_CHOICE_WORK = 10_000_000  # tables that a selection looks at: about 20 seconds
SEED_BITS = 53  # of a deal seed: exact in every JSON reader

Seating = tuple[int, ...]  # indices of agents, clockwise


@dataclass(frozen=True)
class ScheduledGame:
    """A game to be played, with all seeds.

    The agents of a table are numbered; the numbers stay the same when the seats are rotated.
    """

    seed: int  # of the whole match or tournament
    table: tuple[int, ...]  # key of the table in a tournament; empty for a match
    specs: tuple[str, ...]  # by number
    order: Seating  # numbers of the agents, clockwise
    deal: int
    rotation: int
    variant: str = "colored"

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self.specs)

    @property
    def seating(self) -> Seating:
        """Numbers of the agents by seat: the rotation moves each by that many seats."""
        return tuple(
            self.order[(seat - self.rotation) % self.num_players]
            for seat in range(self.num_players)
        )

    @property
    def deal_seed(self) -> int:
        """The seed of the deals, the same for all rotations."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(*self.table, DEALS, self.deal))
        return int(sequence.generate_state(1, np.uint64)[0]) >> (64 - SEED_BITS)

    def agent_rng(self, agent: int) -> np.random.Generator:
        """The generator of an agent, by number, in this game."""
        game = self.deal * self.num_players + self.rotation
        key = (*self.table, AGENTS, game, agent)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def whole_deals(games: int, num_players: int) -> int:
    """The number of deals for at least this many games."""
    return -(-games // num_players)


def table_games(
    specs: tuple[str, ...],
    games: int,
    seed: int,
    table: tuple[int, ...] = (),
    variant: str = "colored",
) -> Iterator[ScheduledGame]:
    """At least `games` games of a match or of a table in a tournament, the rotations of a deal in a row.

    The circular order changes from deal to deal, since the neighbor matters: of two greedy agents at a table with a
    random one, the one that moves after it wins 11 games for every 9 of the other.
    """
    orders = [(0, *others) for others in permutations(range(1, len(specs)))]
    for deal in range(whole_deals(games, len(specs))):
        for rotation in range(len(specs)):
            order = orders[deal % len(orders)]
            yield ScheduledGame(seed, table, specs, order, deal, rotation, variant)


def tables_of(num_agents: int, num_players: int, max_tables: int, seed: int) -> list[Seating]:
    """The tables of a tournament: all combinations of agents.

    - 2 players: all pairs, even more than `max_tables`.
    - Fewer agents than seats: every agent is at every table, some more than once.
    - More than `max_tables` combinations: a selection in which all pairs meet about equally often.
    """
    if num_agents < num_players:
        filled = combinations_with_replacement(range(num_agents), num_players - num_agents)
        return [tuple(sorted((*range(num_agents), *extra))) for extra in filled]
    combined = math.comb(num_agents, num_players)
    if combined > MAX_TABLES or combined > max_tables > MAX_CHOICE_WORK // combined:
        raise ValueError(
            f"{num_agents} agents have {combined:,} tables of {num_players}, too many to choose from: name fewer agents"
        )
    tables = list(combinations(range(num_agents), num_players))
    if num_players == 2 or len(tables) <= max_tables:
        return tables
    return _balanced_choice(tables, max_tables, np.random.default_rng([seed, num_players]))


def _balanced_choice(tables: list[Seating], number: int, rng: np.random.Generator) -> list[Seating]:
    """Choose greedily the tables whose pairs have met least, ties at random."""
    shuffled = [tables[i] for i in rng.permutation(len(tables)).tolist()]
    meetings = dict.fromkeys(combinations(range(1 + max(map(max, tables))), 2), 0)
    chosen: list[Seating] = []
    for _ in range(number):
        best = min(shuffled, key=lambda t: sum(meetings[pair] for pair in combinations(t, 2)))
        shuffled.remove(best)
        chosen.append(best)
        for pair in combinations(best, 2):
            meetings[pair] += 1
    return sorted(chosen)
