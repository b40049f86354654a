"""`azul fit-evaluation` at the terminal: a progress bar, and a line per improvement."""

from pathlib import Path

from rich.progress import Progress

from azul_agents.arena.fit_folder import FitConfig, FitFolder
from azul_agents.arena.improvement import check_files, improve, new_fit
from azul_ui.stopping import this_command
from azul_ui.terminal.bars import Bars, bar_console, say
from azul_ui.terminal.going_on import says_how_to_go_on


def new_run(config: FitConfig, out: Path, root: Path) -> None:
    """Run all improvements in a new folder under `root`."""
    folder = new_fit(root, config, out, this_command())
    with folder.locked():
        _fit(folder)


def resumed_run(path: Path) -> None:
    """Run the improvements that are missing in a folder; a finished run is left as it is."""
    folder = FitFolder.open(path)
    if folder.is_finished:
        done = len(folder.improvements())
        say(
            f"{path} is finished: {done} of {folder.config.improvements} improvements; card: {folder.out}"
        )
        return
    with folder.locked():
        check_files(folder)
        _fit(folder)


def _fit(folder: FitFolder) -> None:
    """Run under a progress bar; a run that is stopped says how to go on."""
    say(f"fitting in {folder.path}")
    with (
        says_how_to_go_on("fit-evaluation", folder.path),
        Progress(console=bar_console(), transient=True) as progress,
    ):
        improve(
            folder,
            progress.console.print if progress.console.is_terminal else say,
            Bars(progress),
        )
    say(f"{folder.out}: weights for {folder.config.players} players")
