"""An agent's results over many games: wins, points, forfeits and thinking time."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from azul_agents.arena.game import GameResult

MAX_REASONS: Final = 20  # distinct reasons for forfeits that are counted
OTHER: Final = "other reasons"
NORMAL_95: Final = 1.959963984540054  # two-sided 95% quantile of the normal distribution


class Interval(NamedTuple):
    """Lower and upper bound."""

    low: float
    high: float


@dataclass
class Tally:
    """The sums of one agent's results."""

    games: int = 0
    wins: int = 0  # not shared
    shared: int = 0  # wins shared with others
    forfeits: int = 0
    reasons: Counter[str] = field(default_factory=Counter)  # of the forfeits
    won: float = 0.0  # wins, a shared one as an equal share
    points: int = 0
    moves: int = 0
    seconds: float = 0.0

    def add(self, result: GameResult, seat: int) -> None:
        """Count a game in which the agent had this seat."""
        winners = result.winners
        self.games += 1
        if seat in winners:
            self.won += 1 / len(winners)
            self.wins += len(winners) == 1
            self.shared += len(winners) > 1
        reason = result.forfeits[seat]
        if reason is not None:
            self.forfeits += 1
            self.reasons[
                reason if reason in self.reasons or len(self.reasons) < MAX_REASONS else OTHER
            ] += 1
        self.points += result.scores[seat]
        self.moves += result.moves[seat]
        self.seconds += result.seconds[seat]

    @property
    def win_rate(self) -> float:
        """Mean share of a win."""
        return self.won / self.games if self.games else 0.0

    @property
    def interval(self) -> Interval:
        """95% interval of the win rate."""
        return wilson_interval(self.won, self.games)

    @property
    def mean_points(self) -> float:
        """Points per game."""
        return self.points / self.games if self.games else 0.0

    @property
    def seconds_per_move(self) -> float | None:
        """Mean thinking time; None if no move was timed."""
        return self.seconds / self.moves if self.moves else None


def add_game(tallies: Sequence[Tally], agents: Sequence[int], result: GameResult) -> None:
    """Count a game for all its agents; `agents` are indices in `tallies`, by seat."""
    for seat, agent in enumerate(agents):
        tallies[agent].add(result, seat)


def wilson_interval(wins: float, games: int) -> Interval:
    """The 95% Wilson score interval of a win rate, where a shared win counts as an equal share.

    It is conservative: a shared win has less variance than wins and losses with the same mean, and the rotations of one
    deal have less variance than independent games. Without games it is 0 to 1.
    """
    if games == 0:
        return Interval(0.0, 1.0)
    rate = wins / games
    weight = NORMAL_95**2 / games
    center = (rate + weight / 2) / (1 + weight)
    spread = math.sqrt(rate * (1 - rate) * weight + weight * weight / 4) / (1 + weight)
    # Exact at 0 and 1, where rounding would leave the rate itself outside.
    low = center - spread if wins > 0 else 0.0
    high = center + spread if wins < games else 1.0
    return Interval(low, high)
