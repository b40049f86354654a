"""The agents that need a learning library: name, summary and options, as in `azul_agents.kinds`."""

from dataclasses import dataclass
from typing import Final

from azul_agents.registry import AgentKind, lazily, option


@dataclass(frozen=True)
class Sb3Options:
    """Which model, and how its probabilities become a move."""

    path: str = option("", "the .zip that `model.save` wrote, PPO or MaskablePPO; must be given")
    deterministic: bool = option(True, "yes: the likeliest legal move; no: sampled")

    def __post_init__(self) -> None:
        if not self.path:
            raise ValueError("it must say which file: write sb3:path=MODEL.zip")


KINDS: Final = (
    AgentKind(
        "sb3",
        "a model saved by Stable-Baselines3 (only files you trust: they hold pickled code)",
        lazily("azul_train.sb3.agent:Sb3Agent"),
        Sb3Options,
    ),
)
