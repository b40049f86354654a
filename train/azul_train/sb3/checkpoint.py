"""Checkpoints: the complete state of a run in one file, without pickled code."""

import json
import random
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from azul_env.core.chance import CHANCE
from azul_env.core.state import STATE
from azul_env.files import atomic_file

FORMAT: Final = 2


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write tensors, numbers and strings atomically."""
    with atomic_file(path) as file:
        torch.save({"format": FORMAT} | content, file)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The content of a checkpoint. Raises ValueError if it is missing or broken."""
    try:
        content = torch.load(path, weights_only=True)
    except FileNotFoundError:
        raise ValueError(f"{path.parent} has no checkpoint yet: start a new run") from None
    except Exception:  # torch raises many types, with advice that does not apply here
        raise ValueError(f"{path} is not a valid checkpoint: start a new run") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path} is a checkpoint of another version of azul_env")
    return content


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
    name, keys, *rest = json.loads(states["numpy"])
    np.random.set_state((name, np.array(keys, np.uint32), *rest))
    torch.set_rng_state(states["torch"])


def pack_games(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a LeagueVecEnv as tensors and strings."""
    dtypes = {"rows": np.uint8, "chances": np.uint8, "seats": np.int64, "members": np.int64}
    packed = {name: torch.from_numpy(state[name].view(dtype)) for name, dtype in dtypes.items()}
    return packed | {"rng": json.dumps(state["rng"])}


def unpack_games(packed: dict[str, Any]) -> dict[str, Any]:
    """The inverse of `pack_games`."""
    dtypes = {"rows": STATE, "chances": CHANCE, "seats": np.int64, "members": np.int64}
    arrays = {name: packed[name].numpy().view(dtype) for name, dtype in dtypes.items()}
    return arrays | {"rng": json.loads(packed["rng"])}
