"""Checkpoints: all that a run needs to go on as if nothing had happened, in one file without pickled code."""

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
    """Write tensors, numbers and texts; a kill at any moment leaves the old file or the new one."""
    with atomic_file(path) as file:
        torch.save({"format": FORMAT} | content, file)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """What `save_checkpoint` wrote. Raises ValueError if the file is none."""
    try:
        content = torch.load(path, weights_only=True)
    except FileNotFoundError:
        raise ValueError(f"{path.parent} has no checkpoint yet: start a new run") from None
    # torch raises all kinds of errors, with advice that does not apply here.
    except Exception:
        raise ValueError(f"{path} is no checkpoint, or a broken one: start a new run") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path} is a checkpoint of another version of azul_env")
    return content


def random_states() -> dict[str, Any]:
    """The states of the three global generators that SB3 draws from."""
    name, keys, *rest = np.random.get_state(legacy=True)
    numpy_state = [name, np.asarray(keys).tolist(), *rest]
    return {
        "python": json.dumps(random.getstate()),
        "numpy": json.dumps(numpy_state),
        "torch": torch.get_rng_state(),
    }


def set_random_states(states: dict[str, Any]) -> None:
    """Go on with what `random_states` gave."""
    version, numbers, gauss_next = json.loads(states["python"])
    random.setstate((version, tuple(numbers), gauss_next))
    name, keys, *rest = json.loads(states["numpy"])
    np.random.set_state((name, np.array(keys, np.uint32), *rest))
    torch.set_rng_state(states["torch"])


def pack_games(state: dict[str, Any]) -> dict[str, Any]:
    """The state of the games as tensors and texts."""
    arrays = {"rows": np.uint8, "chances": np.uint8, "seats": np.int64, "members": np.int64}
    packed = {name: torch.from_numpy(state[name].view(kind)) for name, kind in arrays.items()}
    return packed | {"rng": json.dumps(state["rng"])}


def unpack_games(packed: dict[str, Any]) -> dict[str, Any]:
    """The state of the games again."""
    kinds = {"rows": STATE, "chances": CHANCE, "seats": np.int64, "members": np.int64}
    arrays = {name: packed[name].numpy().view(kind) for name, kind in kinds.items()}
    return arrays | {"rng": json.loads(packed["rng"])}
