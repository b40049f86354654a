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

from azul_agents.arena.run_configs import BenchConfig
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.provenance import commit, machine, versions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.graph import ROUND, new_graph
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.simulation import simulate
from azul_env import GameBatch, azul_v0, legal_mask, new_game, to_dict
from azul_env.core.batch import choose_randomly
from azul_env.envs.vector import AzulTurnsVectorEnv

RATIOS = [  # of speeds, by key prefix
    ("gray_playout_moves", "playout_moves"),
    ("vector_steps", "playout_moves"),
    ("search_simulations", "playout_moves"),
    ("alphabeta_nodes", "playout_moves"),
    ("aec_steps", "connect_four_aec_steps"),
    ("playout_moves", "yardstick_moves"),
    ("alphabeta_move_nodes", "yardstick_nodes"),
]

Trial = Callable[[], int]  # does some work and returns the number of moves or steps


@dataclass(frozen=True)
class Contender:
    """A benchmark; `key` names its result."""

    key: str
    trial: Trial


def run_bench(
    config: BenchConfig, on_trial: Callable[[str, float], None] = lambda key, best: None
) -> dict[str, Any]:
    """All speeds by key, with the machine, versions and commit they were measured on.

    `on_trial` gets the key and the best speed so far after every trial.
    """
    contenders = [
        Contender("playout_moves_per_second", playout_trial(num_players=2, threads=1)),
        Contender("playout_moves_per_second_3_players", playout_trial(num_players=3, threads=1)),
        Contender("playout_moves_per_second_4_players", playout_trial(num_players=4, threads=1)),
        Contender("playout_moves_per_second_2_threads", playout_trial(num_players=2, threads=2)),
        *(
            Contender(
                f"gray_playout_moves_per_second{of}", playout_trial(players, 1, variant="gray")
            )
            for players, of in ((2, ""), (3, "_3_players"), (4, "_4_players"))
        ),
        Contender("vector_steps_per_second", vector_trial("float32")),
        Contender("vector_steps_per_second_uint8", vector_trial("uint8")),
        Contender("aec_steps_per_second", aec_trial(azul_v0.env())),
        Contender("raw_aec_steps_per_second", aec_trial(azul_v0.raw_env())),
        *_connect_four(),
        Contender("search_simulations_per_second", simulation_trial()),
        Contender("alphabeta_nodes_per_second", alphabeta_trial()),
        Contender("alphabeta_move_nodes_per_second", alphabeta_move_trial(num_players=2)),
        Contender("alphabeta_move_nodes_per_second_4_players", alphabeta_move_trial(num_players=4)),
        *_yardstick(config.yardstick),
    ]
    speeds = _measure(contenders, config, on_trial)
    ratios = {
        f"{fast}_to_{slow}_ratio": speeds[f"{fast}_per_second"] / speeds[f"{slow}_per_second"]
        for fast, slow in RATIOS
        if f"{slow}_per_second" in speeds
    }
    overtime = {"alphabeta_longest_move_to_limit_ratio": longest_move(time_limit_seconds=0.1) / 0.1}
    return speeds | ratios | overtime | measured_on()


def measured_on() -> dict[str, Any]:
    """Machine, versions and commit."""
    return {"machine": machine(), "versions": versions(), "commit": commit()}


def playout_trial(
    num_players: int, threads: int, num_games: int = 512, variant: str = "colored"
) -> Trial:
    """Random games from the deal to the end, all in compiled code."""
    batch = GameBatch(num_games, num_players, seed=1, threads=threads, variant=variant)

    def trial() -> int:
        batch.reset()
        return int(batch.play_to_end().sum())

    return trial


def vector_trial(observation: str, num_envs: int = 1024, steps: int = 20) -> Trial:
    """Steps of the turn-based vector environment: random legal actions, masks, observations, restarts."""
    env = AzulTurnsVectorEnv(num_envs, observation=observation)
    env.reset(seed=1)
    actions = np.zeros(num_envs, np.int64)

    def trial() -> int:
        for _ in range(steps):
            choose_randomly(env._rows, env._chances, actions, 0, num_envs)
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
    """Monte-Carlo search from an opening of 2 players, with random playouts to the end of the round at every leaf."""
    memory = new_graph(1 << 21)
    opening = new_game(2, rng=1)
    evaluator = linear_evaluator(2)

    def trial() -> int:
        memory.begin(opening.rows, ROUND, simulations, np.uint64(1))
        simulate(memory, evaluator, 1.0)
        return simulations

    return trial


def alphabeta_trial(nodes: int = 50_000) -> Trial:
    """Alpha-beta valuing every move of an opening of 2 players."""
    agent = AlphaBetaAgent(options=AlphaBetaOptions(nodes=nodes))
    opening = new_game(2, rng=1)

    def trial() -> int:
        agent.analyse(opening)
        return agent.nodes

    return trial


def alphabeta_move_trial(num_players: int, openings: int = 8, nodes: int = 50_000) -> Trial:
    """Alpha-beta choosing a move in some openings; every position visited below the root is a node."""
    agent = AlphaBetaAgent(options=AlphaBetaOptions(nodes=nodes))
    states = [new_game(num_players, rng=seed) for seed in range(openings)]
    masks = [legal_mask(state) for state in states]
    rng = np.random.default_rng(1)

    def trial() -> int:
        visited = 0
        for state, mask in zip(states, masks, strict=True):
            agent.act(state, mask, rng)
            visited += agent.nodes
        return visited

    return trial


def longest_move(time_limit_seconds: float, moves: int = 10) -> float:
    """The longest thinking time over several moves of alpha-beta with a time limit, in seconds."""
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
    """The functions of a Python file, for comparison in the same run."""
    if path is None:
        return []
    spec = importlib.util.spec_from_file_location("azul_yardstick", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ValueError(f"yardstick {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = []
    if hasattr(module, "play_random_game"):
        trial = yardstick_games_trial(module.play_random_game)
        found.append(Contender("yardstick_moves_per_second", trial))
    if hasattr(module, "search_nodes"):
        trial = yardstick_search_trial(module.search_nodes)
        found.append(Contender("yardstick_nodes_per_second", trial))
    if not found:
        raise ValueError(f"yardstick {path}: it has no function play_random_game or search_nodes")
    return found


def yardstick_games_trial(
    play_random_game: Callable[[int, int], dict[str, int]], num_games: int = 20
) -> Trial:
    """Random 2-player games of another engine."""

    def trial() -> int:
        return sum(play_random_game(2, seed)["moves"] for seed in range(num_games))

    return trial


def yardstick_search_trial(
    search_nodes: Callable[[Any, int], int], openings: int = 8, nodes: int = 50_000
) -> Trial:
    """Another search choosing a move in the openings of `alphabeta_move_trial`."""
    positions = [to_dict(new_game(2, rng=seed)) for seed in range(openings)]

    def trial() -> int:
        return sum(search_nodes(position, nodes) for position in positions)

    return trial


def _measure(
    contenders: list[Contender], config: BenchConfig, on_trial: Callable[[str, float], None]
) -> dict[str, float]:
    """The best speed of each contender, per second."""
    for contender in contenders:
        contender.trial()  # compiles, or loads compiled code
    best = {contender.key: 0.0 for contender in contenders}
    for _ in range(config.trials):
        for contender in contenders:
            speed = _speed_of(contender.trial, config.seconds_per_trial)
            best[contender.key] = max(best[contender.key], speed)
            on_trial(contender.key, best[contender.key])
    return best


def _speed_of(trial: Trial, seconds: float) -> float:
    """Units per second over at least this many seconds."""
    units = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        units += trial()
    return units / elapsed
