"""Read ahead what a run resumes from, to find a damaged file at once rather than after hours of self-play."""

from collections.abc import Iterator
from pathlib import Path

from azul_agents.arena.fit_folder import read_results
from azul_agents.search.network.weights_file import read_networks
from azul_agents.search.recording_file import read_part
from azul_train.search.config import SearchConfig
from azul_train.search.folder import BEST, GENERATION, LINEAR, SearchRunFolder
from azul_train.search.games import files_of, part_of, recordings_in
from azul_train.search.progress import Report, ignore


def check_files(folder: SearchRunFolder, report: Report = ignore) -> None:
    """Raise ValueError or OSError if a file that the run depends on is broken or missing."""
    config, lines = folder.config, folder.generations()
    number = len(lines) + 1
    _ = folder.minutes, folder.provenance
    if number > config.generations:
        return
    kept = [line[GENERATION] for line in lines if line["kept"]]
    if kept:
        read_networks(folder.networks_of(kept[-1]))
    if folder.has_learned(number):
        read_networks(folder.networks_of(number))
        folder.card_of(number)
    else:
        _check_games(folder, config, number, report)
    for opponent in (BEST, LINEAR):
        read_results(folder.match_file(number, opponent), config.num_players, config.match_games)


def _check_games(
    folder: SearchRunFolder, config: SearchConfig, number: int, report: Report
) -> None:
    """Read the games that a generation learns from."""
    generations = range(max(1, number - config.memory + 1), number + 1)
    files = [file for n in generations for file in files_of(folder.generation(n), config)]
    there = [file for file in files if file.exists()]
    for done, _ in enumerate(recordings_in(there, config), 1):
        report("reading games", done, len(there))
    for part in _parts_of(files):
        read_part(part, config.num_players, config.self_play.games_per_file)


def _parts_of(files: list[Path]) -> Iterator[Path]:
    return (part for part in map(part_of, files) if part.exists())
