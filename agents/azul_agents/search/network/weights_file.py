"""Files of networks: plain arrays in an .npz, and a card beside it that says how they were made.

The weights of features, of which there are many, are stored as float16.
"""

import json
from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import numpy as np

from azul_agents.array_file import Header, read_arrays
from azul_agents.kinds import NETWORK
from azul_agents.search.network.evaluator import NetworkEvaluator, new_evaluator
from azul_agents.search.network.layers import OFFERS, OFFERS_SHAPE, SHAPES, Floats, Layers, flat
from azul_env import brief
from azul_env.files import atomic_file, write_atomically

INNER, ENDS = NETWORKS = "inner", "ends"  # inside rounds, and for their ends
STORED_AS_HALVES: Final = "board"
HEADERS: Final[dict[str, Header]] = {
    f"{network}.{name}": (
        shape,
        np.dtype(np.float16 if name == STORED_AS_HALVES else np.float32),
    )
    for network in NETWORKS
    for name, shape in SHAPES.items()
}
# Only networks that see offers have it.
OPTIONAL_HEADERS: Final[dict[str, Header]] = {
    f"{INNER}.{OFFERS}": (OFFERS_SHAPE, np.dtype(np.float32))
}


def write_networks(path: Path, inner: Layers, ends: Layers, card: dict[str, Any]) -> None:
    """Write the networks, after the card beside them, so that networks never lack a card.

    Raises ValueError if a number is not finite in the file's precision.
    """
    networks = {INNER: inner, ENDS: ends}
    arrays: dict[str, Any] = {}
    for name, (_, dtype) in (HEADERS | OPTIONAL_HEADERS).items():
        network, layer = name.split(".")
        if layer not in networks[network]:
            continue
        with np.errstate(over="ignore"):
            arrays[name] = networks[network][layer].astype(dtype)
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"the training diverged: {name} holds numbers that are not finite")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path.with_suffix(".json"), json.dumps(card, indent=1) + "\n")
    with atomic_file(path) as file:
        np.savez_compressed(file, **arrays)


def read_networks(path: Path) -> Floats:
    """The weights of both networks. Raises ValueError in one line if the file is broken or of another version."""
    arrays = read_arrays(path, HEADERS, OPTIONAL_HEADERS)
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{brief(path)} is broken: {name} holds numbers that are not finite")
    layers: dict[str, Layers] = {network: {} for network in NETWORKS}
    for name, array in arrays.items():
        network, layer = name.split(".")
        layers[network][layer] = array.astype(np.float32)
    return flat(layers[INNER], layers[ENDS])


def shipped_file(num_players: int, evaluation: str) -> Traversable:
    """Where the networks of an evaluation are, if the package has some for this number of players."""
    return files("azul_agents.search") / "weights" / f"{num_players}_players_{evaluation}.npz"


@cache
def shipped_networks(num_players: int, evaluation: str = NETWORK) -> Floats | None:
    """The packaged weights; None if there are none. Networks without offers stand in for those with offers."""
    source = shipped_file(num_players, evaluation)
    if not source.is_file():
        return None if evaluation == NETWORK else shipped_networks(num_players)
    with as_file(source) as path:
        return read_networks(path)


def network_evaluator(
    num_players: int, weights: Floats | None = None, win_weight: float = 0.0
) -> NetworkEvaluator:
    """An evaluator with these weights, or with those that come with the package."""
    found = shipped_networks(num_players) if weights is None else weights
    if found is None:
        raise ValueError(f"there are no networks for {num_players} players")
    return new_evaluator(found, win_weight)
