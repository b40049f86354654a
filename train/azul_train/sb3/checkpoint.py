"""Checkpoints: the complete state of a run in one file, without pickled code.

A file may be damaged or foreign. `load_checkpoint` checks its form, the code that uses a part checks its content, and
`valid_checkpoint` turns whatever they find into an error of one line.
"""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from azul_env import brief
from azul_env.core.chance import CHANCE
from azul_env.files import atomic_file, open_regular

FORMAT: Final = 3
MERSENNE_TWISTER_WORDS: Final = 624
# Exceptions raised where a part of a checkpoint is used that is missing, or of another type or shape.
UNUSABLE: Final = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    IndexError,
    OverflowError,
    RuntimeError,
)


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write tensors, numbers and strings atomically."""
    with atomic_file(path) as file:
        torch.save({"format": FORMAT} | content, file)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The content of a checkpoint. Raises ValueError if it is missing or broken."""
    try:
        with open_regular(path) as file:
            content = torch.load(file, weights_only=True)
    except FileNotFoundError:
        raise ValueError(f"{path.parent} has no checkpoint yet: start a new run") from None
    except Exception:  # torch raises many types, with advice that does not apply here
        raise ValueError(f"{path} is not a valid checkpoint: start a new run") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path} is a checkpoint of another version of azul_env")
    return content


@contextmanager
def valid_checkpoint(path: Path) -> Iterator[None]:
    """Raise ValueError in one line for whatever is wrong with the content of a checkpoint while it is used."""
    try:
        yield
    except UNUSABLE as error:
        found = f"{error} is missing" if isinstance(error, KeyError) else brief(error)
        raise ValueError(f"{path} is not a valid checkpoint: {found}: start a new run") from None


def restore_optimizer(optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Load the state of an optimizer. Raises ValueError if it is that of other parameters or settings."""
    fresh = [_settings_of(group) for group in optimizer.state_dict()["param_groups"]]
    if [_settings_of(group) for group in state["param_groups"]] != fresh:
        raise ValueError("the optimizer has other settings")
    optimizer.load_state_dict(state)
    for parameter, averages in optimizer.state.items():
        for name, average in averages.items():
            if average.shape not in (parameter.shape, torch.Size([])):
                raise ValueError(f"{name} of the optimizer has shape {tuple(average.shape)}")
            check_finite(average, f"{name} of the optimizer")


def _settings_of(group: dict[str, Any]) -> dict[str, Any]:
    """The settings of a group of parameters, without the learning rate, which follows a schedule, and how steps are computed."""
    return {name: value for name, value in group.items() if name not in ("lr", "fused")}


def check_finite(tensor: torch.Tensor, name: str) -> None:
    """Raise ValueError if a tensor holds NaN or infinity."""
    if not torch.isfinite(tensor).all():
        raise ValueError(f"{name} has numbers that are not finite")


def random_states() -> dict[str, Any]:
    """The states of the global generators that SB3 uses: Python's, NumPy's and torch's."""
    name, keys, *rest = np.random.get_state(legacy=True)
    numpy_state = [name, np.asarray(keys).tolist(), *rest]
    return {
        "python": json.dumps(random.getstate()),
        "numpy": json.dumps(numpy_state),
        "torch": torch.get_rng_state(),
    }


def set_random_states(states: dict[str, Any]) -> None:
    """Restore `random_states()`."""
    version, numbers, gauss_next = json.loads(states["python"])
    random.setstate((version, tuple(numbers), gauss_next))
    name, keys, position, *rest = json.loads(states["numpy"])
    if not 0 <= position <= MERSENNE_TWISTER_WORDS:  # NumPy would read out of bounds
        raise ValueError("the state of NumPy's generator is out of range")
    np.random.set_state((name, np.array(keys, np.uint32), position, *rest))
    torch.set_rng_state(states["torch"])


def pack_games(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a LeagueVecEnv as tensors and strings."""
    dtypes = {"rows": np.uint8, "chances": np.uint8, "seats": np.int64, "members": np.int64}
    packed = {name: torch.from_numpy(state[name].view(dtype)) for name, dtype in dtypes.items()}
    return packed | {"rng": json.dumps(state["rng"])}


def unpack_games(packed: dict[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """The inverse of `pack_games`, for games whose rows have this dtype."""
    dtypes = {"rows": dtype, "chances": CHANCE, "seats": np.int64, "members": np.int64}
    arrays = {name: packed[name].numpy().view(dtype) for name, dtype in dtypes.items()}
    return arrays | {"rng": json.loads(packed["rng"])}
