"""A Ray to work on: joined at an address, or one of this machine's own for as long as it is needed."""

# Ray is an extra that the checkers' environment does not hold.
# pyright: reportMissingImports=false

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

INSTALL_RAY: Final = "pip install 'azul-env[ray]'"
STORE_BYTES: Final = 256 * 2**20  # of a local Ray's shared memory: results are small
KNOCK_SECONDS: Final = 10.0
QUIET: Final[dict[str, Any]] = {"log_to_driver": False, "logging_level": logging.ERROR}
START_TRIES: Final = (
    3  # of a local Ray, which gives up after 30 s: on a busy machine that can be too short
)
# Ray tells nobody that it runs, leaves the choice of accelerators alone, has more patience with its own processes, and
# gives its workers the priority that the processes of the local engine have.
SETTINGS: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_agent_register_timeout_ms": "200000",
    "RAY_worker_niceness": "0",
}


class RayStartError(ChildProcessError):
    """A local Ray that does not start."""


def needed_ray() -> Any:
    """The module `ray`. Raises ModuleNotFoundError that says how to install it."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)  # Ray reads some of them when it is imported
    try:
        return import_module("ray")
    except ImportError as error:
        raise ModuleNotFoundError(f"this engine needs Ray: {INSTALL_RAY}", name="ray") from error


@contextmanager
def ray_session(address: str | None = None, cpus: int = 2) -> Iterator[Any]:
    """The module `ray`, connected: to the cluster at an address, else to a local Ray with so many CPUs.

    A program that has connected by itself keeps its connection, whatever the arguments; else it ends with the session.
    """
    ray = needed_ray()
    if ray.is_initialized():
        yield ray
        return
    if address is None:
        _start(ray, cpus)
    else:
        _join(ray, address)
    try:
        yield ray
    finally:
        ray.shutdown()


def cluster_cpus(address: str) -> int:
    """How many CPUs the cluster at an address has."""
    with ray_session(address) as ray:
        return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _start(ray: Any, cpus: int) -> None:
    """Start a Ray of this machine's own."""
    for tries_left in reversed(range(START_TRIES)):
        try:
            ray.init(
                "local",
                num_cpus=cpus,
                include_dashboard=False,
                object_store_memory=STORE_BYTES,
                _node_ip_address="127.0.0.1",  # open to nobody else
                **QUIET,
            )
            return
        except Exception as error:  # Ray raises no other class for a node that is late
            ray.shutdown()
            if not tries_left:
                raise RayStartError(f"Ray did not start here: {error}") from error


def _join(ray: Any, address: str) -> None:
    try:
        _knock(address)
        ray.init(address, **QUIET)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ConnectionError(
            f"no Ray cluster answers at {address!r} ({reason}): start one with `ray start --head`"
        ) from error


def _knock(address: str) -> None:
    """Raise OSError at once where nobody listens: Ray would try for minutes. Names such as `auto` are left to Ray."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
