"""The Agent interface."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:  # agents are listed without loading the engine
    from collections.abc import Callable, Generator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from azul_env import GameState, Rows


VARIANTS: Final = ("colored", "gray")  # of the game; known without loading the engine


def check_variant_name(variant: str) -> None:
    """Raise ValueError unless there is a variant of this name."""
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, not {variant!r:.60}")


class MoveValue(NamedTuple):
    """A move and its value: the expected margin of points at the end for the player to move."""

    action: int
    value: float


class AnalysisLimits(NamedTuple):
    """Limits of an analysis; the first one reached ends it, and None is no limit."""

    seconds: float | None = None
    nodes: int | None = None
    is_stopped: Callable[[], bool] = lambda: False


class AnalysisStep(NamedTuple):
    """The moves of a position as an agent values them at one point of an analysis."""

    moves: list[MoveValue]
    lines: dict[int, tuple[int, ...]]  # by action: the actions the agent expects, this one first
    depth: int | None  # plies, in a search by depth
    nodes: int | None  # positions or simulations, in a search
    is_solved: bool  # every line was searched to the end of the round
    is_final: bool
    # By action: the margin that each seat expects; without it, others than the player to move are compared by the position alone.
    margins: Mapping[int, tuple[float, ...]] = MappingProxyType({})


class AgentFailureError(Exception):
    """An agent cannot continue, for the reason in the message. It forfeits the game."""


class CannotAnalyseError(ValueError):
    """The agent assigns no values to moves."""


class VariantNotPlayedError(ValueError):
    """The agent does not play this variant of the game."""


def check_plays(agent: Agent, variant: str, *players: int) -> None:
    """Raise ValueError, which names the agent, unless it plays a variant, with each of these numbers of players."""
    if variant not in agent.variants:
        raise VariantNotPlayedError(
            f"{agent.spec} does not play the variant {variant!r}: it plays {', '.join(agent.variants)}"
        )
    for num_players in players:
        agent.check_table(num_players, variant)


def check_question(rows: Rows, legal_masks: NDArray[np.bool_] | None = None) -> None:
    """Raise ValueError for games in which there is no move to choose: over, not yet dealt, or without a legal action."""
    if rows["end_reason"].any():
        raise ValueError("the game is over: there is no move to choose")
    columns = rows["columns"] if "columns" in (rows.dtype.names or ()) else 0  # R10.5
    if not (rows["available"] | columns).all():
        raise ValueError("the next round is not dealt yet: there is no move to choose")
    if legal_masks is not None and not legal_masks.any(axis=-1).all():
        raise ValueError("the mask allows no action: there is no move to choose")


def _checked_rows(rows: Any) -> Rows:
    """A caller's rows, safe for kernels. Raises TypeError or ValueError unless they are games of equally many players."""
    from azul_env.state import check_players, checked_rows

    rows = checked_rows(rows, "rows")
    if not len(rows):
        raise ValueError("rows has no game: there is no move to choose")
    check_players(rows, int(rows["num_players"][0]), "a batch")
    return rows


def _checked_masks(rows: Rows, legal_masks: Any, games: tuple[int, ...]) -> NDArray[np.bool_]:
    """A caller's masks as bools; an environment's are int8. Raises TypeError or ValueError for other types and shapes."""
    import numpy as np

    from azul_env import shown
    from azul_env.core.variant import variant_of

    if not isinstance(legal_masks, np.ndarray) or legal_masks.dtype.kind not in "biu":
        raise TypeError(f"a legal mask must be an array of bools, not {shown(legal_masks)}")
    shape = (*games, variant_of(rows).num_actions(int(rows["num_players"][0])))
    if legal_masks.shape != shape:
        raise ValueError(f"a legal mask must have shape {shape}, not {legal_masks.shape}")
    return legal_masks if legal_masks.dtype == np.bool_ else legal_masks != 0


