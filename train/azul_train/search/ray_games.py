"""The games of a generation played by Ray workers, on this machine or on a cluster, and saved here.

The games of a file depend on nothing but config, numbers and evaluator, so they are the same wherever they are played. A
file whose worker died is played again by another; a stop loses the files that are being played.
"""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from azul_agents.arena.ray_games import MAX_TRIES, WorkersDiedError, check_code, code_digest
from azul_agents.arena.ray_session import ray_session
from azul_agents.search.recording_file import save_recording
from azul_agents.search.self_play import Recording
from azul_train.search.config import SearchConfig
from azul_train.search.games import MakeEvaluator, games_to_record, missing_files

FILES_PER_WORKER: Final = 2  # handed out at a time, so that no worker waits for the next


class RayGames:
    """Plays generations on Ray: the cluster at an address, or a local one with a CPU for each job."""

    def __init__(self, address: str | None = None) -> None:
        self.address = address

    def __call__(
        self,
        folder: Path,
        config: SearchConfig,
        generation: int,
        new_evaluator: MakeEvaluator,
        on_games: Callable[[int], None],
    ) -> None:
        """Play the games that are missing in a folder, as `games.play_generation` does."""
        folder.mkdir(exist_ok=True)
        waiting = missing_files(folder, config)
        with ray_session(self.address, config.self_play.jobs) as ray:
            play = ray.remote(num_cpus=1, max_retries=MAX_TRIES - 1)(_recorded)
            shared = ray.put(new_evaluator)
            at_once = FILES_PER_WORKER * max(1, int(ray.cluster_resources().get("CPU", 1)))
            playing: dict[Any, Path] = {}  # by pending answer
            try:
                while waiting or playing:
                    while waiting and len(playing) < at_once:
                        number, file = waiting.pop(0)
                        playing[play.remote(config, generation, number, shared)] = file
                    (answer,), _ = ray.wait(list(playing), num_returns=1)
                    save_recording(playing.pop(answer), _answered(ray, answer))
                    on_games(config.self_play.games_per_file)
            finally:
                for answer in playing:
                    ray.cancel(answer, force=True)


def _recorded(
    config: SearchConfig, generation: int, number: int, new_evaluator: MakeEvaluator
) -> tuple[str, str, Recording]:
    """Host and code of a worker, and the games of one file."""
    under_way = games_to_record(config, generation, number, new_evaluator())
    under_way.play(under_way.games)
    return socket.gethostname(), code_digest(), under_way.recording


def _answered(ray: Any, answer: Any) -> Recording:
    """The games of a worker. Raises ValueError if its code is not ours, WorkersDiedError if its workers died."""
    try:
        host, code, recording = ray.get(answer)
    except ray.exceptions.WorkerCrashedError as error:
        raise WorkersDiedError(
            f"the games of a file lost their worker {MAX_TRIES} times"
        ) from error
    check_code(host, code)
    return recording
