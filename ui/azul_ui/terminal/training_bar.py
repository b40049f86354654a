"""The progress of a training run: a bar and the last win rates on a terminal, else one line per evaluation."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from azul_agents.arena.tables import percent
from azul_train.run.progress import EVALUATION, IMITATION, SELF_PLAY, OnProgress
from azul_train.run.progress import Progress as Event

UNITS = {IMITATION: "samples", SELF_PLAY: "steps", EVALUATION: "opponents"}
SPEED_SECONDS = 120  # window of the speed estimate: long, as evaluations come in between


@contextmanager
def watched(console: Console) -> Iterator[OnProgress]:
    """The callback that shows the progress of a run."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    bar = _Bar()
    with Live(get_renderable=bar.shown, console=console, transient=True, refresh_per_second=4):
        yield bar


def win_rates_text(win_rates: dict[str, float]) -> str:
    """Win rates by opponent in words."""
    return ", ".join(f"{opponent} {percent(rate)}" for opponent, rate in win_rates.items())


class _Lines:
    """A plain line after every evaluation, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._steps = 0  # before the evaluation
        self._steps_per_second = 0.0  # of the rollout before it
        self._has_evaluated = False

    def __call__(self, event: Event) -> None:
        if event.phase == EVALUATION:
            self._has_evaluated = True
            return
        if self._has_evaluated and event.win_rates:
            speed = f", {self._steps_per_second:,.0f} steps/s" if self._steps_per_second else ""
            line = f"{self._steps:,} steps{speed}: {win_rates_text(event.win_rates)}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        self._has_evaluated = False
        if event.phase == SELF_PLAY:
            self._steps, self._steps_per_second = event.done, event.steps_per_second


class _Count(ProgressColumn):
    """What is done of the total, with the speed where there is one."""

    def render(self, task: Task) -> Text:
        text = f"{task.completed:,.0f}/{task.total or 0:,.0f} {UNITS.get(task.description, '')}"
        speed = task.fields.get("steps_per_second", 0.0)
        return Text(f"{text}, {speed:,.0f} steps/s" if speed else text)


class _TimeLeft(TimeRemainingColumn):
    """Time left in a phase; none for an evaluation, which is too short and uneven."""

    def render(self, task: Task) -> Text:
        return Text("") if task.description == EVALUATION else super().render(task) + Text(" left")


class _Bar:
    """A bar for the phase that runs, below it the win rates of the last evaluation."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            _Count(table_column=Column(no_wrap=True)),
            _TimeLeft(compact=True, table_column=Column(no_wrap=True)),
            expand=True,
            speed_estimate_period=SPEED_SECONDS,
        )
        self._tasks: dict[str, TaskID] = {}
        self._win_rates = ""

    def shown(self) -> Group:
        """The current contents of the screen."""
        rates = [Text(f"last win rates: {self._win_rates}")] if self._win_rates else []
        return Group(self._progress, *rates)

    def __call__(self, event: Event) -> None:
        if event.phase not in self._tasks:
            # A resumed run begins in the middle: what was done before says nothing about the speed.
            self._tasks[event.phase] = self._progress.add_task(
                event.phase, total=event.total, completed=event.done
            )
        for phase, task in self._tasks.items():
            # The bar of self-play covers the whole run, so it stays during evaluations.
            is_shown = phase in (event.phase, SELF_PLAY)
            if phase != event.phase:
                self._progress.update(task, visible=is_shown)
                continue
            self._progress.update(
                task,
                completed=event.done,
                total=event.total,
                visible=is_shown,
                steps_per_second=event.steps_per_second if phase == SELF_PLAY else 0.0,
            )
        if event.win_rates:
            self._win_rates = win_rates_text(event.win_rates)
