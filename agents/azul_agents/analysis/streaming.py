"""Analyses of a position that improve while an agent thinks."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from typing import NamedTuple

from azul_agents.analysis.win_chance import SeatChances, final_shares
from azul_agents.base import Agent, AnalysisLimits, AnalysisStep, MoveValue
from azul_agents.registry import make_agent
from azul_env import GameState, afterstate


class Candidate(NamedTuple):
    """A move, valued for the player to move."""

    action: int
    value: float  # expected margin of points at the end
    win_chance: float  # 0 to 1; a shared win counts as its share
    # The actions that are expected, this one first, at most to the end of the round.
    line: tuple[int, ...]


class Analysis(NamedTuple):
    """What an agent thinks of a position."""

    spec: str  # of the agent
    depth: int | None  # plies, in a search by depth
    nodes: int | None  # positions or simulations, in a search
    seconds: float
    # The best first; of equal factories an agent may list only one.
    candidates: tuple[Candidate, ...]
    win_chances: tuple[float, ...]  # by seat, with the best move; they add up to 1
    is_final: bool  # no better one follows


def analyses(
    state: GameState,
    agent_or_spec: Agent | str,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: Callable[[], bool] | threading.Event = lambda: False,
) -> Iterator[Analysis]:
    """Analyse a position incrementally: yields an analysis at every depth, and about every 0.3 seconds.

    The last analysis `is_final`; it comes at the first limit, soon after `stop`, or when nothing is left to search. Without
    limits a search may go on for hours. `nodes` are simulations for mcts. Limits on time and nodes in the spec apply to
    moves only; see `analysis_of`. Concurrent calls need separate agents.

    Raises CannotAnalyseError if the agent gives no values to moves, and ValueError if no move can be made.
    """
    check_has_moves(state)
    is_stopped = stop.is_set if isinstance(stop, threading.Event) else stop
    return _analyses(state, agent_or_spec, AnalysisLimits(seconds, nodes, is_stopped))


def analysis_of(state: GameState, agent: Agent) -> Analysis:
    """The analysis within the agent's own limits. Raises what `analyses` does."""
    check_has_moves(state)
    *_, last = _analyses(state, agent, agent.analysis_limits)
    return last


def check_has_moves(state: GameState) -> None:
    """Raise ValueError if no move can be made."""
    if state.is_terminal:
        raise ValueError(f'the game is over, there is no move to analyse: "{state!r}"')
    if state.awaits_deal:
        raise ValueError(f'the next round is not dealt, there is no move to analyse: "{state!r}"')


def _analyses(
    state: GameState, agent_or_spec: Agent | str, limits: AnalysisLimits
) -> Iterator[Analysis]:
    began = time.monotonic()
    is_own = isinstance(agent_or_spec, str)
    agent = make_agent(agent_or_spec) if isinstance(agent_or_spec, str) else agent_or_spec
    with closing(agent) if is_own else nullcontext():
        model = SeatChances(state)
        with closing(agent.analysis_steps(state, limits)) as steps:
            for step in steps:
                yield _analysis(state, agent.spec, step, model, time.monotonic() - began)


def _analysis(
    state: GameState, spec: str, step: AnalysisStep, model: SeatChances, seconds: float
) -> Analysis:
    ranked = sorted(step.moves, key=lambda move: -move.value)
    chances = [chances_after(state, step, move, model) for move in ranked]
    candidates = tuple(
        Candidate(move.action, move.value, by_seat[state.current_player], step.lines[move.action])
        for move, by_seat in zip(ranked, chances, strict=True)
    )
    return Analysis(spec, step.depth, step.nodes, seconds, candidates, chances[0], step.is_final)


def last_step(state: GameState, agent: Agent) -> AnalysisStep:
    """The values of moves within the agent's own limits, the best first. Raises what `analyses` does."""
    check_has_moves(state)
    *_, last = agent.analysis_steps(state, agent.analysis_limits)
    return last._replace(moves=sorted(last.moves, key=lambda move: -move.value))


def chances_after(
    state: GameState, step: AnalysisStep, move: MoveValue, model: SeatChances
) -> tuple[float, ...]:
    """The win chances by seat after a move: the result where it is solved, else those of the model."""
    return solved_shares(state, step, move.action) or model.by_seat(
        move.value, step.margins.get(move.action, ())
    )


def solved_shares(state: GameState, step: AnalysisStep, action: int) -> tuple[float, ...] | None:
    """The shares of the win by seat after an action, if a solved search expects the game to end in this round."""
    if not step.is_solved:
        return None
    for expected in step.lines[action]:
        state = afterstate(state, expected)
    return final_shares(state) if state.is_terminal else None
