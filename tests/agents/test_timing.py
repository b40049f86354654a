"""Time limits: answers come in time, with a clock in compiled code and with a timer where there is none."""

import time
from typing import Any

import numpy as np
import pytest

from azul_agents.guided.agent import GuidedAgent
from azul_agents.registry import AgentSpecError, make_agent
from azul_agents.search import timing
from azul_agents.search.timing import (
    CLOCK_NUMBERS,
    LARGEST_MARGIN,
    LEAST_MARGIN,
    NEVER,
    TimeLimit,
    now_nanoseconds,
)
from azul_env import legal_mask, new_game
from azul_env.core.jit import kernel

CONTROL = np.dtype([("clock", np.int64), ("deadline", np.int64), ("stop", np.int64)])
WALL = CLOCK_NUMBERS["wall"]


@kernel
def _compiled_now(clock: int) -> int:
    return now_nanoseconds(clock)


@pytest.mark.parametrize("clock", CLOCK_NUMBERS.values(), ids=CLOCK_NUMBERS)
def test_clock__is_the_same_in_compiled_code(clock: int) -> None:
    before = now_nanoseconds(clock)
    compiled = _compiled_now(clock)
    assert before <= compiled <= now_nanoseconds(clock)


def test_wall_time__passes_while_the_thread_sleeps() -> None:
    slept = {}
    for clock in CLOCK_NUMBERS:
        control = np.zeros(1, CONTROL)
        with TimeLimit(0.05, clock).running(control):
            time.sleep(0.06)
            slept[clock] = now_nanoseconds(control["clock"][0]) > control["deadline"][0]
    assert slept == {"wall": True, "cpu": False}


def test_no_limit__sets_no_deadline() -> None:
    control = np.zeros(1, CONTROL)
    with TimeLimit(None).running(control):
        assert control["deadline"][0] == NEVER


def test_limit__learns_how_late_answers_are_and_forgets_it() -> None:
    control = np.zeros(1, CONTROL)
    limit = TimeLimit(0.02)

    def time_left(late_seconds: float) -> float:
        with limit.running(control):
            left = (control["deadline"][0] - now_nanoseconds(WALL)) / 1e9
            while now_nanoseconds(WALL) < control["deadline"][0] + late_seconds * 1e9:
                pass
        return float(left)

    assert time_left(0.0005) <= 0.02 * (1 - LEAST_MARGIN)
    assert limit.overhead_seconds >= 0.0005
    assert time_left(0.2) <= 0.02 - 0.0005
    assert time_left(0.0) <= 0.02 * (1 - LARGEST_MARGIN)
    learned = limit.overhead_seconds
    assert learned >= 0.1  # and yet no more than LARGEST_MARGIN is given up
    for _ in range(50):
        with limit.running(control):
            assert control["deadline"][0] - now_nanoseconds(WALL) > -1e9
    assert limit.overhead_seconds < learned / 10


def seconds_of_moves(spec: str, moves: int) -> tuple[list[float], list[float]]:
    """How long an agent takes for an opening, again and again: by the clock, and of the processor's time.

    The second does not grow when the machine is busy with something else.
    """
    agent = make_agent(spec)
    state = new_game(4, rng=1)
    passed, used = [], []
    for _ in range(moves):
        start, start_used = time.perf_counter(), time.thread_time()
        agent.act(state, legal_mask(state), np.random.default_rng(0))
        passed.append(time.perf_counter() - start)
        used.append(time.thread_time() - start_used)
    return passed, used


@pytest.mark.parametrize("spec", ["alphabeta:time=0.05", "mcts:time=0.05"])
def test_agent__answers_in_time_and_uses_it(spec: str) -> None:
    passed, used = seconds_of_moves(spec, moves=8)
    assert min(passed) > 0.04
    assert sorted(used)[4] < 0.055


@pytest.mark.parametrize("spec", ["alphabeta:time=0.05", "mcts:time=0.05"])
def test_agent__is_stopped_by_a_timer_where_there_is_no_clock(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "HAS_CLOCK", False)
    passed, used = seconds_of_moves(spec, moves=3)
    assert min(passed) > 0.04
    assert min(used) < 1.0


@pytest.mark.parametrize(("clock", "default"), [("cpu", False), ("wall", True)])
@pytest.mark.parametrize("kind", ["alphabeta", "mcts", "guided"])
def test_agent__counts_its_time_by_the_clock_of_its_options(
    kind: str, clock: str, default: bool
) -> None:
    agent = make_agent(f"{kind}:time=0.01" + ("" if default else f",clock={clock}"))
    state = new_game(2, rng=1)
    agent.act(state, legal_mask(state), np.random.default_rng(0))
    searcher: Any = agent._searcher(state) if isinstance(agent, GuidedAgent) else agent
    assert searcher._memory.control["clock"][0] == CLOCK_NUMBERS[clock]


def test_unknown_clock__is_named() -> None:
    with pytest.raises(AgentSpecError, match="clock must be one of wall, cpu, not 'sun'"):
        make_agent("alphabeta:clock=sun")


def test_system_without_processor_time__is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(time, "CLOCK_THREAD_CPUTIME_ID")
    with pytest.raises(AgentSpecError, match="no clock for the processor time of a thread"):
        make_agent("alphabeta:clock=cpu")
