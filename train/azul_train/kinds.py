"""Agents that need a learning library: names, summaries and options, as in `azul_agents.kinds`."""

from dataclasses import dataclass
from typing import Final

from azul_agents.registry import AgentKind, lazily, option


@dataclass(frozen=True)
class Sb3Options:
    """The model, and how to choose a move from its policy."""

    path: str = option("", "file written by `model.save` of PPO or MaskablePPO; required")
    deterministic: bool = option(True, "yes: the most likely legal move; no: sampled")

    def __post_init__(self) -> None:
        if not self.path:
            raise ValueError("the path is missing: write sb3:path=MODEL.zip")


KINDS: Final = (
    AgentKind(
        "sb3",
        "a model saved by Stable-Baselines3 (load only files you trust: they contain pickled code)",
        lazily("azul_train.sb3.agent:Sb3Agent"),
        Sb3Options,
    ),
)
