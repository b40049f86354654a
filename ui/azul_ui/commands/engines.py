"""The options `--engine` and `--address` of commands that play many games."""

from enum import StrEnum
from typing import Annotated

import typer


class Engine(StrEnum):
    """What plays the games."""

    LOCAL = "local"
    RAY = "ray"


ClusterAddress = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="With --engine ray: the cluster to join (auto: the one of this machine); else Ray is started here.",
    ),
]


def check_address(engine: Engine, address: str | None) -> None:
    """Raise ValueError for an address without Ray."""
    if address is not None and engine != Engine.RAY:
        raise ValueError("--address is the address of a Ray cluster: add --engine ray")
