"""Runs chores in processes of their own until the time is over, and prints what became of them."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
FOLDERS = [str(ROOT / layer) for layer in ("", "agents", "train", "ui", "tests")]
# Beyond a chore's time: what it has begun is brought to its end, compiled first, on a machine with other work.
PATIENCE_SECONDS = 600
GROWTH_LIMIT_MB = (
    80.0  # of a chore that is warm; code that is compiled or loaded late takes up to 50
)
TAIL_LINES = 12  # of a failure's stderr that are shown


class Plan(NamedTuple):
    """What is run, and for how long."""

    names: tuple[str, ...]
    seconds: float
    jobs: int
    seed: int
    turn_seconds: float


@dataclass
class Tally:
    """What became of all runs of one chore."""

    runs: int = 0
    failures: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    peak_mb: float = 0.0
    growth_mb: float = 0.0


def soak(plan: Plan) -> int:
    """Run the plan; the number of failures."""
    console = Console()
    tallies = {name: Tally() for name in plan.names}
    lock = threading.Lock()
    numbers = iter(range(10**9))
    end = time.monotonic() + plan.seconds

    def work() -> None:
        while time.monotonic() < end:
            with lock:
                number = next(numbers)
            name = plan.names[number % len(plan.names)]
            seconds = max(1.0, min(plan.turn_seconds, end - time.monotonic()))
            problem = _run(name, plan.seed + number, seconds, tallies[name], lock)
            if problem:
                console.print(problem, markup=False, highlight=False, soft_wrap=True, style="red")

    workers = [threading.Thread(target=work) for _ in range(plan.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    console.print(_table(tallies))
    failures = sum(tally.failures for tally in tallies.values())
    runs = sum(tally.runs for tally in tallies.values())
    console.print(f"{runs} runs in {plan.seconds / 60:.1f} minutes, {failures} failures")
    return failures


def _run(name: str, seed: int, seconds: float, tally: Tally, lock: threading.Lock) -> str | None:
    """Run one chore and add it to the tally; what is wrong, if anything."""
    folder = Path(tempfile.mkdtemp(prefix=f"azul-soak-{name}-"))
    command = [sys.executable, "-m", "soak.chore", name, str(seed), f"{seconds:g}", str(folder)]
    error_file = folder / "stderr.log"
    with open(error_file, "wb") as errors:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(FOLDERS), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        problem, report, peak_mb = _ending(process, seconds + PATIENCE_SECONDS)
    if not problem and report["growth_mb"] > GROWTH_LIMIT_MB:
        problem = f"memory grew by {report['growth_mb']} MB"
    left = _processes_of(process.pid)
    if left:
        os.killpg(process.pid, signal.SIGKILL)
        problem = problem or f"left processes behind: {left}"
    with lock:
        tally.runs += 1
        tally.failures += problem is not None
        tally.counts.update(report["counts"])
        tally.peak_mb = max(tally.peak_mb, peak_mb)
        tally.growth_mb = max(tally.growth_mb, report["growth_mb"])
    if problem is None:
        shutil.rmtree(folder, ignore_errors=True)
        return None
    tail = error_file.read_text(errors="replace").splitlines()[-TAIL_LINES:]
    return "\n".join([f"{name}, seed {seed}: {problem}", *tail, f"  {shlex.join(command)}"])


def _ending(process: subprocess.Popen[bytes], seconds: float) -> tuple[str | None, Any, float]:
    """What is wrong with how a process ended, its report, and its peak of memory."""
    nothing: dict[str, Any] = {"counts": {}, "growth_mb": 0.0}
    killer = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
    killer.start()
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    is_hung = not killer.is_alive()
    killer.cancel()
    process.returncode = code = os.waitstatus_to_exitcode(status)
    peak_mb = usage.ru_maxrss / 1024
    if is_hung:
        return f"hung for {seconds:.0f} seconds", nothing, peak_mb
    if code:
        ending = f"exit code {code}" if code > 0 else signal.Signals(-code).name
        return f"ended with {ending}", nothing, peak_mb
    return None, json.loads(output.splitlines()[-1]), peak_mb


def _processes_of(group: int) -> list[str]:
    """The processes that still run in a group, after a moment to end."""
    for _ in range(50):
        listing = subprocess.run(
            ["ps", "-A", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True
        ).stdout
        lines = [line.split(maxsplit=2) for line in listing.splitlines()]
        left = [line[2][:60] for line in lines if line[0] == str(group) and line[1][0] != "Z"]
        if not left:
            return []
        time.sleep(0.1)
    return left


def _table(tallies: dict[str, Tally]) -> Table:
    table = Table(title="soak")
    for head in ("chore", "runs", "failures", "peak MB", "growth MB"):
        table.add_column(head, justify="left" if head == "chore" else "right")
    table.add_column("done")
    for name, tally in tallies.items():
        done = ", ".join(f"{number:,} {what}" for what, number in tally.counts.items())
        numbers = (tally.runs, tally.failures, f"{tally.peak_mb:.0f}", f"{tally.growth_mb:.1f}")
        table.add_row(name, *map(str, numbers), done)
    return table
