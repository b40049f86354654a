"""A real local Ray with two CPUs, started once for the tests of a file."""

import pytest


@pytest.fixture(scope="module")
def ray():
    pytest.importorskip("ray")
    from azul_train.ray_session import ray_session

    with ray_session(cpus=2) as module:
        yield module
