"""Connect to a Ray cluster, or start a local one."""

# Ray is an optional dependency, not installed where the type checkers run.
# pyright: reportMissingImports=false

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from azul_env.extras import install_command

STORE_BYTES: Final = 256 * 2**20  # object store of a local Ray; results are small
CONNECT_SECONDS: Final = 10.0
QUIET: Final[dict[str, Any]] = {"log_to_driver": False, "logging_level": logging.ERROR}
# A local Ray gives up after 30 seconds, which can be too short on a busy machine.
START_TRIES: Final = 3
# No usage statistics, accelerators left as they are, a longer timeout for Ray's own processes, and the same priority for
# workers as for the processes of the local engine.
SETTINGS: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_agent_register_timeout_ms": "200000",
    "RAY_worker_niceness": "0",
}


class RayStartError(ChildProcessError):
    """A local Ray did not start."""


def needed_ray() -> Any:
    """The module `ray`. Raises ModuleNotFoundError with the command that installs it."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)  # some are read on import
    try:
        return import_module("ray")
    except ImportError as error:
        raise ModuleNotFoundError(
            f"this engine needs Ray: {install_command('ray')}", name="ray"
        ) from error


@contextmanager
def ray_session(address: str | None = None, cpus: int = 2) -> Iterator[Any]:
    """The module `ray`, connected to the cluster at an address, or to a local Ray with `cpus` CPUs.

    Disconnects at the end. A connection that the program already has is used and kept, whatever the arguments.
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
    """Number of CPUs of the cluster at an address."""
    with ray_session(address) as ray:
        return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _start(ray: Any, cpus: int) -> None:
    """Start a local Ray."""
    for tries_left in reversed(range(START_TRIES)):
        try:
            ray.init(
                "local",
                num_cpus=cpus,
                include_dashboard=False,
                object_store_memory=STORE_BYTES,
                _node_ip_address="127.0.0.1",  # not reachable from other machines
                **QUIET,
            )
            return
        except Exception as error:  # Ray has no class of its own for a node that starts too late
            ray.shutdown()
            if not tries_left:
                raise RayStartError(f"Ray did not start here: {error}") from error


def _join(ray: Any, address: str) -> None:
    try:
        _check_reachable(address)
        ray.init(address, **QUIET)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ConnectionError(
            f"no Ray cluster answers at {address!r} ({reason}): start one with `ray start --head`"
        ) from error


def _check_reachable(address: str) -> None:
    """Raise OSError if HOST:PORT refuses connections; Ray would try for minutes. `auto` is left to Ray."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
