"""Measure the numbers in docs/SCALING.md: games and training steps per second for 1 and 2 workers.

python docs/measure_scaling.py [--games 400] [--iterations 3]

Start-up is excluded: games are timed from the first finished one, training from the second iteration.
"""

import argparse
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from azul_agents.arena.ray_games import play_on_ray
from azul_agents.arena.ray_session import ray_session
from azul_agents.arena.schedule import ScheduledGame, table_games
from azul_agents.arena.workers import Finished, Play, play_all
from azul_agents.registry import make_agent
from azul_train.config import read_config
from azul_train.rllib.training import algorithm_config

# Share of --games by pairing.
PAIRINGS = {"greedy, greedy": 1.0, "greedy, alphabeta:nodes=1000": 0.25}
WORKERS = (1, 2)
TRAINING = ["engine=rllib", "ppo.games=64", "ppo.batch_size=1024"]


def timed(finished: Iterator[Finished]) -> tuple[float, float]:
    """Games per second after the first one, and CPU seconds of this process per game."""
    next(finished)
    start, worked, games = time.perf_counter(), time.process_time(), 0
    for _ in finished:
        games += 1
    seconds = time.perf_counter() - start
    return games / seconds, (time.process_time() - worked) / games


def measure_games(number: int) -> None:
    """Print games per second for both engines."""
    print("\n| agents | workers | local, games/s | Ray, games/s | Ray driver, CPU ms per game |")
    print("|---|---:|---:|---:|---:|")
    for specs, share in PAIRINGS.items():
        games = list(table_games(tuple(specs.split(", ")), int(share * number), seed=11))
        for workers in WORKERS:
            local, _ = speed_of(play_all, games, workers)
            on_ray, cpu = speed_of(play_on_ray, games, workers)
            print(
                f"| {specs} | {workers} | {local:.0f} | {on_ray:.0f} | {1000 * cpu:.2f} |",
                flush=True,
            )


def speed_of(play: Play, games: list[ScheduledGame], workers: int) -> tuple[float, float]:
    """The speed of an engine; see `timed`."""
    with closing(play(games, workers, make_agent)) as finished:
        return timed(finished)


def measure_training(iterations: int) -> None:
    """Print steps per second of RLlib: sampling only, and full iterations."""
    print("\n| env runners | sampling, steps/s | sampling and learning, steps/s |")
    print("|---:|---:|---:|")
    for runners in WORKERS:
        config = read_config(None, [*TRAINING, f"rllib.env_runners={runners}"])
        algorithm: Any = algorithm_config(config).build_algo()
        algorithm.train()
        steps = config.ppo.games * config.ppo.rollout_steps
        group = algorithm.env_runner_group
        sampling = seconds_of(
            lambda group=group: group.foreach_env_runner(
                lambda r: len(r.sample()), local_env_runner=False
            ),
            iterations,
        )
        training = seconds_of(algorithm.train, iterations)
        algorithm.stop()
        print(f"| {runners} | {steps / sampling:.0f} | {steps / training:.0f} |", flush=True)


def seconds_of(call: Callable[[], Any], times: int) -> float:
    """Mean duration of a call."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def main() -> None:
    """Measure games and training on one local Ray."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--iterations", type=int, default=3)
    arguments = parser.parse_args()
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    with ray_session(cpus=max(WORKERS)):
        measure_games(arguments.games)
        measure_training(arguments.iterations)


if __name__ == "__main__":
    main()
