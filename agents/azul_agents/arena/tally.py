"""Counting what agents did: wins, points, forfeits and time."""

from collections.abc import Sequence
from dataclasses import dataclass

from azul_agents.arena.game import GameResult
from azul_agents.arena.intervals import Interval, wilson_interval


@dataclass
class Tally:
    """What one agent did over many games."""

    games: int = 0
    wins: int = 0  # not shared
    shared: int = 0  # wins shared with somebody
    forfeits: int = 0
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
        self.forfeits += result.forfeits[seat] is not None
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
        """Points a game."""
        return self.points / self.games if self.games else 0.0

    @property
    def seconds_per_move(self) -> float | None:
        """Mean thinking time; None if no move was timed."""
        return self.seconds / self.moves if self.moves else None


def add_game(tallies: Sequence[Tally], agents: Sequence[int], result: GameResult) -> None:
    """Count a game for everybody; `agents` are the places in `tallies`, by seat."""
    for seat, agent in enumerate(agents):
        tallies[agent].add(result, seat)
