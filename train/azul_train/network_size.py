"""How large the network is: apart from the network, so that a config can be read without torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NetworkSize:
    """How large the network is."""

    trunk: int = 256
    """Width of the two layers that everything goes through."""
    source: int = 64
    """Numbers that a factory, and the center, is embedded in."""
    key: int = 16
    """Numbers by which the moves from a source are told apart from the same moves elsewhere."""
    value: int = 64
    """Width of the layer in front of the value."""

    def __post_init__(self) -> None:
        for name, width in vars(self).items():
            if width < 1:
                raise ValueError(f"{name} must be at least 1, not {width}")
