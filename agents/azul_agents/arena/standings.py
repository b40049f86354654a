"""Standings of a tournament, computed from its games."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from azul_agents.arena.ratings import RankedGame, Rating, ratings_of
from azul_agents.arena.results_file import GameLine
from azul_agents.arena.tally import Tally, add_game


@dataclass(frozen=True)
class Standing:
    """The results of one agent."""

    agent: str
    rating: Rating
    tally: Tally

    def to_dict(self) -> dict[str, Any]:
        """The standing as plain data."""
        return {
            "agent": self.agent,
            "rating": self.rating.rating,
            "rating_interval": [self.rating.low, self.rating.high],
            "games": self.tally.games,
            "wins": self.tally.wins,
            "shared": self.tally.shared,
            "forfeits": self.tally.forfeits,
            "win_rate": self.tally.win_rate,
            "win_rate_interval": list(self.tally.interval),
            "points": self.tally.mean_points,
            "seconds_per_move": self.tally.seconds_per_move,
        }


@dataclass(frozen=True)
class Standings:
    """The results of all agents in the games with one number of players, the best first."""

    players: int
    standings: tuple[Standing, ...]
    ahead: tuple[tuple[float | None, ...], ...]  # see `ahead_of`; indices as in `standings`

    def to_dict(self) -> dict[str, Any]:
        """The standings as plain data."""
        return {
            "players": self.players,
            "standings": [standing.to_dict() for standing in self.standings],
            "ahead": [list(row) for row in self.ahead],
        }


def tallies_of(lines: Sequence[GameLine], num_agents: int) -> list[Tally]:
    """The tally of every agent."""
    tallies = [Tally() for _ in range(num_agents)]
    for line in lines:
        add_game(tallies, line.agents, line.result)
    return tallies


def ranked_games(lines: Sequence[GameLine]) -> list[RankedGame]:
    """The games as input for the ratings."""
    return [RankedGame(line.agents, line.result.ranks, (line.table, line.deal)) for line in lines]


def standings_of(lines: Sequence[GameLine], agents: Sequence[str], players: int) -> Standings:
    """The standings of the games with this many players; the order of the lines does not matter."""
    of_these = sorted((line for line in lines if line.players == players), key=lambda x: x.key)
    ratings = ratings_of(ranked_games(of_these), agents)
    tallies = tallies_of(of_these, len(agents))
    order = sorted(range(len(agents)), key=lambda agent: -ratings[agent].rating)
    ahead = ahead_of(of_these, len(agents))
    return Standings(
        players,
        tuple(Standing(agents[i], ratings[i], tallies[i]) for i in order),
        tuple(tuple(ahead[i][j] for j in order) for i in order),
    )


def ahead_of(lines: Sequence[GameLine], num_agents: int) -> list[list[float | None]]:
    """How often agent i ranks ahead of agent j, a tie as half; None if they never met."""
    ahead = [[0.0] * num_agents for _ in range(num_agents)]
    met = [[0] * num_agents for _ in range(num_agents)]
    for line in lines:
        for seat, agent in enumerate(line.agents):
            for other_seat, other in enumerate(line.agents):
                if agent != other:
                    mine, theirs = line.result.ranks[seat], line.result.ranks[other_seat]
                    met[agent][other] += 1
                    ahead[agent][other] += 1.0 if mine < theirs else 0.5 * (mine == theirs)
    return [
        [ahead[i][j] / met[i][j] if met[i][j] else None for j in range(num_agents)]
        for i in range(num_agents)
    ]
