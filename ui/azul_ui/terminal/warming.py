"""Compile everything ahead of time: the engine, the environments, the agents and the kernels of training."""

import time
from contextlib import closing

import numpy as np

from azul_agents import analysis_of, make_agent
from azul_agents.arena.warmup import QUICK_LIMITS, warm_up
from azul_agents.base import VARIANTS
from azul_env import GameBatch, azul_v0, new_game
from azul_env.core.jit import watched_compilation
from azul_env.envs.single import AzulEnv
from azul_env.envs.vector import AzulTurnsVectorEnv, AzulVectorEnv
from azul_env.rewards import REWARDS
from azul_train.selfplay.rewards import seat_rewards, win_shares
from azul_ui.terminal.compiling import compiling

MANY_GAMES = 64  # more than the environments play on one thread
ANALYSTS = ("greedy", "alphabeta:nodes=1", "mcts:simulations=1")


def warm_up_everything() -> None:
    """Compile everything, and say how long it took."""
    start, processor = time.perf_counter(), time.process_time()
    compiled = 0

    def count() -> None:
        nonlocal compiled
        compiled += 1

    with compiling(), watched_compilation(count):
        for variant in VARIANTS:
            _use_agents(variant)
            _use_environments(variant)
            _use_rewards_of_learners(variant)
    seconds, used = time.perf_counter() - start, time.process_time() - processor
    done = f"compiled {compiled} functions" if compiled else "everything was compiled before"
    print(f"{done}: {seconds:.0f} s, {used:.0f} s of processor time")


def _use_agents(variant: str) -> None:
    without_file = [kind for kind in QUICK_LIMITS if kind != "neural"]  # ppo is the same code
    specs = [*without_file, "alphabeta:nodes=1", "mcts:leaf=round", "mcts:leaf=game"]
    warm_up([spec for spec in specs if _plays(spec, variant)], 2, variant)
    for spec in ANALYSTS:
        with closing(make_agent(spec)) as agent:
            analysis_of(new_game(2, rng=0, variant=variant), agent)


def _plays(spec: str, variant: str) -> bool:
    """True if an agent plays a variant."""
    with closing(make_agent(spec)) as agent:
        return variant in agent.variants


def _use_environments(variant: str) -> None:
    batch = GameBatch(2, num_players=2, seed=0, variant=variant)
    batch.step(batch.random_actions())
    batch.play_to_round_end()
    batch.play_to_end()
    for kind in (AzulVectorEnv, AzulTurnsVectorEnv):
        for observation in ("float32", "uint8"):
            games = kind(MANY_GAMES, observation=observation, variant=variant)
            _, info = games.reset(seed=0)
            games.step(info["action_mask"].argmax(axis=1))
    single = AzulEnv(opponents="greedy", variant=variant)
    _, info = single.reset(seed=0)
    single.step(int(info["action_mask"].argmax()))
    turns = azul_v0.env(variant=variant)
    turns.reset(seed=0)
    turns.step(int(turns.observe(turns.agent_selection)["action_mask"].argmax()))


def _use_rewards_of_learners(variant: str) -> None:
    batch = GameBatch(2, num_players=2, seed=0, variant=variant)
    before, seats = batch.rows.copy(), np.zeros(2, np.int64)
    batch.play_to_end()
    seat_rewards(before, batch.rows, seats, dict.fromkeys(REWARDS, 1.0))
    win_shares(batch.rows, seats)