def _checked_act(act: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(act)
    def checked(
        self: Agent, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator
    ) -> Any:
        from azul_env.state import check_state, trusted_state

        check_state(state)
        check_plays(self, state.variant)
        legal_mask = _checked_masks(state.rows, legal_mask, ())
        check_question(state.rows, legal_mask)
        # A copy: what an agent writes into its state must not reach the game.
        return act(self, trusted_state(state.rows.copy()), legal_mask, rng)

    return checked


def _checked_act_batch(act_batch: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(act_batch)
    def checked(
        self: Agent,
        rows: Rows,
        legal_masks: NDArray[np.bool_],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        from azul_env.core.variant import variant_of

        rows = _checked_rows(rows)
        check_plays(self, variant_of(rows).name)
        legal_masks = _checked_masks(rows, legal_masks, (len(rows),))
        check_question(rows, legal_masks)
        return act_batch(self, rows, legal_masks, rngs)

    return checked


def _checked_analyse(analyse: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(analyse)
    def checked(self: Agent, state: GameState) -> Any:
        from azul_env.state import check_state

        check_state(state)
        check_plays(self, state.variant)
        check_question(state.rows)
        return analyse(self, state)

    return checked


def answers(
    agent: Agent,
    states: Sequence[GameState],
    legal_masks: NDArray[np.bool_],
    rngs: Sequence[np.random.Generator],
) -> Any:
    """What `act_batch` returns for states. Nothing is checked: unlike a caller's rows, those of states are sound."""
    import numpy as np

    rows = np.concatenate([state.rows for state in states])
    act_batch: Any = type(agent).act_batch
    return getattr(act_batch, "__wrapped__", act_batch)(agent, rows, legal_masks, rngs)


_CHECKED = {"act": _checked_act, "act_batch": _checked_act_batch, "analyse": _checked_analyse}


class Agent(ABC):
    """A player for any seat and any number of players.

    An agent may cache what it computed, but its answer depends only on the state and on `rng`, which is never the
    generator that deals. It does not modify the state or the mask.

    Arguments are checked before a subclass sees them: its `act`, `act_batch` and `analyse` raise TypeError or ValueError
    for invalid rows, states and masks and for a variant that it does not play, and the ValueError of `check_question`
    where there is no move to choose.
    """

    spec: str  # such as "greedy" or "alphabeta:time=0.1"
    variants: Sequence[str] = ("colored",)  # those it plays

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, checked in _CHECKED.items():
            method = cls.__dict__.get(name)
            if inspect.isfunction(method):
                setattr(cls, name, checked(method))

    def check_ready(self) -> None:
        """Raise AgentFailureError if the agent cannot play at all; asked once, before many games."""

    def check_table(self, num_players: int, variant: str) -> None:
        """Raise ValueError if the agent does not play this variant with this many players; asked before the first game."""

    @abstractmethod
    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """A legal action for the player to move. Raises AgentFailureError if the agent cannot answer."""

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> Any:
        """Legal actions for many games, the same that `act` returns for each; by default it is called in a loop.

        `rows` is an array of states (`GameState(rows[i : i + 1])` wraps one), all with the same number of players and with
        the agent to move; `rngs` has one generator per game.
        """
        from azul_env.state import trusted_state

        states = [trusted_state(rows[game : game + 1]) for game in range(len(rows))]
        return [self.act(*game) for game in zip(states, legal_masks, rngs, strict=True)]

    @property
    def one_game_at_a_time(self) -> bool:
        """True if games must not overlap: by default, if the agent overrides `begin_game` or `end_game`."""
        hooks = type(self).begin_game, type(self).end_game
        return hooks != (Agent.begin_game, Agent.end_game)

    @_checked_analyse
    def analyse(self, state: GameState) -> list[MoveValue]:
        """All legal moves with their values, the best first. Raises CannotAnalyseError if there are no values."""
        raise CannotAnalyseError(f"{self.spec} gives no values to moves: use greedy or alphabeta")

    @property
    def analysis_limits(self) -> AnalysisLimits:
        """The limits within which `analyse` answers."""
        return AnalysisLimits()

    def analysis_steps(
        self, state: GameState, limits: AnalysisLimits
    ) -> Generator[AnalysisStep, None, None]:
        """Successively better values of the moves, until a limit; by default one step with those of `analyse`.

        The agent does nothing else until the generator is exhausted or closed.
        """
        moves = self.analyse(state)
        lines: dict[int, tuple[int, ...]] = {move.action: (move.action,) for move in moves}
        yield AnalysisStep(moves, lines, None, None, is_solved=False, is_final=True)

    def begin_game(self, num_players: int, seat: int) -> None:
        """Called before a game in which the agent has this seat."""

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """Called after a game."""

    def close(self) -> None:
        """Release all resources; the agent is not used again."""
