"""A real local Ray with two CPUs, started once for the tests of a file."""

import os

import pytest

from azul_processes import LAYERS, ROOT

os.environ.setdefault("OMP_NUM_THREADS", "1")  # for torch: threads would fight for the cores
os.environ.setdefault("RAY_agent_register_timeout_ms", "200000")  # for scripts that start Ray


@pytest.fixture(scope="module")
def ray():
    pytest.importorskip("ray")
    from azul_agents.arena.ray_session import ray_session

    with pytest.MonkeyPatch.context() as patch:
        # Workers import the players of the tests.
        patch.setenv("PYTHONPATH", os.pathsep.join([*LAYERS, str(ROOT / "tests")]))
        with ray_session(cpus=2) as module:
            yield module
