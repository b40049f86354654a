"""A real local Ray with two CPUs, started once for the tests of a file."""

import os

import pytest

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # read by torch: more threads than cores stand in each other's way
os.environ.setdefault(
    "RAY_agent_register_timeout_ms", "200000"
)  # for scripts that start Ray by themselves


@pytest.fixture(scope="module")
def ray():
    pytest.importorskip("ray")
    from azul_train.ray_session import ray_session

    with ray_session(cpus=2) as module:
        yield module
