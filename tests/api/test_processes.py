"""Batches and environments in forked and spawned processes go on as in the process that made them."""

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from numba.core.compiler_lock import global_compiler_lock

from azul_env import GameBatch, azul_v0
from azul_env.core.jit import kernel
from azul_env.envs.single import AzulEnv
from azul_env.envs.vector import AzulTurnsVectorEnv, AzulVectorEnv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
LIMIT_SECONDS = 200  # compiling may come first, on a busy machine
METHODS = ["fork", "spawn"]


def result_in_fork(work: Callable[[], bytes]) -> bytes:
    """What a function returns in a forked child, which has LIMIT_SECONDS."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(LIMIT_SECONDS)
            os.write(writer, work())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writer)
    with open(reader, "rb") as pipe:
        result = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return result


def played(batch: GameBatch) -> bytes:
    batch.reset()
    return batch.play_to_end().tobytes() + batch.rows["scores"].tobytes()


@pytest.fixture
def used_batch() -> GameBatch:
    batch = GameBatch(8, seed=1, threads=2)
    batch.play_to_end()
    return batch


def test_threads_of_a_batch__work_in_a_fork(used_batch: GameBatch) -> None:
    forked = result_in_fork(lambda: played(used_batch))
    assert forked == played(used_batch)


def test_threads_of_a_batch__work_in_a_fork_of_a_fork(used_batch: GameBatch) -> None:
    def in_child() -> bytes:
        assert played(used_batch)
        return result_in_fork(lambda: played(used_batch))

    assert len(result_in_fork(in_child)) == len(played(used_batch))


def put_played(batch: GameBatch, answers: Any) -> None:
    answers.put(played(batch))


@pytest.mark.parametrize("method", METHODS)
def test_threads_of_a_batch__work_under_multiprocessing(method: str, used_batch: GameBatch) -> None:
    context: Any = multiprocessing.get_context(method)
    answers = context.Queue()
    process = context.Process(target=put_played, args=(used_batch, answers))
    process.start()
    assert answers.get(timeout=LIMIT_SECONDS) == played(used_batch)
    process.join(LIMIT_SECONDS)
    assert process.exitcode == 0


@kernel
def _next_number(number: int) -> int:
    return number + 1


def test_fork__waits_for_a_compilation_on_another_thread() -> None:
    is_held = threading.Event()

    def hold() -> None:
        with global_compiler_lock:  # as while compiling
            is_held.set()
            time.sleep(0.5)

    compiling = threading.Thread(target=hold)
    compiling.start()
    is_held.wait()
    assert result_in_fork(lambda: bytes([_next_number(41)])) == b"\x2a"
    compiling.join()
    assert _next_number(41) == 42  # the lock is free in this process, too


def steps_of_turns(env: Any) -> bytes:
    shown = b""
    for _ in range(30):
        observation = env.last()[0]
        shown += observation["observation"].tobytes()
        env.step(int(np.flatnonzero(observation["action_mask"])[-1]))
    return shown


def steps_of_one(env: Any) -> bytes:
    steps = (env.step(int(np.flatnonzero(env.action_masks())[-1])) for _ in range(8))
    return b"".join(step[0].tobytes() for step in steps)


def steps_of_many(env: Any) -> bytes:
    steps = (env.step(env.action_masks().argmax(axis=1)) for _ in range(30))
    return b"".join(step[0].tobytes() for step in steps)


ENVIRONMENTS: dict[str, tuple[Callable[[], Any], Callable[[Any], bytes]]] = {
    "AEC": (azul_v0.env, steps_of_turns),
    "AzulEnv": (AzulEnv, steps_of_one),
    "AzulVectorEnv": (partial(AzulVectorEnv, 3, opponents="greedy"), steps_of_many),
    "AzulTurnsVectorEnv": (partial(AzulTurnsVectorEnv, 3), steps_of_many),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environment_in_use__goes_on_in_a_fork(name: str) -> None:
    make, steps = ENVIRONMENTS[name]
    env = make()
    env.reset(seed=1)
    steps(env)
    env.reset(seed=2)
    forked = result_in_fork(lambda: steps(env)[-8000:])
    assert forked == steps(env)[-8000:]


@pytest.mark.parametrize("method", METHODS)
def test_async_vector_env__plays_like_one_in_this_process(method: str) -> None:
    makers = [partial(AzulEnv, max_rounds=2)] * 2
    asynchronous = AsyncVectorEnv(makers, context=method)
    shown = []
    try:
        for env in (asynchronous, SyncVectorEnv(makers)):
            observations, info = env.reset(seed=1)
            steps = [observations.tobytes()]
            for _ in range(6):
                observations, _, _, _, info = env.step(np.stack(info["action_mask"]).argmax(axis=1))
                steps.append(observations.tobytes())
            shown.append(steps)
    finally:
        asynchronous.close()
    assert shown[0] == shown[1]


@pytest.mark.parametrize("method", METHODS)
def test_subproc_vec_env__plays_like_one_in_this_process(method: str) -> None:
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    makers: list[Callable[[], Any]] = [partial(AzulEnv, max_rounds=2)] * 2
    apart = vec_env.SubprocVecEnv(makers, start_method=method)
    shown = []
    try:
        for env in (apart, vec_env.DummyVecEnv(makers)):
            env.seed(1)
            steps = [env.reset().tobytes()]
            for _ in range(6):
                masks = np.stack(env.env_method("action_masks"))
                steps.append(env.step(masks.argmax(axis=1))[0].tobytes())
            shown.append(steps)
    finally:
        apart.close()
    assert shown[0] == shown[1]
