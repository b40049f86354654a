"""The learner's opponents: scripted agents and snapshots of itself, sampled by a schedule.

| schedule      | opponents                                                                                  |
|---------------|--------------------------------------------------------------------------------------------|
| `mirror`      | always the latest snapshot                                                                 |
| `mix`         | scripted agents by their shares; else the latest snapshot (`latest_share`) or an older one |
| `prioritised` | scripted agents by their shares; else snapshots, weighted by how often the learner loses   |

All opponents in a game are the same member. Only the last `max_snapshots` snapshots get new games; older ones finish
the games they are in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent
from azul_train.config import MIRROR, MIX, PRIORITISED, LeagueConfig

WIN_RATE_GAMES: Final = 500  # window of the running win rates
MIN_PRIORITY: Final = 0.02  # of a snapshot that never wins


@dataclass
class Member:
    """An opponent, and the learner's results against it."""

    name: str
    agent: Agent
    is_snapshot: bool
    games: int = 0
    win_rate: float = 0.5  # of the learner, over about the last WIN_RATE_GAMES games

    def add_result(self, win_share: float) -> None:
        """Count a game, of which the learner won this share."""
        self.games += 1
        self.win_rate += (win_share - self.win_rate) / min(self.games, WIN_RATE_GAMES)


class League:
    """All opponents so far. Games refer to them by index in `members`."""

    def __init__(self, config: LeagueConfig, scripted: Mapping[str, Agent]) -> None:
        self.config = config
        self.members = [Member(name, agent, False) for name, agent in scripted.items()]

    def add_snapshot(self, name: str, agent: Agent) -> None:
        """Add a frozen copy of the learner, which becomes the latest snapshot."""
        self.members.append(Member(name, agent, True))

    def sample(self, games: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """The opponents of new games."""
        return rng.choice(len(self.members), size=games, p=self.probabilities())

    def probabilities(self) -> NDArray[np.float64]:
        """Sampling probability of each member."""
        probabilities = np.zeros(len(self.members))
        if self.config.schedule != MIRROR:
            for i, member in enumerate(self.members):
                probabilities[i] = self.config.scripted.get(member.name, 0.0)
        snapshots = [i for i, member in enumerate(self.members) if member.is_snapshot]
        active = snapshots[-self.config.max_snapshots :]
        if active:
            # Rounding may bring the sum of the scripted shares slightly above 1.
            rest = max(0.0, 1 - probabilities.sum())
            probabilities[active] = rest * self._snapshot_shares(active)
        if not probabilities.any():
            raise ValueError("the league has neither snapshots nor scripted agents with a share")
        return probabilities / probabilities.sum()

    def add_results(self, members: NDArray[np.int64], win_shares: NDArray[np.float64]) -> None:
        """Count finished games by member and the learner's share of the win."""
        for i, share in zip(members.tolist(), win_shares.tolist(), strict=True):
            self.members[i].add_result(share)

    def standings(self) -> dict[str, float]:
        """The learner's running win rate against every member that it has played."""
        return {member.name: member.win_rate for member in self.members if member.games}

    def state(self) -> list[dict[str, Any]]:
        """The state of the members as plain data, without the agents."""
        kept = ("name", "is_snapshot", "games", "win_rate")
        return [{key: getattr(member, key) for key in kept} for member in self.members]

    def set_state(self, state: list[dict[str, Any]]) -> None:
        """Restore `state()` of a league with the same members."""
        for member, kept in zip(self.members, state, strict=True):
            if member.name != kept["name"]:
                raise ValueError(f"the league's member {member.name!r} should be {kept['name']!r}")
            member.games, member.win_rate = kept["games"], kept["win_rate"]

    def _snapshot_shares(self, active: list[int]) -> NDArray[np.float64]:
        """How the snapshot games are split between the active snapshots, the latest being the last."""
        shares = np.zeros(len(active))
        if self.config.schedule == PRIORITISED:
            losses = np.array([1 - self.members[i].win_rate for i in active])
            shares = MIN_PRIORITY + losses**2
        elif self.config.schedule == MIX and len(active) > 1:
            shares[:-1] = (1 - self.config.latest_share) / (len(active) - 1)
            shares[-1] = self.config.latest_share
        else:
            shares[-1] = 1
        return shares / shares.sum()
