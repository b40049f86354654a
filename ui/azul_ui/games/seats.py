"""The default opponent, and which names in a file may become agents."""

import re
from collections.abc import Sequence
from typing import Final

from azul_agents import parse_spec, strongest_spec
from azul_ui.games.session import PERSON

SECONDS_PER_MOVE: Final = 0.5  # of the opponent that plays unless told otherwise
# A file may name an agent and its limits in numbers. A command or a path in it could run anything: only a person names those.
TRUSTED_SPEC: Final = re.compile(r"[a-z_]+(:[a-z_]+=[0-9.]+(,[a-z_]+=[0-9.]+)*)?")


def default_opponent(num_players: int, variant: str) -> str:
    """The spec of the opponent that plays unless another is named."""
    return strongest_spec(num_players, variant, seconds=SECONDS_PER_MOVE)


def names_an_agent(name: str) -> bool:
    """True if a file's name can be trusted to stand for an agent."""
    if not TRUSTED_SPEC.fullmatch(name):
        return False
    try:
        parse_spec(name)
    except ValueError:
        return False
    return True


def untrusted_names(seats: Sequence[str]) -> list[str]:
    """The names among the seats of a file that may not become agents, each once."""
    return [name for name in dict.fromkeys(seats) if name != PERSON and not names_an_agent(name)]
