"""How sure a win rate is."""

import math
from typing import NamedTuple

NORMAL_95 = 1.959963984540054  # two-sided 95% quantile of the normal distribution


class Interval(NamedTuple):
    """Lower and upper end."""

    low: float
    high: float


def wilson_interval(wins: float, games: int) -> Interval:
    """The 95% interval of a win rate (Wilson's score interval), where a shared win is an equal share of one.

    It is on the safe side: a game that yields a share varies less than one that is won or lost with the same mean, and
    two rotations of a deal vary less than two games of different deals. No games: anything is possible.
    """
    if games == 0:
        return Interval(0.0, 1.0)
    rate = wins / games
    weight = NORMAL_95**2 / games
    center = (rate + weight / 2) / (1 + weight)
    spread = math.sqrt(rate * (1 - rate) * weight + weight * weight / 4) / (1 + weight)
    # Exact at the ends, where rounding would leave the rate itself outside.
    low = center - spread if wins > 0 else 0.0
    high = center + spread if wins < games else 1.0
    return Interval(low, high)
