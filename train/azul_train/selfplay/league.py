"""Whom the learner plays: scripted agents and snapshots of itself, by a named schedule.

| schedule      | opponents                                                                                       |
|---------------|-------------------------------------------------------------------------------------------------|
| `mirror`      | the newest snapshot, always                                                                     |
| `mix`         | scripted agents by their shares; else the newest snapshot or, as often as told, any of the others |
| `prioritised` | scripted agents by their shares; else snapshots, the more often the more the learner loses to them |

All seats of a game but the learner's have the same opponent. A snapshot that is no longer among the newest finishes the
games it is in and gets no new ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent

MIRROR, MIX, PRIORITISED = "mirror", "mix", "prioritised"
SCHEDULES: Final = (MIRROR, MIX, PRIORITISED)
MEMORY_GAMES: Final = 500  # about so many games the running win rates look back
LEAST_PRIORITY: Final = 0.02  # of a snapshot that never wins, so that it is not forgotten


class LeagueSettings(Protocol):
    """What a league has to be told."""

    @property
    def schedule(self) -> str:
        """One of SCHEDULES."""
        ...

    @property
    def scripted(self) -> Mapping[str, float]:
        """Agents by name and their shares of the games."""
        ...

    @property
    def latest_share(self) -> float:
        """How much of the snapshots' games the newest plays, where the schedule is `mix`."""
        ...

    @property
    def max_snapshots(self) -> int:
        """How many snapshots get new games: the newest."""
        ...


@dataclass
class Member:
    """An opponent and how the learner fares against it."""

    name: str
    player: Agent
    is_snapshot: bool
    games: int = 0
    win_rate: float = 0.5  # of the learner, over about the last MEMORY_GAMES games

    def note(self, share: float) -> None:
        """Remember the learner's share of a win."""
        self.games += 1
        self.win_rate += (share - self.win_rate) / min(self.games, MEMORY_GAMES)


class League:
    """The opponents so far. Its members keep their numbers."""

    def __init__(self, settings: LeagueSettings, scripted: Mapping[str, Agent]) -> None:
        if settings.schedule not in SCHEDULES:
            raise ValueError(f"schedule {settings.schedule!r} is none of {', '.join(SCHEDULES)}")
        self.settings = settings
        self.members = [Member(name, player, False) for name, player in scripted.items()]

    @property
    def players(self) -> list[Agent]:
        """What the games ask for actions, by number of the member."""
        return [member.player for member in self.members]

    def add_snapshot(self, name: str, player: Agent) -> None:
        """A frozen copy of the learner joins; from now on it is the newest."""
        self.members.append(Member(name, player, True))

    def draw(self, games: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """The opponents of new games, by number of the member."""
        return rng.choice(len(self.members), size=games, p=self.chances())

    def chances(self) -> NDArray[np.float64]:
        """How likely each member is to be drawn."""
        chances = np.zeros(len(self.members))
        if self.settings.schedule != MIRROR:
            for number, member in enumerate(self.members):
                chances[number] = self.settings.scripted.get(member.name, 0.0)
        snapshots = [n for n, member in enumerate(self.members) if member.is_snapshot]
        active = snapshots[-self.settings.max_snapshots :]
        if active:
            # Shares that fill a whole may add up to a hair above 1.
            chances[active] = max(0.0, 1 - chances.sum()) * self._shares(active)
        if not chances.any():
            raise ValueError("the league has neither snapshots nor scripted agents with a share")
        return chances / chances.sum()

    def note(self, members: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
        """Remember the results of finished games."""
        for number, share in zip(members.tolist(), shares.tolist(), strict=True):
            self.members[number].note(share)

    def standings(self) -> dict[str, float]:
        """The learner's running win rate against every member that it has met."""
        return {member.name: member.win_rate for member in self.members if member.games}

    def state(self) -> list[dict[str, Any]]:
        """What has to be kept of the members beside their players."""
        kept = ("name", "is_snapshot", "games", "win_rate")
        return [{key: getattr(member, key) for key in kept} for member in self.members]

    def set_state(self, state: list[dict[str, Any]]) -> None:
        """Go on with what `state` gave; the members must be there already."""
        for member, kept in zip(self.members, state, strict=True):
            if member.name != kept["name"]:
                raise ValueError(f"the league's member {member.name!r} should be {kept['name']!r}")
            member.games, member.win_rate = kept["games"], kept["win_rate"]

    def _shares(self, active: list[int]) -> NDArray[np.float64]:
        """How the snapshots' games are shared out among the active ones, of which the last is the newest."""
        shares = np.zeros(len(active))
        if self.settings.schedule == PRIORITISED:
            losses = np.array([1 - self.members[number].win_rate for number in active])
            shares = LEAST_PRIORITY + losses**2
        elif self.settings.schedule == MIX and len(active) > 1:
            shares[:-1] = (1 - self.settings.latest_share) / (len(active) - 1)
            shares[-1] = self.settings.latest_share
        else:
            shares[-1] = 1
        return shares / shares.sum()
