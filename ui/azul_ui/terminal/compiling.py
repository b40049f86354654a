"""The bar that is shown while kernels are compiled."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from azul_agents.arena.warmup import warm_up
from azul_env.core.jit import watched_compilation
from azul_ui.terminal.bars import bar_console


@contextmanager
def compiling() -> Iterator[None]:
    """Show a bar from the first kernel that is compiled in this block; none if all come from the cache."""
    bar = Progress(
        TextColumn("compiling, once"),
        BarColumn(),
        TextColumn("{task.completed} functions"),
        TimeElapsedColumn(),
        console=bar_console(),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, visible=False)
        with watched_compilation(lambda: bar.update(task, advance=1, visible=True)):
            yield


def compile_analysis(spec: str, num_players: int, variant: str) -> None:
    """Compile what analyses by this agent need, with a bar of its own."""
    with compiling():
        warm_up([spec], num_players, variant, analyses=True)
