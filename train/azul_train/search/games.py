"""The games of a generation: played in threads, saved file by file, and never played twice."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Final

import numpy as np

from azul_agents.search.evaluator import Evaluator
from azul_agents.search.pvs import new_memory
from azul_agents.search.recording_file import (
    load_part,
    load_recording,
    save_part,
    save_recording,
)
from azul_agents.search.self_play import SETTINGS, GamesToRecord, Recording
from azul_train.search.config import SearchConfig

FIRST_CHUNK: Final = 5  # games before the clock is first checked
CHUNK_SECONDS: Final = 0.5  # between checks: a stop takes about this long

MakeEvaluator = Callable[[], Evaluator]


def files_of(folder: Path, config: SearchConfig) -> list[Path]:
    """The files that the games of a generation are saved in."""
    wanted = config.self_play
    count = -(-wanted.games // wanted.games_per_file)
    return [folder / f"games_{number}.npz" for number in range(count)]


def missing_files(folder: Path, config: SearchConfig) -> list[tuple[int, Path]]:
    """The files of a generation whose games are not played yet, with their numbers."""
    return [
        (number, file) for number, file in enumerate(files_of(folder, config)) if not file.exists()
    ]


def play_generation(
    folder: Path,
    config: SearchConfig,
    generation: int,
    new_evaluator: MakeEvaluator,
    on_games: Callable[[int], None],
) -> None:
    """Play the games that are missing in a folder; `on_games` gets their number, file by file.

    When it is stopped, the threads save the games so far, and the next call resumes them.
    """
    folder.mkdir(exist_ok=True)
    missing = missing_files(folder, config)
    is_stopped = Event()

    def play(part: tuple[int, Path]) -> int:
        number, file = part
        if is_stopped.is_set():
            return 0
        under_way = games_to_record(config, generation, number, new_evaluator())
        _play_file(under_way, file, is_stopped)
        return config.self_play.games_per_file

    with ThreadPoolExecutor(config.self_play.jobs) as pool:
        try:
            for games in pool.map(play, missing):
                on_games(games)
        finally:
            is_stopped.set()  # Ctrl-C: the threads save their games and end


def _play_file(under_way: GamesToRecord, file: Path, is_stopped: Event) -> None:
    """Play the games of one file and save them, or those so far if it is stopped."""
    part = part_of(file)
    if part.exists():
        load_part(part, under_way)
    chunk = FIRST_CHUNK
    while under_way.played < under_way.games:
        if is_stopped.is_set():
            save_part(part, under_way)
            return
        start = time.monotonic()
        under_way.play(chunk)
        seconds = max(time.monotonic() - start, CHUNK_SECONDS / 4)
        chunk = max(1, int(chunk * CHUNK_SECONDS / seconds))
    save_recording(file, under_way.recording)
    part.unlink(missing_ok=True)


def part_of(file: Path) -> Path:
    """Where the games of a file are while some of them are missing."""
    return file.with_suffix(".part.npz")


def games_to_record(
    config: SearchConfig, generation: int, number: int, evaluator: Evaluator
) -> GamesToRecord:
    """The games of one file; they depend on nothing but the config, the numbers and the evaluator."""
    wanted = config.self_play
    settings = np.zeros(1, SETTINGS)
    settings["num_players"] = config.num_players
    for name in ("random_moves", "random_openings", "inner_positions"):
        settings[name] = round(1000 * getattr(wanted, name))
    seeds = np.random.SeedSequence(config.seed, spawn_key=(generation, number))
    memory = new_memory(wanted.breadth, wanted.nodes)
    seed = int(seeds.generate_state(1, np.uint64)[0])
    return GamesToRecord(wanted.games_per_file, settings, evaluator, memory, seed)


def recordings_in(files: Iterable[Path], config: SearchConfig) -> Iterator[Recording]:
    """The recorded games of some files. Raises ValueError if one of them is broken."""
    for file in files:
        yield load_recording(file, config.num_players, config.self_play.games_per_file)
