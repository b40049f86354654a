"""Speeds of the engine and the environments: benchmarks take turns, and the best of several trials counts.

Other load on the machine can only slow a trial down, so the best one says most about the code. Many short trials in
turn give all benchmarks the same conditions.
"""

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from azul_agents.kinds import AlphaBetaOptions
from azul_agents.provenance import commit, machine, versions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.evaluation import load_weights
from azul_agents.search.tree import ROUND, new_tree
from azul_env import GameBatch, azul_v0, legal_mask, new_game
from azul_env.core.batch import choose_randomly
from azul_env.envs.vector import AzulTurnsVectorEnv

PLAYOUT = "playout_moves_per_second"
VECTOR = "vector_steps_per_second"
RATIOS = {  # key: two speeds, the first divided by the second
    "vector_steps_to_playout_moves_ratio": (VECTOR, PLAYOUT),
    "vector_2_threads_to_1_thread_ratio": (f"{VECTOR}_2_threads", VECTOR),
    "vector_8192_games_2_threads_to_1_thread_ratio": (
        f"{VECTOR}_8192_games_2_threads",
        f"{VECTOR}_8192_games",
    ),
    "search_simulations_to_playout_moves_ratio": ("search_simulations_per_second", PLAYOUT),
    "aec_steps_to_connect_four_aec_steps_ratio": (
        "aec_steps_per_second",
        "connect_four_aec_steps_per_second",
    ),
    "playout_moves_to_yardstick_moves_ratio": (PLAYOUT, "yardstick_moves_per_second"),
}

Trial = Callable[[], int]  # does some work and returns the number of moves or steps


@dataclass(frozen=True)
class BenchConfig:
    """Number and length of the trials."""

    trials: int = 20
    """Trials of each benchmark; the best counts."""
    seconds_per_trial: float = 0.1
    """Minimum duration of a trial."""
    yardstick: Path | None = None
    """A Python file with `play_random_game(num_players, seed)` that returns `{"moves": ...}`."""


@dataclass(frozen=True)
class Contender:
    """A benchmark; `key` names its result."""

    key: str
    trial: Trial


def run_bench(
    config: BenchConfig, on_trial: Callable[[str], None] = lambda key: None
) -> dict[str, Any]:
    """All speeds by key, with the machine, versions and commit they were measured on."""
    contenders = [
        Contender(PLAYOUT, playout_trial(num_players=2, threads=1)),
        Contender(f"{PLAYOUT}_3_players", playout_trial(num_players=3, threads=1)),
        Contender(f"{PLAYOUT}_4_players", playout_trial(num_players=4, threads=1)),
        Contender(f"{PLAYOUT}_2_threads", playout_trial(num_players=2, threads=2)),
        Contender(VECTOR, vector_trial("float32")),
        Contender(f"{VECTOR}_2_threads", vector_trial("float32", threads=2)),
        Contender(f"{VECTOR}_8192_games", vector_trial("float32", 8192)),
        Contender(f"{VECTOR}_8192_games_2_threads", vector_trial("float32", 8192, threads=2)),
        Contender(f"{VECTOR}_uint8", vector_trial("uint8")),
        Contender("aec_steps_per_second", aec_trial(azul_v0.env())),
        Contender("raw_aec_steps_per_second", aec_trial(azul_v0.raw_env())),
        *_connect_four(),
        Contender("search_simulations_per_second", simulation_trial()),
        Contender("alphabeta_nodes_per_second", alphabeta_trial()),
        *_yardstick(config.yardstick),
    ]
    speeds = _measure(contenders, config, on_trial)
    ratios = {
        key: speeds[fast] / speeds[slow] for key, (fast, slow) in RATIOS.items() if slow in speeds
    }
    overtime = {"alphabeta_longest_move_to_limit_ratio": longest_move(time_limit_seconds=0.1) / 0.1}
    return (
        speeds
        | ratios
        | overtime
        | {"machine": machine(), "versions": versions(), "commit": commit()}
    )


