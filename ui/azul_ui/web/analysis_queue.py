"""A fair queue for the analyses of many tabs on a few processors.

An analysis runs until it is done or others wait. Then it yields after its time slice, which is short at first and doubles
every time, so that every tab soon has a first result and none starves. Those that had fewer slices come first.
"""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from typing import Final

from azul_agents import Analysis, CannotAnalyseError, analyses
from azul_env import GameState, brief
from azul_ui.web.agent_pool import AgentPool
from azul_ui.web.messages import RefusedError
from azul_ui.web.thinking import Threads

FIRST_SLICE_SECONDS: Final = 0.15
LONGEST_SLICE_SECONDS: Final = 8.0
MAX_SECONDS: Final = 600.0  # of an analysis, at most
MAX_JOBS: Final = 64
WAITING: Final = "waiting"
COMPILING: Final = "compiling"
RUNNING: Final = "running"
FINAL: Final = "final"

Report = Callable[[str, Analysis | None], None]  # status, and what is known so far


class Job:
    """An analysis that a tab asked for. `report` and `fail` are called in the event loop."""

    def __init__(
        self,
        state: GameState,
        spec: str,
        seconds: float | None,
        report: Report,
        fail: Callable[[RefusedError], None],
    ) -> None:
        self.state = state
        self.spec = spec
        self.seconds_left = MAX_SECONDS if seconds is None else min(seconds, MAX_SECONDS)
        self.report = report
        self.fail = fail
        self.slices = 0  # used so far
        self.is_cancelled = False
        self.best: Analysis | None = None

    def cancel(self) -> None:
        """Stop soon, and report nothing more."""
        self.is_cancelled = True

    def improves(self, analysis: Analysis) -> bool:
        """True if an analysis is at least as deep as the last one reported; after a pause the search starts over."""
        best = self.best
        if best is None:
            return True
        return (analysis.depth or 0, analysis.nodes or 0) >= (best.depth or 0, best.nodes or 0)


class AnalysisQueue:
    """Runs jobs in the slots of the pool of analyses."""

    def __init__(self, threads: Threads, agents: AgentPool) -> None:
        self._threads = threads
        self._agents = agents
        self._order = itertools.count()
        self._waiting: list[tuple[int, int, Job]] = []
        self._running: set[Job] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def jobs(self) -> list[Job]:
        """The jobs that run or wait."""
        waiting = [job for _, _, job in self._waiting if not job.is_cancelled]
        return [*self._running, *waiting]

    def submit(self, job: Job) -> None:
        """Run a job as soon as it is its turn. Raises RefusedError if there are too many."""
        if len(self.jobs) >= MAX_JOBS:
            raise RefusedError("busy", f"{MAX_JOBS} analyses are running or waiting already")
        self._enqueue(job)
        self._fill()
        if job not in self._running:
            job.report(WAITING, None)

    def close(self) -> None:
        """Cancel all jobs."""
        for job in self.jobs:
            job.cancel()

    def _enqueue(self, job: Job) -> None:
        heapq.heappush(self._waiting, (job.slices, next(self._order), job))

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._threads.analysis_slots:
            job = heapq.heappop(self._waiting)[2]
            if job.is_cancelled:
                continue
            self._running.add(job)
            task = asyncio.get_running_loop().create_task(self._slice(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _slice(self, job: Job) -> None:
        """Run a job until it is done or has to yield to others."""
        loop = asyncio.get_running_loop()

        def report(status: str, analysis: Analysis | None) -> None:
            loop.call_soon_threadsafe(self._report, job, status, analysis)

        is_done = True
        try:
            is_done = await self._threads.run(
                self._threads.analyses, lambda: self._think(job, report)
            )
        except CannotAnalyseError as error:
            job.fail(RefusedError("not_allowed", str(error)))
        except Exception as error:  # a bug in an agent costs its analysis
            job.fail(RefusedError("failed", brief(f"{type(error).__name__}: {error}", 200)))
        self._running.discard(job)
        if not is_done and not job.is_cancelled:
            job.slices += 1
            self._enqueue(job)
        self._fill()

    def _report(self, job: Job, status: str, analysis: Analysis | None) -> None:
        if not job.is_cancelled:
            job.report(status, analysis)

    def _think(self, job: Job, report: Report) -> bool:
        """One time slice, in a thread; False if the job yielded to others."""
        if job.is_cancelled:
            return True
        if not self._agents.is_warm(job.spec, job.state.variant):
            report(COMPILING, None)
        has_made_way = False
        with self._agents.borrowed(job.spec, job.state) as agent:
            began = time.monotonic()

            def is_over() -> bool:
                nonlocal has_made_way
                has_made_way = has_made_way or self._is_due(job, time.monotonic() - began)
                return job.is_cancelled or has_made_way

            found = analyses(job.state, agent, seconds=job.seconds_left, stop=is_over)
            for analysis in found:
                if job.improves(analysis):
                    job.best = analysis
                    if not analysis.is_final:
                        report(RUNNING, analysis)
            job.seconds_left -= time.monotonic() - began
        if has_made_way and job.seconds_left > 0:
            report(RUNNING, job.best)
            return False
        report(FINAL, job.best)
        return True

    def _is_due(self, job: Job, seconds: float) -> bool:
        """True if a running job has to yield; called from its thread."""
        fewest = min(
            (slices for slices, _, each in [*self._waiting] if not each.is_cancelled), default=None
        )
        if fewest is None or seconds < FIRST_SLICE_SECONDS:
            return False
        own = min(FIRST_SLICE_SECONDS * 2**job.slices, LONGEST_SLICE_SECONDS)
        return fewest < job.slices or seconds >= own
