"""One wrapper that replaces PettingZoo's usual three, with the same behaviour at a fraction of their cost.

Like TerminateIllegalWrapper it ends the game on an illegal action, like AssertOutOfBoundsWrapper it rejects actions
outside the action space, like OrderEnforcingWrapper, its base class, it rejects calls before `reset`. A test compares it
with the three of them, call by call.
"""

from typing import Any

from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers.order_enforcing import OrderEnforcingWrapper

from azul_env.core.arguments import shown
from azul_env.envs.aec import AzulAEC, Observation
from azul_env.envs.settings import action_number
from azul_env.rewards import ILLEGAL_PENALTY
from azul_env.state import GameState


class GuardedAEC(OrderEnforcingWrapper[str, Any, Any]):
    """An `AzulAEC` that checks the order of calls and the actions."""

    def __init__(self, env: AzulAEC) -> None:
        super().__init__(env)
        self._raw = env

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game."""
        self._has_reset = True
        self._has_updated = True
        self._raw.reset(seed=seed, options=options)

    def step(self, action: Any) -> None:
        """Play an action; an illegal one ends the game with a penalty for its player."""
        raw = self._raw
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if not raw.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = raw.agent_selection
        if raw.terminations[agent] or raw.truncations[agent]:
            assert action is None or raw.action_space(agent).contains(action), _not_in_space(action)
            raw._was_dead_step(action)
            return
        assert raw.action_space(agent).contains(action), _not_in_space(action)
        if raw.try_step(action_number(action)):
            return
        EnvLogger.warn_on_illegal_move()
        self._end_game(agent)

    def observe(self, agent: str) -> Observation:
        """The observation of an agent and its action mask."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self._raw.observe(agent)

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, termination, truncation and info of the selected agent."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        return self._raw.last(observe)

    def set_state(self, state: GameState) -> None:
        """Continue from a position, as after a reset."""
        self._raw.set_state(state)
        self._has_reset = True
        self._has_updated = True

    def __str__(self) -> str:
        return str(self._raw)

    def _end_game(self, agent: str) -> None:
        """End the game for all agents after an illegal action, with a penalty for its agent."""
        raw = self._raw
        raw._cumulative_rewards[agent] = 0
        raw.terminations = dict.fromkeys(raw.agents, True)
        raw.truncations = dict.fromkeys(raw.agents, True)
        raw.rewards = dict.fromkeys(raw.agents, 0.0)
        raw.rewards[agent] = ILLEGAL_PENALTY
        raw._accumulate_rewards()
        raw._deads_step_first()


def _not_in_space(action: Any) -> str:
    return f"action {shown(action)} is not in action space"
