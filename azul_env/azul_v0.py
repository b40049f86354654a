"""PettingZoo's entry points; the data sheet follows."""

from typing import Any

from azul_env.envs.aec import AzulAEC
from azul_env.envs.guard import GuardedAEC

raw_env = AzulAEC


def env(**arguments: Any) -> GuardedAEC:
    """The environment with PettingZoo's usual guards: see the data sheet of this module."""
    return GuardedAEC(AzulAEC(**arguments))
