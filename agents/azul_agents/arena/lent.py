"""Agents that a caller hands to a match as objects, beside specs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from azul_agents.base import Agent
from azul_env import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from azul_agents.arena.workers import MakeAgent
    from azul_env import GameState, Rows


class LentAgent(Agent):
    """A caller's agent: it plays a match and is left open, since it is the caller's to close."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.spec, self.variants = agent.spec, agent.variants

    @property
    def one_game_at_a_time(self) -> bool:
        """What the agent says."""
        return self._agent.one_game_at_a_time

    def check_table(self, num_players: int, variant: str) -> None:
        """Raise what the agent raises."""
        self._agent.check_table(num_players, variant)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> Any:
        """The agent's action."""
        return self._agent.act(state, legal_mask, rng)

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> Any:
        """The agent's actions."""
        return self._agent.act_batch(rows, legal_masks, rngs)

    def begin_game(self, num_players: int, seat: int) -> None:
        """Tell the agent."""
        self._agent.begin_game(num_players, seat)

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """Tell the agent."""
        self._agent.end_game(scores, winners)


def named(agents: Sequence[str | Agent], make: MakeAgent) -> tuple[tuple[str, ...], MakeAgent]:
    """The names of agents, and what makes them: `make` itself if all are specs.

    Raises TypeError for anything but a sequence of specs and agents, and ValueError if two agents have the same name.
    """
    if isinstance(agents, str):
        raise TypeError(f"a match needs a sequence of agents, not {shown(agents)}")
    lent: dict[str, Agent] = {}
    for agent in agents:
        if isinstance(agent, Agent):
            if lent.setdefault(agent.spec, agent) is not agent:
                raise ValueError(f"two different agents have the spec {shown(agent.spec)}")
        elif not isinstance(agent, str):
            raise TypeError(f"an agent is a spec or an Agent, not {shown(agent)}")
    names = tuple(agent if isinstance(agent, str) else agent.spec for agent in agents)
    if not lent:
        return names, make
    if any(isinstance(agent, str) and agent in lent for agent in agents):
        raise ValueError(f"a spec is the name of one of the agents as well: {', '.join(names)}")
    return names, lambda name: LentAgent(lent[name]) if name in lent else make(name)