def playout_trial(num_players: int, threads: int, num_games: int = 512) -> Trial:
    """Random games from the deal to the end, all in compiled code."""
    batch = GameBatch(num_games, num_players, seed=1, threads=threads)

    def trial() -> int:
        batch.reset()
        return int(batch.play_to_end().sum())

    return trial


def vector_trial(
    observation: str, num_envs: int = 1024, threads: int = 1, steps: int = 20
) -> Trial:
    """Steps of the turn-based vector environment: random legal actions, masks, observations, restarts.

    The actions are always chosen on one thread, like those of most learners.
    """
    env = AzulTurnsVectorEnv(num_envs, observation=observation, threads=threads)
    env.reset(seed=1)
    actions = np.zeros(num_envs, np.int64)

    def trial() -> int:
        for _ in range(steps):
            choose_randomly(env.rows, env.chances, actions, 0, num_envs)
            env.step(actions)
        return num_envs * steps

    return trial


def aec_trial(env: Any, steps: int = 500) -> Trial:
    """Steps of a PettingZoo environment by the usual loop, with random legal actions."""
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def trial() -> int:
        done = 0
        while done < steps:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(rng.random() * len(legal))]))
            done += 1
        return done

    return trial


def simulation_trial(simulations: int = 20_000) -> Trial:
    """Tree search from an opening of 2 players, with random turns to the end of the round at every leaf."""
    memory = new_tree(1 << 21)
    opening = new_game(2, rng=1)
    weights = load_weights(2)

    def trial() -> int:
        memory.begin(opening.rows, ROUND, simulations, np.uint64(1))
        memory.run(weights, exploration=1.0)
        return simulations

    return trial


def alphabeta_trial(nodes: int = 50_000) -> Trial:
    """Alpha-beta from an opening of 2 players."""
    agent = AlphaBetaAgent(options=AlphaBetaOptions(nodes=nodes))
    opening = new_game(2, rng=1)

    def trial() -> int:
        agent.analyse(opening)
        return agent.nodes

    return trial


def longest_move(time_limit_seconds: float, moves: int = 10) -> float:
    """The longest of some moves of alpha-beta with a limit of time, in seconds."""
    agent = AlphaBetaAgent(options=AlphaBetaOptions(time=time_limit_seconds))
    rng = np.random.default_rng(1)
    longest = 0.0
    for seed in range(moves):
        state = new_game(2, rng=seed)
        mask = legal_mask(state)
        start = time.perf_counter()
        agent.act(state, mask, rng)
        longest = max(longest, time.perf_counter() - start)
    return longest


def _connect_four() -> list[Contender]:
    """PettingZoo's connect four, if its classic games are installed."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return []
    return [Contender("connect_four_aec_steps_per_second", aec_trial(connect_four_v3.env()))]  # type: ignore[no-untyped-call]


def _yardstick(path: Path | None) -> list[Contender]:
    return [Contender("yardstick_moves_per_second", yardstick_trial(path))] if path else []


def yardstick_trial(path: Path, num_games: int = 20) -> Trial:
    """Random 2-player games of an engine in a Python file, for comparison in the same run."""
    spec = importlib.util.spec_from_file_location("azul_yardstick", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ValueError(f"yardstick {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "play_random_game"):
        raise ValueError(f"yardstick {path} has no function play_random_game")

    def trial() -> int:
        return sum(module.play_random_game(2, seed)["moves"] for seed in range(num_games))

    return trial


def _measure(
    contenders: list[Contender], config: BenchConfig, on_trial: Callable[[str], None]
) -> dict[str, float]:
    """The best speed of each contender, per second."""
    for contender in contenders:
        contender.trial()  # compiles, or loads compiled code
    best = {contender.key: 0.0 for contender in contenders}
    for _ in range(config.trials):
        for contender in contenders:
            speed = _speed_of(contender.trial, config.seconds_per_trial)
            best[contender.key] = max(best[contender.key], speed)
            on_trial(contender.key)
    return best


def _speed_of(trial: Trial, seconds: float) -> float:
    """Units per second, measured over at least this many seconds."""
    units = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        units += trial()
    return units / elapsed
