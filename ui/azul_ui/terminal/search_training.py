"""`azul train-search` at the terminal: progress bars, and a line per generation."""

from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from azul_agents.arena.tables import percent
from azul_train.engine import check_modules
from azul_train.search.checks import check_files
from azul_train.search.config import read_search_config
from azul_train.search.folder import SearchRunFolder
from azul_train.search.progress import PlayGames
from azul_ui.stopping import this_command
from azul_ui.terminal.bars import Bars, bar_console, say
from azul_ui.terminal.going_on import says_how_to_go_on


def new_run(config: Path | None, changes: list[str], root: Path, play: PlayGames | None) -> None:
    """Run all generations in a new folder under `root`; `play` is another engine than threads of this process."""
    settings = read_search_config(config, changes)
    check_modules()
    folder = SearchRunFolder.create(root, settings, this_command())
    with folder.locked():
        _learn(folder, play)


def resumed_run(path: Path, play: PlayGames | None) -> None:
    """Run the generations that are missing in a folder; a finished run is left as it is."""
    folder = SearchRunFolder.open(path)
    folder.check_config()
    if folder.is_finished:
        say(f"{path} is finished: {len(folder.generations())} generations; report: {folder.report}")
        return
    check_modules()
    with folder.locked():
        with Progress(console=bar_console(), transient=True) as progress:
            check_files(folder, Bars(progress))
        folder.note_resume(this_command(), len(folder.generations()))
        _learn(folder, play)


def ray_engine(address: str | None) -> PlayGames:
    """The engine that plays on Ray. Raises ModuleNotFoundError with the command that installs it."""
    from azul_agents.arena.ray_session import needed_ray
    from azul_train.search.ray_games import RayGames

    needed_ray()
    return RayGames(address)


def _learn(folder: SearchRunFolder, play: PlayGames | None) -> None:
    """Run under progress bars; a run that is stopped says how to go on."""
    from azul_train.search.games import play_generation
    from azul_train.search.generations import SearchRun
    from azul_train.search.report import write_search_report

    say(f"learning in {folder.path}")
    with (
        says_how_to_go_on("train-search", folder.path),
        Progress(console=bar_console(), transient=True) as progress,
    ):
        lines = SearchRun(folder, Bars(progress), play or play_generation).run()
    write_search_report(folder)
    for line in lines:
        rates = [f"{percent(line[name]['win_rate'])} v {name}" for name in ("best", "linear")]
        kept = "kept" if line["kept"] else "not kept"
        Console(highlight=False).print(
            f"generation {line['generation']}: {', '.join(rates)}, {kept}"
        )
    say(f"report: {folder.report}")
